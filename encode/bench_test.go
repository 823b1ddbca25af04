package encode

import (
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// BenchmarkEncode goes from lines of 80 plies to packed planes; every ply is a sample.
func BenchmarkEncode(b *testing.B) {
	var e TalbotBot
	var lines []dataset.Line
	for seed := range uint64(64) {
		lines = append(lines, randomLine(seed, board.StartPosition(), 80))
	}
	samples := 0
	for i := range lines {
		samples += lines[i].SampleCount()
	}
	planes := make([]uint64, 256*TalbotBotPlanes)
	var w dataset.Walker
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		for l := range lines {
			w.Reset(&lines[l])
			for w.Next() {
				e.Planes(planes[i:i+TalbotBotPlanes], w.Game())
				if i += TalbotBotPlanes; i == len(planes) {
					i = 0
				}
			}
		}
	}
	b.ReportMetric(float64(b.N)*float64(samples)/b.Elapsed().Seconds()/1e6, "Mpositions/s")
}

// BenchmarkReplay is the part of BenchmarkEncode that is not encoding.
func BenchmarkReplay(b *testing.B) {
	line := randomLine(1, board.StartPosition(), 80)
	var w dataset.Walker
	for b.Loop() {
		w.Reset(&line)
		for w.Next() {
		}
	}
	b.ReportMetric(float64(b.N)*float64(line.SampleCount())/b.Elapsed().Seconds()/1e6, "Mpositions/s")
}

// BenchmarkLynxPack is the inputs of a game, without and with planes of tactics.
func BenchmarkLynxPack(b *testing.B) {
	line := randomLine(1, board.StartPosition(), 80)
	for name, e := range map[string]Lynx{"attacks": {Attacks: true}, "tactics": {Attacks: true, Tactics: true}} {
		b.Run(name, func(b *testing.B) {
			packed := make([]uint64, e.Layout().Words)
			var w dataset.Walker
			var v View
			b.ReportAllocs()
			for b.Loop() {
				w.Reset(&line)
				for w.Next() {
					v.Game = w.Game()
					e.Pack(packed, &v)
				}
			}
			b.ReportMetric(float64(b.N)*float64(line.SampleCount())/b.Elapsed().Seconds()/1e6, "Mpositions/s")
		})
	}
}

// BenchmarkMoveIndex is one move.
func BenchmarkMoveIndex(b *testing.B) {
	p := board.StartPosition()
	m, _ := p.ParseUCI("e2e4")
	for b.Loop() {
		TalbotBot{}.MoveIndex(&p, m)
	}
}
