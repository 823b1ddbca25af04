package ingest

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/internal/fault"
	"talbot/internal/humanize"
	"talbot/shards"
)

// With --skip-bad-files an input that turns out to be damaged is left out whole, though lines of it may be in shards by
// then:
//
//  1. When an input begins, what is counted until then is kept aside, in progress.json too.
//  2. When it is left out, the counts go back to that, and the set of keys is made again from the lines of the inputs
//     before, so that a game is no copy of one that is gone.
//  3. All shards are drafts, and the pass that writes them again (see [ingester.finishDrafts]) drops its lines.
//
// Where shards are cut depends on what was read of it, which is the same at each repetition.

// BadFile is the reason of inputs that are left out, in the list of rejects.
const BadFile dataset.Reason = "bad_file"

// ErrNothingKept: everything was left out.
var ErrNothingKept = fault.New(fault.ExitFailed, "nothing was kept",
	"`talbot ingest --rejects FILE` lists what was left out and why")

// SkippedFile is an input that was left out.
type SkippedFile struct {
	File   string `json:"file"`   // base name
	Reason string `json:"reason"` // in a word, as in the manifest
	Error  string `json:"error"`
}

// inputStart has the counts from when an input began.
type inputStart struct {
	Counts       dataset.Counts `json:"counts"`
	Fingerprints int            `json:"fingerprints"`
	Rejects      int64          `json:"rejects"`
	totals
}

// beginInput keeps the counts from before an input.
func (g *ingester) beginInput() {
	if !g.SkipBadFiles {
		return
	}
	m := g.out.Manifest()
	s := &inputStart{Counts: m.Counts, Fingerprints: len(m.Fingerprints), totals: g.state.totals}
	if s.Scores != nil {
		s.Scores = new(*s.Scores)
	}
	s.Counts.Rejects, s.Counts.SamplesDropped = maps.Clone(m.Counts.Rejects), maps.Clone(m.Counts.SamplesDropped)
	if g.rejects != nil {
		s.Rejects = g.rejects.size
	}
	g.state.Before = s
}

// leaveOut leaves an input out for a fault, as if nothing of it had been read. in is nil if it was not opened.
func (g *ingester) leaveOut(index int, path string, in *rows.Input, fault string, err error) error {
	m, before := g.out.Manifest(), g.state.Before
	kept := m.Counts.GamesKept > before.Counts.GamesKept
	if kept { // the lines before it must be in a draft, from which the set of keys is made again
		if err := g.out.EndShard(); err != nil {
			return err
		}
	}
	m.Counts, m.Fingerprints = before.Counts, m.Fingerprints[:before.Fingerprints]
	maps.DeleteFunc(g.prints, func(_ string, i int) bool { return i >= before.Fingerprints })
	g.state.totals = before.totals
	if err := g.rejects.rewind(before.Rejects); err != nil {
		return err
	}
	input := dataset.Input{Name: inputName(path), LeftOut: fault}
	if in != nil {
		if sum, err := in.Sum(); err == nil {
			input.SHA256 = hex.EncodeToString(sum[:])
		}
		input.Bytes = in.RawRead()
	}
	m.Inputs = append(m.Inputs, input)
	g.state.LeftOut = append(g.state.LeftOut, SkippedFile{input.Name, input.LeftOut, err.Error()})
	g.endInput(index, input.Bytes)
	if g.Rejected != nil {
		g.Rejected(path, &dataset.Reject{Reason: BadFile, Err: err})
	}
	if !kept { // nothing of it was marked
		return nil
	}
	if err := g.out.Mark(); err != nil || g.KeepDuplicates {
		return err
	}
	return g.collectKeys()
}

// endInput is the state after an input.
func (g *ingester) endInput(index int, bytes int64) {
	g.bytes.before += bytes
	g.state.Input, g.state.Number, g.state.Read = index+1, 0, 0
	g.state.Comments, g.state.Before = nil, nil
}

func inputName(path string) string {
	if path == "-" {
		return path
	}
	return filepath.Base(path)
}

// collectKeys makes the set of keys from the lines that are written.
func (g *ingester) collectKeys() error {
	g.seen = &dataset.GameSet{}
	return g.out.EachLine(context.Background(), 1, goalColumns, func(_ int, l *dataset.Line) error {
		if !g.isLeftOut(l) {
			start, moves := l.WithoutHistory()
			g.seen.Add(withGoal((&dataset.Line{Start: start, Moves: moves}).GameKey(), l))
		}
		return nil
	})
}

// goalColumns are what [withGoal] needs of a line.
const goalColumns = shards.Tags | shards.Policies

// withGoal returns the key of a line with that of its start and moves: puzzles with other best moves, or moves to
// avoid, are no copies.
func withGoal(k dataset.GameKey, l *dataset.Line) dataset.GameKey {
	if l.Source != dataset.SourcePuzzle {
		return k
	}
	goal := strings.Fields(l.Tag(rows.TagAvoidMoves))
	for _, policy := range l.Policies {
		for _, m := range policy {
			goal = append(goal, "="+m.Move.String())
		}
	}
	if len(goal) > 0 {
		slices.Sort(goal)
		h := xxhash.Sum64String(strings.Join(goal, " "))
		k = dataset.GameKey{A: k.A ^ h, B: k.B ^ bits.RotateLeft64(h, 32)}
	}
	return k
}

// isLeftOut reports whether a line is of an input that was left out later. It may be called from several goroutines
// once all inputs are read.
func (g *ingester) isLeftOut(l *dataset.Line) bool {
	inputs := g.out.Manifest().Inputs
	return l.Input < len(inputs) && inputs[l.Input].LeftOut != ""
}

// listLeftOut puts the inputs that are left out into the list of rejects, once.
func (g *ingester) listLeftOut() {
	if g.state.Listed {
		return
	}
	g.state.Listed = true
	next := 0
	for i, input := range g.out.Manifest().Inputs {
		if input.LeftOut != "" {
			g.rejects.add(g.Inputs[i], &dataset.Reject{Reason: BadFile, Err: errors.New(g.state.LeftOut[next].Error)})
			next++
		}
	}
}

// keptAny returns [ErrNothingKept] if there is no line, and gives the folder back as it was before.
func (g *ingester) keptAny(ctx context.Context) error {
	c := g.out.Manifest().Counts
	if c.GamesKept > 0 {
		return nil
	}
	err := fmt.Errorf("%w of %s", ErrNothingKept, humanize.Count(c.GamesRead, "game"))
	if n := len(g.state.LeftOut); n > 0 {
		err = fmt.Errorf("%w; %s left out", err, humanize.Count(int64(n), "file"))
	}
	var most dataset.Reason
	for _, reason := range slices.Sorted(maps.Keys(c.Rejects)) {
		if c.Rejects[reason] > c.Rejects[most] {
			most = reason
		}
	}
	if most != "" {
		err = fmt.Errorf("%w; %s left out as %s", err, humanize.Count(c.Rejects[most], "game"), most)
	}
	return errors.Join(err, g.publishRejects(ctx), g.out.Discard())
}
