package shards

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// benchLines are games of random moves with one centipawn score for each sample.
func benchLines(b *testing.B, scores bool) []dataset.Line {
	rng := rand.New(rand.NewPCG(1, 1))
	lines := make([]dataset.Line, 4*blockLines)
	for i := range lines {
		l := &lines[i]
		*l = dataset.Line{Number: int64(i + 1), Offset: int64(1000 * i), Start: board.StartPosition(), WhiteElo: 2600,
			BlackElo: 2650,
			Tags: []dataset.Tag{{Name: "Black", Value: fmt.Sprint("player ", i%99)},
				{Name: "White", Value: fmt.Sprint("player ", i%77)}}}
		l.Moves = randomMoves(rng, l.Start, 80)
		if !scores {
			continue
		}
		labels := make([]dataset.Label, len(l.Moves))
		for k := range labels {
			labels[k] = dataset.Label{Status: dataset.Labelled,
				Lines: []dataset.Searched{{Score: dataset.Centipawns(int(rng.NormFloat64() * 150))}}}
		}
		l.Labels = []dataset.LabelColumn{{Labels: labels}}
	}
	return lines
}

func positions(lines []dataset.Line) int {
	n := 0
	for i := range lines {
		n += len(lines[i].Moves) + 1
	}
	return n
}

func BenchmarkWrite(b *testing.B) {
	for _, scores := range []bool{false, true} {
		b.Run(fmt.Sprintf("scores=%v", scores), func(b *testing.B) {
			lines := benchLines(b, scores)
			n, size := positions(lines), 0
			b.ReportAllocs()
			for b.Loop() {
				size = len(shardOf(b, lines))
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpositions/s")
			b.ReportMetric(float64(size)/float64(n), "bytes/position")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for _, columns := range []Columns{AllColumns, Scores} {
		b.Run(fmt.Sprintf("columns=%#x", columns), func(b *testing.B) {
			lines := benchLines(b, true)
			n := positions(lines)
			r, err := openBytes(shardOf(b, lines), columns)
			if err != nil {
				b.Fatal(err)
			}
			var dst []dataset.Line
			b.ReportAllocs()
			for b.Loop() {
				for i := range r.Blocks() {
					if dst, err = r.ReadBlock(i, dst[:0]); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpositions/s")
		})
	}
}
