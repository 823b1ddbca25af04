package train

import (
	"context"
	"fmt"

	"talbot/board"
	"talbot/dataset"
	"talbot/train/model"
)

// Sample is one position to evaluate a network on.
type Sample struct {
	Source   string // "game", "puzzle", "endgame": the group of by_source
	Planes   [model.Planes]uint64
	Legal    []uint16 // indices of all legal moves, at least one, no duplicates
	Policy   []Target // legal moves whose weights sum to 1; empty: no policy target
	Value    float32  // target in [−1, 1] from the side to move
	HasValue bool     // Value is a label
	Unseen   bool     // the position does not occur in the training data
	Place    *Place   // nil: not known
}

// Place says where a sample stands. Without it a sample counts in the figures, but in no group other than its source
// and not for the bootstrap, the mates and the misses.
type Place struct {
	Position board.Position // whose legal moves are Sample.Legal, in the same order
	Line     int64          // number of its line in this evaluation; the samples of a line come one after the other
	Game     string         // where the line was read, for the eye
	Link     string         // the game on Lichess, as "https://lichess.org/abcdefgh#31"; "" = none
	Ply      int
	Rating   int // of the player to move, or of the puzzle; 0 = unknown

	Result    dataset.Class // that endgame tables have, for the side to move
	HasResult bool          // it was stored with the sample
	Audited   bool          // the value is by labels that were audited
}

// Target is one move of a policy target.
type Target struct {
	Index  uint16
	Weight float32
}

// Figures are means over a set of samples. A figure over no samples is null.
//
// Policy figures are over the samples with a policy target, value figures over those with a value label, IllegalMass
// over all. A target of several moves counts with its weights: Top3 is then the weight that falls on the three legal
// moves of the highest logits. Of equal logits the one with the lower index is the higher.
type Figures struct {
	Samples           int64    `json:"samples"`
	PolicySamples     int64    `json:"policy_samples"`
	ValueSamples      int64    `json:"value_samples"`
	PolicyCE          *float64 `json:"policy_ce"`         // −Σ w·ln p, p the softmax over all 4672 logits
	PolicyCELegal     *float64 `json:"policy_ce_legal"`   // the same with the softmax over the legal moves
	PolicyCEUniform   *float64 `json:"policy_ce_uniform"` // ln of the number of legal moves
	Top1              *float64 `json:"top1"`
	Top1Uniform       *float64 `json:"top1_uniform"` // of a legal move drawn at random
	Top3              *float64 `json:"top3"`
	Top5              *float64 `json:"top5"`
	IllegalMass       *float64 `json:"illegal_mass"` // share of the softmax on moves that are not legal
	ValueMSE          *float64 `json:"value_mse"`
	ValueMSEMean      *float64 `json:"value_mse_mean"`      // of always saying the mean target of these samples
	ValueSignAccuracy *float64 `json:"value_sign_accuracy"` // over targets other than 0; a value of exactly 0 is wrong
	MateSamples       int64    `json:"mate_in_one_samples"` // positions in which some move mates
	MateInOne         *float64 `json:"mate_in_one"`         // share of them whose first legal move by logit mates
}

// Report is what talbot eval prints.
type Report struct {
	Figures
	// Intervals are 95 % bootstrap intervals of the figures over all samples, by their names. Whole lines are drawn,
	// for the samples of a game are alike. Beside them there are endgame_value_accuracy and endgame_moves_kept of
	// Endgames, and audited_value_mse of Audited.
	Intervals map[string][2]float64 `json:"intervals"`
	BySource  map[string]Figures    `json:"by_source"`
	ByPhase   map[string]Figures    `json:"by_phase"`  // "opening", "middlegame", "endgame"
	ByPieces  map[string]Figures    `json:"by_pieces"` // pieces on the board, kings included, as "2-5"
	ByRating  map[string]Figures    `json:"by_rating"` // the lower end of a band of 200 points; "unknown"
	BySide    map[string]Figures    `json:"by_side"`   // "white", "black" to move
	Unseen    *Figures              `json:"unseen"`    // nil if it is not known what was trained on
	// UnseenIntervals and UnseenBySource are of the samples of Unseen; nil where that is.
	UnseenIntervals map[string][2]float64    `json:"unseen_intervals"`
	UnseenBySource  map[string]SourceFigures `json:"unseen_by_source"`
	// Calibration has the samples with a value label by the value that the network gives: 20 bins of [−1, 1].
	Calibration []Bin `json:"calibration"`
	// Confidence has the samples with a policy target by the probability of the first legal move among the legal ones:
	// 10 bins of [0, 1]. What it was is the weight of that move in the target.
	Confidence []Bin     `json:"confidence"`
	Symmetry   *Symmetry `json:"symmetry"` // nil if it was not measured
	// History compares figures with those of the same samples shown without their past; nil if it was not measured.
	History  *History       `json:"history"`
	Endgames *EndgameReport `json:"endgames"` // nil without any position whose result endgame tables have
	Audited  Audited        `json:"-"`
	Misses   []Miss         `json:"misses"` // the worst first
}

