package pgn

import (
	"bytes"
	"slices"
	"strconv"

	"talbot/board"
	"talbot/dataset"
)

// EvalKind is the program that wrote an evaluation into a comment.
type EvalKind uint8

// The kinds of evaluations.
const (
	LichessEval EvalKind = iota // “[%eval 0.35]” of the position after the move
	TCECEval                    // “d=33, wv=0.60” of the mover's search of the position before the move
	// CutechessEval is “+0.31/12 0.5s” of the mover's search of the position before the move. Other programs write it
	// without a plus, or from White's view (ChessBase); it is read as the mover's.
	CutechessEval
)

// Evaluation is an evaluation of a position in a comment of the main line. The best move of an engine's own search is
// the one that it played.
type Evaluation struct {
	Kind  EvalKind
	Ply   int           // of the position that it is about
	Score dataset.Score // from the view of the side to move there
	Depth int           // 0: not given
	Nodes int64         // 0: not given
}

// Notes are the evaluations in the comments of a game's main line.
type Notes struct {
	// Evals are in the order of the text; at most one of a kind for each ply.
	Evals []Evaluation
	// Unread counts evaluations that could not be read or say nothing about a position of the game: of Lichess's
	// form without decimals (ChessBase writes centipawns there), of TCEC's without a number or before the first move,
	// of cutechess's with a decimal comma, or without a sign and with one decimal as the points of a tournament.
	Unread int
	// Book counts moves of an opening book that TCEC writes as evaluations of 0.00 (see [Parser.ReadEvals]).
	Book int
	// Sentinels counts numbers that stand for no evaluation: TCEC's ±99.99 and ±777.77.
	Sentinels int
	Bare      int  // evaluations of cutechess's form above 0 without a plus
	searched  bool // TCEC: there was an evaluation of a search
}

func (n *Notes) reset() { *n = Notes{Evals: n.Evals[:0]} }

// note reads a comment after the last move.
func (p *Parser) note(text []byte) {
	ply := len(p.moves)
	if p.ReadClocks && ply > 0 {
		p.noteClock(ply-1, text)
	}
	if !p.ReadEvals {
		return
	}
	e, found, ok := evalOf(text, ply, p.pos.Turn())
	switch {
	case !found:
		return
	case ok && e.Kind == TCECEval && e.Ply >= 0:
		if p.notes.isBook(e, text) {
			p.notes.Book++
			return
		}
		if p.notes.searched = true; isSentinel(text) {
			p.notes.Sentinels++
			return
		}
	}
	if ok = ok && e.Ply >= 0; ok {
		for i := len(p.notes.Evals) - 1; i >= 0 && p.notes.Evals[i].Ply >= e.Ply; i-- {
			ok = ok && (p.notes.Evals[i].Kind != e.Kind || p.notes.Evals[i].Ply != e.Ply)
		}
	}
	if !ok {
		p.notes.Unread++
		return
	}
	p.notes.Evals = append(p.notes.Evals, e)
	if e.Kind == CutechessEval && e.Score > 0 && bytes.TrimLeft(text, blanks)[0] != '+' {
		p.notes.Bare++
	}
}

// isBook reports whether an evaluation of TCEC's form stands after a move of the book: depth 1 without a node, or
// depth 1 and 0.00 before anything was searched.
func (n *Notes) isBook(e Evaluation, text []byte) bool {
	if e.Depth != 1 {
		return false
	}
	nodes, has := pair(text, "n")
	return has && string(nodes) == "0" || !n.searched && e.Score == 0
}

// isSentinel reports whether the number in a comment of TCEC's form stands for no evaluation.
func isSentinel(text []byte) bool {
	value, _ := pair(text, "wv")
	value = bytes.TrimLeft(value, "+-")
	return string(value) == "99.99" || string(value) == "777.77"
}

