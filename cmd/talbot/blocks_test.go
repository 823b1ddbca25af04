package main

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"talbot/internal/testkit"
	"talbot/network/backend"
	"talbot/stockfish"
)

// A block is what a reader runs in one go: a fenced block of a page, or an example of help.
//
// Comments before a block of a page, which readers do not see, are its marks:
//
//	<!-- small: 1/20 -->                  sizes (steps, games, nodes...) are divided by 20, but not with TALBOT_FULL=1
//	<!-- small: 1/20, always: REASON -->  with TALBOT_FULL=1, too
//	<!-- full: REASON -->                 it runs only with TALBOT_FULL=1
//	<!-- needs: PROGRAM -->               it runs only where this program is installed
//	<!-- needs: ./FILE -->                it runs only where the folder of the blocks has this
//	<!-- array: N -->                     it runs as each task of a Slurm array, 1 to N
//	<!-- serves -->                       each of its commands serves until Ctrl-C, which it gets after a while
//	<!-- not run: REASON -->              it never runs: only its commands, flags and values are checked
//	<!-- terminals -->                    its commands run at the same time, as in several terminals
//
// What readers must have themselves, such as the games of a player, is there under the names that the pages have
// ([sandbox.standIns]). A block without marks runs as printed. A command followed by "# exit status N" must end with
// that status.
type block struct {
	place       string // page and line
	text        string
	divisor     int    // of the sizes, 0 without the mark small
	alwaysSmall string // why
	fullOnly    string // why
	needs       string // a program
	notRun      string // why
	terminals   bool
	array       int // tasks of a Slurm array
	serves      bool
}

var (
	markComment = regexp.MustCompile(`^<!-- (.*) -->$`)
	smallMark   = regexp.MustCompile(`^1/(\d+)(?:, always: (.+))?$`)
	compiles    = regexp.MustCompile(`(?m)^(?:[A-Z_]+=\S+ )*go (?:run|build|test)\b|^scripts/(?:build|demo)\.sh`)
	runsTests   = regexp.MustCompile(`(?m)^scripts/test\.sh`)
	exitStatus  = regexp.MustCompile(`^(.*?)\s+# exit status (\d+)`)
	talbotCall  = regexp.MustCompile(`(?:^|[|&;(]|\bdo|\bexec)\s*(?:\S*/)?talbot( [^|>&#]*)`)
	shellVar    = regexp.MustCompile(`\$\w+`)
)

// setMark sets what a mark says.
func (b *block) setMark(mark string) error {
	kind, value, _ := strings.Cut(mark, ": ")
	small := smallMark.FindStringSubmatch(value)
	switch {
	case kind == "small" && small != nil:
		b.divisor, _ = strconv.Atoi(small[1])
		b.alwaysSmall = small[2]
	case kind == "full" && value != "":
		b.fullOnly = value
	case kind == "needs" && value != "":
		b.needs = value
	case kind == "not run" && value != "":
		b.notRun = value
	case mark == "terminals":
		b.terminals = true
	case mark == "serves":
		b.serves = true
	case kind == "array":
		var err error
		if b.array, err = strconv.Atoi(value); err != nil || b.array < 1 {
			return fmt.Errorf("mark %q: not a number of tasks", mark)
		}
	default:
		return fmt.Errorf("unknown mark %q", mark)
	}
	return nil
}

