package evaluate

// Report is what talbot eval prints.
type Report struct {
	Figures
	Parts
}

// MarshalJSON returns one object with the figures, the parts and the verdicts.
func (r Report) MarshalJSON() ([]byte, error) {
	return Members(r.Figures, r.Parts, struct {
		Verdicts []Judgement `json:"verdicts"`
	}{r.Judgements()})
}

// Parts are what a [Report] has beside its figures over all samples.
type Parts struct {
	// Intervals are 95 % bootstrap intervals of the figures over all samples, by their names. Whole lines are drawn,
	// for the samples of a game are alike. Beside them there are endgame_value_accuracy and endgame_moves_kept of
	// Endgames, and audited_value_mse of Audited.
	Intervals Intervals          `json:"intervals"`
	BySource  map[string]Figures `json:"by_source"`
	ByPhase   map[string]Figures `json:"by_phase"`  // "opening", "middlegame", "endgame"
	ByPieces  map[string]Figures `json:"by_pieces"` // pieces on the board, kings included, as "2-5"
	ByRating  map[string]Figures `json:"by_rating"` // the lower end of a band of 200 points; "unknown"
	BySide    map[string]Figures `json:"by_side"`   // "white", "black" to move
	// GroupIntervals are those of the groups, by member ("by_source") and name, for measures with a baseline. In JSON
	// they are in the verdicts.
	GroupIntervals map[string]map[string]Intervals `json:"-"`
	Unseen         Figures                         `json:"unseen"` // nil if it is not known what was trained on
	// UnseenIntervals and UnseenBySource are of the samples of Unseen; nil where that is.
	UnseenIntervals Intervals                `json:"unseen_intervals"`
	UnseenBySource  map[string]SourceFigures `json:"unseen_by_source"`
	// Calibration has the samples with a value label by the value that the network gives: 20 bins of [−1, 1].
	Calibration []Bin `json:"calibration"`
	// Confidence has the samples with a policy target by the probability of the first legal move among the legal ones:
	// 10 bins of [0, 1]. What it was is the weight of that move in the target.
	Confidence []Bin     `json:"confidence"`
	Symmetry   *Symmetry `json:"symmetry"` // nil if it was not measured
	// History compares figures with those of the same samples shown without their past; nil if it was not measured.
	History  *History       `json:"history"`
	Endgames *EndgameReport `json:"endgames"`        // nil without any position whose result endgame tables have
	Bands    []BandReport   `json:"bands"`           // of ratings, or nil
	Style    *StyleReport   `json:"style,omitempty"` // nil if it was not asked for
	// Simple says what the fitted baselines were fitted on; nil without any.
	Simple       *Simple      `json:"fitted_baselines"`
	Audited      AuditedError `json:"-"`
	Misses       []Miss       `json:"misses"` // the worst first
	Capabilities Capabilities `json:"-"`      // what the network was measured in
}

// SourceFigures are over samples of one source.
type SourceFigures struct {
	Figures
	Bounds
}

// Bounds are those of figures, as [Parts.Intervals].
type Bounds struct {
	Intervals Intervals `json:"intervals"`
}

// MarshalJSON returns one object with the figures and their intervals.
func (s SourceFigures) MarshalJSON() ([]byte, error) { return Members(s.Figures, s.Bounds) }

// AuditedError is the value's error on the samples whose labels were audited, to be held against the error of the
// labels.
type AuditedError struct {
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
