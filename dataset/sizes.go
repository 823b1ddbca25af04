package dataset

// Sizes counts scores by their size. The zero value is ready.
type Sizes struct {
	counts  []int64 // how often each |centipawns| occurred
	numbers int64   // sum of counts
}

// Add counts a score, unless it is a mate.
func (s *Sizes) Add(score Score) {
	cp, ok := score.Centipawns()
	if !ok {
		return
	}
	if s.counts == nil {
		s.counts = make([]int64, MaxCentipawns+1)
	}
	s.counts[max(cp, -cp)]++
	s.numbers++
}

// Table says how scores were read: their view, and, if there is one that is no mate, their unit and median.
func (s *Sizes) Table(unit string, view View) Table {
	t := Table{View: view.String()}
	if s.numbers == 0 {
		return t
	}
	t.Unit = unit
	below := int64(0)
	for cp, n := range s.counts {
		if below += n; 2*below >= s.numbers {
			t.Median = cp
			break
		}
	}
	return t
}