// shellBlocks returns the blocks of a page that are for a shell.
func shellBlocks(page, text string) ([]block, error) {
	var blocks []block
	var marks []string
	fence := "" // the line that opened the current block
	for i, line := range strings.Split(text, "\n") {
		place := fmt.Sprintf("%s:%d", page, i+1)
		fenceLine, comment := strings.HasPrefix(strings.TrimSpace(line), "```"), markComment.FindStringSubmatch(line)
		switch {
		case fence == "" && fenceLine:
			if fence = line; fence != "```sh" {
				break
			}
			b := block{place: place}
			for _, mark := range marks {
				if err := b.setMark(mark); err != nil {
					return nil, fmt.Errorf("%s: %w", place, err)
				}
			}
			blocks, marks = append(blocks, b), nil
		case fenceLine:
			fence = ""
		case fence == "```sh":
			blocks[len(blocks)-1].text += line + "\n"
		case fence != "":
			if talbotCall.MatchString(line) {
				return nil, fmt.Errorf("%s: a command in a block that does not begin with ```sh", place)
			}
		case comment != nil:
			marks = append(marks, comment[1])
			continue
		}
		if marks != nil {
			return nil, fmt.Errorf("%s: the marks %q must be on the lines before a block", place, marks)
		}
	}
	for i, b := range blocks {
		switch {
		case b.notRun != "" || b.fullOnly != "":
		case runsTests.MatchString(b.text):
			blocks[i].notRun = "it would run this test"
		case compiles.MatchString(b.text):
			blocks[i].fullOnly = "it compiles talbot"
		}
	}
	return blocks, nil
}

var (
	sizes = regexp.MustCompile(`(--(?:steps|until|games|count|nodes|maxmoves|max-plies|movetime|seconds|tc)[ =]|` +
		`\b(?:nodes|movetime)=)([\d.+,]+)`)
	numbers = regexp.MustCompile(`[\d.]+`)
)

// shrink divides the sizes in commands. Whole numbers stay whole and at least 1, and numbers of games even, because a
// match plays each opening with both colours.
func shrink(text string, divisor int) string {
	return sizes.ReplaceAllStringFunc(text, func(found string) string {
		size := sizes.FindStringSubmatch(found)
		unit := 1
		if strings.HasPrefix(size[1], "--games") {
			unit = 2
		}
		return size[1] + numbers.ReplaceAllStringFunc(size[2], func(number string) string {
			if strings.Contains(size[2], ".") {
				value, _ := strconv.ParseFloat(number, 64)
				return strconv.FormatFloat(value/float64(divisor), 'f', -1, 64)
			}
			value, _ := strconv.Atoi(number)
			return strconv.Itoa(max(unit, value/divisor/unit*unit))
		})
	})
}

// commandLines returns the lines of a block. A line that ends with a backslash is joined with the next one.
func commandLines(text string) []string {
	return strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\\\n", " ")), "\n")
}

// usage is held while a command line is checked: commands of this process share [cli.Mode].
var usage sync.Mutex

// checkUsage checks commands, flags, their values and the number of operands of talbot's commands in a line, without
// running them. 1 stands for the values of shell variables.
func checkUsage(line string) error {
	usage.Lock()
	defer usage.Unlock()
	for _, call := range talbotCall.FindAllStringSubmatch(line, -1) {
		words := strings.Fields(shellVar.ReplaceAllString(call[1], "1"))
		for i := 0; i < len(words); i++ { // quoted words may have spaces
			for strings.Count(words[i], `"`)%2 == 1 && i+1 < len(words) {
				words = slices.Replace(words, i, i+2, words[i]+" "+words[i+1])
			}
			words[i] = strings.ReplaceAll(words[i], `"`, "")
		}
		c, args, err := newRoot().Find(words)
		if err == nil {
			err = c.ParseFlags(args)
		}
		if err == nil && c.Args != nil {
			err = c.Args(c, c.Flags().Args())
		}
		if err != nil {
			return fmt.Errorf("%q: %w", strings.TrimSpace(line), err)
		}
	}
	return nil
}

