package mcts

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"talbot/board"
	"talbot/internal/testkit"
	"talbot/internal/testkit/shareddata"
)

// oracle is python-chess's own reader of Syzygy and Gaviota tables.
type oracle struct {
	t    testing.TB
	in   io.Writer
	out  *bufio.Scanner
	hits int
	memo map[uint64]Ending
}

const oracleText = `
import chess, chess.syzygy, chess.gaviota, sys
syzygy = chess.syzygy.open_tablebase(sys.argv[1])
gaviota = chess.gaviota.PythonTablebase()
gaviota.add_directory(sys.argv[2])
for line in sys.stdin:
    b = chess.Board(line.strip())
    try:
        dtm = gaviota.probe_dtm(b)
    except KeyError:
        dtm = 0
    print(syzygy.probe_wdl(b), abs(syzygy.probe_dtz(b)), abs(dtm), flush=True)
`

// newOracle starts one, or skips the test loudly.
func newOracle(t testing.TB) *oracle {
	t.Helper()
	if out, err := exec.Command("python3", "-c", "import chess.syzygy, chess.gaviota").CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED against python-chess: %v: %s", err, out)
	}
	python := exec.CommandContext(t.Context(), "python3", "-c", oracleText, shareddata.Path(t, "syzygy"),
		shareddata.Path(t, "gaviota"))
	python.Stderr = os.Stderr
	in, err := python.StdinPipe()
	testkit.OK(t, err)
	out, err := python.StdoutPipe()
	testkit.OK(t, err)
	testkit.OK(t, python.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = python.Wait()
	})
	return &oracle{t: t, in: in, out: bufio.NewScanner(out), memo: map[uint64]Ending{}}
}

// ask returns what the tables say about positions, their clocks left out.
func (o *oracle) ask(fens []string) (wdl, dtz, dtm []int) {
	const block = 200 // what pipes hold
	for len(fens) > 0 {
		n := min(block, len(fens))
		if _, err := io.WriteString(o.in, strings.Join(fens[:n], "\n")+"\n"); err != nil {
			o.t.Fatal(err)
		}
		for range n {
			var w, z, m int
			if !o.out.Scan() {
				o.t.Fatalf("the oracle ended: %v", o.out.Err())
			}
			if _, err := fmt.Sscan(o.out.Text(), &w, &z, &m); err != nil {
				o.t.Fatal(err)
			}
			wdl, dtz, dtm = append(wdl, w), append(dtz, z), append(dtm, m)
		}
		fens = fens[n:]
	}
	return wdl, dtz, dtm
}

// Pieces implements [Prober].
func (o *oracle) Pieces() int { return 4 }

// Probe implements [Prober].
func (o *oracle) Probe(p *board.Position) (e Ending, ok bool) {
	o.hits++
	if e, ok = o.memo[p.Key()]; ok {
		return e, true
	}
	fields := strings.Fields(p.FEN())
	fields[4] = "0"
	wdl, dtz, _ := o.ask([]string{strings.Join(fields, " ")})
	e = Ending{WDL(wdl[0]), dtz[0]}
	o.memo[p.Key()] = e
	return e, true
}

// endgames returns every n-th of 200 positions of three and four pieces.
func endgames(t testing.TB, every int) (list []board.Position) {
	t.Helper()
	text := shareddata.Read(t, "epd/endgame-wdl-dtz.epd")
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if i%every != 0 {
			continue
		}
		p := testkit.Must(board.ParseFEN(strings.Join(strings.Fields(line)[:4], " ")))
		list = append(list, p)
	}
	return list
}
