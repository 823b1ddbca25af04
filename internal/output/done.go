package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"talbot/dataset"
	"talbot/internal/durable"
)

// sameBytes are the versions of talbot whose datasets are to the byte those of this one.
var sameBytes = []string{Tool}

// foundOut are flags of a manifest that its command did not set.
var foundOut = []string{"other-builds"}

// Facts are what a dataset was made from and with, as its manifest has it: without what was found out by making it.
// Datasets count by the hash of their manifest, files by their content.
func Facts(m *dataset.Manifest) []Fact {
	facts := []Fact{{Name: "command", Value: m.Verb}}
	if !slices.Contains(sameBytes, m.Tool) {
		facts = append(facts, Fact{Name: "version", Value: m.Tool})
	}
	for _, f := range m.Flags {
		if !slices.Contains(foundOut, f.Name) {
			facts = append(facts, Fact{Name: f.Name, Value: f.Value})
		}
	}
	facts = append(facts, Fact{Name: "seed", Value: fmt.Sprint(m.Seed)},
		Fact{Name: "split", Value: m.Splits.String()})
	for _, p := range m.Parents {
		facts = append(facts, Fact{Name: "dataset " + p.Name, Value: fmt.Sprintf("manifest %.16s", p.Manifest)})
	}
	for _, i := range m.Inputs {
		value := "made by the command"
		if i.SHA256 != "" || i.Bytes > 0 {
			value = fmt.Sprintf("%q, %d bytes, SHA-256 %.16s", i.Name, i.Bytes, i.SHA256)
		}
		facts = append(facts, Fact{Name: "input", Value: value})
	}
	for _, p := range m.Fingerprints {
		facts = append(facts, Fact{Name: "labels", Value: fmt.Sprintf("%s, %s (%s)", p.Engine, p.Limit, p.ID())})
	}
	for i := range m.Networks {
		n := &m.Networks[i]
		facts = append(facts, Fact{Name: "network", Value: fmt.Sprintf("%s, step %d (%s)", n.Recipe, n.Step,
			n.ID())})
	}
	return facts
}

// target is what [Open] is asked to make, for those that look whether it is there.
type target struct {
	Options
	manifest dataset.Manifest // as it is at first
	command  string
}

// inspect reports what exists in a folder, compared with what is asked for.
func (t *target) inspect(dir string) (found Found, err error) {
	f := Folder{Options: t.Options, dir: dir}
	switch m, err := dataset.ReadManifest(dir); {
	case err == nil:
		return t.finished(&f, m)
	case !errors.Is(err, dataset.ErrNoDataset):
		return found, err
	}
	data, err := durable.ReadFile(f.Path(ProgressName), maxProgress)
	if errors.Is(err, fs.ErrNotExist) {
		found.Foreign, err = f.foreignFiles(nil)
		return found, err
	}
	if err != nil {
		return found, fmt.Errorf("%w: %w", dataset.ErrDamaged, err)
	}
	f.State, f.Warn = nil, nil // nothing is taken over from it yet
	if err := f.restore(data); err != nil {
		return found, fmt.Errorf("%q: %w: %w: %w", f.Path(ProgressName), ErrUnfinished, dataset.ErrDamaged, err)
	}
	found.State, found.Busy = Interrupted, AtWork(dir)
	if found.Foreign, err = f.foreignFiles(nil); err != nil || f.progress.Command == t.command {
		return found, err
	}
	begun := f.progress.Manifest
	begun.Inputs = begun.Inputs[:min(len(begun.Inputs), len(t.manifest.Inputs))]
	found.Differences = t.compare(&begun)
	if len(found.Differences) == 0 {
		found.Differences = []Difference{{Name: "made from", Have: identityOf(f.progress.Command),
			Want: identityOf(t.command)}}
	}
	return found, nil
}