// script returns a block as a shell script that ends at the first command that fails.
func (b block) script() string {
	lines := commandLines(b.text)
	for i, line := range lines {
		if m := exitStatus.FindStringSubmatch(line); m != nil {
			line = fmt.Sprintf("status=0; %s || status=$?; [ $status = %s ]", m[1], m[2])
		}
		switch {
		case b.serves:
			// in the foreground, as otherwise timeout signals the command and then its group, which aborts
			line = fmt.Sprintf("status=0; timeout --foreground --signal=INT --preserve-status 3 %s || status=$?; "+
				"[ $status = 0 ]", line)
		case b.terminals && i == 0:
			line = fmt.Sprintf("{ %s\n} & first=$! all=$!", line)
		case b.terminals: // the others need what the first one makes, and are tried until it is there
			line = fmt.Sprintf("until %s\ndo kill -0 $first || exit; sleep 0.2; done & all=\"$all $!\"", line)
		}
		lines[i] = line
	}
	if b.terminals {
		lines = append(lines, "for pid in $all; do wait $pid; done")
	}
	script := strings.Join(lines, "\n")
	if b.array > 0 {
		script = fmt.Sprintf("export SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT=%d SLURM_CPUS_PER_TASK=1\n"+
			"for SLURM_ARRAY_TASK_ID in $(seq %d); do\n%s\ndone", b.array, b.array, script)
	}
	return "set -e\n" + script + "\n"
}

// sandbox is a folder where blocks run, and the counts of what ran there.
type sandbox struct {
	dir     string
	env     []string
	full    bool
	printed int            // blocks that ran as printed
	small   int            // blocks that ran small
	left    map[string]int // blocks that did not run, by reason
	cpu     time.Duration
}

// newSandbox makes a folder with bin/talbot, which is this program. It is also the home folder, so that nothing that
// the user has is changed.
func newSandbox(t *testing.T, full bool) *sandbox {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("SKIPPED: there is no shell")
	}
	engine, err := stockfish.Find("")
	if err != nil {
		t.Skip("SKIPPED: Stockfish is not installed")
	}
	s := &sandbox{dir: t.TempDir(), full: full, left: map[string]int{}}
	self, err := os.Executable()
	testkit.OK(t, err)
	s.copyFile(t, self, "bin/talbot") // no link, since a block may build another
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "TALBOT_") || strings.HasPrefix(v, "XDG_")
	})
	s.env = append(slices.Clone(env), "HOME="+s.dir, "MANPAGER=cat",
		"PATH="+filepath.Join(s.dir, "bin")+":"+filepath.Dir(engine)+":"+os.Getenv("PATH"))
	if !full {
		return s
	}
	// The plugins of XLA, with which everything compiles for seconds, and what Go has downloaded.
	s.env = append(s.env, "XDG_DATA_HOME="+filepath.Dir(filepath.Dir(backend.PluginDir())))
	for _, name := range []string{"GOENV", "GOPATH", "GOMODCACHE", "GOCACHE"} {
		cmd := exec.Command("go", "env", name)
		cmd.Env = env
		value, err := cmd.Output()
		if err != nil {
			t.Fatalf("go env %s: %v", name, err)
		}
		s.env = append(s.env, name+"="+strings.TrimSpace(string(value)))
	}
	return s
}

// copyFile copies a file to a path in the sandbox.
func (s *sandbox) copyFile(t *testing.T, from, to string) {
	t.Helper()
	to = filepath.Join(s.dir, to)
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o777)
	}
	if err == nil {
		err = os.WriteFile(to, content, 0o777)
	}
	testkit.OK(t, err)
}

