package selfplay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"talbot/dataset"
	"talbot/internal/fault"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/shards"
)

// partFlag is the flag of a manifest that says which part of the games was played.
const partFlag = "part"

// ErrParts says that datasets are not all the parts of the same games.
var ErrParts = fault.New(fault.ExitUsage, "not parts of the same games",
	"give all parts of one `talbot selfplay --part 1/n … n/n`, each once")

// Join puts together the games that several machines played with [Request.Part].
type Join struct {
	output.Job
	Parts []string // datasets, in any order
}

// JoinSummary is what joining reports.
type JoinSummary struct {
	output.Summary
	parts int
}

// Run writes the dataset that one machine would have made, to the byte. Errors: [ErrParts], those of
// [shards.OpenDataset], and damage.
func (j Join) Run(ctx context.Context) (JoinSummary, error) {
	begun := time.Now()
	parts := make([]*shards.Dataset, len(j.Parts)) // by their numbers
	defer func() {
		for _, d := range parts {
			if d != nil {
				d.Close()
			}
		}
	}()
	var m dataset.Manifest
	var hashes []string
	for i, dir := range j.Parts {
		d, err := shards.OpenDataset(dir)
		if err != nil {
			return JoinSummary{}, err
		}
		whole, part, err := withoutPart(d.Manifest)
		switch {
		case err != nil:
			err = fmt.Errorf("%q: %w: %w", dir, ErrParts, err)
		case part.N != len(parts):
			err = fmt.Errorf("%q: %w: it is part %s, but %d were given", dir, ErrParts, part, len(parts))
		case parts[part.I-1] != nil:
			err = fmt.Errorf("%q and %q: %w: both are %s", parts[part.I-1].Dir, dir, ErrParts, part)
		case i > 0 && whole.Hash() != m.Hash():
			err = fmt.Errorf("%q and %q: %w: network, processor, settings or seed differ", j.Parts[0], dir, ErrParts)
		}
		if err != nil {
			d.Close()
			return JoinSummary{}, err
		}
		parts[part.I-1], m = d, whole
		hashes = append(hashes, d.Manifest.Hash())
	}
	games, err := gamesOf(&m)
	if err != nil {
		return JoinSummary{}, fmt.Errorf("%q: %w", j.Parts[0], err)
	}
	var s state
	out, err := output.Open(m, nil, output.Options{Job: j.Job, State: &s, Parts: hashes})
	if err != nil {
		return JoinSummary{}, err
	}
	defer out.Close()
	if err := j.lines(ctx, out, parts, &s, games); err != nil {
		return JoinSummary{}, err
	}
	out.Manifest().Inputs[0].Games = out.Manifest().Counts.GamesRead
	if err := out.Finish(nil); err != nil {
		return JoinSummary{}, err
	}
	return JoinSummary{out.Summary(begun), len(j.Parts)}, nil
}

// lines copies the games in the order of their numbers, from the one after that of the state.
func (j Join) lines(ctx context.Context, out *output.Folder, parts []*shards.Dataset, s *state, games int64) error {
	next := make([]func() (*dataset.Line, error, bool), len(parts))
	for i, d := range parts {
		pull, stop := iter.Pull2(d.Lines())
		defer stop()
		next[i] = pull
	}
	done := s.Number
	for number := int64(1); number <= games; number++ {
		part := (number - 1) % int64(len(parts))
		line, err, ok := next[part]()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return err
		case !ok || line.Number != number:
			return fmt.Errorf("%q: %w: game %d is missing", parts[part].Dir, ErrParts, number)
		case number <= done:
			continue
		}
		if err := out.Write(line); err != nil {
			return err
		}
		if s.Number = number; endsBlock(number, 1, games) {
			if err := out.EndShard(); err != nil {
				return err
			}
		}
		if number%64 == 0 {
			j.Report(progress.Progress{Verb: "join", Unit: "games", Count: number, First: done, Done: number,
				Total: games, Rate: number - done})
		}
	}
	return nil
}

// withoutPart returns a part's manifest as that of the whole, before the first shard, and which part it is.
func withoutPart(m *dataset.Manifest) (dataset.Manifest, dataset.Part, error) {
	w := m.Empty()
	var part dataset.Part
	at := slices.IndexFunc(w.Flags, func(f dataset.Tag) bool { return f.Name == partFlag })
	if m.Verb != Verb || at < 0 || len(w.Inputs) != 1 {
		return w, part, errors.New("made without --part")
	}
	part, err := dataset.ParsePart(w.Flags[at].Value)
	w.Flags = slices.Delete(slices.Clone(w.Flags), at, at+1)
	w.Inputs[0].Games = 0
	return w, part, err
}

// gamesOf is how many games all parts have together.
func gamesOf(m *dataset.Manifest) (int64, error) {
	for _, f := range m.Flags {
		if f.Name == "games" {
			return strconv.ParseInt(f.Value, 10, 64)
		}
	}
	return 0, errors.New("the manifest does not say how many games there are")
}
