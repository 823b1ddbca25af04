package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"talbot/stockfish"
)

// A block is what a reader types in one go: a fenced block of a document, or an example of help.
//
// Comments before it, which nobody sees, say what a test does with it:
//
//	<!-- small: 1/20 -->                   tests divide the sizes (steps, games, nodes…) by 20; TALBOT_FULL=1 does not
//	<!-- small: 1/20, hours as printed --> nor does that run it as printed
//	<!-- full: REASON -->                  only TALBOT_FULL=1 runs it
//	<!-- not run: REASON -->               no test runs it: its flags and values are parsed
//	<!-- terminals -->                     its lines run side by side, each in a terminal of its own
//
// A command followed by "# exit status N" ends so.
type block struct {
	place     string
	text      string
	small     int
	always    string // why it is small with TALBOT_FULL=1, too
	full      string
	notRun    string
	terminals bool
}

var (
	comment    = regexp.MustCompile(`^<!-- (.*) -->$`)
	smaller    = regexp.MustCompile(`^1/(\d+)(?:, (.+))?$`)
	compiles   = regexp.MustCompile(`(?m)^(?:[A-Z_]+=\S+ )*go (?:run|build|test)\b|&& go test`)
	wholeTests = regexp.MustCompile(`(?m)^go run \S+/cmd/task@\S+ test$`)
	ended      = regexp.MustCompile(`^(.*?)\s+# exit status (\d+)`)
	ours       = regexp.MustCompile(`(?:^|[|&;(]|\bdo)\s*(?:bin/)?talbot( [^|>&#]*)`)
)

// mark heeds the text of a comment before a block.
func (b *block) mark(text string) error {
	kind, rest, _ := strings.Cut(text, ": ")
	switch {
	case kind == "small" && smaller.MatchString(rest):
		m := smaller.FindStringSubmatch(rest)
		b.small, _ = strconv.Atoi(m[1])
		b.always = m[2]
	case kind == "full" && rest != "":
		b.full = rest
	case kind == "not run" && rest != "":
		b.notRun = rest
	case text == "terminals":
		b.terminals = true
	default:
		return fmt.Errorf("the mark %q is none", text)
	}
	return nil
}

// blocksOf returns the blocks of a document that are for a shell.
func blocksOf(file, text string) ([]block, error) {
	var blocks []block
	var marks []string
	fence := "" // the first line of the block that is open
	for i, line := range strings.Split(text, "\n") {
		switch m := comment.FindStringSubmatch(line); {
		case fence == "```sh" && line == "```":
			fence = ""
		case fence == "```sh":
			blocks[len(blocks)-1].text += line + "\n"
		case fence != "" && line == "```":
			fence = ""
		case fence != "":
			if strings.HasPrefix(strings.TrimPrefix(line, "bin/"), "talbot ") {
				return nil, fmt.Errorf("%s:%d: a command in a block that is not for a shell", file, i+1)
			}
		case strings.HasPrefix(line, "```"):
			if fence = line; fence == "```sh" {
				b := block{place: fmt.Sprintf("%s:%d", file, i+1)}
				for _, mark := range marks {
					if err := b.mark(mark); err != nil {
						return nil, fmt.Errorf("%s: %w", b.place, err)
					}
				}
				blocks, marks = append(blocks, b), nil
			}
		case m != nil:
			marks = append(marks, m[1])
			continue
		}
		if marks != nil {
			return nil, fmt.Errorf("%s:%d: the marks %q are not before a block", file, i+1, marks)
		}
	}
	for i, b := range blocks {
		switch {
		case b.notRun+b.full != "" || !compiles.MatchString(b.text):
		case wholeTests.MatchString(b.text):
			blocks[i].notRun = "it runs this test"
		default:
			blocks[i].full = "it compiles talbot"
		}
	}
	return blocks, nil
}

