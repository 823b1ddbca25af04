package uci

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"talbot/dataset"
)

// Info is one line of "info" about a search, as far as labels and matches need it.
type Info struct {
	Rank   int  // of the line among the MultiPV lines, from 1
	Scored bool // it has a score
	Bound  bool // the score is only a lower or an upper bound
	Score  dataset.Score
	WDL    dataset.WDL
	Depth  int
	Nodes  int64
	PV     []byte // UCI moves as written, part of the parsed line
}

// Exact reports whether the line may become a label: it says how good which
// moves are, and not merely that the truth is on one side of a number.
func (i *Info) Exact() bool { return i.Scored && !i.Bound && len(i.PV) > 0 }

// ParseInfo reads what follows the word "info".
//
// Words it does not know are passed over, as UCI asks, and so is everything after "string". What it does know must be
// well formed: a number in range, a score of the kind "cp" or "mate", a WDL whose parts sum to 1000. "mate 0", the
// answer to a position that has no legal move, is refused, because such positions are never searched. Scores and WDL
// are from the side to move's view.
func ParseInfo(line []byte) (Info, error) { return parseInfo(line, false) }

// ParseInfoLoosely is ParseInfo for lines of any engine, whose scores are shown and compared, and are not labels: a
// score that is too large is clipped, and an invalid wdl is left out.
func ParseInfoLoosely(line []byte) (Info, error) { return parseInfo(line, true) }

func parseInfo(line []byte, loosely bool) (Info, error) {
	i := Info{Rank: 1}
	w := words{rest: line}
	for w.next() {
		var err error
		switch string(w.word) {
		case "string":
			return i, nil
		case "pv":
			i.PV = w.moves()
		case "lowerbound", "upperbound":
			i.Bound = true
		case "depth":
			i.Depth, err = number[int](&w, 0, 1<<15)
		case "multipv":
			i.Rank, err = number[int](&w, 1, 1<<15)
		case "nodes":
			i.Nodes, err = number[int64](&w, 0, 1<<62)
		case "wdl":
			if i.WDL, err = parseWDL(&w); loosely {
				err = nil
			}
		case "score":
			i.Scored = true
			i.Score, err = parseScore(&w, loosely)
		}
		if err != nil {
			return Info{}, fmt.Errorf("info line %q: %w", Text(line, MaxQuote), err)
		}
	}
	return i, nil
}

// parseScore reads "cp 31" or "mate -4". Nothing else of the engine's view is converted anywhere: UCI scores are the
// side to move's, as labels' are. A number that a [dataset.Score] cannot hold as it is, is refused, or clipped where
// that is asked for.
func parseScore(w *words, clip bool) (dataset.Score, error) {
	w.next()
	kind := string(w.word)
	if kind != "cp" && kind != "mate" {
		return 0, fmt.Errorf("score of the unknown kind %q", kind)
	}
	n, err := number[int](w, -math.MaxInt32, math.MaxInt32)
	if err != nil {
		return 0, err
	}
	var score dataset.Score
	var back int
	var ok bool
	if kind == "cp" {
		score = dataset.Centipawns(n)
		back, ok = score.Centipawns()
	} else {
		score = dataset.MateIn(n)
		back, ok = score.Mate()
	}
	switch {
	case kind == "mate" && n == 0:
		return 0, errors.New("mate in 0 in a position with legal moves")
	case (!ok || back != n) && !clip:
		return 0, fmt.Errorf("score %s %d is too large", kind, n)
	}
	return score, nil
}

func parseWDL(w *words) (dataset.WDL, error) {
	var parts [3]uint16
	sum := 0
	for k := range parts {
		n, err := number[int](w, 0, 1000)
		if err != nil {
			return dataset.WDL{}, err
		}
		parts[k] = uint16(n)
		sum += n
	}
	if sum != 1000 {
		return dataset.WDL{}, fmt.Errorf("wdl %d %d %d sums to %d, not 1000", parts[0], parts[1], parts[2], sum)
	}
	return dataset.WDL{Win: parts[0], Draw: parts[1], Loss: parts[2]}, nil
}

// words walks over the words of a line without copying them.
type words struct{ word, rest []byte }

// infoWords are those that UCI has after "info" and that end a list of moves, which is mostly the last.
var infoWords = []string{"depth", "seldepth", "time", "nodes", "pv", "multipv", "score", "wdl", "lowerbound",
	"upperbound", "currmove", "currmovenumber", "hashfull", "nps", "tbhits", "sbhits", "cpuload", "string",
	"refutation", "currline"}

// moves steps over all words before one of UCI, and returns them.
func (w *words) moves() []byte {
	from := w.rest
	for {
		before := w.rest
		if !w.next() || slices.Contains(infoWords, string(w.word)) {
			w.rest = before
			return bytes.TrimSpace(from[:len(from)-len(before)])
		}
	}
}

// next steps to the next word; at the end it leaves an empty one.
func (w *words) next() bool {
	w.word, w.rest = CutWord(w.rest)
	return len(w.word) > 0
}

// CutWord returns the first word of a line, empty if there is none, and the rest.
func CutWord(line []byte) (word, rest []byte) {
	line = bytes.TrimLeft(line, " \t\r\n\v\f")
	end := bytes.IndexAny(line, " \t\r\n\v\f")
	if end < 0 {
		end = len(line)
	}
	return line[:end], line[end:]
}

// number reads the word after the present one, which names it.
func number[T int | int64](w *words, low, high T) (T, error) {
	name := w.word
	if !w.next() {
		return 0, fmt.Errorf("%q without a number", name)
	}
	n, err := strconv.ParseInt(string(w.word), 10, 64)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q: %q is not a number", name, w.word)
	case n < int64(low) || n > int64(high):
		return 0, fmt.Errorf("%q with %d, outside %d to %d", name, n, low, high)
	}
	return T(n), nil
}
