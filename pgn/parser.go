package pgn

import (
	"errors"

	"talbot/board"
	"talbot/dataset"
)

// MaxPlies is the longest line that is kept, in plies. No game under the 75-move rule reaches it.
const MaxPlies = 20_000

const (
	usualPlies = 512      // room for the moves of nearly every game
	movesPiece = 32 << 10 // moves
)

// Parser turns the raw text of games into lines. It keeps its buffers between games. What lines own (moves, tags, their
// text) is cut from pieces of memory that several lines share, which costs two allocations in a hundred games or so
// instead of three a game; a line that is kept for long keeps such pieces, about 150 KiB. The zero value is ready.
//
// A Parser starts no goroutine and is not safe for concurrent use; run one per worker.
type Parser struct {
	// Select, if set, is called for each game once its tags are read, before its moves: the line has everything but
	// moves, and its result is that of the Result tag. A reason other than "" leaves the game out.
	Select func(head *dataset.Line) dataset.Reason

	// ReadEvals has the evaluations in comments of the main line read into [Parser.Notes]. Those before the first move
	// belong to the start position.
	ReadEvals bool

	// ReadClocks has the clocks in comments of the main line read into the line.
	ReadClocks bool

	// Results decides the result of a game that has several.
	Results dataset.ResultRule

	// KeepConflicts keeps games whose text contradicts their moves, which are rejected as [dataset.MoveConflict]
	// otherwise; see [Parser.Conflict].
	KeepConflicts bool

	conflict Conflict
	notes    Notes
	playing  bool // the tags are read

	game        Game
	text        []byte
	i           int // next byte of text
	tags        tags
	head        dataset.Line // what Select is shown
	pos         board.Position
	count       numbering
	moves       []board.Move   // of this game; what is after them is free
	clocks      []int32        // after the first of these moves
	result      dataset.Result // the result after the moves
	ended       bool           // that result has been read
	isStar      bool           // it is “*”
	contradicts bool           // the text contradicts the moves, and that is kept
	spelt       []byte         // a word in the spelling of SAN

	rereading    *Parser   // for other readings of a text
	language     *language // this is one, in that language
	firstForeign int       // index of the first letter that means another piece in it, or −1

	earlyComments [][]byte // comments before the moves, parts of text
	// nested: a comment has an opening brace in it. Comments end at the first closing brace, so the rest of one around
	// another stands among the moves.
	nested bool
}

// errors of a game; they stand in rejects
var (
	errComment     = errors.New("comment is not closed")
	errNested      = errors.New("braces inside a comment")
	errInside      = errors.New("unclosed comment that contains moves")
	errVariation   = errors.New("variation is not closed")
	errParenthesis = errors.New("closing parenthesis without a variation")
	errTag         = errors.New("unclosed tag before moves or another tag")
	errText        = errors.New("not a move")
	errUnknownText = errors.New("neither a move nor a known glyph")
	errHidden      = errors.New("sign or digit in front of a pawn move, which may hide a piece")
	errLoneLetter  = errors.New("separate letter that may belong to the next move")
	errGlued       = errors.New("sign in front of a move that may replace a piece letter")
	errDrop        = errors.New("drops belong to another variant")
	errAfterResult = errors.New("moves after a result")
	errZeros       = errors.New("zeros that may be a castling without hyphens")
	errSecondGame  = errors.New("move number 1 again: two games without a result in between")
)

// Parse reads one game. It returns the line of the main variation, or why the game was left out (never both);
// a reject concerns this game only.
//
// The line starts from the FEN tag if there is one. It has the moves up to the first result, or to the end of the text;
// a missing result is not an error. Comments, variations and words may stand after a result, moves may not: no move of
// the main line is left out of a line that is kept. Nor is it one of two games: White's number 1 after two moves,
// where the splitter saw no border, is refused. The result is that of the Result tag, or the one after the moves if
// the tag is missing, “*” or not a result; [Parser.Results] decides if they, or the board, contradict each other.
//
// The text must not contradict the moves (see conflict.go).
//
// Tolerated in movetext: any line ends and blanks (NUL and control-Z count as such), byte order marks, brace, semicolon
// and “%” comments, variations of any depth, NAGs, the usual glyphs (ASCII, Latin-1 or UTF-8), move numbers in any form
// or none, results glued to the last move, “e.p.”, words like “ch” and “mate”, figurines, dashes for hyphens, and
// whatever forms of a move [board.Position.ParseSAN] takes. Every move must be legal. Anything else makes the game
// unreadable: any other character, and a sign or a lone piece letter before a pawn's move.
func (p *Parser) Parse(g Game) (dataset.Line, *dataset.Reject) {
	p.begin(g)
	if g.Lost != nil {
		return dataset.Line{}, g.Lost
	}
	if g.TooLong {
		return dataset.Line{}, p.reject(dataset.TooLong, 0, 0, errors.New("game too large"))
	}
	if r := p.readTags(); r != nil {
		return dataset.Line{}, r
	}
	start, left, r := p.start()
	if r != nil {
		return dataset.Line{}, r
	}
	line := dataset.Line{
		Source:     dataset.SourceGame,
		Number:     g.Number,
		Offset:     g.Offset,
		Start:      start,
		Samples:    dataset.AllMoves(),
		LeftRights: left,
		Result:     parseResult(p.tags.get(tagResult)),
		WhiteElo:   parseElo(p.tags.get(tagWhiteElo)),
		BlackElo:   parseElo(p.tags.get(tagBlackElo)),
	}
	if p.Select != nil {
		line.Tags = p.tags.kept()
		p.head = line // a copy, so that the line does not escape
		if reason := p.Select(&p.head); reason != "" {
			return dataset.Line{}, p.reject(reason, 0, 0, nil)
		}
	}
	p.place(start, newNumbering(&start))
	for _, text := range p.earlyComments {
		p.note(text)
	}
	if r := p.readGame(); r != nil {
		return dataset.Line{}, r
	}
	if len(p.moves) == 0 {
		return dataset.Line{}, p.reject(dataset.NoMoves, 0, 0, nil)
	}
	if r := p.checkSequel(); r != nil {
		return dataset.Line{}, r
	}
	if r := p.checkLanguage(&start); r != nil {
		return dataset.Line{}, r
	}
	var conflict *dataset.Reject
	if line.Result, conflict = p.settleResult(line.Result); conflict != nil {
		return dataset.Line{}, conflict
	}
	n := len(p.moves)
	line.Moves, p.moves = p.moves[:n:n], p.moves[n:]
	line.Clocks = p.lineClocks(n)
	if p.Select == nil {
		line.Tags = p.tags.kept()
	}
	return line, nil
}