var sizes = regexp.MustCompile(`(--(?:steps|until|games|count|nodes|fraction|audit|maxmoves)[ =]|\bnodes=)(\d+(?:\.\d+)?)`)

// shrink divides the sizes of commands, and leaves everything else as it is.
func shrink(text string, by int) string {
	return sizes.ReplaceAllStringFunc(text, func(found string) string {
		m := sizes.FindStringSubmatch(found)
		n, err := strconv.Atoi(m[2])
		if err != nil {
			decimal, _ := strconv.ParseFloat(m[2], 64)
			return m[1] + strconv.FormatFloat(decimal/float64(by), 'f', -1, 64)
		}
		least := 1
		if strings.HasPrefix(m[1], "--games") { // of a match, an opening is played with both colours
			least = 2
		}
		return m[1] + strconv.Itoa(max(least, n/by/least*least))
	})
}

// commands are the lines of a block with those that end with a backslash joined.
func commands(text string) []string {
	return strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\\\n", " ")), "\n")
}

// parse says why a line of a shell has a command of talbot that has no such flags, values or number of operands.
// What the shell would put in stands as 1.
func parse(line string) error {
	for _, found := range ours.FindAllStringSubmatch(line, -1) {
		words := strings.Fields(regexp.MustCompile(`\$\w+`).ReplaceAllString(found[1], "1"))
		for i := 0; i < len(words); i++ { // a word in quotes may have blanks
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

// script is a block as a shell runs it, which stops at the first command that fails.
func (b block) script() string {
	var all strings.Builder
	all.WriteString("set -e\n")
	for i, line := range commands(b.text) {
		if m := ended.FindStringSubmatch(line); m != nil {
			line = fmt.Sprintf("s=0; %s || s=$?; [ $s = %s ]", m[1], m[2])
		}
		switch {
		case b.terminals && i == 0:
			line = fmt.Sprintf("{ %s\n} & pids=$!", line)
		case b.terminals: // tried again until the first is there
			line = fmt.Sprintf("{ n=0; until %s\ndo n=$((n + 1)); [ $n -lt 100 ]; sleep 0.2; done; } & pids=\"$pids $!\"", line)
		}
		all.WriteString(line + "\n")
	}
	if b.terminals {
		all.WriteString("for pid in $pids; do wait $pid; done\n")
	}
	return all.String()
}

// blockRun is a folder where blocks run, and what became of them.
type blockRun struct {
	dir  string
	env  []string
	full bool

	run, small, notRun int
	reasons            map[string]int
	spent              time.Duration // of the processor
}

// newBlockRun makes the folder bin with talbot, which is this program, in a new folder.
func newBlockRun(t *testing.T) *blockRun {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("NOT TESTED: no shell here")
	}
	engine, err := stockfish.Find("")
	if err != nil {
		t.Skip("NOT TESTED without Stockfish")
	}
	r := &blockRun{dir: t.TempDir(), full: os.Getenv("TALBOT_FULL") != "", reasons: map[string]int{}}
	self, err := os.Executable()
	if err == nil {
		err = os.Mkdir(filepath.Join(r.dir, "bin"), 0o777)
	}
	if err == nil {
		// A copy, because a block may build another.
		err = copyFile(self, filepath.Join(r.dir, "bin", "talbot"))
	}
	if err != nil {
		t.Fatal(err)
	}
	r.env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "TALBOT_") || strings.HasPrefix(v, "XDG_CACHE_HOME=")
	}), "XDG_CACHE_HOME="+filepath.Join(r.dir, ".cache"),
		"PATH="+filepath.Join(r.dir, "bin")+":"+filepath.Dir(engine)+":"+os.Getenv("PATH"))
	if !r.full { // XLA, which compiles for seconds, is looked for there
		r.env = append(r.env, "HOME="+r.dir)
	}
	return r
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// sampleGames are the games of the sample data.
func sampleGames(t *testing.T) []string {
	t.Helper()
	packed, err := fs.ReadFile(repository, "sample/games.pgn.zst")
	if err != nil {
		t.Fatal(err)
	}
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	text, err := decoder.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	text := strings.Join(games, "\n")
	if err := os.WriteFile(file, encoder.EncodeAll([]byte(text), nil), 0o666); err != nil {
		t.Fatal(err)
	}
}

