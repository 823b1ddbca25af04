package enginegames

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/progress"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/label"
	"talbot/play/match"
	"talbot/shards"
	"talbot/stockfish"
)

// gamesRequest is a request for games of the test's engine, or of the engine at path. The caller closes the pool.
func gamesRequest(ctx context.Context, path, out string, count int64, workers int) (Request, error) {
	book, err := match.Book()
	if err != nil {
		return Request{}, err
	}
	pool, err := stockfish.NewPool(ctx, stockfish.Config{Path: path, Limit: stockfish.Nodes(100), Hash: 1}, workers)
	style := DefaultStyle
	style.Blunders, style.MostPlies = 0.9, 20
	return Request{Games: count, Seed: 5, Style: style, Openings: book.List[:40], Book: "forty", Pool: pool,
		Out:    out,
		Splits: dataset.DefaultSplits}, err
}

func TestMain(m *testing.M) {
	testkit.Main(m, func(context.Context, struct{}) error { return nil })
}

// TestGames: the bytes do not depend on the number of workers or on interruptions; games are different, legal, searched
// from the opening on, and what is learnt is the engine's choice whatever was played.
func TestGames(t *testing.T) {
	shardGames = 16
	defer func() { shardGames = ShardGames }()
	path := testkit.Engine(t)
	dir := t.TempDir()
	play := func(ctx context.Context, name string, workers int, progress func(progress.Progress)) error {
		r := testkit.Value(gamesRequest(ctx, path, filepath.Join(dir, name), 100, workers))(t)
		r.Progress = progress
		_, err := r.Run(ctx)
		return errors.Join(err, r.Pool.Close())
	}
	testkit.OK(t, play(t.Context(), "one", 1, nil))
	want := filepath.Join(dir, "one")
	testkit.OK(t, play(t.Context(), "three", 3, nil))
	testkit.Same(t, want, filepath.Join(dir, "three"))
	testkit.Interrupted(t, func(ctx context.Context, stop func()) error {
		taken := 0
		return play(ctx, "cut", 2, func(progress.Progress) {
			if taken++; taken == 40 {
				stop()
			}
		})
	})
	testkit.Same(t, want, filepath.Join(dir, "cut"))
	checkGames(t, want)
}

// checkGames checks what the lines of games hold.
func checkGames(t *testing.T, dir string) {
	t.Helper()
	madeup.Verify(t, dir)
	forced, own := 0, 0
	keys := dataset.GameSet{}
	var w dataset.Walker
	for m, l := range madeup.Each(t, dir) {
		testkit.OK(t, l.Check())
		if l.Source != dataset.SourceEngine || l.Tag("End") == "" || !keys.Add(l.GameKey()) {
			t.Errorf("game %d: %v, end %q, or a copy", l.Number, l.Source, l.Tag("End"))
		}
		counting := testkit.Value(dataset.NewCounting(m.Fingerprints, ""))(t)
		var v encode.View
		last := -1
		for w.Reset(l); w.Next(); {
			ply := w.Ply()
			if ply < 8 || last >= 0 && ply != last+1 {
				t.Errorf("game %d: sample at ply %d behind %d", l.Number, ply, last)
			}
			last = ply
			v = encode.View{Game: w.Game(), Line: l, Sample: w.Sample(), Labels: counting.Of(l, w.Sample())}
			best := v.Labels.Moves.Best
			target := encode.Policy(nil, encode.TalbotBot{}, encode.Targets{}, &v)
			if len(target) != 1 || target[0].Move != best {
				t.Errorf("game %d, ply %d: target %v where the engine said %v", l.Number, ply, target, best)
			}
			if played, ok := v.Played(); ok && played == best {
				own++
			} else if ok {
				forced++
			}
		}
		if last != len(l.Moves) && last != len(l.Moves)-1 {
			t.Errorf("game %d: the last sample is ply %d of %d", l.Number, last, len(l.Moves))
		}
	}
	if forced < 50 || own < forced {
		t.Errorf("%d moves were weak, %d the engine's choice", forced, own)
	}
}

