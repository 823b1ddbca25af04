package pipeline_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/fleet"
	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/aggregate"
	"talbot/pipeline/endgames"
	"talbot/pipeline/ingest"
	"talbot/pipeline/label"
	"talbot/shards"
	"talbot/stockfish"
)

// child names the variable that turns the test binary into something else: a
// UCI engine, or a verb that a test kills.
const Child = "TALBOT_PIPELINE_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(Child) {
	case "":
		os.Exit(m.Run())
	case "engine":
		Engine()
	default:
		if err := RunChild(os.Getenv(Child)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// failOn names the environment variable with the position, as EPD, on which the engine ends.
const FailOn = "TALBOT_TEST_FAIL_ON"

// searchLog names the environment variable with the file to which engines add a line for each search: the limit and
// the position. hasMemory is the one that, if set, makes scores a function of all searches since the memory was
// cleared.
const (
	SearchLog = "TALBOT_TEST_SEARCHES"
	HasMemory = "TALBOT_TEST_MEMORY"
)

// searchTime names the environment variable with the milliseconds that a search takes; 1 without.
const SearchTimeVar = "TALBOT_TEST_SEARCH_TIME"

func SearchTime() time.Duration {
	n, err := strconv.Atoi(os.Getenv(SearchTimeVar))
	if err != nil {
		n = 1
	}
	return time.Duration(n) * time.Millisecond
}

// lie names the environment variable with a number N: of one position in N the engine gives a wrong score.
const Lie = "TALBOT_TEST_LIE"

func LogSearch(path, limit string, p *board.Position) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintf(f, "%s: %s\n", limit, p.FEN())
}

// engine is a UCI engine whose score is a function of the position alone.
func Engine() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	p := board.StartPosition()
	var since []string // searched since the memory was cleared
	for in.Scan() {
		f := strings.Fields(in.Text())
		switch f[0] {
		case "ucinewgame":
			since = nil
		case "uci":
			fmt.Println("id name Test Engine\nid author nobody\noption name Threads type spin default 1 min 1 max " +
				"8\noption name Hash type spin default 16 min 1 max 64\noption name SyzygyPath type string\nuciok")
		case "isready":
			fmt.Println("readyok")
		case "position":
			p = Position(f[1:])
		case "d": // what tables say; not a word of the search
			if path := os.Getenv(SearchLog); path != "" {
				LogSearch(path, "d", &p)
			}
			fmt.Println("Tablebases WDL: " + [...]string{"Loss", "Draw", "Win"}[p.Key()%3] + " (Success)")
			fmt.Println("Tablebases DTZ: 1 (Success)")
		case "go":
			if f := os.Getenv(FailOn); f != "" && p.EPD() == f {
				os.Exit(1)
			}
			if path := os.Getenv(SearchLog); path != "" {
				LogSearch(path, in.Text(), &p)
			}
			time.Sleep(SearchTime())
			m := p.LegalMoves(nil)[0]
			if _, only, ok := strings.Cut(in.Text(), " searchmoves "); ok {
				m, _ = p.ParseUCI(strings.Fields(only)[0])
			}
			h := fnv.New32a()
			if os.Getenv(HasMemory) != "" {
				fmt.Fprint(h, since)
				since = append(since, p.FEN())
			}
			h.Write([]byte(p.FEN()))
			score := int(h.Sum32()%400) - 200
			if n, err := strconv.Atoi(os.Getenv(Lie)); err == nil && p.Key()%uint64(n) == 0 {
				score++
			}
			fmt.Printf("info depth 3 seldepth 4 multipv 1 score cp %d nodes 77 nps 1000 time 1 pv %v\nbestmove %v\n",
				score, m, m)
		case "quit":
			return
		}
	}
}

