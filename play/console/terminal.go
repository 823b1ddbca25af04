// Package console shows a game of a person against a network in a terminal: it reads moves, as people write them (SAN)
// or as programs do (UCI), and commands, and draws the board. The game itself is a [session.Session]. The package
// starts no goroutines.
package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"talbot/board"
	"talbot/internal/page"
	"talbot/play/session"
)

// Terminal shows a session.
type Terminal struct {
	*session.Session
	Unicode bool // figurines instead of letters
	Prompt  bool // a person types: the number of the move is shown before each line

	out  io.Writer
	err  error // of the output
	told bool  // the end of the game was
}

const help = `  e4, Nf3, exd5, O-O, e8=Q   a move; e2e4 and e7e8q work too
  back                       take back your last move and the answer
  go                         let the network move for you; then you play the other side
  new [white|black]          start again, with the side you name
  resign                     give up the game
  board, moves, fen          show the board, the moves so far, the position
  eval                       what the network thinks of the position
  help, quit`

// Run plays until "quit", the end of the input, or the end of ctx, whose error it returns, as it does the first error
// of the network and of the output.
func (t *Terminal) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	t.out, t.err = out, nil
	t.say("%s\nYou play %s. Type a move, or help.\n\n", t.Player.Title(), t.Human)
	t.show()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for t.err == nil {
		if err := t.answer(ctx); err != nil {
			return err
		}
		t.tellEnd()
		t.prompt()
		if !lines.Scan() {
			break
		}
		quit, err := t.command(ctx, lines.Text())
		if quit || err != nil {
			return err
		}
	}
	if t.Prompt {
		t.say("\n")
	}
	if t.err != nil {
		return t.err
	}
	return lines.Err()
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
	case "quit", "exit":
		return true, nil
	case "help", "?":
		t.say("%s\n", help)
	case "board":
		t.show()
	case "fen":
		t.say("%s\n", t.Position().FEN())
	case "moves":
		t.say("%s\n", t.Movetext())
	case "back", "undo":
		t.told = false
		if !t.Back() {
			t.say("There is no move to take back.\n")
			break
		}
		t.show()
	case "new":
		t.restart(words[1:])
	case "resign":
		t.Resign()
	case "go":
		if _, over := t.Result(); over {
			t.say("The game is over.\n")
			break
		}
		t.Swap()
	case "eval":
		return false, t.eval(ctx)
	default:
		switch err := t.Move(strings.TrimSpace(line)); {
		case errors.Is(err, session.ErrOver):
			t.say("The game is over; type new for another one.\n")
		case err != nil:
			t.say("%v; type help for what is understood\n", err)
		}
	}
	return false, nil
}

// restart begins a new game.
func (t *Terminal) restart(words []string) {
	if len(words) > 0 {
		switch strings.ToLower(words[0]) {
		case "white":
			t.Human = board.White
		case "black":
			t.Human = board.Black
		default:
			t.say("Type new white or new black.\n")
			return
		}
	}
	t.told = false
	t.Restart()
	t.say("You play %s.\n", t.Human)
	t.show()
}

// answer shows the network's move, if it is to move.
func (t *Terminal) answer(ctx context.Context) error {
	p := t.Position()
	thought, err := t.Reply(ctx)
	if thought == nil {
		return err
	}
	t.say("%s plays %s (%s)\n", p.Turn(), p.SAN(t.Last()), thought)
	t.show()
	return nil
}

// eval shows what the network thinks of the position.
func (t *Terminal) eval(ctx context.Context) error {
	thought, err := t.Think(ctx)
	if errors.Is(err, session.ErrOver) {
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
	r, over := t.Result()
	if t.told || !over {
		return
	}
	t.told = true
	switch {
	case r.Drawn:
		t.say("Draw: %s.\n", r.End)
	case r.End == session.Resignation:
		t.say("You resign: %s wins.\n", r.Winner)
	default:
		t.say("Checkmate: %s wins.\n", r.Winner)
	}
	t.say("%s\nType new for another game, or back.\n", t.Movetext())
}

// show draws the board from the person's side, 18 columns wide, with a star before the squares of the last move.
func (t *Terminal) show() {
	d := page.Diagram{From: t.Human, Square: " %s", Marked: "*%s"}
	if t.Unicode {
		d.Men = page.Figurines
	}
	t.say("%s\n", d.Draw(t.Position(), t.Last()))
}
