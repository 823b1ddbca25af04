// Package console is a game of a person against a network in a terminal.
//
// In go lines: moves as people write them (SAN) or as programs do (UCI), and commands. Out come the board and the
// network's moves. The package starts no goroutines.
package console

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"talbot/board"
	"talbot/play/game"
	"talbot/play/mcts"
	"talbot/play/pace"
	"talbot/play/player"
)

// Game is a game, and how it is played.
type Game struct {
	Player   *player.Player // prepared
	Start    board.Position
	Human    board.Color
	Nodes    int64         // of each search; 0: no limit
	MoveTime time.Duration // of each search; 0: no limit
	Unicode  bool          // figures instead of letters
	Prompt   bool          // somebody looks at a terminal

	moves []board.Move
	out   io.Writer
	err   error // of the output
	// resigned says that the person has; over that the end of the game was told.
	resigned, over bool
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
func (g *Game) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	g.out, g.err = out, nil
	g.say("%s\nYou play %s. Type a move, or help.\n\n", g.Player.Title(), g.Human)
	g.show()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for g.err == nil {
		if err := g.answer(ctx); err != nil {
			return err
		}
		g.tellEnd()
		g.prompt()
		if !lines.Scan() {
			break
		}
		quit, err := g.command(ctx, lines.Text())
		if quit || err != nil {
			return err
		}
	}
	if g.Prompt {
		g.say("\n")
	}
	if g.err != nil {
		return g.err
	}
	return lines.Err()
}

func (g *Game) say(format string, values ...any) {
	if _, err := fmt.Fprintf(g.out, format, values...); err != nil && g.err == nil {
		g.err = err
	}
}

// game returns the game with its past.
func (g *Game) game() *board.Game {
	played := board.NewGame(g.Start)
	for _, m := range g.moves {
		played.Push(m)
	}
	return played
}

func (g *Game) now() *board.Position { return g.game().Position() }

func (g *Game) prompt() {
	if g.Prompt {
		p := g.now()
		g.say("%d%s ", p.FullmoveNumber(), map[board.Color]string{board.White: ".", board.Black: "..."}[p.Turn()])
	}
}

// command carries out a line.
func (g *Game) command(ctx context.Context, line string) (quit bool, err error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return false, nil
	}
	switch strings.ToLower(words[0]) {
	case "quit", "exit":
		return true, nil
	case "help", "?":
		g.say("%s\n", help)
	case "board":
		g.show()
	case "fen":
		g.say("%s\n", g.now().FEN())
	case "moves":
		g.say("%s\n", g.movetext())
	case "back", "undo":
		g.back()
	case "new":
		g.restart(words[1:])
	case "resign":
		g.resigned = !g.over
	case "go":
		if g.over {
			g.say("The game is over.\n")
			break
		}
		g.Human = g.now().Turn().Other() // the network answers next
	case "eval":
		return false, g.eval(ctx)
	default:
		g.move(strings.TrimSpace(line))
	}
	return false, nil
}

// move plays a person's move.
func (g *Game) move(text string) {
	if g.over {
		g.say("The game is over; type new for another one.\n")
		return
	}
	m, err := g.now().ParseSAN([]byte(text))
	if err != nil {
		g.say("%v; type help for what is understood\n", err)
		return
	}
	g.moves = append(g.moves, m)
}

// back takes back moves until the person is to move again.
func (g *Game) back() {
	g.resigned, g.over = false, false
	least := 0
	if g.Start.Turn() != g.Human {
		least = 1
	}
	if len(g.moves) <= least {
		g.say("There is no move to take back.\n")
		return
	}
	g.moves = g.moves[:len(g.moves)-1]
	if g.now().Turn() != g.Human {
		g.moves = g.moves[:len(g.moves)-1]
	}
	g.show()
}

// restart begins a new game.
func (g *Game) restart(words []string) {
	if len(words) > 0 {
		switch strings.ToLower(words[0]) {
		case "white":
			g.Human = board.White
		case "black":
			g.Human = board.Black
		default:
			g.say("Type new white or new black.\n")
			return
		}
	}
	g.moves, g.resigned, g.over = nil, false, false
	g.Player.Clear()
	g.say("You play %s.\n", g.Human)
	g.show()
}

// search asks the network about the position.
func (g *Game) search(ctx context.Context) (*mcts.Report, error) {
	t := pace.New(g.Player.Batch())
	if g.MoveTime > 0 {
		t.Begin(time.Now(), pace.MoveTime(g.MoveTime, 0))
	}
	g.Player.Position(&g.Start, g.moves)
	r, err := g.Player.Search(ctx, mcts.Limits{Nodes: g.Nodes}, t, nil)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return r, err
}