func Position(f []string) board.Position {
	p := board.StartPosition()
	if f[0] == "fen" {
		p, _ = board.ParseFEN(strings.Join(f[1:7], " "))
		f = f[6:]
	}
	if len(f) > 1 && f[1] == "moves" {
		for _, s := range f[2:] {
			m, err := p.ParseUCI(s)
			if err != nil {
				panic(err)
			}
			p.Play(m)
		}
	}
	return p
}

// endgameCount is how many the tests draw.
const EndgameCount = 1200

// job is what a killed child does; the plan keeps shards small.
type Job struct {
	Verb, Out string
	Inputs    []string
	Workers   int
	Count     int64 // endgameCount
	Scope     stockfish.HashScope
	Rejects   string // of a filtered ingest
	Share     fleet.Share
	Key       string // file of a worker
	Lie       string // of a worker's engines
}

// untilExit never cleans up.
type UntilExit struct{}

func (UntilExit) Cleanup(func()) {}

func RunChild(text string) error {
	var j Job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	return j.Run(context.Background())
}

func (j Job) Run(ctx context.Context) error {
	output.SmallShards(UntilExit{}, 1500)
	var err error
	switch j.Verb {
	case "ingest":
		in := ingest.Request{Inputs: j.Inputs, Out: j.Out, Splits: dataset.DefaultSplits, Workers: j.Workers,
			Rejects: j.Rejects}
		if j.Rejects != "" {
			in.ImportEvals, in.Seed = true, 7
			in.Filters.MinElo, in.Filters.MinPlies, in.Filters.KeepUnknownElo = 2100, 30, true
			in.Filters.SkipPlies, in.Filters.MaxPerGame, in.Filters.Rate, in.Filters.MinClock = 4, 20, 0.7, 10
		}
		_, err = in.Run(ctx)
	case "synth":
		_, err = endgames.Request{Count: j.Count, Config: SynthConfig(1), Out: j.Out, Splits: dataset.DefaultSplits,
			Workers: j.Workers}.Run(ctx)
	case "selfplay":
		err = j.SelfPlay(ctx)
	case "games":
		err = j.Games(ctx)
	case "aggregate":
		aggregate.Small(UntilExit{}, 2500, 1<<16)
		_, err = aggregate.Request{In: j.Inputs, Out: j.Out, Bands: aggregate.Bands{2100, 2300}, MinCount: 2,
			MinBand: 1, Splits: dataset.DefaultSplits, Workers: j.Workers}.Run(ctx)
	case "label":
		_, err = j.Label().Run(ctx)
	case "coordinator":
		r := j.Label()
		sharing(&r, j.Share)
		_, err = r.Run(ctx)
	case "worker":
		err = j.Work(ctx)
	}
	return err
}

func (j Job) Label() label.Request {
	os.Setenv(Child, "engine") // inherited by the engines
	path, _ := os.Executable()
	return label.Request{
		In: j.Inputs[0], Out: j.Out, Workers: j.Workers,
		Engine: stockfish.Config{Path: path, Limit: stockfish.Nodes(100), Scope: j.Scope},
	}
}

