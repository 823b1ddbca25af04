package gpucheck

import (
	"context"
	"math/rand/v2"
	"os"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/output"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/loader"
)

// withGames calls use with a loader of a dataset of 4,000 games of random moves with random labels, in a temporary
// folder.
func withGames(ctx context.Context, c run.Config, use func(train.Source) error) error {
	dir, err := os.MkdirTemp("", "talbot-doctor-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	m := dataset.Manifest{Verb: "doctor", Splits: dataset.Splits{Train: 100},
		Inputs: []dataset.Input{{Name: "random moves"}}, Fingerprints: []dataset.Fingerprint{{Engine: "random"}}}
	f, err := output.Open(m, nil, output.Options{Job: output.Job{Out: dir}})
	if err != nil {
		return err
	}
	defer f.Close()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range int64(4000) {
		l := randomGame(random)
		l.Number = i + 1
		if err := f.Write(&l); err != nil {
			return err
		}
	}
	if err := f.Finish(nil); err != nil {
		return err
	}
	built, err := c.Build()
	if err != nil {
		return err
	}
	data, err := loader.Open(ctx, []loader.Spec{{Dir: dir}}, loader.Options{Encoder: built.Encoder})
	if err != nil {
		return err
	}
	defer data.Close()
	survey, err := data.Survey(ctx, 0, 0, nil)
	if err != nil {
		return err
	}
	l := survey.NewLoader(loader.LoaderOptions{Batch: c.Batch, Seed: c.Seed})
	defer l.Close()
	return use(l)
}

// randomGame returns a game of up to 80 random moves, each with a label of its own.
func randomGame(random *rand.Rand) dataset.Line {
	position := board.StartPosition()
	l := dataset.Line{Start: position, Labels: make([]dataset.LabelColumn, 1)}
	for range 1 + random.IntN(80) {
		legal := position.LegalMoves(nil)
		if len(legal) == 0 {
			break
		}
		move := legal[random.IntN(len(legal))]
		l.Moves = append(l.Moves, move)
		l.Labels[0].Labels = append(l.Labels[0].Labels, dataset.Label{Status: dataset.Labelled, Best: move,
			Lines: []dataset.Searched{{Score: dataset.Centipawns(random.IntN(2001) - 1000), PV: []board.Move{move}}}})
		position.Play(move)
	}
	return l
}
