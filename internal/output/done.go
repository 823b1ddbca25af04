package output

import (
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

// foundOut are flags of a manifest that its command did not set.
var foundOut = []string{"other-builds"}

// FactsOfManifest returns what a dataset was made from and with, without what was found out by making it. Datasets
// count by the hash of their manifest, files by their content.
func FactsOfManifest(m *dataset.Manifest) (facts Facts) {
	facts.Add("command", "%s", m.Verb)
	if m.Tool != Tool {
		facts.Add("version", "%s", m.Tool)
	}
	for _, f := range m.Flags {
		if !slices.Contains(foundOut, f.Name) {
			facts.Add(f.Name, "%s", f.Value)
		}
	}
	facts.Add("seed", "%d", m.Seed)
	facts.Add("split", "%s", m.Splits)
	for _, p := range m.Parents {
		facts.Add("dataset "+p.Name, "manifest %.16s", p.Manifest)
	}
	for _, i := range m.Inputs {
		if i.SHA256 == "" && i.Bytes == 0 {
			facts.Add("input", "made by the command")
		} else {
			facts.Add("input", "%q, %d bytes, SHA-256 %.16s", i.Name, i.Bytes, i.SHA256)
		}
	}
	for _, p := range m.Fingerprints {
		facts.Add("labels", "%s, %s (%s)", p.Engine, p.Limit, p.ID())
	}
	for i := range m.Networks {
		n := &m.Networks[i]
		facts.Add("network", "%s, step %d (%s)", n.Recipe, n.Step, n.ID())
	}
	return facts
}

// target is what [Open] is asked to make.
type target struct {
	Options
	manifest dataset.Manifest // before the first shard
	command  string
}

// inspect reports what exists in a folder, compared with what is asked for.
func (t *target) inspect(dir string) (found Found, err error) {
	f := Folder{Options: t.Options, dir: dir}
	f.State = nil // nothing is taken over yet
	m, err := dataset.ReadManifest(dir)
	if err == nil {
		return t.finished(&f, m)
	}
	if !errors.Is(err, dataset.ErrNoDataset) {
		return found, err
	}
	if found.Foreign, err = f.foreignFiles(nil); err != nil {
		return found, err
	}
	if begun, err := f.restore(); err != nil {
		return found, fmt.Errorf("%w: %w", ErrUnfinished, err)
	} else if !begun {
		return found, nil
	}
	found.State, found.Busy = Interrupted, AtWork(dir)
	if f.progress.Command == t.command {
		return found, nil
	}
	have := f.progress.Manifest
	have.Inputs = have.Inputs[:min(len(have.Inputs), len(t.manifest.Inputs))]
	if found.Differences = t.compare(&have); len(found.Differences) == 0 {
		found.Differences = []Difference{{"made from", "something else", "what is given"}}
	}
	return found, nil
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

// finished compares a finished dataset with what is asked for. It is whole if its files have their sizes; verify checks
// their bytes.
func (t *target) finished(f *Folder, m *dataset.Manifest) (found Found, err error) {
	found.State = Done
	if found.Differences, err = Lost(f.dir, m); err != nil {
		return found, err
	}
	found.Differences = append(found.Differences, t.compare(m)...)
	if t.Compare != nil && len(found.Differences) == 0 {
		if found.Differences, err = t.Compare(f.dir, m); err != nil {
			return found, err
		}
	}
	f.progress.Manifest = *m
	found.Result = f.Summary(time.Now())
	found.Foreign, err = f.foreignFiles(m)
	return found, err
}

// compare compares the facts of a manifest with those that are asked for and known before the first shard; entries that
// the command appends later are ignored.
func (t *target) compare(m *dataset.Manifest) []Difference {
	have, want := *m, t.manifest
	want.Tool = Tool
	have.Fingerprints = have.Fingerprints[:min(len(have.Fingerprints), len(want.Fingerprints))]
	have.Networks = have.Networks[:min(len(have.Networks), len(want.Networks))]
	if len(want.Inputs) == 0 { // [Options.Compare] compares them
		have.Inputs = nil
	}
	return Compare(FactsOfManifest(&have), FactsOfManifest(&want))
}

// foreignFiles lists the files in the folder that no command made which makes datasets there.
func (f *Folder) foreignFiles(m *dataset.Manifest) ([]string, error) {
	return ForeignFiles(f.dir, func(name string) bool {
		own, _ := f.sideFile(name)
		return own || IsOwnFile(name) ||
			m != nil && slices.ContainsFunc(m.Shards, func(s dataset.ShardInfo) bool { return s.File == name })
	})
}

// partsName is the file of a folder that names the datasets which it was joined from, where its manifest is that of a
// dataset which was made at once. It is written for those who ask for outputs to be skipped or replaced.
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

// sameParts is an [Options.Compare] of a dataset put together from others with these hashes, in any order.
func sameParts(hashes []string) func(dir string, m *dataset.Manifest) ([]Difference, error) {
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

func partFacts(hashes []string) (facts Facts) {
	for _, h := range slices.Sorted(slices.Values(hashes)) {
		facts.Add("part", "manifest %.16s", h)
	}
	return facts
}
