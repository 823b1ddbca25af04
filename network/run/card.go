package run

// Card says what a network that is given away is, how it was trained and on what. All but the licence is from the files
// of its run.
type Card struct {
	Network    string `json:"network"` // such as "6 blocks of 64 filters"
	Parameters int    `json:"parameters"`
	Licence    string `json:"licence"` // of the weights
	Weights    string `json:"weights"` // "raw", or "average" of the run's
	Training   []Part `json:"training"`
	Val        *Means `json:"val,omitempty"` // of the validation at the last step, where there was one; before rounding
}

// Part is the training of one run. A network's first comes first: another one follows where a run started with the
// weights of an earlier one.
type Part struct {
	From  int64 `json:"from"` // step after which it began
	To    int64 `json:"to"`   // its last step, of those that count for the network
	Batch int   `json:"batch"`
	// Hours is how long it trained and validated, with what was begun again after an interruption left out.
	Hours   float64    `json:"hours"`
	Backend string     `json:"backend"`
	Data    []CardData `json:"data"`
	// Origin is the checksum of the weights that it started with, where nothing more is known of them.
	Origin string `json:"origin,omitempty"`
}

// CardData is a dataset that a network was trained on.
type CardData struct {
	Name     string   `json:"name,omitempty"`   // of its folder
	Weight   float64  `json:"weight,omitempty"` // in the draws, as it was given
	Manifest string   `json:"manifest"`         // its hash
	Made     string   `json:"made,omitempty"`   // verb and flags
	Labels   []string `json:"labels,omitempty"` // engines and limits
	Lines    int64    `json:"lines,omitempty"`
	Samples  int64    `json:"samples,omitempty"` // of all splits
}
