// Package console shows a game of a person against a network in a terminal: it reads moves, as people write them (SAN)
// or as programs do (UCI), and commands, and draws the board. The game itself is an [engine.Session]. A goroutine
// reads the input; it ends with the input or, if it waits for it, with the process.
package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/chart"
	"talbot/play/engine"
)

// Terminal shows a session.
type Terminal struct {
	*engine.Session
	Unicode bool // figurines instead of letters
	// Colours shows the board in ANSI colours; nil: the output has none.
	Colours io.Writer
	Prompt  bool // a person types: the number of the move is shown before each line
	// SaveTo is the file to which each game is added when it is left, over or not; empty: none.
	SaveTo string

	out  io.Writer
	err  error // of the output
	told bool  // the end of the game was
}

const help = `  e4, Nf3, exd5, O-O, e8=Q   a move; e2e4 and e7e8q work too
  back                       take back your last move and the answer
  go                         let the network move; then you play the other side
  new [white|black]          start again, with the side you name
  resign                     give up the game
  save FILE                  add the game so far to a file, as PGN
  board, moves, fen          show the board, the moves so far, the position
  eval                       what the network thinks of the position
  help, quit

(+0.30) after a move is what the network thinks of its own game, in pawns.`

// Run plays until "quit", the end of the input, or the end of ctx, whose error it returns, as it does the first error
// of the network and of the output.
func (t *Terminal) Run(ctx context.Context, in io.Reader, out io.Writer) (err error) {
	t.out, t.err = out, nil
	defer func() { err = errors.Join(err, t.keep()) }()
	t.Begin()
	t.say("%s\nYou play %s. Type a move, or help. ", t.Player.Title(), t.Human)
	if !t.Unicode {
		t.say("Capitals are White's pieces. ")
	}
	t.say("[ ] marks the last move.\n\n")
	t.opening()
	lines := read(ctx, in)
	for t.err == nil {
		if err := t.answer(ctx); err != nil {
			return err
		}
		t.tellEnd()
		t.prompt()
		var l line
		select {
		case <-ctx.Done():
			return ctx.Err()
		case l = <-lines:
		}
		if l.err != nil {
			if t.Prompt {
				t.say("\n")
			}
			if l.err == io.EOF {
				break
			}
			return l.err
		}
		quit, err := t.command(ctx, l.text)
		if quit || err != nil {
			return err
		}
	}
	return t.err
}

// line is a line of the input, or why there is none: [io.EOF] after the last one.
type line struct {
	text string
	err  error
}

// read reads lines, so that the end of ctx need not wait for one.
func read(ctx context.Context, in io.Reader) <-chan line {
	lines := make(chan line)
	send := func(l line) (sent bool) {
		select {
		case lines <- l:
			return true
		case <-ctx.Done():
			return false
		}
	}
	go func() {
		s := bufio.NewScanner(in)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			if !send(line{text: s.Text()}) {
				return
			}
		}
		err := s.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("a line of more than %d bytes", 1<<20)
		}
		if err == nil {
			err = io.EOF
		}
		send(line{err: err})
	}()
	return lines
}

// keep adds the game that is left to the file of all games.
func (t *Terminal) keep() error {
	if t.SaveTo == "" {
		return nil
	}
	return t.AppendPGN(t.SaveTo)
}

// save adds the game so far to the file that the rest of the line names.
func (t *Terminal) save(path string) {
	switch {
	case path == "":
		t.say("Type save and the name of a file, such as save games.pgn.\n")
	case len(t.Moves()) == 0:
		t.say("There is no move to save.\n")
	default:
		if err := t.AppendPGN(path); err != nil {
			t.say("The game is not saved: %v\n", err)
			return
		}
		t.say("The game is added to %s.\n", path)
	}
}

func (t *Terminal) say(format string, values ...any) {
	if _, err := fmt.Fprintf(t.out, format, values...); err != nil && t.err == nil {
		t.err = err
	}
}

func (t *Terminal) prompt() {
	if t.Prompt {
		p := t.Position()
		t.say("%d%s ", p.FullmoveNumber(), map[board.Color]string{board.White: ".", board.Black: "..."}[p.Turn()])
	}
}

// command carries out a line.
func (t *Terminal) command(ctx context.Context, line string) (quit bool, err error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return false, nil
	}
	switch strings.ToLower(words[0]) {
	case "quit", "exit", "q":
		return true, nil
	case "help", "?":
		t.say("%s\n", help)
	case "board":
		t.show()
	case "fen":
		t.say("%s\n", t.Position().FEN())
	case "moves":
		if len(t.Moves()) == 0 {
			t.say("There is no move yet.\n")
			break
		}
		t.say("%s\n", t.Movetext())
	case "back", "undo":
		t.told = false
		if !t.Back() {
			t.say("There is no move to take back.\n")
			break
		}
		t.show()
	case "save":
		t.save(strings.TrimSpace(strings.TrimSpace(line)[len("save"):]))
	case "new":
		return false, t.restart(words[1:])
	case "resign":
		t.Resign()
	case "go":
		if t.Over() {
			t.say("The game is over.\n")
			break
		}
		t.Swap()
	case "eval":
		return false, t.eval(ctx)
	default:
		t.move(strings.TrimSpace(line))
	}
	return false, nil
}

