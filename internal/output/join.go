package output

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"talbot/dataset"
	"talbot/internal/fault"
	"talbot/internal/humanize"
	"talbot/shards"
)

// PartFlag is the flag of a manifest that says which part of the work it is of.
const PartFlag = "part"

// ErrParts says that datasets are not all the parts of one.
var ErrParts = fault.New(fault.ExitUsage, "not parts of the same dataset",
	"give all parts of one `talbot label` or `talbot selfplay --part 1/n … n/n`, each once")

// Join puts together what several machines made, each a part.
type Join struct {
	Job
	Parts []string // datasets, in any order
}

// JoinSummary is what join reports.
type JoinSummary struct {
	Summary
	Parts    int   `json:"parts"`
	Labelled int64 `json:"labelled"` // labels by status, over all fingerprints
	Terminal int64 `json:"terminal"`
	Failed   int64 `json:"failed"`
}

// Run has lines write the lines of the parts, in the order of their numbers, from where an interrupted run was. Errors:
// [ErrParts], those of [shards.OpenDataset], and damage.
func (j Join) Run(ctx context.Context,
	lines func(ctx context.Context, out *Folder, parts []*shards.Dataset) error) (JoinSummary, error) {
	start := time.Now()
	parts := make([]*shards.Dataset, len(j.Parts))
	defer func() {
		for _, d := range parts {
			if d != nil {
				d.Close()
			}
		}
	}()
	m, err := j.open(parts)
	if err != nil {
		return JoinSummary{}, err
	}
	var hashes []string
	for _, d := range parts {
		hashes = append(hashes, d.Manifest.Hash())
	}
	out, err := Open(m, hashes, Options{Job: j.Job, Parts: hashes})
	if err != nil {
		return JoinSummary{}, err
	}
	defer out.Close()
	if err := lines(ctx, out, parts); err != nil {
		if errors.Is(err, ErrParts) { // nothing goes on from here
			err = errors.Join(err, out.Discard())
		}
		return JoinSummary{}, err
	}
	if err := out.Finish(nil); err != nil {
		return JoinSummary{}, err
	}
	c := &out.Manifest().Counts
	return JoinSummary{out.Summary(start), len(parts), c.Labelled, c.Terminal, c.Failed}, nil
}

// open opens the parts, each at the place of its number, and returns the manifest of the whole before the first shard.
func (j Join) open(parts []*shards.Dataset) (whole dataset.Manifest, err error) {
	for i, dir := range j.Parts {
		d, err := shards.OpenDataset(dir)
		if err != nil {
			return whole, err
		}
		m, part, err := withoutPart(d.Manifest)
		switch {
		case err != nil:
			err = fmt.Errorf("%q: %w: %w", dir, ErrParts, err)
		case part.N != len(parts):
			err = fmt.Errorf("%q: %w: it is part %s, but %d were given", dir, ErrParts, part, len(parts))
		case parts[part.I-1] != nil:
			err = fmt.Errorf("%q and %q: %w: both are %s", parts[part.I-1].Dir, dir, ErrParts, part)
		case i > 0 && m.Hash() != whole.Hash():
			err = fmt.Errorf("%q and %q: %w: what they were made from or with differs", j.Parts[0], dir, ErrParts)
			if list := Compare(FactsOfManifest(&whole), FactsOfManifest(&m)); len(list) > 0 {
				err = fmt.Errorf("%w (%s)", err, list[0])
			}
		}
		if err != nil {
			d.Close()
			return whole, err
		}
		parts[part.I-1], whole = d, m
	}
	return whole, nil
}

// withoutPart returns a part's manifest as that of the whole, before the first shard, and which part it is.
func withoutPart(m *dataset.Manifest) (whole dataset.Manifest, part dataset.Part, err error) {
	whole = m.Empty()
	at := slices.IndexFunc(whole.Flags, func(f dataset.Tag) bool { return f.Name == PartFlag })
	if at < 0 {
		return whole, part, errors.New("made without --part")
	}
	part, err = dataset.ParsePart(whole.Flags[at].Value)
	whole.Flags = slices.Delete(slices.Clone(whole.Flags), at, at+1)
	for i := range whole.Inputs {
		if whole.Inputs[i].Network && len(whole.Parents) == 0 { // games that the command played
			whole.Inputs[i].Games = 0
		}
	}
	return whole, part, err
}

// Text returns what a joined dataset holds.
func (sum *JoinSummary) Text(out string) string {
	var t humanize.Text
	t.Line("%s: %s of %s, %s, %s, %s terminal, %s failed, %s, %.1f s\n", out, humanize.Count(sum.GamesKept, "line"),
		humanize.Count(int64(sum.Parts), "part"), humanize.Count(sum.Samples, "sample"),
		humanize.Count(sum.Labelled, "label"), humanize.Thousands(sum.Terminal), humanize.Thousands(sum.Failed),
		humanize.Size(float64(sum.Bytes)), sum.Seconds)
	return t.String()
}
