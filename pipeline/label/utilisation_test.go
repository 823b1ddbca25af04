//go:build unix

package label

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/ingest"
	"talbot/shards"
	"talbot/stockfish"
)

// BenchmarkUtilisation compares label, all of it from start to manifest, with bare loops: a process each that sends
// the same commands for the same lines and waits for bestmove, parsing nothing, storing nothing. Both run in turns,
// TALBOT_BENCH_ROUNDS times, on TALBOT_BENCH_POSITIONS positions of the games of TALBOT_BENCH_DATA (a dataset; default:
// the sample's games). TALBOT_BENCH_WORKERS engines run at a time, by default one for each core. The figures are
// medians of the rounds; cpu-ms is the processor time of this process alone for a position, which other work on the
// machine leaves as it is.
func BenchmarkUtilisation(b *testing.B) {
	path, err := stockfish.Find("")
	if err != nil {
		b.Skipf("NOT MEASURED: %v", err)
	}
	workers := envNumber("TALBOT_BENCH_WORKERS", stockfish.DefaultWorkers())
	rounds := envNumber("TALBOT_BENCH_ROUNDS", 1)
	in := benchLines(b, envNumber("TALBOT_BENCH_POSITIONS", 300))
	for _, c := range []struct {
		name   string
		config stockfish.Config
	}{
		{"movetime-20", stockfish.Config{Limit: stockfish.MoveTime(20 * time.Millisecond)}},
		{"movetime-20-position", stockfish.Config{Limit: stockfish.MoveTime(20 * time.Millisecond),
			Scope: stockfish.PositionScope}},
		{"nodes-1000", stockfish.Config{Limit: stockfish.Nodes(1000)}},
		{"nodes-20000", stockfish.Config{Limit: stockfish.Nodes(20000)}},
		{"nodes-20000-line", stockfish.Config{Limit: stockfish.Nodes(20000), Scope: stockfish.LineScope}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.config.Path, c.config.Hash = path, 16
			var bare, ours, share []float64
			var bareCPU, ourCPU time.Duration
			var positions int64
			for b.Loop() {
				for round := range rounds {
					cpu := ownCPU()
					n, took := bareLoops(b, in, c.config, workers)
					bareCPU += ownCPU() - cpu
					start := time.Now()
					cpu = ownCPU()
					sum, err := Request{In: in, Out: filepath.Join(b.TempDir(), fmt.Sprint(round)), Engine: c.config,
						Workers: workers}.Run(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					mine := time.Since(start)
					ourCPU += ownCPU() - cpu
					positions += n
					if sum.Labelled != n || sum.Failed != 0 {
						b.Fatalf("%+v, and %d by the bare loops", sum, n)
					}
					bare, ours = append(bare, float64(n)/took.Seconds()), append(ours, float64(n)/mine.Seconds())
					share = append(share, took.Seconds()/mine.Seconds())
				}
			}
			slices.Sort(bare)
			slices.Sort(ours)
			slices.Sort(share)
			r := ours[len(ours)/2]
			b.ReportMetric(bare[len(bare)/2], "bare/s")
			b.ReportMetric(r, "label/s")
			b.ReportMetric(100*share[len(share)/2], "%of-bare")
			b.ReportMetric(1000*float64(workers)*(1/r-1/bare[len(bare)/2]), "ms-over/position")
			b.ReportMetric(1000*bareCPU.Seconds()/float64(positions), "bare-cpu-ms")
			b.ReportMetric(1000*ourCPU.Seconds()/float64(positions), "label-cpu-ms")
			if t := c.config.Limit.Time(); t > 0 {
				b.ReportMetric(100*r*t.Seconds()/float64(workers), "%of-time")
			}
		})
	}
}

// ownCPU is the processor time of this process, without that of the engines.
func ownCPU() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func envNumber(name string, standard int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return standard
}

