package export

import (
	"talbot/formats/polyglot"
	"talbot/internal/durable"
	"talbot/internal/fault"
)

// polyglotFormat is an opening book.
var polyglotFormat = &Format{
	Name: "polyglot", About: "Polyglot opening book, for GUIs, engines and `talbot play --book`",
	Needs: []Fact{{"move", "a move that was played, or counts of moves", func(s *Sample) bool {
		l := s.Line()
		return l.Policies != nil && len(l.Policies[s.Walker.Sample()]) > 0 || played.Has(s)
	}}},
	Lacks: []Fact{Result, Score, Headers, Clocks, Predictions},
	begin: func(out *durable.AtomicFile, _ *Request) (writer, error) { return &polyglotWriter{out: out}, nil },
}

// polyglotWriter counts the moves of all samples before it writes.
type polyglotWriter struct {
	out  *durable.AtomicFile
	book polyglot.Builder
}

// sample counts the sample's moves by their weights, or the one that was played.
func (w *polyglotWriter) sample(s *Sample) error {
	l := s.Line()
	if l.Policies == nil || len(l.Policies[s.Walker.Sample()]) == 0 {
		return tooLarge(w.book.Add(s.Game(), l.Moves[s.Ply()], 1))
	}
	for _, m := range l.Policies[s.Walker.Sample()] {
		if m.Weight > 0 {
			if err := w.book.Add(s.Game(), m.Move, float64(m.Weight)); err != nil {
				return tooLarge(err)
			}
		}
	}
	return nil
}

// tooLarge says what to do about a book that is too large, if there is an error.
func tooLarge(err error) error {
	if err != nil {
		err = fault.Hint(err, "let `talbot aggregate --bands none` leave out rare positions, and export what it makes")
	}
	return err
}

func (w *polyglotWriter) end() error { return w.book.Write(w.out) }