// shell runs a script and returns its output.
func (s *sandbox) shell(t *testing.T, dir, script string) ([]byte, error) {
	limit := 8 * time.Minute
	if s.full {
		limit = 2 * time.Hour
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, s.env, 10*time.Second
	output, err := cmd.CombinedOutput()
	if cmd.ProcessState != nil {
		s.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return output, err
}

// run checks a block and runs it in a folder, if its marks allow.
func (s *sandbox) run(t *testing.T, dir string, b block) {
	t.Helper()
	for _, line := range commandLines(b.text) {
		if err := checkUsage(line); err != nil {
			t.Errorf("%s: %v", b.place, err)
			return
		}
	}
	reason := b.notRun
	if reason == "" && b.fullOnly != "" && !s.full {
		reason = "only with TALBOT_FULL=1: " + b.fullOnly
	}
	if reason == "" && b.needs != "" {
		_, err := exec.LookPath(b.needs)
		if file, ok := strings.CutPrefix(b.needs, "./"); ok {
			_, err = os.Stat(filepath.Join(dir, file))
		}
		if err != nil {
			reason = b.needs + " is not there"
		}
	}
	if reason != "" {
		s.left[reason]++
		t.Logf("%s: not run: %s", b.place, reason)
		return
	}
	count, how := &s.printed, "as printed"
	if b.divisor > 0 && (!s.full || b.alwaysSmall != "") {
		count, how = &s.small, "small"
		smaller := shrink(b.text, b.divisor)
		if smaller == b.text {
			t.Errorf("%s: the mark small changes nothing", b.place)
		}
		b.text = smaller
	}
	if !s.full { // a free port
		b.text = strings.ReplaceAll(b.text, " :7777 ", " 127.0.0.1:0 ")
	}
	b.text = strings.NewReplacer("/path/to/talbot", s.dir+"/bin/talbot", "/path/to/", dir+"/").Replace(b.text)
	*count++
	begun, cpu := time.Now(), s.cpu
	output, err := s.shell(t, dir, b.script())
	t.Logf("%s: run %s in %.1f s, %.1f s of CPU time", b.place, how, time.Since(begun).Seconds(),
		(s.cpu - cpu).Seconds())
	if err != nil {
		t.Errorf("%s: %v\n%s\n%s", b.place, err, b.text, output[max(0, len(output)-4000):])
	}
}

// report prints the counts.
func (s *sandbox) report(t *testing.T, what string) {
	left := 0
	for _, n := range s.left {
		left += n
	}
	t.Logf("%s: %d run as printed, %d run small, %d not run; %.0f s of CPU time", what, s.printed, s.small, left,
		s.cpu.Seconds())
	for _, reason := range slices.Sorted(maps.Keys(s.left)) {
		t.Logf("%3d not run: %s", s.left[reason], reason)
	}
}

// sampleGames are the games of the sample data.
func sampleGames(t *testing.T) []string {
	t.Helper()
	packed, err := fs.ReadFile(repository, "examples/games.pgn.zst")
	testkit.OK(t, err)
	decoder, err := zstd.NewReader(nil)
	testkit.OK(t, err)
	defer decoder.Close()
	text, err := decoder.DecodeAll(packed, nil)
	testkit.OK(t, err)
	games := strings.Split(string(text), "\n[Event ")
	for i := range games[1:] {
		games[i+1] = "[Event " + games[i+1]
	}
	return games
}

// writeGames writes a compressed file of games.
func writeGames(t *testing.T, file string, games []string) {
	t.Helper()
	encoder, err := zstd.NewWriter(nil)
	testkit.OK(t, err)
	defer encoder.Close()
	text := strings.Join(games, "\n")
	testkit.OK(t, os.WriteFile(file, encoder.EncodeAll([]byte(text), nil), 0o666))
}

// writePuzzles writes the first of the sample's puzzles.
func writePuzzles(t *testing.T, file string, n int) {
	t.Helper()
	lines := strings.SplitAfter(document(t, "examples/puzzles.csv"), "\n")
	testkit.OK(t, os.WriteFile(file, []byte(strings.Join(lines[:n+1], "")), 0o666))
}

// standIns makes what readers must have themselves, from some games of the sample: games of a player, games of rated
// players, files of training data, and a folder with endgame tables, if the shared data are there.
func (s *sandbox) standIns(t *testing.T, games []string) {
	t.Helper()
	var player, rated, begun []string // begun: 14 moves, in which there are no mates, as in Leela's data
	for i, g := range games {
		rated = append(rated, fmt.Sprintf("[WhiteElo %q]\n[BlackElo %q]\n%s", strconv.Itoa(1200+10*(i%100)),
			strconv.Itoa(1300+10*(i%100)), g))
		player = append(player, regexp.MustCompile(`\[White "[^"]*"\]`).ReplaceAllString(g, `[White "Tal, Mikhail"]`))
		result := regexp.MustCompile(`\[Result "([^"]*)"\]`).FindStringSubmatch(g)
		begun = append(begun, regexp.MustCompile(`(?s)\s15\.\s.*`).ReplaceAllString(g, "\n"+result[1]+"\n"))
	}
	testkit.OK(t, os.WriteFile(filepath.Join(s.dir, "tal.pgn"), []byte(strings.Join(player, "\n")), 0o666))
	writeGames(t, filepath.Join(s.dir, "lichess.pgn.zst"), rated)
	writeGames(t, filepath.Join(s.dir, "begun.pgn.zst"), begun)
	s.copyFile(t, "../../formats/viriformat/testdata/standard.vf", "selfplay.vf")
	if tables, err := filepath.Abs("../../../shared/data/syzygy"); err == nil {
		if _, err := os.Stat(tables); err == nil {
			testkit.OK(t, os.Symlink(tables, filepath.Join(s.dir, "tables")))
		}
	}
	if output, err := s.shell(t, s.dir, `set -e
mkdir made
talbot ingest begun.pgn.zst --out made/lines
talbot label made/lines --nodes 100 --fraction 0.2 --out made/labelled
talbot export-data made/labelled --format text --out data.txt
talbot export-data made/labelled --format binpack --out data.binpack
rm -r made begun.pgn.zst
`); err != nil {
		t.Fatalf("making training data of others: %v\n%s", err, output)
	}
	packed, err := os.ReadFile(filepath.Join(s.dir, "data.binpack"))
	testkit.OK(t, err)
	writeGames(t, filepath.Join(s.dir, "data.binpack.zst"), []string{string(packed)})
}

// pages are the documents with commands in the order in which they are read.
func pages(t *testing.T) []string {
	t.Helper()
	numbered := regexp.MustCompile(`^docs/(\d+)-.*\.md$`)
	order := map[string]int{"README.md": 0}
	for _, file := range documents(t, repository) {
		if m := numbered.FindStringSubmatch(file); m != nil {
			order[file], _ = strconv.Atoi(m[1])
		}
	}
	return slices.SortedFunc(maps.Keys(order), func(a, b string) int { return order[a] - order[b] })
}

// Someone who runs all blocks of all pages in reading order in one clone sees none of them fail. TALBOT_FULL=1 runs
// them as printed; without it, they read less sample data, too.
func TestBlocks(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, os.Getenv("TALBOT_FULL") != "")
	if s.full {
		clone, err := exec.Command("git", "-c", "safe.directory=*", "-C", "../..", "ls-files").Output()
		if err != nil {
			t.Fatalf("listing the files of the clone: %v", err)
		}
		for file := range strings.FieldsSeq(string(clone)) {
			s.copyFile(t, filepath.Join("../..", file), file)
		}
	} else {
		sample := filepath.Join(s.dir, "examples")
		testkit.OK(t, os.Mkdir(sample, 0o777))
		writeGames(t, filepath.Join(sample, "games.pgn.zst"), sampleGames(t)[900:950]) // with samples in all splits
		writePuzzles(t, filepath.Join(sample, "puzzles.csv"), 60)
		s.copyFile(t, "../../examples/loop.yaml", "examples/loop.yaml")
	}
	s.standIns(t, sampleGames(t)[900:940])
	count := 0
	for _, page := range pages(t) {
		blocks, err := shellBlocks(page, document(t, page))
		if err != nil {
			t.Error(err)
		}
		for _, b := range blocks {
			s.run(t, s.dir, b)
		}
		count += len(blocks)
	}
	s.report(t, fmt.Sprintf("%d pages, %d blocks", len(pages(t)), count))
	if count < 50 {
		t.Errorf("only %d blocks", count)
	}
}

// markedExamples are marks, each followed by the examples of help that have it.
const markedExamples = `
full: it measures for half a minute
  talbot bench
  talbot bench --run run1
small: 1/5
  talbot bench --run run1 --backend go --batch 1,8,16 --seconds 5s --json
small: 1/20
  talbot label lines --calibrate --movetime 20ms
  talbot match cmd:stockfish,depth=1 random: --games 100 --out m2 --json
  talbot selfplay --run net: --games 400 --nodes 60 --max-plies 300 --out own
  talbot selfplay --run net: -n 8 --max-plies 40 --start endgames:KQvK --out kqk
  talbot synth-games --games 100 --nodes 200 --seed 1 --out games
small: 1/100
  talbot solve net: puzzles.csv --nodes 100,400,1600 --count 300
  talbot solve net: puzzles.csv --nodes 400
  talbot label lines --out labelled-more --nodes 20000 --reuse labelled-nodes
  talbot label lines --out labelled-nodes --nodes 20000 --workers 2
  talbot label lines --out many --nodes 20000 --listen :7777 --join-file join
  talbot label lines --out part2 --nodes 20000 --part 2/4
  talbot label lines --out scored --nodes 20000 --multipv 2
  talbot match net:,nodes=400 cmd:stockfish,depth=1 --games 100 --out m7
small: 1/500
  talbot match run:run1,nodes=400 run:run1,searcher=policy --games 40 --out m3
  talbot train --data labelled --run run1 --blocks 6 --filters 64 --steps 1000
small: 1/1000, always: hours as printed
  talbot match cmd:./new cmd:./old --nodes 5000 --sprt 0,5 --games 9000 --out m5
  talbot match cmd:./new cmd:./old --tc 10+0.1 --games 400 --out m4
  talbot synth-games --games 15000 --seed 2 --blunders 0.1 --out games2
full: it times a large network
  talbot plan games.pgn.zst --preset 10x64 --steps 20000
full: it needs XLA's plugin and minutes
  talbot doctor --gpu --backend xla:cpu --blocks 2 --filters 16 --seconds 2
exit status 1
  talbot diff labelled-20ms labelled-100ms --json
needs: ./maia-1500.pb.gz
  talbot play maia --elo 1400
  talbot review me.pgn --player Tal --people maia-1500.pb.gz --out mine
needs: man
  talbot man pages && man ./pages/talbot-label.1
needs: /usr/games/stockfish
  talbot doctor --engine /usr/games/stockfish
not run: it needs an NVIDIA GPU
  talbot doctor --gpu
not run: it takes hours without a GPU
  talbot train --data games:0.7,puzzles:0.3 --run run2 --preset v1.5
not run: it needs endgame tables; testdata/script/tables.txt has them
  talbot eval --run run1 --data endgames --syzygy /data/syzygy
  talbot label endgames --out endgames-labelled --syzygy /data/syzygy
  talbot review endgames.pgn --syzygy /data/syzygy --out by-tables
not run: it needs another Stockfish
  talbot label lines --out labelled-sf17 --engine /opt/stockfish17/stockfish
  talbot worker --join-file join --workers 4 --engine /opt/stockfish17/stockfish
not run: it asks before it installs
  talbot setup
not run: it serves until Ctrl-C
  talbot studio
  talbot studio --listen 127.0.0.1:8000
  talbot studio data runs
not run: it needs a plugin of XLA
  talbot setup xla-cpu --from ./xla_cpu_pjrt.so
`

// coordinator is what the examples of status and worker need in another terminal.
const coordinator = "talbot label endgames --out shared --nodes 20000 --workers 1 " +
	"--listen 127.0.0.1:0 --join-file join\n"

// exampleFiles makes what the examples of help read: their sizes, not those of the examples, make them fast.
const exampleFiles = `
mkdir -p collection lichess network/builtin
cp games.pgn.zst lichess.pgn.zst collection
mv lichess.pgn.zst lichess/2026-01.pgn.zst
printf '1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 1/2-1/2\n' | gzip >games.pgn.gz
printf '[White "Tal"]\n\n1.e4 { [%%eval 0.3] } e5 { [%%eval 0.3] } 2.Nf3 { [%%eval 0.3] } *\n' >games.pgn
cp games.pgn me.pgn
cp games.pgn lichess.pgn
printf '7k/5ppp/8/8/8/8/8/R6K w - - bm Ra8#; id "one";\n' >mates.epd
ln -s "$(command -v stockfish)" new
ln -s "$(command -v stockfish)" old
ln -s "$(command -v stockfish)" ../bin/a
talbot ingest games.pgn.zst --out lines
talbot ingest puzzles.csv --out puzzles
talbot ingest games.pgn.zst --sample-rate 0.2 --out games
talbot ingest games.pgn.zst --sample-rate 0.3 --out more
talbot ingest games.pgn.zst --sample-rate 0.4 --out lichess-01
talbot ingest puzzles.csv --out lichess-02
cp -R lines lines-old
talbot synth-endgames --count 60 --seed 5 --out endgames
talbot label endgames --nodes 200 --out labelled
talbot label endgames --nodes 100 --out labelled-20ms
cp -R labelled labelled-100ms
talbot label labelled --audit 50% --out audit
talbot aggregate lines --out positions --bands none --min-count 1 --min-band 1
tiny="--blocks 1 --filters 8 --batch 8 --steps 4 --backend go"
for seed in 1 2 3; do
  talbot train --data labelled --run a$seed --seed $seed $tiny
  talbot train --data labelled --run b$seed --seed $seed $tiny --lr 1e-3
done
cp -R a1 run1
cp -R b1 run2
talbot train --recipe prior --data positions --run prior $tiny
talbot synth-endgames --count 6 --seed 2 --out few
talbot label few --nodes 100 --out few-labelled
talbot predict few-labelled --run run1 --out predicted
`

// Every example of help runs, in the order of its command's examples, in a folder with the files that they read.
func TestExamplesRun(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, os.Getenv("TALBOT_FULL") != "")
	files := filepath.Join(s.dir, "files")
	testkit.OK(t, os.Mkdir(files, 0o777))
	writePuzzles(t, filepath.Join(files, "puzzles.csv"), 20)
	s.copyFile(t, "../../examples/loop.yaml", "files/examples/loop.yaml")
	games := sampleGames(t)
	for i := range games { // what passes the filters of the presets
		games[i] = "[WhiteElo \"2700\"]\n[BlackElo \"2700\"]\n[TimeControl \"600+5\"]\n" + games[i]
	}
	writeGames(t, filepath.Join(files, "lichess.pgn.zst"), games[:2])
	// Short ones, because each of their positions is searched for 20 ms, and one that is in the split test.
	slices.SortStableFunc(games, func(a, b string) int { return len(a) - len(b) })
	writeGames(t, filepath.Join(files, "games.pgn.zst"), games[50:70])
	if output, err := s.shell(t, files, "set -e\n"+exampleFiles); err != nil {
		t.Fatalf("making the files that examples read: %v\n%s", err, output)
	}

	made := regexp.MustCompile(`--out (\S+)|train --data .*--run (\S+)`)
	mark, marks := "", map[string]string{}
	for line := range strings.Lines(markedExamples) {
		if example, ok := strings.CutPrefix(line, "  "); ok {
			marks[strings.TrimSpace(example)] = mark
		} else {
			mark = strings.TrimSpace(line)
		}
	}
	count := 0
	usage.Lock()
	commands := commandsOf(newRoot())
	usage.Unlock()
	for _, c := range commands {
		dir := filepath.Join(s.dir, "of-"+c.Name())
		testkit.OK(t, os.CopyFS(dir, os.DirFS(files)))
		for _, m := range made.FindAllStringSubmatch(c.Example, -1) {
			testkit.OK(t, os.RemoveAll(filepath.Join(dir, m[1]+m[2])))
		}
		for i, line := range commandLines(c.Example) {
			b := block{place: fmt.Sprintf("%s, example %d", c.CommandPath(), i+1), text: strings.TrimSpace(line)}
			if mark, ok := marks[b.text]; ok {
				delete(marks, b.text)
				if strings.HasPrefix(mark, "exit status ") {
					b.text += " # " + mark
				} else {
					testkit.OK(t, b.setMark(mark))
				}
			}
			if c.Name() == "status" || c.Name() == "worker" {
				b.text, b.terminals = strings.Replace(coordinator, "shared", fmt.Sprint("shared", i), 1)+b.text, true
			}
			s.run(t, dir, b)
			count++
		}
	}
	for line := range marks {
		t.Errorf("%q has a mark, but is no example", line)
	}
	s.report(t, fmt.Sprintf("%d examples", count))
}