// benchLines is a dataset of whole games with about so many samples.
func benchLines(b *testing.B, positions int) string {
	b.Helper()
	from := os.Getenv("TALBOT_BENCH_DATA")
	if from == "" {
		from = filepath.Join(b.TempDir(), "all")
		if _, err := (ingest.Request{Inputs: []string{"../../examples/games.pgn.zst"}, Out: from,
			Splits: dataset.DefaultSplits}).Run(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	in, err := shards.OpenDataset(from)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	dir := filepath.Join(b.TempDir(), "lines")
	m := *in.Manifest
	m.Verb, m.Shards, m.Fingerprints, m.Flags, m.Counts = "ingest", nil, nil, nil,
		dataset.Counts{Rejects: map[dataset.Reason]int64{}}
	out, err := output.Open(m, nil, output.Options{Out: dir})
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	seen := map[searchKey]bool{}
	for line, err := range in.Lines() {
		if err != nil {
			b.Fatal(err)
		}
		// No two games share more than the start position, so that nothing is saved.
		if len(line.Moves) < 20 || seen[searchKeys(nil, stockfish.PositionScope, line, []int{6}, nil)[0]] {
			continue
		}
		seen[searchKeys(nil, stockfish.PositionScope, line, []int{6}, nil)[0]] = true
		plies := make([]byte, len(line.Moves)/8+1)
		for ply := 6; ply < min(len(line.Moves), terminalFrom(line)); ply++ {
			plies[ply/8] |= 1 << (ply % 8)
		}
		line.Samples, line.Labels, line.Policies = dataset.SomePlies(plies), nil, nil
		if err := out.Write(line); err != nil {
			b.Fatal(err)
		}
		if out.Manifest().Counts.Samples >= int64(positions) {
			break
		}
	}
	if err := out.Finish(nil); err != nil {
		b.Fatal(err)
	}
	return dir
}

// bareLoops is what one would write first: engines in loops that take line after line.
func bareLoops(b *testing.B, dir string, c stockfish.Config, workers int) (positions int64, took time.Duration) {
	b.Helper()
	var scripts [][]string
	for _, line := range madeup.Each(b, dir) {
		var commands []string
		for i, ply := range line.Samples.Plies(nil, len(line.Moves)) {
			var s strings.Builder
			if i == 0 || c.HashScope() == stockfish.PositionScope {
				s.WriteString("ucinewgame\n")
			}
			s.WriteString("isready\nposition startpos moves")
			if line.Start != board.StartPosition() {
				b.Fatal("a game from a position")
			}
			for _, m := range line.Moves[:ply] {
				s.WriteString(" " + m.String())
			}
			fmt.Fprintf(&s, "\ngo %s\n", c.Limit)
			commands = append(commands, s.String())
		}
		positions += int64(len(commands))
		scripts = append(scripts, commands)
	}
	start := time.Now()
	lines := make(chan []string)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			if err := bareLoop(c, lines); err != nil {
				b.Error(err)
				for range lines {
				}
			}
		})
	}
	for _, s := range scripts {
		lines <- s
	}
	close(lines)
	all.Wait()
	return positions, time.Since(start)
}

func bareLoop(c stockfish.Config, lines <-chan []string) error {
	engine := exec.Command(c.Path)
	in, err := engine.StdinPipe()
	if err != nil {
		return err
	}
	out, err := engine.StdoutPipe()
	if err != nil {
		return err
	}
	if err := engine.Start(); err != nil {
		return err
	}
	scan := bufio.NewScanner(out)
	until := func(word string) error {
		for scan.Scan() {
			if bytes.HasPrefix(scan.Bytes(), []byte(word)) {
				return nil
			}
		}
		return fmt.Errorf("no %s", word)
	}
	fmt.Fprintf(in, "uci\nsetoption name Threads value 1\nsetoption name Hash value %d\nsetoption name UCI_ShowWDL "+
		"value true\nisready\n", c.Hash)
	if err := until("readyok"); err != nil {
		return err
	}
	for line := range lines {
		for _, commands := range line {
			if _, err := in.Write([]byte(commands)); err != nil {
				return err
			}
			if err := until("bestmove"); err != nil {
				return err
			}
		}
	}
	in.Close()
	return engine.Wait()
}
