package encode

import (
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// BenchmarkReplay is what the others take beside encoding: lines of 80 plies, of which every ply is a sample.
func BenchmarkReplay(b *testing.B) { benchmark(b, func(*View) {}) }

// BenchmarkPack goes from lines to packed inputs.
func BenchmarkPack(b *testing.B) {
	for name, e := range map[string]Encoder{"talbotbot": TalbotBot{}, "mask": TalbotBot{LegalMask: true},
		"napoleon": Napoleon{}, "attacks": Lynx{Attacks: true}, "tactics": Lynx{Attacks: true, Tactics: true},
		"threats": Lynx{Attacks: true, Tactics: true, Threats: true}} {
		packed := make([]uint64, e.Layout().Words)
		b.Run(name, func(b *testing.B) { benchmark(b, func(v *View) { e.Pack(packed, v) }) })
	}
}

// BenchmarkUnpack goes from lines to numbers.
func BenchmarkUnpack(b *testing.B) {
	for _, e := range []Encoder{TalbotBot{}, Napoleon{}} {
		l := e.Layout()
		packed, numbers := make([]uint64, l.Words), make([]float32, l.Numbers())
		b.Run(e.Name(), func(b *testing.B) {
			benchmark(b, func(v *View) {
				e.Pack(packed, v)
				e.Unpack(numbers, packed)
			})
		})
	}
}

func benchmark(b *testing.B, each func(*View)) {
	var lines []dataset.Line
	samples := 0
	for seed := range uint64(64) {
		lines = append(lines, randomLine(seed, board.StartPosition(), 80))
		samples += lines[seed].SampleCount()
	}
	var w dataset.Walker
	var v View
	b.ReportAllocs()
	for b.Loop() {
		for i := range lines {
			for w.Reset(&lines[i]); w.Next(); {
				v.Play(w.Game(), 0, 0)
				each(&v)
			}
		}
	}
	b.ReportMetric(float64(b.N)*float64(samples)/b.Elapsed().Seconds()/1e6, "Mpositions/s")
}
