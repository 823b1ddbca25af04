package aggregate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/internal/testkit/madeup"
)

// Few positions recur in random games, so players choose among the first moves.
func someGames(seed uint64, n int) []dataset.Line {
	rng := rand.New(rand.NewPCG(seed, 1))
	lines := make([]dataset.Line, n)
	for i := range lines {
		l := &lines[i]
		l.Number, l.Start, l.Moves = int64(i+1), board.StartPosition(), []board.Move{}
		l.WhiteElo, l.BlackElo = rng.IntN(3)*rng.IntN(1500), 1000+250*rng.IntN(9)
		l.Tags = []dataset.Tag{{Name: "TimeControl", Value: []string{"60", "180", "600+5"}[rng.IntN(3)]}}
		switch rng.IntN(9) {
		case 0:
			l.Source, l.Samples = dataset.SourcePuzzle, dataset.OddPlies()
		case 1:
			l.Samples = dataset.SomePlies([]byte{byte(rng.Uint32()), byte(rng.Uint32()) & 3}) // up to ply 9
		case 2:
			if start, err := board.ParseFEN("4k3/8/8/8/4p3/8/3P4/4K3 w - - 7 40"); err == nil {
				l.Start = start
			}
		}
		p := l.Start
		for range 10 + rng.IntN(30) {
			legal := p.LegalMoves(nil)
			if len(legal) == 0 {
				break
			}
			slices.SortFunc(legal, func(a, b board.Move) int { return cmp.Compare(a.String(), b.String()) })
			m := legal[min(rng.IntN(3)*rng.IntN(3), len(legal)-1)]
			l.Moves = append(l.Moves, m)
			p.Play(m)
		}
		if rng.IntN(2) == 0 {
			l.Clocks = make([]int32, len(l.Moves))
			for ply := range l.Clocks {
				l.Clocks[ply] = rng.Int32N(400) - 1
			}
		}
	}
	return lines
}

// distribution is what was played in a position by a band: moves and how often.
type distribution map[string]int

// naive counts in memory, by EPD and number of the band.
func naive(lines []dataset.Line, r *Request, splits dataset.Splits) map[string]distribution {
	all, seen := map[string]distribution{}, map[string]int{}
	for i := range lines {
		l := &lines[i]
		if l.Source != dataset.SourceGame || r.Filter.Head(l) != "" ||
			r.GamesOf != nil && splits.Of(dataset.SplitKey(l)) != *r.GamesOf {
			continue
		}
		p := l.Start
		for ply, m := range l.Moves {
			elo := l.WhiteElo
			if p.Turn() == board.Black {
				elo = l.BlackElo
			}
			short := ply > 1 && l.Clocks != nil && l.Clocks[ply-2] >= 0 &&
				time.Duration(l.Clocks[ply-2])*100*time.Millisecond < r.MinClock
			if l.Samples.Has(ply, len(l.Moves)) && !short && (elo > 0 || len(r.Bands) == 0) {
				band := 0
				for _, edge := range r.Bands {
					if elo >= edge {
						band++
					}
				}
				key := fmt.Sprint(p.EPD(), " ", band)
				if all[key] == nil {
					all[key] = distribution{}
				}
				all[key][m.String()]++
				seen[p.EPD()]++
			}
			p.Play(m)
		}
	}
	maps.DeleteFunc(all, func(key string, d distribution) bool {
		n := 0
		for _, count := range d {
			n += count
		}
		return n < r.MinBand || seen[key[:strings.LastIndex(key, " ")]] < r.MinCount
	})
	return all
}

// stored reads what a dataset of positions holds, as naive says it, and checks its lines.
func stored(t *testing.T, dir string, bands Bands) map[string]distribution {
	t.Helper()
	all, splits, number := map[string]distribution{}, map[string]dataset.Split{}, int64(0)
	for d, l := range madeup.Each(t, dir) {
		number++
		own, opponent := l.WhiteElo, l.BlackElo
		if l.Start.Turn() == board.Black {
			own, opponent = opponent, own
		}
		band := dataset.BandOf(bands.list(), own)
		if own != bands.list()[band].Elo || opponent != 0 || l.Source != dataset.SourceAggregate || len(l.Moves) > 0 ||
			l.SampleCount() != 1 || len(l.Policies) != 1 || l.Number != number || len(l.Tags) > 0 {
			t.Fatalf("line %+v", l)
		}
		split := d.Splits.Of(dataset.SplitKey(l))
		mirror := l.Start.Mirror()
		for _, epd := range []string{l.Start.EPD(), mirror.EPD()} {
			if other, ok := splits[epd]; ok && other != split {
				t.Fatalf("%s is in %v and %v", epd, split, other)
			}
			splits[epd] = split
		}
		key := fmt.Sprint(l.Start.EPD(), " ", band)
		if all[key] != nil {
			t.Fatalf("%s is there twice", key)
		}
		all[key] = distribution{}
		for i, m := range l.Policies[0] {
			all[key][m.Move.String()] = int(m.Weight)
			if i > 0 && m.Weight > l.Policies[0][i-1].Weight {
				t.Fatalf("%s: %v", key, l.Policies[0])
			}
		}
	}
	return all
}

