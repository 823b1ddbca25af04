package pipeline_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/aggregate"
	"talbot/pipeline/ingest"
	"talbot/pipeline/label"
	"talbot/stockfish"
)

// searches tells the engines to log what they search, and returns a function that counts the log and empties it.
func Searches(t *testing.T) func() int {
	t.Helper()
	path := filepath.Join(t.TempDir(), "searches")
	t.Setenv(SearchLog, path)
	return func() int {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		return bytes.Count(text, []byte("\n"))
	}
}

// openings writes n games that share their beginnings, in an order drawn by seed, and returns how many different
// positions with their history they have from which a move was played.
func Openings(t *testing.T, path string, n int, seed uint64) (distinct int) {
	t.Helper()
	games := make([][]string, n)
	seen := map[string]bool{}
	for i := range games {
		rng := rand.New(rand.NewPCG(7, 0))
		p := board.StartPosition()
		for ply := range 24 {
			if ply == 4+i%9 { // from here on the game is its own
				rng = rand.New(rand.NewPCG(8, uint64(i)))
			}
			legal := p.LegalMoves(nil)
			if len(legal) == 0 || p.IsDead() {
				break
			}
			seen[strings.Join(games[i], " ")] = true
			m := legal[rng.IntN(len(legal))]
			games[i] = append(games[i], p.SAN(m))
			p.Play(m)
		}
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(n, func(i, j int) { games[i], games[j] = games[j], games[i] })
	var b bytes.Buffer
	for _, moves := range games {
		fmt.Fprintf(&b, "[Event \"x\"]\n[Result \"*\"]\n\n%s *\n\n", strings.Join(moves, " "))
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return len(seen)
}

func Ingested(t *testing.T, out string, inputs ...string) string {
	t.Helper()
	if _, err := (ingest.Request{Inputs: inputs, Out: out,
		Splits: dataset.DefaultSplits}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out
}

func Labelled(t *testing.T, r label.Request) label.Summary {
	t.Helper()
	sum, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	madeup.Verify(t, r.Out)
	return sum
}

// scores returns the first score of every sample in every column, by the line, the ply and the limit.
func Scores(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for d, l := range madeup.Each(t, dir) {
		for _, c := range l.Labels {
			for k, ply := range l.Samples.Plies(nil, len(l.Moves)) {
				all[fmt.Sprint(l.Start.FEN(), l.Moves, ply,
					d.Fingerprints[c.Fingerprint].Limit)] = fmt.Sprint(c.Labels[k])
			}
		}
	}
	return all
}

func EqualScores(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%s: %d labels, want %d", what, len(got), len(want))
	}
	for k, v := range want {
		if got[k] != v {
			t.Fatalf("%s: %s is %s, want %s", what, k, got[k], v)
		}
	}
}

// TestNeverTwice counts the searches of an engine.
func TestNeverTwice(t *testing.T) {
	Small(t)
	defer os.Unsetenv(Child)
	dir := t.TempDir()
	count := Searches(t)
	few, many := filepath.Join(dir, "few.pgn"), filepath.Join(dir, "many.pgn")
	distinctFew, distinctMany := Openings(t, few, 70, 1), Openings(t, many, 90, 2)
	a, b := Ingested(t, filepath.Join(dir, "a"), few), Ingested(t, filepath.Join(dir, "b"), many)
	base := Job{Inputs: []string{a}, Out: filepath.Join(dir, "a-labelled"), Workers: 2}.Label()

	sum := Labelled(t, base)
	if n := count(); n != distinctFew || sum.Labelled != int64(n) || sum.Labelled+sum.Reused != sum.Samples ||
		sum.Saved.Repeated == 0 {
		t.Errorf("repeated in the dataset: %d searches of %d, %+v", n, distinctFew, sum)
	}

	grown := base
	grown.In, grown.Out, grown.Reuse = b, filepath.Join(dir, "b-labelled"), []string{base.Out}
	sum = Labelled(t, grown)
	if n := count(); n != distinctMany-distinctFew || sum.Labelled != int64(n) ||
		sum.Labelled+sum.Reused != sum.Samples {
		t.Errorf("more games: %d searches of %d, %+v", n, distinctMany-distinctFew, sum)
	}
	alone := grown
	alone.Out, alone.Reuse, alone.Workers = filepath.Join(dir, "b-alone"), nil, 1
	Labelled(t, alone)
	Same(t, alone.Out, grown.Out)
	if n := count(); n != distinctMany {
		t.Errorf("without reuse: %d searches", n)
	}

	var warned []string
	raised := grown
	raised.In, raised.Out = grown.Out, filepath.Join(dir, "raised")
	raised.Engine.Limit = stockfish.Nodes(200)
	raised.Warn = func(err error) { warned = append(warned, err.Error()) }
	sum = Labelled(t, raised)
	if n := count(); n != distinctMany || sum.Saved.Input != 0 || len(warned) != 1 ||
		!strings.Contains(warned[0], base.Out) {
		t.Errorf("another limit: %d searches, %+v, warned %q", n, sum, warned)
	}
	back := raised
	back.In, back.Out, back.Engine.Limit, back.Reuse = raised.Out, filepath.Join(dir, "back"), stockfish.Nodes(100), nil
	sum = Labelled(t, back)
	if n := count(); n != 0 || sum.Saved.Input != sum.Samples {
		t.Errorf("a limit that is there: %d searches, %+v", n, sum)
	}
	EqualScores(t, "two limits side by side", Scores(t, back.Out), Scores(t, raised.Out))

	tenth := base
	tenth.Out, tenth.Fraction = filepath.Join(dir, "tenth"), 0.1
	first := Labelled(t, tenth).Labelled
	rest := base
	rest.In, rest.Out = tenth.Out, filepath.Join(dir, "rest")
	Labelled(t, rest)
	if n := count(); n != distinctFew || first == 0 {
		t.Errorf("a tenth, then the rest: %d searches of %d", n, distinctFew)
	}
	EqualScores(t, "a tenth, then the rest", Scores(t, rest.Out), Scores(t, base.Out))
}

// TestDepthsKeepWhatIsThere: labels of several depths that are made for a fraction leave those that the input has.
func TestDepthsKeepWhatIsThere(t *testing.T) {
	Small(t)
	defer os.Unsetenv(Child)
	dir := t.TempDir()
	Openings(t, filepath.Join(dir, "g.pgn"), 20, 1)
	in := Ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn"))
	one := Job{Inputs: []string{in}, Out: filepath.Join(dir, "one"), Workers: 2}.Label()
	one.Engine.Limit = stockfish.Depth(3)
	n := Labelled(t, one).Samples
	more := one
	more.In, more.Out, more.Fraction = one.Out, filepath.Join(dir, "more"), 0.5
	more.Engine.Limit, more.Engine.Shallower = stockfish.Depth(9), []int{3}
	Labelled(t, more)
	d, err := dataset.ReadManifest(more.Out)
	if err != nil {
		t.Fatal(err)
	}
	if d.Counts.Labelled <= n+n/4 || d.Counts.Labelled >= n+3*n/4 || len(d.Fingerprints) != 2 {
		t.Errorf("%+v of %d samples, fingerprints %v", d.Counts, n, d.Fingerprints)
	}
}

// TestLineScope: with the memory kept for a line, labels are those of whole lines, whatever was there before, however
// often the command was interrupted, and in whatever order the games come.
func TestLineScope(t *testing.T) {
	Small(t)
	defer os.Unsetenv(Child)
	t.Setenv(HasMemory, "1")
	dir := t.TempDir()
	count := Searches(t)
	games, other := filepath.Join(dir, "games.pgn"), filepath.Join(dir, "other.pgn")
	Openings(t, games, 40, 1)
	Openings(t, other, 40, 2)
	in := Ingested(t, filepath.Join(dir, "in"), games)
	r := Job{Inputs: []string{in}, Out: filepath.Join(dir, "out"), Workers: 1, Scope: stockfish.LineScope}.Label()
	sum := Labelled(t, r)
	if n := count(); int64(n) != sum.Samples || sum.HashScope != "line" {
		t.Errorf("%d searches, %+v", n, sum)
	}
	want := Scores(t, r.Out)

	shuffled := r
	shuffled.In, shuffled.Out, shuffled.Workers = Ingested(t, filepath.Join(dir, "in2"), other), filepath.Join(dir,
		"out2"), 3
	Labelled(t, shuffled)
	EqualScores(t, "another order", Scores(t, shuffled.Out), want)

	fresh := r
	fresh.Out, fresh.Engine.Scope = filepath.Join(dir, "fresh"), stockfish.PositionScope
	Labelled(t, fresh)
	if fmt.Sprint(Scores(t, fresh.Out)) == fmt.Sprint(want) {
		t.Error("the memory makes no difference")
	}
	count()

	// A part of the samples leaves other labels behind, which are no beginning of the whole.
	half := r
	half.Out, half.Fraction = filepath.Join(dir, "half"), 0.5
	Labelled(t, half)
	whole := r
	whole.In, whole.Out, whole.Workers = half.Out, filepath.Join(dir, "whole"), 2
	count()
	Labelled(t, whole)
	if n := count(); int64(n) < sum.Samples*3/4 {
		t.Errorf("%d searches for %d samples", n, sum.Samples)
	}
	EqualScores(t, "the rest of half", Scores(t, whole.Out), want)

	// Labels of whole lines are not those of a part of their samples.
	part := half
	part.In, part.Out, part.Reuse = shuffled.In, filepath.Join(dir, "part"), []string{r.Out}
	Labelled(t, part)
	EqualScores(t, "a part beside whole lines", Scores(t, part.Out), Scores(t, half.Out))

	// A failure is mended with its whole line, also by who asks for a part.
	failing := r
	failing.Out = filepath.Join(dir, "failing")
	t.Setenv(FailOn, ChosenPosition(t, in, 0.5))
	if sum := Labelled(t, failing); sum.Failed == 0 {
		t.Error("nothing failed")
	}
	t.Setenv(FailOn, "")
	mended := half
	mended.In, mended.Out = failing.Out, filepath.Join(dir, "mended")
	Labelled(t, mended)
	EqualScores(t, "mended", Scores(t, mended.Out), want)
	count()

	// Whole lines are reused.
	again := r
	again.In, again.Out, again.Reuse = shuffled.In, filepath.Join(dir, "again"), []string{r.Out}
	if sum := Labelled(t, again); count() != 0 || sum.Saved.Found != sum.Samples {
		t.Errorf("%+v", sum)
	}
	EqualScores(t, "reused", Scores(t, again.Out), want)
}

// drawn is the number that decides whether a fraction has the sample at a ply of a game.
func Drawn(hash [16]byte, ply uint32) float64 {
	return float64(xxhash.Sum64(binary.LittleEndian.AppendUint32(hash[:], ply))>>11) / (1 << 53)
}

// chosenPosition returns a position, as EPD, that occurs once in a dataset, late in a line, and is in that fraction.
func ChosenPosition(t *testing.T, dir string, fraction float64) string {
	t.Helper()
	const late = 15
	for _, l := range madeup.Each(t, dir) {
		if len(l.Moves) > 20 && Drawn(l.GameHash(), late) < fraction {
			p := l.Start
			for _, m := range l.Moves[:late] {
				p.Play(m)
			}
			return p.EPD()
		}
	}
	t.Fatal("none")
	return ""
}

// TestMoveTimeResumes continues a line that was under way, under a time limit, in place of searching it again.
func TestMoveTimeResumes(t *testing.T) {
	defer os.Unsetenv(Child)
	dir := t.TempDir()
	count := Searches(t)
	Openings(t, filepath.Join(dir, "g.pgn"), 4, 1)
	r := Job{Inputs: []string{Ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn"))},
		Out: filepath.Join(dir, "out"), Workers: 1}.Label()
	r.Engine.Limit = stockfish.MoveTime(time.Millisecond)
	runs := 0
	for done := false; !done; runs++ {
		ctx, cancel := context.WithCancel(t.Context())
		made := int64(0)
		r.Progress = func(p progress.Progress) {
			if made++; made == 7 { // in the middle of a line
				cancel()
			}
		}
		sum, err := r.Run(ctx)
		cancel()
		if done = err == nil; !done && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if done && sum.HashScope != "line" {
			t.Errorf("%+v", sum)
		}
	}
	m, err := dataset.ReadManifest(r.Out)
	if err != nil {
		t.Fatal(err)
	}
	if n := int64(count()); n > m.Counts.Labelled || runs < 5 ||
		m.Counts.Labelled+m.Counts.Terminal != m.Counts.Samples {
		t.Errorf("%d searches for %d labels in %d runs", n, m.Counts.Labelled, runs)
	}
}

// TestPartsOfPositions: so is it where the inputs of the manifest say more than names, as those of aggregated
// positions.
func TestPartsOfPositions(t *testing.T) {
	Small(t)
	defer os.Unsetenv(Child)
	dir := t.TempDir()
	Openings(t, filepath.Join(dir, "g.pgn"), 80, 1)
	games := Ingested(t, filepath.Join(dir, "games"), filepath.Join(dir, "g.pgn"))
	in := filepath.Join(dir, "in")
	if _, err := (aggregate.Request{In: []string{games}, Out: in, MinCount: 1, MinBand: 1,
		Splits: dataset.DefaultSplits}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole := Job{Inputs: []string{in}, Out: filepath.Join(dir, "whole"), Workers: 2}.Label()
	Labelled(t, whole)
	var parts []string
	for i := 1; i <= 2; i++ {
		part := whole
		part.Out, part.Part = filepath.Join(dir, fmt.Sprint("part", i)), dataset.Part{I: i, N: 2}
		Labelled(t, part)
		parts = append(parts, part.Out)
	}
	joined := filepath.Join(dir, "joined")
	if _, err := (label.Join{Parts: parts, Out: joined}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	Same(t, whole.Out, joined)
	m, err := dataset.ReadManifest(joined)
	if err != nil || m.Format != 3 || m.Inputs[0].Aggregate == nil {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestShards: what several machines label, joined, is to the byte what one labels alone.
func TestParts(t *testing.T) {
	Small(t)
	defer os.Unsetenv(Child)
	dir := t.TempDir()
	count := Searches(t)
	Openings(t, filepath.Join(dir, "g.pgn"), 80, 1)
	in := Ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn"))
	whole := Job{Inputs: []string{in}, Out: filepath.Join(dir, "whole"), Workers: 2}.Label()
	Labelled(t, whole)
	count()
	var parts []string
	for i := 1; i <= 3; i++ {
		part := whole
		part.Out, part.Part = filepath.Join(dir, fmt.Sprint("part", i)), dataset.Part{I: i, N: 3}
		sum := Labelled(t, part)
		if share := float64(sum.Labelled+sum.Reused+sum.Terminal) / float64(sum.Samples); share < 0.2 || share > 0.5 {
			t.Errorf("part %d is %.2f of all", i, share)
		}
		parts = append(parts, part.Out)
	}
	count()
	joined := filepath.Join(dir, "joined")
	sum, err := label.Join{Parts: []string{parts[2], parts[0], parts[1]}, Out: joined}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	Same(t, whole.Out, joined)
	if sum.Parts != 3 || sum.Games != 80 || sum.Labelled+sum.Terminal != sum.Samples {
		t.Errorf("%+v", sum)
	}

	foreign := whole
	foreign.Out, foreign.Part, foreign.Engine.Limit = filepath.Join(dir, "foreign"), dataset.Part{I: 1, N: 3},
		stockfish.Nodes(7)
	Labelled(t, foreign)
	for _, c := range []struct {
		Parts []string
		Want  string
	}{
		{parts[:2], "2 were given"},
		{[]string{parts[0], parts[1], parts[1]}, "both are 2/3"},
		{[]string{parts[0], parts[1], whole.Out}, "without --part"},
		{[]string{parts[1], parts[2], foreign.Out}, "differ"},
	} {
		_, err := label.Join{Parts: c.Parts, Out: filepath.Join(dir, "bad")}.Run(t.Context())
		if !errors.Is(err, label.ErrParts) || !strings.Contains(err.Error(), c.Want) {
			t.Errorf("%v: %v", c.Parts, err)
		}
	}
	for _, s := range []string{"", "1", "0/3", "4/3", "1/0", "a/b", "1/2/3"} {
		if got, err := dataset.ParsePart(s); err == nil {
			t.Errorf("%q is read as %v", s, got)
		}
	}
}

// TestKillLabel kills talbot and its engines at random moments, again and again. What is left in the end is to the byte
// what an undisturbed run leaves, nearly nothing is searched twice, and no engine lives on.
func TestKillLabel(t *testing.T) {
	Small(t)
	defer os.Unsetenv(Child)
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	rounds := 8
	if os.Getenv("TALBOT_FULL") != "" {
		rounds = 100
	}
	t.Setenv(HasMemory, "1")
	Openings(t, filepath.Join(dir, "g.pgn"), 80, 1)
	in := Ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn"))
	for _, scope := range []stockfish.HashScope{stockfish.PositionScope, stockfish.LineScope} {
		t.Run(scope.String(), func(t *testing.T) {
			count := Searches(t)
			j := Job{Verb: "label", Inputs: []string{in}, Workers: 2, Scope: scope,
				Out: filepath.Join(t.TempDir(), "undisturbed")}
			if err := j.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			needed := count()
			want := j.Out
			rng := rand.New(rand.NewPCG(3, 3))
			talbots, engines := 0, 0
			for talbots+engines < rounds || talbots == 0 || engines == 0 {
				j.Out = filepath.Join(t.TempDir(), "killed")
				a, b := KillLabel(t, self, j, rng, max(1, rounds-talbots-engines))
				Same(t, want, j.Out)
				most := needed + a*j.Workers*4 + b
				if scope == stockfish.LineScope {
					most = needed + (a*j.Workers*2+b)*24 // lines of at most 24 positions are searched again
				}
				if n := count(); n < needed || n > most {
					t.Errorf("%d searches for %d positions with %d and %d kills", n, needed, a, b)
				}
				talbots, engines = talbots+a, engines+b
			}
			t.Logf("killed talbot %d times, engines %d times", talbots, engines)
		})
	}
}

// KillLabel labels in a process of its own until that is done. Up to that many times it kills that process or one of
// its engines, and counts both.
func KillLabel(t *testing.T, self string, j Job, rng *rand.Rand, most int) (talbots, engines int) {
	t.Helper()
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	for runs := 0; ; runs++ {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), Child+"="+string(text))
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		var seen []int
		for err = nil; ; {
			wait := time.Duration(20+rng.IntN(150)) * time.Millisecond
			if talbots+engines >= most {
				wait = time.Minute
			}
			select {
			case err = <-ended:
			case <-time.After(wait):
				list := ChildrenOf(t, cmd.Process.Pid)
				seen = append(seen, list...)
				if len(list) > 0 && rng.IntN(2) == 0 {
					if Shoot(list[rng.IntN(len(list))]) == nil {
						engines++
					}
				} else {
					_ = cmd.Process.Kill()
					talbots++
				}
				continue
			}
			break
		}
		for _, pid := range seen {
			MustBeGone(t, pid)
		}
		if err == nil {
			return talbots, engines
		}
		if cmd.ProcessState.Exited() {
			t.Fatalf("after %d runs: %v: %s", runs, err, stderr.String())
		}
		if _, err := dataset.ReadManifest(j.Out); err == nil {
			if err := j.Run(t.Context()); !errors.Is(err, output.ErrFinished) {
				t.Fatal(err)
			}
			return talbots, engines // killed behind the last step
		}
	}
}

// ChildrenOf lists the processes whose parent is that one and that run an engine.
func ChildrenOf(t *testing.T, parent int) (pids []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		t.Skip("NOT TESTED: no /proc")
	}
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && len(fields) > 1 &&
			fields[1] == strconv.Itoa(parent) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func MustBeGone(t *testing.T, pid int) {
	t.Helper()
	for range 3000 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || bytes.Contains(stat, []byte(") Z ")) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("engine %d lives on", pid)
}

// TestLabelFailingWrites lets each step of writing fail in turn, alone or with all behind it as on a full disk.
func TestLabelFailingWrites(t *testing.T) {
	defer os.Unsetenv(Child)
	dir := t.TempDir()
	Openings(t, filepath.Join(dir, "g.pgn"), 3, 1)
	in := Ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn"))
	want := Job{Inputs: []string{in}, Out: filepath.Join(dir, "want"), Workers: 1}.Label()
	want.Fraction = 0.1
	Labelled(t, want)
	for i, f := range failing(2) {
		failed := madeup.FailSteps(t, f.first, f.stride, i == 1, func(dir string) (func() error, func()) {
			got := want
			got.Out = filepath.Join(dir, "got")
			return func() error {
				_, err := got.Run(t.Context())
				return err
			}, func() { Same(t, want.Out, got.Out) }
		})
		if failed < 15/int(f.stride) {
			t.Errorf("only %d failures", failed)
		}
	}
}

// TestLabelLocked: two labellers do not work on one dataset, and the lock of a killed one is not in the way, as every
// other test of a kill shows.
func TestLabelLocked(t *testing.T) {
	defer os.Unsetenv(Child)
	dir := t.TempDir()
	Openings(t, filepath.Join(dir, "g.pgn"), 3, 1)
	r := Job{Inputs: []string{Ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn"))},
		Out: filepath.Join(dir, "out"), Workers: 1}.Label()
	second := r
	tried := false
	r.Progress = func(progress.Progress) {
		if !tried {
			tried = true
			if _, err := second.Run(t.Context()); !errors.Is(err, durable.ErrLocked) {
				t.Error(err)
			}
		}
	}
	var checked, lines int64
	r.Checked = func(done, of int64) { checked, lines = done, of }
	Labelled(t, r)
	if !tried {
		t.Error("not tried")
	}
	if checked != lines || lines == 0 {
		t.Errorf("%d lines of %d were checked", checked, lines)
	}
}

// TestRealNodesLabels: labels by nodes are the same with 1, 2 and 4 workers and in any order of the games.
func TestRealNodesLabels(t *testing.T) {
	path, err := stockfish.Find("")
	if err != nil {
		t.Skipf("NOT TESTED with a real engine: %v", err)
	}
	dir := t.TempDir()
	var want map[string]string
	for i, workers := range []int{1, 2, 4} {
		games := filepath.Join(dir, fmt.Sprint(i, ".pgn"))
		Openings(t, games, 12, uint64(i))
		r := label.Request{In: Ingested(t, filepath.Join(dir, fmt.Sprint("in", i)), games),
			Out: filepath.Join(dir, fmt.Sprint("out", i)), Workers: workers,
			Engine: stockfish.Config{Path: path, Limit: stockfish.Nodes(500)}}
		Labelled(t, r)
		if want == nil {
			want = Scores(t, r.Out)
		}
		EqualScores(t, fmt.Sprint(workers, " workers"), Scores(t, r.Out), want)
	}
	if n := len(want); n < 200 {
		t.Errorf("%d labels", n)
	}
}
