package mcts_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"talbot/board"
	"talbot/play/mcts"
)

// A search with an evaluator that finds all moves equally likely and counts material: it proves a mate in two.
func Example() {
	start, err := board.ParseFEN("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1")
	if err != nil {
		log.Fatal(err)
	}
	searcher, err := mcts.New("puct", &material{}, mcts.Defaults())
	if err != nil {
		log.Fatal(err)
	}
	searcher.Position(&start, nil)
	report, err := searcher.Search(context.Background(), mcts.Limits{Nodes: 10000}, nil)
	if err != nil {
		log.Fatal(err)
	}
	best := report.Lines[0]
	fmt.Println(start.SAN(best.PV[0]), "mates in", best.Mate, best.Proven)
	// Output:
	// Ra6 mates in 2 true
}

// material is an [mcts.Evaluator] of one slot.
type material struct{ answer mcts.Evaluation }

func (*material) Batch() int                      { return 1 }
func (*material) Sizes() []int                    { return []int{1} }
func (*material) Capabilities() mcts.Capabilities { return mcts.Capabilities{Prior: true, Value: true} }
func (*material) History() int                    { return 0 }

func (e *material) Put(_ int, g *board.Game, legal []board.Move) {
	prior := make([]float32, len(legal))
	for i := range prior {
		prior[i] = -float32(math.Log(float64(len(legal))))
	}
	p := g.Position()
	pawns := p.Material().Difference()
	if p.Turn() == board.Black {
		pawns = -pawns
	}
	e.answer = mcts.Evaluation{Prior: prior, Value: float32(math.Tanh(float64(pawns) / 4))}
}

func (e *material) Evaluate(_ context.Context, answers []mcts.Evaluation) error {
	answers[0] = e.answer
	return nil
}
