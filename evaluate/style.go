package evaluate

import (
	"context"
	"math"

	"talbot/board"
	"talbot/network/predict"
)

// StyleReport says how aggressive a network's first choices are, beside the moves that were played and the choices of
// the network that it was fine-tuned from, over the samples with a policy target.
type StyleReport struct {
	Samples int64  `json:"samples"`
	Before  string `json:"before,omitempty"` // checkpoint of the network before; "" = none
	// Offers: the move loses two pawns or more where it lands, by [board.Position.Exchange]. Checks: it gives check.
	// Advances: a piece or pawn, not the king, comes nearer to the opponent's king, to at most three of its steps.
	Offers   Trait `json:"offers_material"`
	Checks   Trait `json:"gives_check"`
	Advances Trait `json:"advances_on_king"`
}

// Trait is how often moves have a trait, with 95 % intervals that take the samples of a game as alike.
type Trait struct {
	Network Estimate  `json:"network"`
	Played  Estimate  `json:"played"`
	Before  *Estimate `json:"before"` // nil without a network before
	// By how much the network's share is above the others, from the differences of the same samples.
	AbovePlayed Estimate  `json:"above_played"`
	AboveBefore *Estimate `json:"above_before"`
}

// Estimate is a mean and its interval.
type Estimate struct {
	Mean     float64    `json:"mean"`
	Interval [2]float64 `json:"interval"`
}

// traits is how many there are.
const traits = 3

// mostOffered is what a move may lose where it lands before it counts as an offer, in pawns.
const mostOffered = 1

// nearKing is how many of its steps a king may be away from a piece that advances on it.
const nearKing = 3

// traitsOf says which traits a legal move has.
func traitsOf(p *board.Position, m board.Move) [traits]float64 {
	after := p.After(m)
	king := p.Pieces(p.Turn().Other(), board.King).First()
	near := steps(m.To(), king)
	return [traits]float64{
		indicator(p.Exchange(m) < -mostOffered),
		indicator(after.InCheck()),
		indicator(p.PieceAt(m.From()).Type() != board.King && near <= nearKing && near < steps(m.From(), king)),
	}
}

// steps is how many steps a king needs from one square to another.
func steps(a, b board.Square) int {
	files, ranks := int(a&7)-int(b&7), int(a>>3)-int(b>>3)
	return max(files, -files, ranks, -ranks)
}

// styleTally is what a [StyleReport] is made of.
type styleTally struct {
	samples                                           int64
	network, played, before, abovePlayed, aboveBefore [traits]lineMean
}

// addStyle adds samples and the answers to them. The network before, if there is one, is asked too.
func (e *evaluation) addStyle(ctx context.Context, samples []Sample, answers []predict.Output, o Options) error {
	if !o.Style || !e.capabilities.Prior {
		return nil
	}
	var before []predict.Output
	if o.Before != nil {
		other := evaluation{network: o.Before}
		var err error
		if before, err = other.ask(ctx, samples, nil); err != nil {
			return err
		}
	}
	t := &e.styles
	for i := range samples {
		s := &samples[i]
		if s.Origin == nil || len(s.Policy) == 0 {
			continue
		}
		p, line := &s.Origin.Position, s.Origin.Line
		t.samples++
		chosen := traitsOf(p, s.Legal[first(s, answers[i].Prior)])
		var played, was [traits]float64
		for _, target := range s.Policy {
			for j, x := range traitsOf(p, s.Legal[target.Move]) {
				played[j] += float64(target.Weight) * x
			}
		}
		if before != nil {
			was = traitsOf(p, s.Legal[first(s, before[i].Prior)])
		}
		for j := range chosen {
			t.network[j].add(line, chosen[j])
			t.played[j].add(line, played[j])
			t.abovePlayed[j].add(line, chosen[j]-played[j])
			if before != nil {
				t.before[j].add(line, was[j])
				t.aboveBefore[j].add(line, chosen[j]-was[j])
			}
		}
	}
	return nil
}

// report returns nil without samples.
func (t *styleTally) report() *StyleReport {
	if t.samples == 0 {
		return nil
	}
	trait := func(j int) Trait {
		x := Trait{Network: t.network[j].share(), Played: t.played[j].share(), AbovePlayed: t.abovePlayed[j].estimate()}
		if t.before[j].n > 0 {
			before, above := t.before[j].share(), t.aboveBefore[j].estimate()
			x.Before, x.AboveBefore = &before, &above
		}
		return x
	}
	return &StyleReport{Samples: t.samples, Offers: trait(0), Checks: trait(1), Advances: trait(2)}
}

// lineMean is the mean of numbers, those of a line one after the other.
type lineMean struct {
	n, sum         float64
	groups         float64    // lines
	lines          [3]float64 // sums over lines: of the line's sum squared, times its numbers, its numbers squared
	line           int64      // the present one, its sum and how many numbers it has
	ofLine, inLine float64
}

func (m *lineMean) add(line int64, x float64) {
	if line != m.line {
		m.flush()
		m.line = line
	}
	m.n++
	m.sum += x
	m.ofLine += x
	m.inLine++
}

// flush ends a line.
func (m *lineMean) flush() {
	for i, x := range [...]float64{m.ofLine * m.ofLine, m.ofLine * m.inLine, m.inLine * m.inLine} {
		m.lines[i] += x
	}
	if m.inLine > 0 {
		m.groups++
	}
	m.ofLine, m.inLine = 0, 0
}

// variance of the mean, as that of a ratio of sums over lines: the variance of Σd/Σn is Σ(d − m·n)²/(Σn)², m the ratio.
func (m *lineMean) variance() float64 {
	m.flush()
	mean := m.sum / m.n
	return max(0, m.lines[0]-2*mean*m.lines[1]+mean*mean*m.lines[2]) / (m.n * m.n)
}

// estimate is the mean and its 95 % interval.
func (m *lineMean) estimate() Estimate {
	mean, within := m.sum/m.n, 1.96*math.Sqrt(m.variance())
	return Estimate{mean, [2]float64{mean - within, mean + within}}
}

// share is [lineMean.estimate] of numbers in [0, 1], by Wilson's interval, of as many independent samples as have the
// same variance; of as many as there are lines where nothing varies.
func (m *lineMean) share() Estimate {
	variance, mean := m.variance(), m.sum/m.n
	n := m.groups
	if variance > 0 {
		n = min(m.n, mean*(1-mean)/variance)
	}
	return Estimate{mean, *Wilson(mean, n)}
}
