package uci

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/play/engine"
	"talbot/play/mcts"
)

// output writes whole lines for several goroutines. Its first error is kept.
type output struct {
	mu  sync.Mutex
	w   *bufio.Writer
	log io.Writer // nil: none
	err error
}

// say writes lines, each of which ends with a line feed.
func (o *output) say(lines string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.record("<", lines)
	if o.err == nil {
		o.w.WriteString(lines) // Flush returns its error
		o.err = o.w.Flush()
	}
}

// heard logs a line that came in.
func (o *output) heard(line string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.record(">", line+"\n")
}

// record logs lines. A log that cannot be written is given up; the game continues.
func (o *output) record(way, lines string) {
	if o.log == nil {
		return
	}
	at := time.Now().Format("15:04:05.000")
	for line := range strings.Lines(lines) {
		if _, err := fmt.Fprintf(o.log, "%s %s %s", at, way, line); err != nil {
			o.log = nil
			return
		}
	}
}

// setLog takes a file for all lines; nil: none.
func (o *output) setLog(w io.Writer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.log = w
}

func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// infoOptions has the settings of lines of info.
type infoOptions struct {
	lines int // of MultiPV
	wdl   bool
}

// scorer says what lines are worth. An [engine.Player] is one.
type scorer interface {
	Scored(r *mcts.Report, l *mcts.Line) bool
	Score(l *mcts.Line) dataset.Score
}

// quickScorer is the scorer of moves that [mcts.QuickSearch] chose, while the player may be in use.
type quickScorer struct{}

func (quickScorer) Scored(*mcts.Report, *mcts.Line) bool { return true }
func (quickScorer) Score(l *mcts.Line) dataset.Score     { return dataset.Centipawns(l.Centipawns) }

// writeInfo writes the info lines of a report: of the first move, and of others that were searched or are proven. A
// network without values has no score, nor has a position that was not searched: lichess-bot, and those who adjudicate,
// would take 0 for a draw.
func writeInfo(b *strings.Builder, p scorer, r *mcts.Report, took time.Duration, o infoOptions) {
	ms := max(0, took.Milliseconds())
	n := 0
	for i := range r.Lines {
		l := &r.Lines[i]
		if i > 0 && l.Visits == 0 && !l.Proven {
			continue
		}
		if n++; n > o.lines {
			break
		}
		fmt.Fprintf(b, "info depth %d seldepth %d", max(1, r.Depth), max(1, r.Depth, r.SelDepth))
		if o.lines > 1 {
			fmt.Fprintf(b, " multipv %d", n)
		}
		scored := p.Scored(r, l)
		switch {
		case l.Mate != 0:
			fmt.Fprintf(b, " score mate %d", l.Mate)
		case scored:
			cp, _ := p.Score(l).Centipawns()
			fmt.Fprintf(b, " score cp %d", cp)
		}
		if o.wdl && scored {
			wdl := engine.PerMille(l.WDL)
			fmt.Fprintf(b, " wdl %d %d %d", wdl[0], wdl[1], wdl[2])
		}
		fmt.Fprintf(b, " nodes %d nps %d hashfull %d tbhits %d time %d pv", r.Nodes, r.Nodes*1000/max(1, ms),
			r.HashFull, r.TableHits, ms)
		for _, m := range l.PV {
			b.WriteByte(' ')
			b.WriteString(m.String())
		}
		b.WriteByte('\n')
	}
}

// writeStats writes an info string for each move at the root.
func writeStats(b *strings.Builder, r *mcts.Report) {
	for i := range r.Lines {
		l := &r.Lines[i]
		fmt.Fprintf(b, "info string %s N %d P %.2f%% Q %.4f", l.PV[0], l.Visits, 100*l.Prior, l.Value)
		if l.Proven {
			b.WriteString(" proven")
		}
		b.WriteByte('\n')
	}
}

// writeBest writes the line that ends a search, and where there is no legal move the score too.
func writeBest(b *strings.Builder, p *board.Position, r *mcts.Report) {
	if len(r.Lines) == 0 {
		score := "cp 0"
		if p.InCheck() {
			score = "mate 0"
		}
		fmt.Fprintf(b, "info depth 0 score %s\nbestmove (none)\n", score)
		return
	}
	pv := r.Lines[0].PV
	fmt.Fprintf(b, "bestmove %s", pv[0])
	if len(pv) > 1 {
		fmt.Fprintf(b, " ponder %s", pv[1])
	}
	b.WriteByte('\n')
}
