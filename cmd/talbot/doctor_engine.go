package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"talbot/board"
	"talbot/stockfish"
)

const (
	handshakeTime = 10 * time.Second // that doctor waits for the engine
	speedNodes    = 500_000          // that it is timed over
)

// checkStockfish starts the engine, asks for its name and compilation and times a search.
func (d *diagnosis) checkStockfish(ctx context.Context, engine string) {
	e, err := stockfish.Start(ctx, stockfish.Config{Path: engine, Limit: stockfish.Nodes(speedNodes),
		StartTimeout: handshakeTime})
	if errors.Is(err, stockfish.ErrNotFound) {
		d.add("stockfish", statusMissing, "run `talbot setup stockfish`, or give an engine with --engine",
			"not found: %q", engine)
		return
	}
	if err != nil {
		d.add("stockfish", statusMissing, "install it again, or give another engine with --engine", "does not work: %v",
			err)
		return
	}
	defer e.Close()
	s := &d.Stockfish
	s.Path, s.Name = e.Path(), e.Name()
	if prints, err := e.Fingerprints(); err == nil {
		s.Build = prints[0].Build
	}
	if s.Compiler, err = e.Compiler(ctx); err == nil {
		s.NodesPerSecond, err = nodesPerSecond(ctx, e)
	}
	if err != nil {
		d.add("stockfish", statusMissing, "install it again, or give another engine with --engine",
			"does not search: %v", err)
		return
	}
	d.add("stockfish", statusOK, "", "%s, %s, %d nodes/s in one process", s.Name, s.Path, s.NodesPerSecond)
	if remedy := slowBuild(s.Compiler, d.AVX2); remedy != "" {
		d.add("build", statusAbsent, remedy,
			"this Stockfish uses %s although the processor has AVX2; an AVX2 build gives the same evaluations about "+
				"1.7 times as fast", instructions(s.Compiler))
	}
}

// nodesPerSecond searches a middlegame, for an opening is said to be searched faster.
func nodesPerSecond(ctx context.Context, e *stockfish.Engine) (int64, error) {
	p, err := board.ParseFEN("r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P4/2PBPN2/PP1N1PPP/R1BQ1RK1 w - - 0 9")
	if err != nil {
		return 0, err
	}
	start := time.Now()
	if _, err := e.Search(ctx, p, nil); err != nil {
		return 0, err
	}
	return int64(speedNodes / time.Since(start).Seconds()), nil
}

// instructions finds the vector instructions in what Stockfish says of its compilation.
func instructions(compiler string) string {
	for line := range strings.Lines(compiler) {
		if _, settings, ok := strings.Cut(line, "Compilation settings"); ok {
			_, words, _ := strings.Cut(settings, ":")
			return strings.TrimSpace(words)
		}
	}
	return ""
}

// slowBuild is what to do about a build that leaves the processor's AVX2 unused; empty if it is not known to.
func slowBuild(compiler string, avx2 bool) string {
	words := strings.Fields(instructions(compiler))
	for _, w := range words {
		if strings.HasPrefix(w, "AVX") || strings.HasPrefix(w, "VNNI") || strings.HasPrefix(w, "NEON") ||
			strings.HasPrefix(w, "BMI") {
			return ""
		}
	}
	if len(words) == 0 || !avx2 {
		return ""
	}
	return "run scripts/setup-stockfish-native.sh, which builds the distribution's source for this processor"
}
