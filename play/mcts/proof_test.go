package mcts

import (
	"math/rand/v2"
	"os"
	"testing"

	"talbot/board"
)

// claim is what a search has proven about a position.
type claim struct {
	fen   string
	value int
	plies int
}

// claims returns what is proven in a tree. Draws that hold on the way to them alone, by a repetition of what is above,
// are left out; the root's are never such.
func claims(tr *tree) (list []claim) {
	g := board.NewGame(*tr.game.Position())
	if tr.proven() {
		list = append(list, claim{g.Position().FEN(), int(tr.lower), -1})
	}
	var walk func(i uint32)
	walk = func(i uint32) {
		n := tr.at(i)
		if n.proven() && n.kind() != repetition && n.kind() != tablebase && (n.lower() != 0 || n.cycle == 0) {
			list = append(list, claim{g.Position().FEN(), int(n.lower()), int(n.plies)})
		}
		if n.kind() != expanded {
			return
		}
		for _, e := range tr.edgesOf(n) {
			if e.child != 0 {
				g.Push(e.move)
				walk(e.child)
				g.Rewind(g.Ply() - 1)
			}
		}
	}
	walk(tr.top)
	return list
}

// TestProofs compares all that searches of endgames prove with tables: wins, draws and losses with Syzygy's classes,
// and distances to mate, which are never too short, with Gaviota's.
func TestProofs(t *testing.T) {
	o := newOracle(t)
	every, nodes := 20, int64(1000)
	if os.Getenv("TALBOT_FULL") != "" {
		every, nodes = 1, 20000
	}
	list := append(endgames(t, every), nearMate(t, 40)...)
	seen, roots := map[int]int{}, 0
	for i, p := range list {
		f := material(t, 1+i%8)
		s := mustNew(t, "puct", f, func(o *Options) { o.MateInOne, o.Hash = i%2 == 0, 64<<20 })
		s.Position(&p, nil)
		search(t, s, Limits{Nodes: nodes})
		check(t, s.(*tree))
		if s.(*tree).proven() {
			roots++
		}
		list := claims(s.(*tree))
		text := make([]string, len(list))
		for k := range list {
			text[k] = list[k].fen
		}
		wdl, _, dtm := o.ask(text)
		for k, c := range list {
			seen[c.value]++
			if c.value != sign(wdl[k]) {
				t.Errorf("%s: %d is proven, tables say %d", c.fen, c.value, wdl[k])
			}
			if c.value != 0 && c.plies >= 0 && dtm[k] > c.plies {
				t.Errorf("%s: mate in %d plies is proven, tables say %d", c.fen, c.plies, dtm[k])
			}
		}
	}
	t.Logf("%d wins, %d draws, %d losses, %d roots", seen[1], seen[0], seen[-1], roots)
	if min(seen[1], seen[0], seen[-1]) < 100 || roots < 3 {
		t.Errorf("too little was proven: %v, %d roots", seen, roots)
	}
}

// nearMate draws positions in which a king at the edge stands alone against king and queen, rook, or pawn at home.
func nearMate(t *testing.T, count int) (list []board.Position) {
	random := rand.New(rand.NewPCG(9, 10))
	for len(list) < count {
		strong := board.Color(random.IntN(2))
		s := board.Setup{Turn: board.Color(random.IntN(2))}
		weak := board.NewSquare(random.IntN(8), 7*random.IntN(2))
		piece := []board.PieceType{board.Queen, board.Rook, board.Pawn}[random.IntN(3)]
		s.Put(board.NewPiece(strong, piece), board.Square(random.IntN(64)))
		s.Put(board.NewPiece(strong.Other(), board.King), weak)
		s.Put(board.NewPiece(strong, board.King), weak^board.Square(16+random.IntN(4)))
		p, err := s.Position()
		if err == nil && p.Occupied().Len() == 3 && p.HasLegalMove() {
			list = append(list, p)
		}
	}
	return list
}

func sign(x int) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}