// begin drops the state of the last game.
func (p *Parser) begin(g Game) {
	p.game, p.text, p.i = g, g.Text, 0
	p.tags.reset()
	p.result, p.ended, p.playing, p.conflict = dataset.ResultUnknown, false, false, Conflict{}
	p.isStar, p.contradicts, p.firstForeign = false, false, -1
	if p.moves = p.moves[:0]; cap(p.moves) < usualPlies {
		p.moves = make([]board.Move, 0, movesPiece)
	}
	p.notes.reset()
	p.clocks = p.clocks[:0]
	p.earlyComments, p.nested = p.earlyComments[:0], false
}

// place sets the position where the moves begin.
func (p *Parser) place(start board.Position, count numbering) {
	p.pos, p.count, p.playing = start, count, true
}

// rereader has the second parser begin with a text of this game, from a position on.
func (p *Parser) rereader(text []byte) *Parser {
	if p.rereading == nil {
		p.rereading = &Parser{moves: make([]board.Move, 0, usualPlies)}
	}
	p.rereading.language = nil
	p.rereading.begin(Game{Text: text})
	return p.rereading
}

// Notes returns the notes of the last game, if ReadEvals is set. They are valid until the next call of Parse.
func (p *Parser) Notes() *Notes { return &p.notes }

// reject describes what is wrong with text[from:to].
func (p *Parser) reject(reason dataset.Reason, from, to int, err error) *dataset.Reject {
	return &dataset.Reject{
		Reason: reason,
		Number: p.game.Number,
		Offset: p.game.Offset,
		At:     p.game.Offset + int64(from),
		Ply:    len(p.moves),
		Token:  string(p.text[from:min(to, from+64, len(p.text))]),
		Err:    err,
	}
}

// readTags reads the tags and the comments between them, up to the movetext. A line of the block that is no
// tag, such as a name without a value, is skipped.
func (p *Parser) readTags() *dataset.Reject {
	for {
		p.i = skipSpace(p.text, p.i)
		if p.i == len(p.text) {
			return nil
		}
		switch c := p.text[p.i]; {
		case c == '[':
			name, value, next, ok, err := scanTag(p.text[p.i:])
			switch {
			case err != nil:
				return p.reject(dataset.BadSyntax, p.i, p.i+next, err)
			case ok:
				p.tags.add(name, value)
				p.i += next
			case (p.tags.any || opensFEN(p.text[p.i:])) && !hidesMove(p.text[p.i:]):
				if line := p.skipLine(); opensFEN(line) {
					p.tags.any, p.tags.brokenFEN = true, line
				}
			default:
				return nil
			}
		case c == '%':
			p.skipLine()
		case c == ';' || c == '{':
			if r := p.comment(); r != nil {
				return r
			}
		default:
			return nil
		}
	}
}

// readGame reads the moves and what stands after them.
func (p *Parser) readGame() *dataset.Reject {
	for {
		if r := p.readMoves(); r != nil {
			return r
		}
		if r := p.readAfterResult(); r != nil {
			return r
		}
		if p.ended || p.i == len(p.text) {
			return nil
		}
	}
}

// readAfterResult reads what stands after a result. It holds no game of its own, or the splitter would have cut it off.
func (p *Parser) readAfterResult() *dataset.Reject {
	if p.i = skipSpace(p.text, p.i); p.i == len(p.text) {
		return nil
	}
	var behind scanner
	behind.reset(p.i, p.atLineStart())
	behind.ended, behind.content, behind.tagged, behind.suspect = true, true, true, true
	behind.free, behind.moves = !p.tags.any, len(p.moves)
	switch e, at := behind.next(p.text, len(p.text)); {
	case e != noEvent && p.isStar:
		p.ended = false
		return p.contradict(at, at+16, errBetween)
	case e != noEvent:
		return p.reject(dataset.BadSyntax, at, at+16, errAfterResult)
	case behind.moves > max(len(p.moves), 2):
		return p.reject(dataset.BadSyntax, p.i, len(p.text), errAfterResult)
	case behind.hasHiddenGame:
		return p.reject(dataset.BadSyntax, p.i, len(p.text), errInside)
	case behind.open >= 0:
		return p.reject(dataset.BadSyntax, behind.open, len(p.text), errComment)
	case behind.depth > 0:
		return p.reject(dataset.BadSyntax, p.i, len(p.text), errVariation)
	}
	return nil
}
