package testkit

import (
	"testing"

	"github.com/notnil/chess"

	"talbot/board"
)

// ReplayElsewhere plays moves with the rules of another library, notnil/chess. It fails unless all are legal there and
// lead to the board, side to move and castling rights of want, and returns that library's position.
func ReplayElsewhere(t testing.TB, start board.Position, moves []board.Move, want board.Position) *chess.Position {
	t.Helper()
	game := chess.NewGame(Value(chess.FEN(start.FEN()))(t))
	for _, m := range moves {
		move, err := chess.UCINotation{}.Decode(game.Position(), m.String())
		if err == nil {
			err = game.Move(move)
		}
		if err != nil {
			t.Fatalf("%s: %v: %v", start.FEN(), m, err)
		}
	}
	goal, now := chess.NewGame(Value(chess.FEN(want.FEN()))(t)).Position(), game.Position()
	if now.Board().String() != goal.Board().String() || now.Turn() != goal.Turn() ||
		now.CastleRights() != goal.CastleRights() {
		t.Fatalf("%s: the moves lead to %s, not to %s", start.FEN(), now, want.FEN())
	}
	return now
}