// evalOf reads the evaluation in a comment that stands after ply moves, where turn is to move. found is false if
// there is none in the text, ok is false if it cannot be used.
func evalOf(text []byte, ply int, turn board.Color) (e Evaluation, found, ok bool) {
	e = Evaluation{Ply: ply - 1} // of the position before the move
	var value, depth, nodes []byte
	var convention dataset.Convention
	if command, has := command(text, "eval"); has {
		e.Kind, e.Ply, convention = LichessEval, ply, dataset.LichessConvention
		value, depth, _ = bytes.Cut(command, []byte(","))
		if value = bytes.TrimSpace(value); bytes.IndexByte(value, '.') < 0 && bytes.IndexByte(value, '#') < 0 {
			value = nil
		}
	} else if value, has = pair(text, "wv"); has {
		e.Kind, convention, turn = TCECEval, dataset.TCECConvention, turn.Other()
		depth, _ = pair(text, "d")
		nodes, _ = pair(text, "n")
	} else if value, depth, has = cutechess(text); has {
		e.Kind, convention, turn = CutechessEval, dataset.CutechessConvention, turn.Other()
	} else {
		return e, false, false
	}
	e.Depth, e.Nodes = wholeNumber(depth, 1<<16-1), int64(wholeNumber(nodes, 1<<53))
	score, err := convention.Parse(string(value), turn)
	n, mate := score.Mate()
	e.Score = score
	return e, true, err == nil && !(mate && n == 0) // no move is played from a mate in 0
}

// command returns what stands between the name of a command such as “[%clk 0:01:02]” and its bracket. Any blank may
// stand after the name: programs that wrap lines, as pgn-extract does, break them there. A command whose bracket is
// missing has no value.
func command(text []byte, name string) (value []byte, ok bool) {
	for {
		i := bytes.Index(text, []byte("[%"))
		if i < 0 {
			return nil, false
		}
		rest, named := bytes.CutPrefix(text[i+2:], []byte(name))
		if !named || len(rest) > 0 && rest[0] != ']' && !isSpace(rest[0]) {
			text = text[i+2:]
			continue
		}
		value, _, closed := bytes.Cut(rest, []byte("]"))
		if !closed {
			return nil, true
		}
		return bytes.Trim(value, blanks), true
	}
}

// pair returns the value of “name=value” in a list that is separated by commas or blanks.
func pair(text []byte, name string) ([]byte, bool) {
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(name))
		if i < 0 {
			return nil, false
		}
		i += from
		from = i + len(name)
		if from == len(text) || text[from] != '=' || i > 0 && text[i-1] != ',' && !isSpace(text[i-1]) {
			continue
		}
		return upTo(text[from+1:], blanks+","), true
	}
}

// cutechess takes “+0.31/12 0.5s” apart. The sign may be missing if there are two decimals or the number is a mate,
// and lines may be broken after a point or slash, as ChessBase does. value is empty where it cannot be used.
func cutechess(text []byte) (value, depth []byte, ok bool) {
	text = bytes.TrimLeft(text, blanks)
	text = text[:min(len(text), 40)]
	for i := bytes.IndexAny(text, "\r\n"); i > 0 && (text[i-1] == '.' || text[i-1] == '/'); {
		text = slices.Concat(text[:i], bytes.TrimLeft(text[i:], "\r\n"))
		i = bytes.IndexAny(text, "\r\n")
	}
	value, depth, ok = bytes.Cut(upTo(text, blanks), []byte("/"))
	if !ok || len(value) == 0 || len(depth) == 0 || depth[0] < '0' || depth[0] > '9' {
		return nil, nil, false
	}
	depth = bytes.TrimRight(upTo(depth, "/"), ",")
	number := bytes.TrimLeft(value, "+-")
	mate := len(number) > 1 && (number[0] == 'M' || number[0] == '#')
	bare := len(number) == len(value) && !(mate && number[1] == '-') // “#-3”
	if !mate && !bytes.ContainsAny(number, ".,") || bare && len(bytes.Trim(number, "M#0123456789.,")) > 0 {
		return nil, nil, false
	}
	if bare && string(value) != "0.00" && (!mate && len(number)-bytes.IndexByte(number, '.') <= 2 ||
		wholeNumber(depth, 999) == 0) {
		value = nil
	}
	return value, depth, true
}

// upTo returns text up to the first of some characters.
func upTo(text []byte, ends string) []byte {
	if i := bytes.IndexAny(text, ends); i >= 0 {
		return text[:i]
	}
	return text
}

// wholeNumber reads a whole number up to most, 0 if there is none.
func wholeNumber(text []byte, most uint64) int {
	n, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 64)
	if err != nil || n > most {
		return 0
	}
	return int(n)
}