// SourceFigures are over samples of one source.
type SourceFigures struct {
	Figures
	Intervals map[string][2]float64 `json:"intervals"` // as [Report.Intervals]
}

// Audited is the value's error on the samples whose labels were audited, to be held against the error of the labels.
type Audited struct {
	Samples  int64
	ValueMSE *float64
}

// Noise is how far labels are from better ones of the same positions: the error that a network would be measured to
// have if it knew the truth. All values are by the value target of the evaluation.
type Noise struct {
	Audit       string     `json:"audit"`       // folder
	Fingerprint string     `json:"fingerprint"` // of the labels
	Labels      string     `json:"labels"`      // engine and limit
	Truth       string     `json:"truth"`       // limit of the better ones
	Compared    int64      `json:"compared"`    // labels
	MSE         float64    `json:"mse"`         // between both
	Interval    [2]float64 `json:"interval"`    // 95 % of the MSE, from the standard error over labels

	// The network's squared error on those evaluated samples that have such labels.
	Samples  int64    `json:"samples"`
	ValueMSE *float64 `json:"value_mse"`
}

// Accumulator sums up samples and a network's answers, in float64. The zero value is ready.
type Accumulator struct {
	Tables Tables // that judge endgames; nil: only results stored with the samples count

	all, unseen   tally
	unseenSources map[string]*tally
	groups        [groupKinds]map[string]*tally
	boot          bootstrap
	values        bins
	confidence    bins
	symmetry      Symmetry
	past          pastTally
	ends          endgames
	misses        misses
}

// Add takes samples and the answers to them: logits len(samples)·4672, values len(samples). On an error nothing is
// added.
func (a *Accumulator) Add(ctx context.Context, samples []Sample, logits, values []float32) error {
	if len(logits) != len(samples)*model.Moves || len(values) != len(samples) {
		return fmt.Errorf("%d logits and %d values for %d samples", len(logits), len(values), len(samples))
	}
	scores := make([]scored, len(samples))
	for i := range samples {
		var err error
		if scores[i], err = score(&samples[i], logits[i*model.Moves:][:model.Moves], values[i]); err != nil {
			return fmt.Errorf("sample %d: %w", i, err)
		}
		if at := samples[i].Place; at != nil {
			if scores[i].ends, err = a.judge(ctx, at, scores[i].first, float64(values[i])); err != nil {
				return fmt.Errorf("endgame tables, asked about %s: %w", at.Position.FEN(), err)
			}
		}
	}
	for i, t := range scores {
		s := &samples[i]
		a.all.add(&t.tally, 1)
		if s.Unseen {
			a.unseen.add(&t.tally, 1)
			if a.unseenSources == nil {
				a.unseenSources = map[string]*tally{}
			}
			in(a.unseenSources, s.Source).add(&t.tally, 1)
		}
		a.group(s, &t.tally)
		if s.HasValue {
			a.values.add((float64(values[i])+1)/2, float64(values[i]), float64(s.Value), 20)
		}
		if len(s.Policy) > 0 {
			a.confidence.add(t.confidence, t.confidence, t.top1, 10)
		}
		if s.Place != nil {
			a.boot.add(s.Place.Line, part{s.Source, s.Unseen}, &t.tally)
			a.ends.add(&s.Place.Position, &t.ends)
			a.misses.offer(s, &t, logits[i*model.Moves:][:model.Moves], values[i])
		}
	}
	return nil
}

// Report returns the figures so far. Unseen is filled in only if it is known what was trained on.
func (a *Accumulator) Report(trainKnown bool) Report {
	r := Report{Figures: a.all.figures(), Intervals: a.boot.intervals(func(part) bool { return true }),
		BySource: figuresOf(a.groups[bySource]), ByPhase: figuresOf(a.groups[byPhase]),
		ByPieces: figuresOf(a.groups[byPieces]),
		ByRating: figuresOf(a.groups[byRating]), BySide: figuresOf(a.groups[bySide]),
		Calibration: a.values.list(-1, 1, 20), Confidence: a.confidence.list(0, 1, 10), Misses: a.misses.sorted()}
	r.Audited = Audited{a.all.audited, ratio(a.all.auditedSquared, float64(a.all.audited))}
	r.History = a.past.report()
	r.Endgames = a.ends.report(&a.all.ends, nil)
	if trainKnown {
		f := a.unseen.figures()
		r.Unseen = &f
		r.UnseenIntervals = a.boot.intervals(func(p part) bool { return p.unseen })
		r.UnseenBySource = map[string]SourceFigures{}
		for source, t := range a.unseenSources {
			r.UnseenBySource[source] = SourceFigures{t.figures(),
				a.boot.intervals(func(p part) bool { return p == part{source, true} })}
		}
		r.Endgames = a.ends.report(&a.all.ends, &a.unseen.ends)
	}
	if n := float64(a.symmetry.Samples); n > 0 {
		s := a.symmetry
		s.ValueGap, s.PolicyGap, s.SameMove = s.ValueGap/n, s.PolicyGap/n, s.SameMove/n
		r.Symmetry = &s
	}
	return r
}