// identityOf is that part of a command's text which no flag says.
func identityOf(command string) string {
	var c struct{ Identity json.RawMessage }
	if json.Unmarshal([]byte(command), &c) != nil || len(c.Identity) == 0 {
		return "something else"
	}
	const most = 300
	return string(c.Identity[:min(len(c.Identity), most)])
}

// Lost returns the shards of a finished dataset that are missing or have another size.
func Lost(dir string, m *dataset.Manifest) (list []Difference, err error) {
	for _, s := range m.Shards {
		have := "missing"
		switch info, err := os.Stat(filepath.Join(dir, s.File)); {
		case err == nil && info.Size() == s.Bytes:
			continue
		case err == nil:
			have = fmt.Sprintf("%d bytes", info.Size())
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
		list = append(list, Difference{Name: s.File, Have: have, Want: fmt.Sprintf("%d bytes", s.Bytes)})
	}
	return list, nil
}

// finished compares a finished dataset with what is asked for. It is whole if its files have their sizes; what their
// bytes are is for verify to say.
func (t *target) finished(f *Folder, m *dataset.Manifest) (found Found, err error) {
	found.State = Done
	if found.Differences, err = Lost(f.dir, m); err != nil {
		return found, err
	}
	found.Differences = append(found.Differences, t.compare(m)...)
	if t.Compare != nil && len(found.Differences) == 0 {
		more, err := t.Compare(f.dir, m)
		if err != nil {
			return found, err
		}
		found.Differences = more
	}
	f.progress.Manifest = *m
	found.Result = f.Summary(time.Now())
	found.Foreign, err = f.foreignFiles(m)
	return found, err
}

// compare compares the facts of a manifest with those of the one that is asked for, as far as they are known before
// the first shard. What the command adds to them comes behind.
func (t *target) compare(m *dataset.Manifest) []Difference {
	have, want := *m, t.manifest
	want.Tool = Tool
	have.Fingerprints = have.Fingerprints[:min(len(have.Fingerprints), len(want.Fingerprints))]
	have.Networks = have.Networks[:min(len(have.Networks), len(want.Networks))]
	if len(want.Inputs) == 0 { // they are compared by [Options.Compare]
		have.Inputs = nil
	}
	return Compare(Facts(&have), Facts(&want))
}

// foreignFiles lists the files in the folder that no command made which makes datasets there.
func (f *Folder) foreignFiles(m *dataset.Manifest) (names []string, err error) {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := e.Name()
		own, _ := f.sideFile(name)
		listed := m != nil && slices.ContainsFunc(m.Shards, func(s dataset.ShardInfo) bool { return s.File == name })
		if !own && !listed && !IsOwnFile(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// partsName is the file of a folder that says which datasets it was put together from, where its manifest is that of a
// dataset which was made at once. It is written only for those who ask for outputs to be skipped.
const partsName = "parts.made.json"

// parts is the content of that file.
type parts struct {
	Version int      `json:"version"` // 1
	Hashes  []string `json:"manifests"`
}

const (
	partsVersion = 1
	maxParts     = 16 << 20
)

// SameParts is an [Options.Compare] of a dataset put together from others with these hashes, in any order.
func SameParts(hashes []string) func(dir string, m *dataset.Manifest) ([]Difference, error) {
	return func(dir string, _ *dataset.Manifest) ([]Difference, error) {
		var p parts
		f := Folder{dir: dir}
		if err := durable.ReadSealed(f.Path(partsName), maxParts, partsVersion, &p); err != nil {
			return nil, err
		}
		if p.Version == 0 {
			return []Difference{{Name: "parts", Have: "unknown (it was made without --skip-done)",
				Want: "those given"}}, nil
		}
		return Compare(partFacts(p.Hashes), partFacts(hashes)), nil
	}
}

func partFacts(hashes []string) (facts []Fact) {
	for _, h := range slices.Sorted(slices.Values(hashes)) {
		facts = append(facts, Fact{Name: "part", Value: fmt.Sprintf("manifest %.16s", h)})
	}
	return facts
}