// What is read of pages is what they have, and shrinking changes only sizes.
func TestShellBlocks(t *testing.T) {
	text := "a\n<!-- small: 1/20, always: long -->\n<!-- terminals -->\n```sh\nbin/talbot x \\\n  --steps 400\n```\n" +
		"```yaml\na: b\n```\n```sh\nscripts/build.sh\n```\n<!-- needs: man -->\n```sh\nman\n```\n"
	blocks, err := shellBlocks("f", text)
	want := []block{
		{place: "f:4", text: "bin/talbot x \\\n  --steps 400\n", divisor: 20, alwaysSmall: "long", terminals: true},
		{place: "f:11", text: "scripts/build.sh\n", fullOnly: "it compiles talbot"},
		{place: "f:15", text: "man\n", needs: "man"},
	}
	if err != nil || !slices.Equal(blocks, want) {
		t.Errorf("got %+v (%v)", blocks, err)
	}
	for _, bad := range []string{"<!-- small: 20 -->\n```sh\n```\n", "<!-- full: -->\n```sh\n```\n",
		"<!-- not run: x -->\ntext\n", "```\nbin/talbot x\n```\n", "1. a\n   ```sh\n   bin/talbot x\n   ```\n"} {
		if _, err := shellBlocks("f", bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
	for printed, want := range map[string]string{
		"talbot match a,nodes=400 --games 100 --nodes 5 --out m": "talbot match a,nodes=20 --games 4 --nodes 1 --out m",
		"talbot match a,movetime=100ms b --tc 10+0.1":            "talbot match a,movetime=5ms b --tc 0.5+0.005",
	} {
		if got := shrink(printed, 20); got != want {
			t.Errorf("got %q", got)
		}
	}
	for line, ok := range map[string]bool{
		`bin/talbot ingest "a b.pgn" --out "$X" # text`: true,
		"exec /path/to/talbot uci --run /path/to/run1":  true,
		"bin/talbot train --run a --steps N":            false,
		"cat a | talbot ingest - --nothing":             false,
		"exec /path/to/talbot uci run1":                 false,
		"bin/talbot diff a":                             false,
	} {
		if err := checkUsage(line); (err == nil) != ok {
			t.Errorf("%q: %v", line, err)
		}
	}
	for _, c := range []struct {
		b  block
		ok bool
	}{
		{block{text: "false # exit status 1: why\ntrue"}, true},
		{block{text: "true # exit status 1"}, false},
		{block{text: "false\ntrue"}, false},
		{block{text: "sleep 1; touch there\ntest -e there   # in another terminal", terminals: true}, true},
		{block{text: "true\nfalse", terminals: true}, false},
		{block{text: "false\ntrue", terminals: true}, false},
	} {
		cmd := exec.Command("sh", "-c", c.b.script())
		cmd.Dir = t.TempDir()
		if output, err := cmd.CombinedOutput(); (err == nil) != c.ok {
			t.Errorf("%s: %v %s", c.b.script(), err, output)
		}
	}
}