// answer plays the network's move, if it is to move.
func (g *Game) answer(ctx context.Context) error {
	played := g.game()
	if _, over := game.Over(played); over || g.resigned || played.Position().Turn() == g.Human {
		return nil
	}
	r, err := g.search(ctx)
	if err != nil {
		return err
	}
	p := played.Position()
	m := r.Lines[0].PV[0]
	g.say("%s plays %s (%s)\n", p.Turn(), p.SAN(m), g.judgement(r))
	g.moves = append(g.moves, m)
	g.show()
	return nil
}

// eval shows what the network thinks of the position.
func (g *Game) eval(ctx context.Context) error {
	played := g.game()
	if _, over := game.Over(played); over {
		g.say("The game is over.\n")
		return nil
	}
	r, err := g.search(ctx)
	if err != nil {
		return err
	}
	q := *played.Position()
	g.say("%s for %s:", g.judgement(r), q.Turn())
	for _, m := range r.Lines[0].PV {
		g.say(" %s", q.SAN(m))
		q.Play(m)
	}
	g.say("\n")
	return nil
}

// judgement is a score in words, from the view of the side to move; the prior of the move where there is no value.
func (g *Game) judgement(r *mcts.Report) string {
	l := &r.Lines[0]
	if l.Mate > 0 {
		return fmt.Sprintf("mate in %d", l.Mate)
	} else if l.Mate < 0 {
		return fmt.Sprintf("mated in %d", -l.Mate)
	}
	if !g.Player.Scored(r, l) {
		return fmt.Sprintf("prior %.0f %%", 100*l.Prior)
	}
	cp, _ := g.Player.Score(l).Centipawns()
	return fmt.Sprintf("%+.2f", float64(cp)/100)
}

// tellEnd says once how the game ended.
func (g *Game) tellEnd() {
	if g.over {
		return
	}
	played := g.game()
	end, over := game.Over(played)
	loser := played.Position().Turn()
	switch {
	case over && end == game.Checkmate:
		g.say("Checkmate: %s wins.\n", loser.Other())
	case over:
		g.say("Draw: %s.\n", end)
	case g.resigned:
		g.say("You resign: %s wins.\n", g.Human.Other())
	default:
		return
	}
	g.over = true
	g.say("%s\nType new for another game, or back.\n", g.movetext())
}

// movetext is the game in SAN, with numbers.
func (g *Game) movetext() string {
	var b strings.Builder
	p := g.Start
	for i, m := range g.moves {
		if i > 0 {
			b.WriteByte(' ')
		}
		if p.Turn() == board.White {
			fmt.Fprintf(&b, "%d. ", p.FullmoveNumber())
		} else if i == 0 {
			fmt.Fprintf(&b, "%d... ", p.FullmoveNumber())
		}
		b.WriteString(p.SAN(m))
		p.Play(m)
	}
	return b.String()
}

// figures are the pieces in Unicode by the letters of a diagram. They are those of White, which stand out on dark and
// light ground alike, for White, and those of Black for Black.
var figures = strings.NewReplacer("K", "♔", "Q", "♕", "R", "♖", "B", "♗", "N", "♘", "P", "♙",
	"k", "♚", "q", "♛", "r", "♜", "b", "♝", "n", "♞", "p", "♟")

// show draws the board from the person's side, 18 columns wide, with a star before the squares of the last move.
func (g *Game) show() {
	p := g.now()
	var last [2]board.Square
	marked := len(g.moves) > 0
	if marked {
		m := g.moves[len(g.moves)-1]
		last = [2]board.Square{m.From(), m.To()}
	}
	for row := range 8 {
		rank := 7 - row
		if g.Human == board.Black {
			rank = row
		}
		line := fmt.Sprintf("%d ", rank+1)
		for column := range 8 {
			file := column
			if g.Human == board.Black {
				file = 7 - column
			}
			s := board.Square(8*rank + file)
			text := p.PieceAt(s).String()
			if g.Unicode {
				text = figures.Replace(text)
			}
			before := " "
			if marked && (s == last[0] || s == last[1]) {
				before = "*"
			}
			line += before + text
		}
		g.say("%s\n", line)
	}
	files := "a b c d e f g h"
	if g.Human == board.Black {
		files = "h g f e d c b a"
	}
	g.say("   %s\n\n", files)
}
