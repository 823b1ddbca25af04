package evaluate

import (
	"context"
	"slices"

	"talbot/dataset"
)

// leastMoves are needed in a band for a comparison of the network's figures when it is given another rating.
const leastMoves = 5000

// BandReport has the samples with a policy target whose side to move has a rating in a band.
type BandReport struct {
	Figures
	BandParts
}

// MarshalJSON returns one object with the figures and the parts.
func (b BandReport) MarshalJSON() ([]byte, error) { return Members(b.Figures, b.BandParts) }

// BandParts are what a [BandReport] has beside its figures.
type BandParts struct {
	From   int     `json:"from"`   // the lowest rating
	To     int     `json:"to"`     // the lowest rating above it; 0 = none
	Elo    int     `json:"elo"`    // that stands for the band
	Moves  int64   `json:"moves"`  // that were played in the samples
	Unseen Figures `json:"unseen"` // of the samples whose positions do not occur in train; nil if that is not known
	// GivenRatings has a comparison for each band, the own one included; nil with fewer than 5,000 moves, and of a
	// network that reads no rating.
	GivenRatings []RatingFigures `json:"told"`
}

// Name is such as "1500–1999".
func (b *BandParts) Name() string { return dataset.Band{From: b.From, To: b.To}.String() }

// RatingFigures are figures of a network that is given one rating for all samples of a band.
type RatingFigures struct {
	Elo  int     `json:"elo"`
	CE   float64 `json:"policy_ce_legal"`
	Top1 float64 `json:"top1"`
	// More is by how much the cross-entropy is above that for the rating of the own band, and its 95 % interval, from
	// the differences of whole lines.
	More         float64    `json:"more"`
	MoreInterval [2]float64 `json:"more_interval"`
}

// bandTally is what a [BandReport] is made of.
type bandTally struct {
	all, unseen tally
	moves       int64
	told        []ratingTally // by band; nil if the network was not told any
}

type ratingTally struct {
	ce, first float64 // sums
	more      lineMean
}

func newBands(bands []dataset.Band) []bandTally {
	list := make([]bandTally, len(bands))
	for i := range list {
		list[i] = bandTally{all: newTally(), unseen: newTally()}
	}
	return list
}

// bandOf is that of a sample; nil if it is in none. The rating of a puzzle is no player's.
func (a *Accumulator) bandOf(s *Sample) *bandTally {
	if len(a.bands) == 0 || s.Origin == nil || s.Origin.Rating <= 0 || len(s.Policy) == 0 ||
		s.Source == dataset.SourcePuzzle.String() {
		return nil
	}
	return &a.bands[dataset.BandOf(a.ranges, s.Origin.Rating)]
}

func (b *bandTally) add(s *Sample, t tally) {
	b.all.add(t, 1)
	b.moves += s.Moves
	if s.Unseen {
		b.unseen.add(t, 1)
	}
}

// evaluateBands asks about the samples that are in a band as if the rating was that of each band in turn.
func (e *evaluation) evaluateBands(ctx context.Context, all []Sample, o Options) error {
	if o.Layout.Rating == nil || !e.capabilities.Prior || len(e.bands) == 0 {
		return nil
	}
	samples := slices.DeleteFunc(slices.Clone(all), func(s Sample) bool { return e.bandOf(&s) == nil })
	if len(samples) == 0 {
		return nil
	}
	told := make([][]assessment, len(e.ranges)) // by band and sample
	for i, band := range e.ranges {
		answers, err := e.ask(ctx, samples, o.Layout.WithRating(band.Elo))
		if err != nil {
			return err
		}
		for j := range samples {
			s := samples[j]
			s.Origin = nil // no mates are to be looked for
			q, err := e.score(&s, &answers[j])
			if err != nil {
				return err
			}
			told[i] = append(told[i], q)
		}
	}
	for j := range samples {
		b := e.bandOf(&samples[j])
		if b.told == nil {
			b.told = make([]ratingTally, len(e.ranges))
		}
		own := &told[dataset.BandOf(e.ranges, samples[j].Origin.Rating)][j]
		for i := range b.told {
			b.told[i].add(samples[j].Origin.Line, &told[i][j], own)
		}
	}
	return nil
}

// add adds a sample of a line; the samples of a line come one after the other.
func (t *ratingTally) add(line int64, q, own *assessment) {
	t.ce += q.entropy
	t.first += q.weightOfBest(1)
	t.more.add(line, q.entropy-own.entropy)
}

// report is what was found with a rating.
func (t *ratingTally) report(elo int) RatingFigures {
	more, n := t.more.estimate(), t.more.n
	return RatingFigures{Elo: elo, CE: t.ce / n, Top1: t.first / n, More: more.Mean, MoreInterval: more.Interval}
}

// bandReports returns nil if there are no bands, or no sample is in any.
func (a *Accumulator) bandReports(trainKnown bool) (list []BandReport) {
	some := func(b bandTally) bool { return slices.ContainsFunc(b.all, func(sum float64) bool { return sum != 0 }) }
	if !slices.ContainsFunc(a.bands, some) {
		return nil
	}
	for i, band := range a.ranges {
		b := &a.bands[i]
		r := BandReport{b.all.figures(), BandParts{From: band.From, To: band.To, Elo: band.Elo, Moves: b.moves}}
		if trainKnown {
			r.Unseen = b.unseen.figures()
		}
		if b.moves >= leastMoves {
			for j := range b.told {
				r.GivenRatings = append(r.GivenRatings, b.told[j].report(a.ranges[j].Elo))
			}
		}
		list = append(list, r)
	}
	return list
}