// checkCounts: what was read, kept and left out adds up.
func checkCounts(t *testing.T, dir string, sum *Summary, lines int, all map[string]distribution) {
	t.Helper()
	rejected, moves, bands := int64(0), int64(0), int64(0)
	for _, n := range sum.Rejects {
		rejected += n
	}
	for _, d := range all {
		for _, n := range d {
			moves += int64(n)
		}
	}
	for _, b := range sum.Bands {
		bands += b.Samples
	}
	if sum.GamesRead != int64(lines) || sum.GamesRead != sum.GamesKept+rejected || sum.Moves != moves ||
		sum.Unique != int64(len(all)) || sum.Samples != sum.Unique || bands != sum.Unique ||
		sum.Positions != sum.Unique || sum.Different > sum.Unique || sum.Different < 1 {
		t.Errorf("%+v with %d moves in %d samples", sum, moves, len(all))
	}
	r := madeup.Verify(t, dir)
	m, err := dataset.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	a := m.Inputs[0].Aggregate
	if r.Lines != sum.Unique || a.GamesRead != sum.GamesRead ||
		a.Moves != moves || !reflect.DeepEqual(a.Bands, sum.Bands) {
		t.Errorf("manifest %+v, verified %+v, reported %+v", a, r, sum)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".talbot.zst") && e.Name() != dataset.ManifestName {
			t.Errorf("%s is left", e.Name())
		}
	}
}

// TestAgainstNaive compares with counting in memory: bands, minima, filters and splits; parts so small that there are
// many, a sieve so small that it lets nearly everything pass, and keys so bad that all positions share a few.
func TestAgainstNaive(t *testing.T) {
	output.SmallShards(t, 3000)
	a, b := someGames(1, 1500), someGames(2, 700)
	in := []string{madeup.Dataset(t, a, 90), madeup.Dataset(t, b, 300)}
	lines := append(slices.Clone(a), b...)
	val := dataset.Train // all lines of these datasets are
	for name, c := range map[string]struct {
		r        Request
		chunk    int64
		counters uint64
		keys     uint64 // different ones
	}{
		"defaults": {r: Request{Bands: DefaultBands, MinCount: 6, MinBand: 3}, chunk: 1 << 20,
			counters: maxCounters},
		"many chunks": {r: Request{Bands: DefaultBands, MinCount: 6, MinBand: 3}, chunk: 3000, counters: maxCounters},
		"all":         {r: Request{Bands: Bands{1700}, MinCount: 1, MinBand: 1}, chunk: 9000},
		"no bands":    {r: Request{MinCount: 2, MinBand: 4}, chunk: 9000, counters: 1 << 10},
		"often":       {r: Request{Bands: DefaultBands, MinCount: 60, MinBand: 1}, chunk: 9000, counters: 1 << 20},
		"tiny sieve":  {r: Request{Bands: DefaultBands, MinCount: 6, MinBand: 1}, chunk: 9000, counters: 16},
		"one key": {r: Request{Bands: DefaultBands, MinCount: 6, MinBand: 3}, chunk: 9000, counters: 1 << 20,
			keys: 1},
		"three keys": {r: Request{Bands: DefaultBands, MinCount: 3, MinBand: 3}, chunk: 9000, counters: 1 << 20,
			keys: 3},
		"filtered": {r: Request{Bands: DefaultBands, MinCount: 2, MinBand: 1, GamesOf: &val,
			Filter: dataset.Filter{MinBaseTime: 3 * time.Minute, DropUnknownElo: true}}, chunk: 9000,
			counters: 1 << 16},
		"clocks": {r: Request{Bands: DefaultBands, MinCount: 2, MinBand: 1, MinClock: 20 * time.Second}, chunk: 9000,
			counters: 1 << 16},
	} {
		t.Run(name, func(t *testing.T) {
			small(t, c.chunk, c.counters)
			if c.keys > 0 {
				keyOf = func(p *board.Position) uint64 { return p.Key() % c.keys << 62 }
				defer func() { keyOf = (*board.Position).Key }()
			}
			r := c.r
			games := dataset.Splits{Train: 100}
			r.In, r.Splits, r.Workers, r.Out = in, dataset.DefaultSplits, 2, filepath.Join(t.TempDir(), "out")
			if r.GamesOf != nil {
				if _, err := r.Run(t.Context()); !errors.Is(err, ErrSplits) {
					t.Errorf("games of other splits: %v", err)
				}
				r.Splits = games
			}
			sum, err := r.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want, got := naive(lines, &r, games), stored(t, r.Out, r.Bands)
			if !reflect.DeepEqual(got, want) || len(want) < 20 {
				t.Fatalf("%d samples, want %d", len(got), len(want))
			}
			checkCounts(t, r.Out, &sum, len(lines), got)
			if name == "filtered" && (sum.Rejects[NotAGame] == 0 || sum.Rejects[dataset.TimeControl] == 0 ||
				sum.Rejects[dataset.UnknownElo] == 0) {
				t.Errorf("%v", sum.Rejects)
			}
		})
	}
}