// move plays a move. Its letters may be of the other case where that names one move alone: nf3 is a knight's, Bxc3 and
// bxc3 are two.
func (t *Terminal) move(text string) {
	err := t.Move(text)
	if err != nil && !errors.Is(err, engine.ErrOver) {
		p, meant := t.Position(), ""
		for _, m := range p.LegalMoves(nil) {
			san := p.SAN(m)
			if strings.EqualFold(strings.TrimRight(san, "+#"), strings.TrimRight(text, "+#!?")) ||
				strings.EqualFold(m.String(), text) {
				meant += " " + san
			}
		}
		if meant = strings.TrimSpace(meant); meant != "" && !strings.Contains(meant, " ") {
			err = t.Move(meant)
		}
	}
	switch {
	case errors.Is(err, engine.ErrOver):
		t.say("The game is over; type new for another one.\n")
	case err != nil:
		t.say("%v; type help for what is understood\n", err)
	}
}

// restart begins a new game.
func (t *Terminal) restart(words []string) error {
	human := t.Human
	if len(words) > 0 {
		switch strings.ToLower(words[0]) {
		case "white":
			human = board.White
		case "black":
			human = board.Black
		default:
			t.say("Type new white or new black.\n")
			return nil
		}
	}
	if err := t.keep(); err != nil { // with the colours that it was played with
		return err
	}
	t.told, t.Human = false, human
	t.Restart()
	t.Begin()
	t.say("You play %s.\n", t.Human)
	t.opening()
	return nil
}

// opening shows the moves that the game begins with.
func (t *Terminal) opening() {
	if len(t.Moves()) > 0 {
		t.say("%s\n", t.Movetext())
	}
	t.show()
}

// answer shows the network's move, if it is to move.
func (t *Terminal) answer(ctx context.Context) error {
	p, before := t.Position(), len(t.Moves())
	thought, err := t.Reply(ctx)
	if err != nil || len(t.Moves()) == before {
		return err
	}
	why := "book"
	if thought != nil {
		why = thought.String()
	}
	t.say("%s plays %s (%s)\n", p.Turn(), p.SAN(t.Last()), why)
	t.show()
	return nil
}

// eval shows what the network thinks of the position.
func (t *Terminal) eval(ctx context.Context) error {
	thought, err := t.Think(ctx)
	if errors.Is(err, engine.ErrOver) {
		t.say("The game is over.\n")
		return nil
	}
	if err != nil {
		return err
	}
	p := *t.Position()
	t.say("%s for %s:", thought, p.Turn())
	for _, m := range thought.Lines[0].PV {
		t.say(" %s", p.SAN(m))
		p.Play(m)
	}
	t.say("\n")
	return nil
}

// tellEnd says once how the game ended.
func (t *Terminal) tellEnd() {
	result, end := t.Result()
	if t.told || result == dataset.ResultUnknown {
		return
	}
	t.told = true
	winner := board.Black
	if result == dataset.WhiteWins {
		winner = board.White
	}
	switch {
	case result == dataset.Draw:
		t.say("Draw: %s.\n", end)
	case end == engine.Resignation:
		t.say("You resign: %s wins.\n", winner)
	default:
		t.say("Checkmate: %s wins.\n", winner)
	}
	if len(t.Moves()) > 0 {
		t.say("%s\n", t.Movetext())
	}
	t.say("Type new for another game, or back.\n")
}

// show draws the board from the person's side, 26 columns wide, with the squares of the last move in brackets.
func (t *Terminal) show() {
	d := chart.Diagram{From: t.Human, Square: " %s ", Marked: "[%s]"}
	if t.Colours != nil {
		d.Marked = "\x1b[33m[\x1b[m%s\x1b[33m]\x1b[m"
	}
	switch {
	case t.Unicode:
		d.Men = chart.Figurines
	case t.Colours != nil:
		d.Men = bright
	}
	drawn := d.Draw(t.Position(), t.Last())
	if t.Colours == nil {
		t.say("%s\n", drawn)
	} else if _, err := io.WriteString(t.Colours, drawn+"\n"); err != nil && t.err == nil {
		t.err = err
	}
}

// bright shows White's pieces bold and Black's in cyan.
var bright = func() *strings.Replacer {
	var pairs []string
	for _, piece := range "KQRBNPkqrbnp" {
		colour := "1"
		if piece > 'Z' {
			colour = "36"
		}
		pairs = append(pairs, string(piece), "\x1b["+colour+"m"+string(piece)+"\x1b[m")
	}
	return strings.NewReplacer(pairs...)
}()