// TestGamesStockfish: the labels of games are those that `talbot label` makes of the same positions.
func TestGamesStockfish(t *testing.T) {
	path, err := stockfish.Find("")
	if err != nil {
		t.Skip("NOT TESTED with Stockfish:", err)
	}
	dir := t.TempDir()
	r := testkit.Value(gamesRequest(t.Context(), path, filepath.Join(dir, "games"), 12, 2))(t)
	r.Style.MostPlies = 60
	testkit.Run(t, r)
	config := r.Pool.Config()
	testkit.OK(t, r.Pool.Close())
	var lines []dataset.Line
	labels := map[int64]dataset.LabelColumn{}
	for _, l := range madeup.Each(t, r.Out) {
		bare := *l
		labels[l.Number], bare.Labels = l.Labels[0], nil
		lines = append(lines, bare)
	}
	bare := madeup.Dataset(t, lines, 100)
	relabelled := label.Request{In: bare, Out: filepath.Join(dir, "again"), Workers: 2, Engine: config, Fraction: 1}
	testkit.Run(t, relabelled)
	compared := 0
	for _, l := range madeup.Each(t, relabelled.Out) {
		for i, got := range l.Labels[len(l.Labels)-1].Labels {
			if want := labels[l.Number].Labels[i]; !sameLabel(got, want) {
				t.Errorf("game %d, sample %d: %+v, and by label %+v", l.Number, i, want, got)
			}
			compared++
		}
	}
	if compared < 300 {
		t.Errorf("only %d labels were compared", compared)
	}
}

func sameLabel(a, b dataset.Label) bool {
	if a.Status != b.Status || a.Best != b.Best || len(a.Lines) != len(b.Lines) {
		return false
	}
	for i := range a.Lines {
		x, y := a.Lines[i], b.Lines[i]
		if x.Score != y.Score || x.WDL != y.WDL || x.Depth != y.Depth || x.Nodes != y.Nodes || len(x.PV) != len(y.PV) {
			return false
		}
	}
	return true
}

// TestGamesRefused: what cannot be played again is refused, and an engine that cannot answer ends the work with the
// game's number.
func TestGamesRefused(t *testing.T) {
	path := testkit.Engine(t)
	pool := testkit.Value(stockfish.NewPool(t.Context(),
		stockfish.Config{Path: path, Limit: stockfish.MoveTime(1e6)}, 1))(t)
	defer pool.Close()
	out := filepath.Join(t.TempDir(), "games")
	r := testkit.Value(gamesRequest(t.Context(), path, out, 5, 1))(t)
	timed := r
	timed.Pool = pool
	if _, err := timed.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "limit of nodes or depth") {
		t.Errorf("a time limit: %v", err)
	}
	testkit.OK(t, r.Pool.Close())
	at := r.Openings[0].Start
	for _, m := range r.Openings[0].Moves {
		at.Play(m)
	}
	t.Setenv(testkit.FailOn, at.EPD())
	r = testkit.Value(gamesRequest(t.Context(), path, out, 5, 1))(t)
	defer r.Pool.Close()
	r.Openings, r.Style.RandomPlies = r.Openings[:1], 0
	if _, err := r.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "game 1, ply 8") {
		t.Errorf("an engine that dies: %v", err)
	}
	if _, err := shards.OpenDataset(out); !errors.Is(err, dataset.ErrNoDataset) {
		t.Errorf("left behind: %v", err)
	}
}

// TestNoNewGames: games that are over before the first search, or copies, end the command with an error.
func TestNoNewGames(t *testing.T) {
	path := testkit.Engine(t)
	for name, change := range map[string]func(*Request){
		"too short": func(r *Request) { r.Style.MostPlies = 2 },
		"copies":    func(r *Request) { r.Openings, r.Style.RandomPlies, r.Style.Blunders = r.Openings[:1], 0, 0 },
	} {
		r := testkit.Value(gamesRequest(t.Context(), path, filepath.Join(t.TempDir(), "out"), 3, 2))(t)
		change(&r)
		if _, err := r.Run(t.Context()); !errors.Is(err, errIdle) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(r.Out); (err == nil) != (name == "copies") {
			t.Errorf("%s: the folder: %v", name, err)
		}
		testkit.OK(t, r.Pool.Close())
	}
}