// writeGames writes n random games as PGN, every tenth of them bad and every
// seventh a copy of an earlier one.
func WriteGames(t testing.TB, path string, n int, seed uint64) (bad, copies int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	var b bytes.Buffer
	var good []string
	for i := range n {
		var moves strings.Builder
		p := board.StartPosition()
		for ply := range 20 + rng.IntN(60) {
			legal := p.LegalMoves(nil)
			if len(legal) == 0 {
				break
			}
			m := legal[rng.IntN(len(legal))]
			if ply%2 == 0 {
				fmt.Fprintf(&moves, "%d. ", ply/2+1)
			}
			moves.WriteString(p.SAN(m) + " ")
			p.Play(m)
		}
		text := moves.String()
		switch {
		case i%10 == 9:
			text, bad = text+"Ke5 ", bad+1
			text = "1. e5 " + text
		case i%7 == 6:
			text, copies = good[rng.IntN(len(good))], copies+1
		default:
			good = append(good, text)
		}
		fmt.Fprintf(&b, "[Event \"Random\"]\n[White \"A%d\"]\n[Black \"B\"]\n[WhiteElo \"%d\"]\n[Result "+
			"\"1/2-1/2\"]\n\n%s1/2-1/2\n\n", i, 2000+i%500, text)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return bad, copies
}

// same fails unless both folders hold the same files with the same bytes.
func Same(t *testing.T, a, b string) {
	t.Helper()
	files := func(dir string) (names []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	fa, fb := files(a), files(b)
	if strings.Join(fa, " ") != strings.Join(fb, " ") {
		t.Fatalf("%v and %v", fa, fb)
	}
	for _, name := range fa {
		da, _ := os.ReadFile(filepath.Join(a, name))
		db, _ := os.ReadFile(filepath.Join(b, name))
		if !bytes.Equal(da, db) {
			t.Errorf("%s differs", name)
		}
	}
}

func Small(t *testing.T) {
	output.SmallShards(t, 1500)
}

func TestIngest(t *testing.T) {
	Small(t)
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.pgn"), filepath.Join(dir, "b.csv")
	const games = 300
	bad, copies := WriteGames(t, a, games, 1)
	csv := "p1,6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,h7h6 d1d8,600,80,90,10,mate,https://example.org/1,\n" +
		"p2,6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,h7h5 d1d9,600,80,90,10,mate,https://example.org/1,\n"
	if err := os.WriteFile(b, []byte(csv), 0o666); err != nil {
		t.Fatal(err)
	}
	var outs []string
	for _, workers := range []int{1, 4} {
		out := filepath.Join(dir, fmt.Sprint("out", workers))
		sum, err := ingest.Request{Inputs: []string{a, b}, Out: out, Splits: dataset.DefaultSplits,
			Workers: workers}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if sum.GamesRead != games+2 || sum.GamesKept != int64(games-bad-copies+1) ||
			sum.Rejects[dataset.Duplicate] != int64(copies) || sum.Rejects[dataset.IllegalMove] != int64(bad+1) {
			t.Errorf("%+v with %d bad games and %d copies", sum, bad, copies)
		}
		r := madeup.Verify(t, out)
		if r.Lines != sum.GamesKept || r.Positions != sum.Positions || r.Samples != sum.Samples || r.Shards < 3 {
			t.Errorf("verified %+v, reported %+v", r, sum)
		}
		outs = append(outs, out)
	}
	Same(t, outs[0], outs[1])

	t.Run("finished", func(t *testing.T) {
		_, err := ingest.Request{Inputs: []string{a}, Out: outs[0], Splits: dataset.DefaultSplits}.Run(t.Context())
		if !errors.Is(err, output.ErrFinished) {
			t.Error(err)
		}
	})
	t.Run("occupied", func(t *testing.T) {
		_, err := ingest.Request{Inputs: []string{a}, Out: dir, Splits: dataset.DefaultSplits}.Run(t.Context())
		if !errors.Is(err, output.ErrOccupied) {
			t.Error(err)
		}
	})
	t.Run("other inputs", func(t *testing.T) {
		out := filepath.Join(dir, "other")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := (ingest.Request{Inputs: []string{a}, Out: out,
			Splits: dataset.DefaultSplits}).Run(ctx); !errors.Is(err,
			context.Canceled) {
			t.Fatal(err)
		}
		if _, err := (ingest.Request{Inputs: []string{b}, Out: out,
			Splits: dataset.DefaultSplits}).Run(t.Context()); !errors.Is(err, output.ErrOccupied) {
			t.Error(err)
		}
		if _, err := (ingest.Request{Inputs: []string{a}, Out: out,
			Splits: dataset.DefaultSplits}).Run(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("no games", func(t *testing.T) {
		empty := filepath.Join(dir, "empty.pgn")
		os.WriteFile(empty, nil, 0o666)
		out := filepath.Join(dir, "none")
		_, err := ingest.Request{Inputs: []string{a, empty}, Out: out, Splits: dataset.DefaultSplits}.Run(t.Context())
		if !errors.Is(err, ingest.ErrNoGames) || !strings.Contains(err.Error(), "empty.pgn") {
			t.Error(err)
		}
		if _, err := os.Stat(out); err == nil {
			t.Error("an output folder was made")
		}
	})
	t.Run("locked", func(t *testing.T) {
		out := filepath.Join(dir, "locked")
		o, err := output.Open(out, dataset.Manifest{Verb: "ingest", Splits: dataset.DefaultSplits}, nil,
			output.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		if _, err := (ingest.Request{Inputs: []string{a}, Out: out,
			Splits: dataset.DefaultSplits}).Run(t.Context()); !errors.Is(err, durable.ErrLocked) {
			t.Error(err)
		}
	})
}

func TestSynth(t *testing.T) {
	Small(t)
	dir := t.TempDir()
	var outs []string
	for _, workers := range []int{1, 3} {
		out := filepath.Join(dir, fmt.Sprint("out", workers))
		sum, err := endgames.Request{Count: EndgameCount, Config: SynthConfig(1), Out: out,
			Splits:  dataset.DefaultSplits,
			Workers: workers}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rejected := int64(0)
		for _, n := range sum.Rejects {
			rejected += n
		}
		if sum.GamesKept != EndgameCount || sum.Samples != EndgameCount || sum.GamesRead != EndgameCount+rejected {
			t.Errorf("%+v", sum)
		}
		outs = append(outs, out)
	}
	Same(t, outs[0], outs[1])
	seen := map[string]bool{}
	for _, l := range madeup.Each(t, outs[0]) {
		p := l.Start
		for _, m := range l.Moves {
			p.Play(m)
		}
		q := p.Mirror()
		if seen[p.EPD()] || seen[q.EPD()] {
			t.Fatalf("%s occurs twice", p.EPD())
		}
		seen[p.EPD()] = true
	}
}

// TestKill kills each verb again and again at random moments; what the last run leaves is to the byte what an
// undisturbed one leaves. TALBOT_FULL=1 kills each 100 times.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	games := filepath.Join(dir, "games.pgn")
	WriteGames(t, games, 4000, 2)
	table, tactics := filepath.Join(dir, "table.csv"), filepath.Join(dir, "tactics.epd")
	WriteRows(t, table, tactics, 3000)
	cut, _, _, _ := CutGames(t, dir) // prefixes
	Small(t)
	lines := filepath.Join(dir, "lines")
	if err := (Job{Verb: "ingest", Inputs: []string{games}, Workers: 2, Out: lines}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer os.Unsetenv(Child)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	full := os.Getenv("TALBOT_FULL") != ""
	for _, j := range []Job{
		{Verb: "ingest", Inputs: []string{games}, Workers: 2},
		{Verb: "ingest", Inputs: append([]string{games, table, tactics}, cut...), Workers: 2, Rejects: "filtered"},
		{Verb: "synth", Workers: 2, Count: 12 * EndgameCount},
		{Verb: "aggregate", Inputs: []string{lines}, Workers: 2},
	} {
		t.Run(j.Verb+j.Rejects, func(t *testing.T) {
			undisturbed := j
			undisturbed.Out = filepath.Join(dir, j.Verb+j.Rejects+"-undisturbed")
			if j.Rejects != "" {
				undisturbed.Rejects, j.Rejects = filepath.Join(dir, "undisturbed.tsv"), filepath.Join(dir, "killed.tsv")
			}
			if err := undisturbed.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			j.Out = filepath.Join(dir, filepath.Base(undisturbed.Out)+"-killed")
			rng := rand.New(rand.NewPCG(1, 1))
			kills, runs, most := 0, 0, 8
			if full {
				most = 100
			}
			for kills == 0 || full && kills < most {
				if runs++; runs > 50*most {
					t.Fatal("never killed")
				}
				if err := os.RemoveAll(j.Out); err != nil {
					t.Fatal(err)
				}
				if j.Rejects != "" {
					os.Remove(j.Rejects)
				}
				kills += KillUntilDone(t, self, j, rng, most-kills)
				madeup.Verify(t, j.Out)
				Same(t, undisturbed.Out, j.Out)
				if j.Rejects != "" {
					SameRejects(t, undisturbed, j)
					if m, err := dataset.ReadManifest(j.Out); err != nil || m.Counts.Rejects[ingest.Prefix] == 0 {
						t.Errorf("no prefixes: %v", err)
					}
				}
			}
			t.Logf("killed %d times", kills)
		})
	}
}

// killUntilDone runs a job in a process of its own, kills it at random moments up to that many times, and repeats it
// until it is done. It returns how often it was killed.
func KillUntilDone(t *testing.T, self string, j Job, rng *rand.Rand, most int) (kills int) {
	t.Helper()
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	for {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), Child+"="+string(text))
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Long enough to get somewhere, short enough to be killed most of the time.
		after := time.Duration(8+rng.IntN(30)) * time.Millisecond
		if kills >= most {
			after = time.Minute
		}
		timer := time.AfterFunc(after, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		timer.Stop()
		if err == nil {
			return kills
		}
		if cmd.ProcessState.Exited() {
			t.Fatalf("killed %d times: %v: %s", kills, err, stderr.String())
		}
		kills++
		if _, err := dataset.ReadManifest(j.Out); err == nil { // killed behind the last step
			if err := j.Run(t.Context()); !errors.Is(err, output.ErrFinished) {
				t.Fatal(err)
			}
			return kills
		}
	}
}

// TestLabel interrupts, resumes and counts.
func TestLabel(t *testing.T) {
	Small(t)
	dir := t.TempDir()
	lines := filepath.Join(dir, "lines")
	if err := (Job{Verb: "synth", Out: lines, Workers: 2, Count: EndgameCount}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer os.Unsetenv(Child)
	out := filepath.Join(dir, "labelled")
	l := Job{Inputs: []string{lines}, Out: out, Workers: 2}.Label()
	ctx, cancel := context.WithCancel(t.Context())
	l.Progress = func(p progress.Progress) {
		if p.Count >= 400 {
			cancel()
		}
	}
	if _, err := l.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	l.Progress = nil
	sum, err := l.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if sum.Labelled+sum.Reused != EndgameCount || sum.Reused < 400 || sum.Reused > 410 || sum.Failed != 0 ||
		sum.Utilisation != nil || !sum.Resumed {
		t.Errorf("%+v", sum)
	}
	if r := madeup.Verify(t, out); r.Labelled != EndgameCount || r.Lines != EndgameCount {
		t.Errorf("%+v", r)
	}

	t.Run("fraction", func(t *testing.T) {
		chosen := map[float64]map[string]bool{}
		for _, f := range []float64{0.1, 0.2} {
			l := l
			l.Out, l.Fraction = filepath.Join(dir, fmt.Sprint(f)), dataset.Fraction(f)
			sum, err := l.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if want := f * EndgameCount; float64(sum.Labelled) < want-60 || float64(sum.Labelled) > want+60 {
				t.Errorf("%d labelled, want about %g", sum.Labelled, want)
			}
			if r := madeup.Verify(t, l.Out); r.Labelled != sum.Labelled {
				t.Errorf("%+v", r)
			}
			chosen[f] = LabelledLines(t, l.Out)
		}
		for line := range chosen[0.1] {
			if !chosen[0.2][line] {
				t.Errorf("%s is labelled in a tenth but not in a fifth", line)
			}
		}
	})
	t.Run("same engine again", func(t *testing.T) {
		l := l
		l.In, l.Out = out, filepath.Join(dir, "again")
		sum, err := l.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if sum.Labelled != 0 || sum.Reused != EndgameCount {
			t.Errorf("%+v", sum)
		}
	})
	t.Run("another fingerprint", func(t *testing.T) {
		l := l
		l.In, l.Out = out, filepath.Join(dir, "two")
		l.Engine.Limit = stockfish.Nodes(200)
		ctx, cancel := context.WithCancel(t.Context())
		l.Progress = func(p progress.Progress) {
			if p.Count >= 2*EndgameCount/3 { // in a later shard
				cancel()
			}
		}
		if _, err := l.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		l.Progress = nil
		sum, err := l.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		// The labels of the first fingerprint are neither searched nor reused now.
		if sum.Labelled+sum.Reused != EndgameCount || sum.Reused < 2*EndgameCount/3 || sum.Failed != 0 {
			t.Errorf("%+v", sum)
		}
		if r := madeup.Verify(t, l.Out); r.Labelled != 2*EndgameCount {
			t.Errorf("%+v", r)
		}
	})
	t.Run("failed before", func(t *testing.T) {
		failing := filepath.Join(dir, "failing")
		FailSome(t, out, failing)
		l := l
		l.In, l.Out = failing, filepath.Join(dir, "mended")
		sum, err := l.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if sum.Labelled != 10 || sum.Reused != EndgameCount-10 || sum.Failed != 0 {
			t.Errorf("%+v", sum)
		}
	})
	t.Run("into itself", func(t *testing.T) {
		l := l
		l.Out = l.In
		if _, err := l.Run(t.Context()); !errors.Is(err, output.ErrOccupied) {
			t.Error(err)
		}
	})
	t.Run("scores", func(t *testing.T) {
		for _, line := range madeup.Each(t, out) {
			p := line.Start
			for _, m := range line.Moves {
				p.Play(m)
			}
			h := fnv.New32a()
			h.Write([]byte(p.FEN()))
			label := line.Labels[0].Labels[0]
			if cp, ok := label.Lines[0].Score.Centipawns(); !ok || cp != int(h.Sum32()%400)-200 {
				t.Fatalf("%s is labelled %+v", p.FEN(), label)
			}
		}
	})
}

// failSome copies a labelled dataset into one shard, with ten labels failed.
func FailSome(t *testing.T, from, to string) {
	t.Helper()
	n := 0
	Rewritten(t, from, to, func(l *dataset.Line) {
		if n++; n <= 10 {
			l.Labels[0].Labels[0] = dataset.Label{Status: dataset.Failed}
		}
	})
}

// Rewritten writes a dataset anew with its lines changed, under valid checksums.
func Rewritten(t *testing.T, from, to string, change func(*dataset.Line)) {
	t.Helper()
	in, err := shards.OpenDataset(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := os.Mkdir(to, 0o777); err != nil {
		t.Fatal(err)
	}
	w, err := shards.Create(to, 0)
	if err != nil {
		t.Fatal(err)
	}
	m := *in.Manifest
	m.Counts = dataset.Counts{Rejects: m.Counts.Rejects, GamesRead: m.Counts.GamesRead}
	for l, err := range in.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		change(l)
		if err := w.Write(l); err != nil {
			t.Fatal(err)
		}
		m.Counts.AddLine(l)
	}
	info, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	m.Shards = []dataset.ShardInfo{info}
	if err := dataset.WriteManifest(to, &m); err != nil {
		t.Fatal(err)
	}
}

// labelledLines returns the lines of a dataset of endgameCount that have a label.
func LabelledLines(t *testing.T, dir string) map[string]bool {
	t.Helper()
	lines := map[string]bool{}
	for _, l := range madeup.Each(t, dir) {
		if len(l.Labels) > 0 {
			lines[fmt.Sprint(l.Start.FEN(), l.Moves)] = true
		}
	}
	return lines
}

// Shoot ends a process as kill -9 does.
func Shoot(pid int) error {
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	return err
}