// TestWorkers: the bytes do not depend on the number of workers.
func TestWorkers(t *testing.T) {
	output.SmallShards(t, 400)
	small(t, 2000, 1<<16)
	in := madeup.Dataset(t, someGames(3, 2000), 50)
	var first map[string]string
	for _, workers := range []int{1, 2, 5} {
		r := Request{In: []string{in}, Out: filepath.Join(t.TempDir(), "out"), Bands: DefaultBands, MinCount: 6,
			MinBand: 3, Splits: dataset.DefaultSplits, Workers: workers}
		if _, err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := madeup.Files(t, r.Out)
		if first == nil {
			first = got
		}
		if !maps.Equal(got, first) || len(got) < 3 {
			t.Errorf("%d workers: %d files differ from %d", workers, len(got), len(first))
		}
	}
}

// interrupted stops a command at its n-th progress; false if it ended before.
func interrupted(t *testing.T, r Request, n int) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.Progress = func(progress.Progress) {
		if n--; n == 0 {
			cancel()
		}
	}
	_, err := r.Run(ctx)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return err != nil
}

// TestLeftovers: what an interrupted command left is checked before it is used, and only the same command uses it.
func TestLeftovers(t *testing.T) {
	output.SmallShards(t, 400)
	small(t, 2000, 1<<16)
	in := madeup.Dataset(t, someGames(4, 1500), 50)
	request := func() Request {
		return Request{In: []string{in}, Out: filepath.Join(t.TempDir(), "out"), Bands: DefaultBands, MinCount: 6,
			MinBand: 3, Splits: dataset.DefaultSplits, Workers: 2}
	}
	want := request()
	if _, err := want.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := want.Run(t.Context()); !errors.Is(err, output.ErrFinished) {
		t.Errorf("finished: %v", err)
	}
	chunks := 0
	r := request()
	r.Progress = func(progress.Progress) { chunks++ }
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	chunks = (chunks - partitions) / 2
	if chunks < 5 {
		t.Fatalf("%d chunks", chunks)
	}
	runs := func(dir string) []string {
		names, err := filepath.Glob(filepath.Join(dir, "run-*"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	for name, c := range map[string]struct {
		stop  int
		spoil func(t *testing.T, r *Request)
		want  error
	}{
		"while counting": {stop: chunks / 2},
		"while sorting":  {stop: chunks + chunks/2},
		"while merging":  {stop: 2*chunks + partitions/2},
		"at the end":     {stop: 2*chunks + partitions},
		"other flags": {chunks + chunks/2, func(t *testing.T, r *Request) { r.MinCount++ },
			output.ErrOccupied},
		"other data": {chunks + chunks/2, func(t *testing.T, r *Request) {
			r.In = []string{madeup.Dataset(t, someGames(5, 1500), 50)}
		}, output.ErrOccupied},
		"flipped": {chunks + chunks/2, func(t *testing.T, r *Request) { madeup.Flip(t, runs(r.Out)[0], 40) },
			dataset.ErrDamaged},
		"gone": {chunks + chunks/2, func(t *testing.T, r *Request) { os.Remove(runs(r.Out)[0]) },
			dataset.ErrDamaged},
		"flipped while merging": {2*chunks + 3, func(t *testing.T, r *Request) {
			info, err := os.Stat(runs(r.Out)[1])
			if err != nil {
				t.Fatal(err)
			}
			madeup.Flip(t, runs(r.Out)[1], int(info.Size())-runTail-5)
		}, dataset.ErrDamaged},
		"not marked": {chunks + chunks/2, func(t *testing.T, r *Request) {
			if err := os.WriteFile(filepath.Join(r.Out, runName(chunks+3)), []byte("x"), 0o666); err != nil {
				t.Fatal(err)
			}
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := request()
			if !interrupted(t, r, c.stop) && name != "at the end" {
				t.Fatal("was not interrupted")
			}
			if c.spoil != nil {
				c.spoil(t, &r)
			}
			_, err := r.Run(t.Context())
			if name == "at the end" && errors.Is(err, output.ErrFinished) {
				err = nil
			}
			if !errors.Is(err, c.want) || err == nil != (c.want == nil) {
				t.Fatalf("error %v, want %v", err, c.want)
			}
			if err == nil && !maps.Equal(madeup.Files(t, r.Out), madeup.Files(t, want.Out)) {
				t.Error("another result")
			}
		})
	}
}

// TestHostile: what cannot be is refused, with its place, and leaves nothing that looks finished.
func TestHostile(t *testing.T) {
	good := someGames(6, 60)
	illegal := madeup.Line(t, board.StartFEN, "e2e4", "e7e5")
	illegal.Moves[1] = board.NewMove(4, 60)
	illegal.WhiteElo = 1500
	bad := append(slices.Clone(good), illegal)
	in := madeup.Dataset(t, good, 50)
	twice := madeup.Dataset(t, someGames(7, 60), 50)
	unrated := []dataset.Line{madeup.Line(t, board.StartFEN, "e2e4")}
	for name, c := range map[string]struct {
		in    []string
		least int
		bands Bands
		want  error
		text  string
	}{
		"illegal move": {[]string{madeup.Dataset(t, bad, 500)}, 1, DefaultBands, dataset.ErrDamaged,
			"block 0, line 60 (input 0, number 0): dataset is damaged: ply 1: "},
		"with a sieve": {[]string{madeup.Dataset(t, bad, 500)}, 3, DefaultBands, dataset.ErrDamaged,
			"block 0, line 60 (input 0, number 0): dataset is damaged: ply 1: "},
		"none":          {[]string{in, t.TempDir()}, 3, DefaultBands, dataset.ErrNoDataset, ""},
		"twice":         {[]string{in, twice, in}, 3, DefaultBands, ErrTwice, filepath.Base(in)},
		"nothing":       {[]string{in}, 1000, DefaultBands, ErrNothingKept, "rare_position"},
		"nobody rated":  {[]string{madeup.Dataset(t, unrated, 9)}, 1, DefaultBands, ErrNothingKept, "unknown_elo 1"},
		"no lines":      {[]string{madeup.Dataset(t, nil, 9)}, 1, DefaultBands, ErrNothingKept, "0 moves"},
		"bad bands":     {[]string{in}, 1, Bands{3, 3}, nil, "ascend"},
		"least is none": {[]string{in}, 0, DefaultBands, nil, "at least 1"},
	} {
		t.Run(name, func(t *testing.T) {
			r := Request{In: c.in, Out: filepath.Join(t.TempDir(), "out"), Bands: c.bands, MinCount: c.least,
				MinBand: c.least, Splits: dataset.DefaultSplits, Workers: 2}
			_, err := r.Run(t.Context())
			if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want %v with %q", err, c.want, c.text)
			}
			if _, err := dataset.ReadManifest(r.Out); !errors.Is(err, dataset.ErrNoDataset) {
				t.Errorf("a dataset was made: %v", err)
			}
			if _, err := os.Stat(r.Out); err == nil && errors.Is(c.want, ErrNothingKept) {
				t.Error("a folder is left")
			}
		})
	}
	r := Request{In: []string{in}, Out: in, Bands: DefaultBands, MinCount: 6, MinBand: 3, Splits: dataset.DefaultSplits}
	if _, err := r.Run(t.Context()); !errors.Is(err, output.ErrOccupied) {
		t.Errorf("into its input: %v", err)
	}
}
