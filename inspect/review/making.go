package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/fault"
	"talbot/internal/output"
	"talbot/pipeline/ingest"
	labelling "talbot/pipeline/label"
	"talbot/play/engine"
	"talbot/stockfish"
)

// Making makes a review of files of games: a dataset of them, another with their labels, and what [Request.Write]
// writes. Made again, it evaluates only what was not evaluated.
type Making struct {
	Request                   // but In
	Out     string            // the folder
	Evals   bool              // the evaluations in comments are taken, and no engine
	Read    ingest.Request    // Inputs, and how they are read
	Label   labelling.Request // Engine with its limit, Workers, and how they are watched
	Tool    string            // that the games name
}

// Engine is the engine of a review but for its path, which searches so many nodes for each position.
func Engine(nodes int64) stockfish.Config {
	return stockfish.Config{Limit: stockfish.Nodes(nodes), Hash: 16, MultiPV: 1}
}

// Check returns [output.ErrOccupied] if the folder has what no review made, or a file of games that would be replaced.
// Until its first page is written, a review has made folders and temporary files alone.
func (m *Making) Check() error {
	for _, in := range m.Read.Inputs {
		for _, name := range []string{"games.pgn", puzzleFile} {
			if err := output.CheckApart(in, filepath.Join(m.Out, name)); errors.Is(err, output.ErrOccupied) {
				return err
			}
		}
	}
	if _, err := os.Stat(filepath.Join(m.Out, gamePath(1))); err == nil {
		return nil
	}
	entries, err := os.ReadDir(m.Out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		own := strings.Contains(e.Name(), ".talbot-") || strings.HasSuffix(e.Name(), durable.TempSuffix)
		if !own && !slices.Contains([]string{"games", "labelled", "searched", "game"}, e.Name()) {
			return fmt.Errorf("%q contains %q: %w", m.Out, e.Name(), output.ErrOccupied)
		}
	}
	return err
}

// Run makes the review.
func (m Making) Run(ctx context.Context) (*Summary, error) {
	if err := os.MkdirAll(m.Out, 0o777); err != nil {
		return nil, err
	}
	in := m.Read
	in.LastPositions, in.Filters.Player, in.ImportEvals = true, m.Player, m.Evals
	in.Job = m.job(in.Job, filepath.Join(m.Out, "games"))
	if err := read(ctx, in); err != nil {
		if m.Player != "" && errors.Is(err, ingest.ErrNothingKept) {
			err = fault.Hint(err, "write the player's name as in the games, or one word of it")
		}
		return nil, err
	}
	manifest, err := dataset.ReadManifest(in.Out)
	if err != nil {
		return nil, err
	}
	m.In, m.LeftOut = in.Out, manifest.Counts.Rejects
	if !m.Evals {
		l := m.Label
		l.Job = m.job(l.Job, filepath.Join(m.Out, "labelled"))
		l.In, m.In = in.Out, l.Out
		if err := evaluate(ctx, l); err != nil {
			return nil, err
		}
		m.Search = m.search
	}
	return m.Write(ctx, m.Out, cmp.Or(m.Tool, "talbot"))
}

// job returns a job that makes a dataset in a folder, or makes it again.
func (m *Making) job(j output.Job, out string) output.Job {
	j.Out, j.Existing, j.Progress = out, output.Replace, m.Progress
	return j
}

// read makes a dataset of all lines, unless it is there.
func read(ctx context.Context, in ingest.Request) error {
	in.Splits, in.KeepDuplicates = dataset.DefaultSplits, true
	return unlessDone(in.Run(ctx))
}

// unlessDone returns the error of a verb, nil where its output is done.
func unlessDone[T any](_ T, err error) error {
	if errors.Is(err, output.ErrDone) {
		return nil
	}
	return err
}

// evaluate labels a dataset, and takes what its output has already.
func evaluate(ctx context.Context, l labelling.Request) error {
	if _, err := os.Stat(filepath.Join(l.Out, dataset.ManifestName)); err == nil {
		l.Reuse = []string{l.Out}
	}
	return unlessDone(l.Run(ctx))
}

// search labels the positions of a file of puzzles.
func (m *Making) search(ctx context.Context, s Search) error {
	if err := read(ctx, ingest.Request{Job: m.job(m.Read.Job, s.Dataset), Inputs: []string{s.File},
		Cache: m.Read.Cache}); err != nil {
		return err
	}
	l := m.Label
	l.Job, l.In, l.Engine.MultiPV = m.job(l.Job, s.Labels), s.Dataset, s.Moves
	l.Engine.Limit = stockfish.Nodes(max(1, l.Engine.Limit.Nodes()*s.Times/s.DividedBy))
	return evaluate(ctx, l)
}

// OpenPeople opens networks of human moves: files and runs, or folders of files. close closes them.
func OpenPeople(paths []string, backend string) (list []Person, close func(), err error) {
	var open []*engine.Network
	end := func() {
		for _, n := range open {
			n.Close()
		}
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	var found []engine.People
	for _, path := range paths {
		some, err := engine.FindPeople(path)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, some...)
	}
	for _, p := range found {
		n, err := engine.Open(engine.Config{Path: p.Path, Backend: backend, Bulk: true})
		if err != nil {
			return nil, nil, err
		}
		open = append(open, n)
		person := Person{Rating: p.Rating, Evaluator: n.Evaluator()}
		switch {
		case !person.Evaluator.Capabilities().Prior:
			return nil, nil, fault.Usage(fmt.Errorf("%q says nothing about moves", p.Path),
				"use a network with a policy")
		case n.Encoder().Layout().Ratings:
			person.Rating = 0
		case person.Rating == 0 && len(found) > 1:
			return nil, nil, fault.Usage(fmt.Errorf("%q does not say whose moves it predicts", p.Path),
				"beside others, name it after the rating of its players, as maia-1500.pb.gz")
		}
		list = append(list, person)
	}
	return list, end, nil
}
