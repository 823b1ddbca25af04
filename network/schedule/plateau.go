package schedule

import (
	"fmt"
	"strconv"
	"strings"
)

// Plateau lowers the learning rate where the validation does not get better. The rate of [Parse] is constant for it;
// what it is multiplied by is a [Plateau.Next] of each validation.
type Plateau struct {
	Patience int64   // validations in a row without a new lowest loss after which the rate is lowered; 0 = no plateau
	Factor   float64 // that it is lowered by
	Stop     int64   // validations in a row without a new lowest loss after which training ends; 0 = never
}

// PlateauState is where a run stands.
type PlateauState struct {
	Best   float64 `json:"best"`   // lowest loss
	Stale  int64   `json:"stale"`  // validations in a row without a new one
	Waited int64   `json:"waited"` // since the rate was lowered
	Lower  int64   `json:"lower"`  // how often it was
	Any    bool    `json:"any"`    // there was a validation
}

// ParsePlateau reads plateau:PATIENCE=FACTOR or plateau:PATIENCE=FACTOR,stop=N; any other schedule is not one.
func ParsePlateau(name string) (p Plateau, err error) {
	kind, text, _ := strings.Cut(name, ":")
	if kind != "plateau" {
		return p, nil
	}
	lower, stop, stops := strings.Cut(text, ",stop=")
	patience, factor, _ := strings.Cut(lower, "=")
	if p.Patience, err = strconv.ParseInt(patience, 10, 64); err != nil || p.Patience < 1 {
		return Plateau{}, fmt.Errorf("schedule %q: the patience must be a number of validations: %q", name, patience)
	}
	if p.Factor, err = strconv.ParseFloat(factor, 64); err != nil || !(p.Factor > 0 && p.Factor < 1) {
		return Plateau{}, fmt.Errorf("schedule %q: the factor must be above 0 and below 1: %q", name, factor)
	}
	if stops {
		if p.Stop, err = strconv.ParseInt(stop, 10, 64); err != nil || p.Stop < 1 {
			return Plateau{}, fmt.Errorf("schedule %q: stop must be a number of validations: %q", name, stop)
		}
	}
	return p, nil
}

// Next takes over the loss of a validation; true where training ends.
func (p Plateau) Next(s PlateauState, loss float64) (PlateauState, bool) {
	if p.Patience == 0 {
		return s, false
	}
	if !s.Any || loss < s.Best {
		s.Any, s.Best, s.Stale, s.Waited = true, loss, 0, 0
		return s, false
	}
	s.Stale++
	if s.Waited++; s.Waited >= p.Patience {
		s.Waited, s.Lower = 0, s.Lower+1
	}
	return s, p.Stop > 0 && s.Stale >= p.Stop
}

// Factor is what the learning rate is multiplied by.
func (s PlateauState) Factor(p Plateau) float64 {
	f := 1.0
	for range s.Lower {
		f *= p.Factor
	}
	return f
}