// writePuzzles writes the first of the sample's puzzles.
func writePuzzles(t *testing.T, file string, n int) {
	t.Helper()
	lines := strings.SplitAfter(document(t, "sample/puzzles.csv"), "\n")
	if err := os.WriteFile(file, []byte(strings.Join(lines[:n+1], "")), 0o666); err != nil {
		t.Fatal(err)
	}
}

// try runs a block in a folder, and fails the test if it fails.
func (r *blockRun) try(t *testing.T, dir string, b block) {
	t.Helper()
	for _, line := range commands(b.text) {
		if err := parse(line); err != nil {
			t.Errorf("%s: %v", b.place, err)
			return
		}
	}
	small := b.small > 0 && (!r.full || b.always != "")
	if small {
		smaller := shrink(b.text, b.small)
		if smaller == b.text {
			t.Errorf("%s: nothing in the block becomes smaller", b.place)
		}
		b.text = smaller
	}
	reason := b.notRun
	if reason == "" && !r.full && b.full != "" {
		reason = "only with TALBOT_FULL=1: " + b.full
	}
	if reason != "" {
		r.notRun++
		r.reasons[reason]++
		t.Logf("%s: not run: %s", b.place, reason)
		return
	}

	limit := 4 * time.Minute
	if r.full {
		limit = 2 * time.Hour
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	begun := time.Now()
	cmd := exec.CommandContext(ctx, "sh", "-c", b.script())
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, r.env, 10*time.Second
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r.spent += used
	how := "run"
	if small {
		how = "run small"
		r.small++
	} else {
		r.run++
	}
	t.Logf("%s: %s in %.1f s, %.1f s of the processor", b.place, how, time.Since(begun).Seconds(), used.Seconds())
	if err != nil {
		t.Errorf("%s: %v\n%s\n%s", b.place, err, b.text, output.Bytes()[max(0, output.Len()-4000):])
	}
}

// sum says what became of all blocks.
func (r *blockRun) sum(t *testing.T, what string) {
	t.Logf("%s: %d run, %d run small, %d not run, %.0f s of the processor", what, r.run, r.small, r.notRun,
		r.spent.Seconds())
	for _, reason := range slices.Sorted(maps.Keys(r.reasons)) {
		t.Logf("%4d not run: %s", r.reasons[reason], reason)
	}
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

// Who types the commands of all documents, in the order of the documents and in one clone, sees none of them fail.
// TALBOT_FULL=1 runs them as they are printed; without it the sample data are shorter, too.
func TestBlocks(t *testing.T) {
	files := []string{"README.md", "docs", "sample", "network/builtin"}
	if os.Getenv("TALBOT_FULL") != "" { // some compile
		list, err := exec.Command("git", "-c", "safe.directory=*", "-C", "../..", "ls-files").Output()
		if err != nil {
			t.Fatalf("listing the files of the clone: %v", err)
		}
		files = strings.Fields(string(list))
	}
	r := newBlockRun(t)
	for _, file := range files {
		err := fs.WalkDir(repository, file, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			return copyFile(filepath.Join("../..", file), filepath.Join(r.dir, file))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !r.full {
		writeGames(t, filepath.Join(r.dir, "sample", "games.pgn.zst"), sampleGames(t)[:100])
		writePuzzles(t, filepath.Join(r.dir, "sample", "puzzles.csv"), 60)
	}
	count := 0
	for _, file := range pages(t) {
		blocks, err := blocksOf(file, document(t, file))
		if err != nil {
			t.Error(err)
		}
		for _, b := range blocks {
			r.try(t, r.dir, b)
		}
		count += len(blocks)
	}
	r.sum(t, fmt.Sprintf("%d pages, %d blocks", len(pages(t)), count))
	if count < 50 {
		t.Errorf("only %d blocks", count)
	}
}

// exampleMarks are the marks of the examples of help that begin so.
var exampleMarks = map[string]string{
	"talbot bench":                           "full: it measures for half a minute",
	"talbot doctor --gpu --out":              "not run: needs an NVIDIA GPU",
	"talbot doctor --gpu --backend xla:cpu":  "full: needs XLA and takes minutes",
	"talbot eval --run run1 --data endgames": "not run: needs endgame tables, as testdata/script/tables.txt has",
	"talbot label endgames --out endgames-l": "not run: needs endgame tables, as testdata/script/tables.txt has",
	"talbot label lines --out labelled-sf17": "not run: needs another Stockfish",
	"talbot label lines --out many":          "not run: takes port 7777, as a block of docs/13-many-machines.md does",
	"talbot worker":                          "not run: needs a coordinator, as a block of docs/13-many-machines.md has",
	"talbot status":                          "not run: needs a coordinator, as a block of docs/13-many-machines.md has",
	"talbot setup":                           "not run: installs software",
	"talbot label labelled-nodes --audit":    "full: a hundred times the nodes",
	"talbot train --data labelled --run run1 --blocks 6 --filters 64 --steps": "small: 1/1000",
	"talbot train --data games:0.7":                                           "not run: a network of 20×128 takes hours without a GPU",
	"talbot man pages":                                                        "not run: shows a page in a pager",
}

// exampleFiles makes what the examples of help read: their sizes, not those of the examples, make them fast.
const exampleFiles = `
mkdir collection lichess
cp games.pgn.zst collection
mv lichess.pgn.zst lichess/2026-01.pgn.zst
printf '1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 1/2-1/2\n' | gzip >games.pgn.gz
printf '7k/5ppp/8/8/8/8/8/R6K w - - bm Ra8#; id "one";\n' >mates.epd
ln -s "$(command -v stockfish)" new
ln -s "$(command -v stockfish)" old
ln -s "$(command -v stockfish)" bin/a
talbot ingest games.pgn.zst --out lines
talbot ingest puzzles.csv --out puzzles
talbot ingest games.pgn.zst --sample-rate 0.2 --out games
talbot ingest games.pgn.zst --sample-rate 0.3 --out more
talbot ingest games.pgn.zst --sample-rate 0.4 --out lichess-01
talbot ingest puzzles.csv --out lichess-02
cp -R lines lines-old
talbot synth-endgames --count 60 --seed 1 --out endgames
talbot label endgames --nodes 200 --out labelled
talbot label endgames --nodes 100 --out labelled-20ms
cp -R labelled labelled-100ms
talbot label labelled --audit 50% --out audit
talbot aggregate lines --out positions --bands none --min-count 1 --min-band 1
talbot train --data labelled --run run1 --blocks 1 --filters 8 --batch 8 --steps 4 --backend go
talbot train --recipe prior --data positions --run prior --blocks 1 --filters 8 --batch 8 --steps 4 --backend go
talbot predict labelled --run run1 --out predicted
`

// Every example of help runs, in the order of its command's and with what the others made, from files of its own.
func TestExamplesRun(t *testing.T) {
	r := newBlockRun(t)
	fixture := filepath.Join(r.dir, "files")
	if err := os.Mkdir(fixture, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(r.dir, "bin"), filepath.Join(fixture, "bin")); err != nil {
		t.Fatal(err)
	}
	games := sampleGames(t)
	writePuzzles(t, filepath.Join(fixture, "puzzles.csv"), 20)
	for i := range 2 { // of players whom the presets take
		games[i] = "[WhiteElo \"2700\"]\n[BlackElo \"2700\"]\n" + games[i]
	}
	writeGames(t, filepath.Join(fixture, "lichess.pgn.zst"), games[:2])
	// The shortest: each of their positions is searched for 20 ms.
	slices.SortStableFunc(games, func(a, b string) int { return len(a) - len(b) })
	writeGames(t, filepath.Join(fixture, "games.pgn.zst"), games[:30])
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", exampleFiles)
	cmd.Dir, cmd.Env = fixture, r.env
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("making the files of the examples: %v\n%s", err, output)
	}

	made := regexp.MustCompile(`--out (\S+)|train --data .*--run (\S+)`)
	count, used := 0, map[string]bool{}
	for _, c := range commandsOf(newRoot()) {
		dir := filepath.Join(r.dir, "of "+c.Name())
		if err := os.CopyFS(dir, os.DirFS(fixture)); err != nil {
			t.Fatal(err)
		}
		for _, m := range made.FindAllStringSubmatch(c.Example, -1) {
			if err := os.RemoveAll(filepath.Join(dir, m[1]+m[2])); err != nil {
				t.Fatal(err)
			}
		}
		for i, line := range commands(c.Example) {
			b := block{place: fmt.Sprintf("%s, example %d", c.CommandPath(), i+1), text: strings.TrimSpace(line)}
			longest := ""
			for beginning := range exampleMarks {
				if strings.HasPrefix(b.text, beginning) && len(beginning) > len(longest) {
					longest = beginning
				}
			}
			if longest != "" {
				used[longest] = true
				if err := b.mark(exampleMarks[longest]); err != nil {
					t.Fatal(err)
				}
			}
			r.try(t, dir, b)
			count++
		}
	}
	for beginning := range exampleMarks {
		if !used[beginning] {
			t.Errorf("no example begins with %q", beginning)
		}
	}
	r.sum(t, fmt.Sprintf("%d examples", count))
}

// What is read of documents is what stands there, and shrinking changes numbers alone.
func TestBlocksOf(t *testing.T) {
	text := "a\n<!-- small: 1/20, long -->\n<!-- terminals -->\n```sh\nbin/talbot x \\\n  --steps 400\n```\n```yaml\na: b\n```\n" +
		"```sh\ngo run a/cmd/task@v1 build\n```\n"
	blocks, err := blocksOf("f", text)
	want := []block{{place: "f:4", text: "bin/talbot x \\\n  --steps 400\n", small: 20, always: "long", terminals: true},
		{place: "f:11", text: "go run a/cmd/task@v1 build\n", full: "it compiles talbot"}}
	if err != nil || !slices.Equal(blocks, want) {
		t.Errorf("got %+v (%v)", blocks, err)
	}
	for _, bad := range []string{"<!-- small: 20 -->\n```sh\n```\n", "<!-- not run: x -->\ntext\n", "```\nbin/talbot x\n```\n"} {
		if _, err := blocksOf("f", bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
	printed := "talbot match run:a,nodes=400 --games 100 --fraction 0.1 --nodes 5 --out games2"
	if got := shrink(printed, 20); got != "talbot match run:a,nodes=20 --games 4 --fraction 0.005 --nodes 1 --out games2" {
		t.Errorf("got %q", got)
	}
	for line, ok := range map[string]bool{
		`bin/talbot ingest "a b.pgn" --out "$X" # text`: true,
		"bin/talbot train --run a --steps N":            false,
		"cat a | talbot ingest - --nothing":             false,
		"bin/talbot diff a":                             false,
	} {
		if err := parse(line); (err == nil) != ok {
			t.Errorf("%q: %v", line, err)
		}
	}
	b := block{text: "false # exit status 1: why\ntrue"}
	if err := exec.Command("sh", "-c", b.script()).Run(); err != nil {
		t.Errorf("%s: %v", b.script(), err)
	}
	b.text = "true # exit status 1"
	if err := exec.Command("sh", "-c", b.script()).Run(); err == nil {
		t.Errorf("%s ends well", b.script())
	}
}
