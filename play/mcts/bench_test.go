package mcts

import (
	"context"
	"fmt"
	"testing"

	"talbot/board"
	"talbot/internal/splitmix"
)

// free is an evaluator that takes no time: priors fall off from move to move, values are those of a hash.
type free struct{ slots []Evaluation }

func cheap(batch int) *free { return &free{make([]Evaluation, batch)} }

func (f *free) Batch() int                 { return len(f.slots) }
func (f *free) Sizes() []int               { return []int{len(f.slots)} }
func (f *free) Capabilities() Capabilities { return Capabilities{Prior: true, Value: true} }
func (f *free) History() int               { return 4 }

func (f *free) Put(i int, g *board.Game, legal []board.Move) {
	h := g.Position().Key()
	a := &f.slots[i]
	a.Value = float32(int64(splitmix.Mix(h))) / (1 << 63) * 0.5
	a.Prior = a.Prior[:0]
	for k := range legal {
		a.Prior = append(a.Prior, -float32((uint64(k)*0x9e37+h)%64)/16)
	}
}

func (f *free) Evaluate(_ context.Context, answers []Evaluation) error {
	for i := range answers {
		answers[i].Value = f.slots[i].Value
		answers[i].Prior = append(answers[i].Prior[:0], f.slots[i].Prior...)
	}
	return nil
}

// BenchmarkSearch measures the search alone: its evaluator takes no time.
func BenchmarkSearch(b *testing.B) {
	for _, name := range []string{"puct", "talbotbot"} {
		for _, batch := range []int{1, 16} {
			for _, mates := range []bool{true, false} {
				if name == "talbotbot" && mates {
					continue
				}
				b.Run(fmt.Sprintf("%s/batch=%d/mates=%v", name, batch, mates), func(b *testing.B) {
					s := mustNew(b, name, cheap(batch), func(o *Options) { o.Hash, o.MateInOne = 512<<20, mates })
					nodes := int64(0)
					for b.Loop() {
						s.Clear()
						set(b, s, positions[1])
						nodes += search(b, s, Limits{Nodes: 20000}).Nodes
					}
					b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
				})
			}
		}
	}
}
