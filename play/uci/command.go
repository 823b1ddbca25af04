package uci

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"talbot/board"
	"talbot/play/engine"
	"talbot/play/mcts"
)

// goCommand is a parsed "go".
type goCommand struct {
	searchMoves      []string // searchmoves
	ponder, infinite bool
	left, increment  [2]time.Duration // by colour
	clock            [2]bool          // left was given
	movesToGo        int
	moveTime         time.Duration
	timed            bool // moveTime was given
	nodes            int64
	depth, mate      int
}

// milliseconds is a time on the wire. A thousand days bound it: no clock shows more, and nothing overflows.
func milliseconds(n int64) time.Duration {
	const most = 1000 * 24 * int64(time.Hour/time.Millisecond)
	return time.Duration(max(-most, min(most, n))) * time.Millisecond
}

// parseGo reads the words after "go". It passes over words that it does not know, and over those that it cannot use,
// which notes say.
func parseGo(words []string) (g goCommand, notes []string) {
	number := func(name string) (n int64, ok bool) {
		if len(words) == 0 {
			notes = append(notes, fmt.Sprintf("go %s without a number", name))
			return 0, false
		}
		n, err := strconv.ParseInt(words[0], 10, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) { // a number that is too large is the largest one
			notes = append(notes, fmt.Sprintf("go %s %s is not a number", name, quote(words[0])))
			return 0, false
		}
		words = words[1:]
		return n, true
	}
	positive := func(name string) int64 {
		n, ok := number(name)
		if ok && n < 1 {
			notes = append(notes, fmt.Sprintf("go %s %d is not above 0", name, n))
		}
		return max(0, n)
	}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch word {
		case "ponder":
			g.ponder = true
		case "infinite":
			g.infinite = true
		case "wtime", "btime":
			c := colour(word)
			if n, ok := number(word); ok {
				g.left[c], g.clock[c] = milliseconds(n), true
			}
		case "winc", "binc":
			n, _ := number(word)
			g.increment[colour(word)] = milliseconds(max(0, n))
		case "movestogo":
			g.movesToGo = int(min(1<<30, positive(word)))
		case "movetime":
			if n, ok := number(word); ok {
				g.moveTime, g.timed = milliseconds(max(0, n)), true
			}
		case "nodes":
			g.nodes = positive(word)
		case "depth":
			g.depth = int(min(1<<30, positive(word)))
		case "mate":
			g.mate = int(min(1<<30, positive(word)))
		case "searchmoves":
			for len(words) > 0 && board.LooksLikeUCI([]byte(words[0])) {
				g.searchMoves = append(g.searchMoves, words[0])
				words = words[1:]
			}
		default:
			notes = append(notes, fmt.Sprintf("go: unknown %s", quote(word)))
		}
	}
	return g, notes
}

// colour returns the colour of "wtime" and the like.
func colour(word string) board.Color {
	if word[0] == 'b' {
		return board.Black
	}
	return board.White
}

// budget is the time that the search has; nil: no limit. If only the opponent's clock is given, ours is taken to show
// the same.
func (g *goCommand) budget(turn board.Color, overhead time.Duration) *engine.Budget {
	if g.infinite {
		return nil
	}
	if g.timed {
		return new(engine.MoveTimeBudget(g.moveTime, overhead))
	}
	if !g.clock[turn] {
		turn = turn.Other()
	}
	if !g.clock[turn] {
		return nil
	}
	return new(engine.Clock{Left: g.left[turn], Increment: g.increment[turn], MovesToGo: g.movesToGo}.Budget(overhead))
}

// endless reports whether only "stop" ends the search.
func (g *goCommand) endless() bool {
	return g.infinite || !g.timed && g.clock == [2]bool{} && g.nodes == 0 && g.depth == 0 && g.mate == 0
}

// limits returns the limits of the search but time.
func (g *goCommand) limits(p *board.Position) (l mcts.Limits, notes []string) {
	for _, text := range g.searchMoves {
		m, err := p.ParseUCI(text)
		if err != nil {
			notes = append(notes, fmt.Sprintf("searchmoves: %v", err))
		} else if !slices.Contains(l.SearchMoves, m) {
			l.SearchMoves = append(l.SearchMoves, m)
		}
	}
	if len(g.searchMoves) > 0 && len(l.SearchMoves) == 0 {
		notes = append(notes, "searchmoves names no legal move: all are searched")
	}
	if !g.infinite {
		l.Nodes, l.Depth, l.Mate = g.nodes, g.depth, g.mate
	}
	return l, notes
}

// game is a position with its past.
type game struct {
	start board.Position
	moves []board.Move
	now   board.Position
	note  string // what of it was not taken literally
	bad   error  // there is no position: the last could not be read
}

// parsePosition reads the words after "position". An error that is a *badMove comes with the game up to that move;
// every other one comes without a game.
func parsePosition(words []string) (g game, err error) {
	if len(words) == 0 {
		return g, errors.New("position needs startpos or fen")
	}
	rest := words[1:]
	switch words[0] {
	case "startpos":
		g.start = board.StartPosition()
	case "fen":
		end := slices.Index(rest, "moves")
		if end < 0 {
			end = len(rest)
		}
		if g.start, g.note, err = parseFEN(rest[:end]); err != nil {
			return g, err
		}
		rest = rest[end:]
	default:
		return g, fmt.Errorf("position %s is neither startpos nor fen", quote(words[0]))
	}
	g.now = g.start
	if len(rest) > 0 && rest[0] == "moves" {
		rest = rest[1:]
	}
	if g.moves, err = g.now.PlayUCI(rest...); err != nil {
		return g, &badMove{err, len(g.moves)}
	}
	return g, nil
}

// parseFEN reads a FEN; note says which castling rights were left out.
func parseFEN(words []string) (p board.Position, note string, err error) {
	p, left, err := board.ReadFEN(strings.Join(words, " "), true)
	if left != "" {
		note = fmt.Sprintf("castling rights %s are left out: king and rook are not at home", quote(left))
	}
	return p, note, err
}

// badMove is a move of a list that cannot be played.
type badMove struct {
	error
	after int // moves before it
}

func (e *badMove) Error() string {
	return fmt.Sprintf("%v; the position is that after the %d moves before it", e.error, e.after)
}

// parseOption reads the text after "setoption": names and values may have blanks.
func parseOption(text string) (name, value string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(strings.ReplaceAll(text, "\t", " "))+" ", "name ")
	name, value, _ = strings.Cut(" "+rest, " value ")
	name = strings.Join(strings.Fields(name), " ")
	return name, strings.TrimSpace(value), ok && name != ""
}

// quote shows a word that others sent.
func quote(word string) string {
	const most = 60
	if len(word) > most {
		return strconv.QuoteToASCII(word[:most]) + "…"
	}
	return strconv.QuoteToASCII(word)
}
