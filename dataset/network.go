package dataset

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"talbot/board"
)

// Network is all that decides what a network says of a position: two predictions are comparable if their networks are
// equal.
type Network struct {
	Recipe     string `json:"recipe"`
	Checkpoint string `json:"checkpoint"` // the checksum of its file, as the file has it
	Step       int64  `json:"step"`       // of training
	Averaged   bool   `json:"averaged,omitempty"`
	// Backend computed it, "go", "onnx", "onnx:int8" or "xla:cpu", with this many positions in a batch: the last digits
	// depend on both.
	Backend string `json:"backend"`
	Batch   int    `json:"batch,omitempty"`
	// Rating is the rating that both players were taken to have, in place of their own; 0 = their own.
	Rating int `json:"rating,omitempty"`
	// Top is how many moves are kept of each sample; 0 = all legal ones. The shares of the others are lost.
	Top   int  `json:"top,omitempty"`
	Prior bool `json:"prior"` // the network gives a probability to each legal move
	Value bool `json:"value"` // and a value to the position
}

// ID returns the network's short name: the first 16 hex digits of the SHA-256 of its JSON, written without spaces.
func (n Network) ID() string { return shortName(n) }

// check returns an error if it contradicts itself.
func (n *Network) check() error {
	if n.Recipe == "" || n.Checkpoint == "" || n.Step < 0 || n.Batch < 0 || n.Rating < 0 ||
		n.Rating > math.MaxUint16 || n.Top < 0 || !n.Prior && !n.Value {
		return fmt.Errorf("recipe %q, checkpoint %q, step %d, rating %d, %d moves kept", n.Recipe, n.Checkpoint, n.Step,
			n.Rating, n.Top)
	}
	return nil
}

// PredictionColumn has one network's predictions for the samples of a line.
type PredictionColumn struct {
	Network     int          // index into the manifest's networks
	Predictions []Prediction // one for each sample, in sample order
}

// PredictionStatus says whether a network was asked about a sample. Its numbers are those of the shard format.
type PredictionStatus uint8

// The statuses of predictions.
const (
	NotPredicted PredictionStatus = iota
	Predicted
	GameOver // mate or stalemate: there is nothing to ask
)

// Prediction is a network's output for one sample, rounded for storage.
type Prediction struct {
	Status PredictionStatus
	Value  QuantizedValue
	// Moves are the legal ones, or the first of them, the most probable first; empty without priors.
	Moves []PriorMove
}

// PriorMove is a move with its probability among the legal ones.
type PriorMove struct {
	Move  board.Move
	Prior QuantizedPrior
}

// QuantizedPrior is a probability in 16 bits: p is round(−2048 · ln p), at most 65535. Read back it is p within a
// factor of e^±(1/4096), or 0.025 %, as long as p is above e^−31.99, or 1.3e-14; what is below becomes that. So the
// cross-entropy of a distribution is right within 0.00025.
type QuantizedPrior uint16

const priorSteps = 2048

// QuantizePrior rounds the logarithm of a probability, which is 0 or below; −∞ is the smallest probability there is.
// NaN panics.
func QuantizePrior(logP float64) QuantizedPrior {
	if math.IsNaN(logP) {
		panic("a probability is NaN")
	}
	return QuantizedPrior(math.Round(math.Min(math.MaxUint16, math.Max(0, -logP*priorSteps))))
}

// Log returns the logarithm of the probability.
func (p QuantizedPrior) Log() float64 { return -float64(p) / priorSteps }

// Probability returns the probability, in (0, 1].
func (p QuantizedPrior) Probability() float64 { return math.Exp(p.Log()) }

// QuantizedValue is a value in [−1, 1], from the side to move's view, in 16 bits: v is round(32767 · v), and read back
// it is v within 1.6e-5.
type QuantizedValue int16

// QuantizeValue rounds a value; beyond ±1 it saturates. NaN panics.
func QuantizeValue(v float64) QuantizedValue {
	if math.IsNaN(v) {
		panic("a value is NaN")
	}
	return QuantizedValue(math.Round(math.MaxInt16 * math.Min(1, math.Max(-1, v))))
}

// Float returns the value.
func (v QuantizedValue) Float() float64 { return float64(v) / math.MaxInt16 }

var (
	errNotAsked  = errors.New("has moves or a value without being predicted")
	errPriorRank = errors.New("moves are not sorted by their priors")
)

// Check returns an error unless the prediction makes sense for a position: its moves are legal there, different, and
// sorted.
func (p *Prediction) Check(pos *board.Position) error {
	if err := p.checkForm(); err != nil {
		return err
	}
	for i, m := range p.Moves {
		if !pos.IsLegal(m.Move) {
			return fmt.Errorf("predicted move %s is illegal in %q", m.Move, pos.FEN())
		}
		for _, other := range p.Moves[:i] {
			if other.Move == m.Move {
				return fmt.Errorf("predicted move %s appears twice", m.Move)
			}
		}
	}
	return nil
}

// checkForm checks what needs no position.
func (p *Prediction) checkForm() error {
	if p.Status != Predicted {
		if p.Status > GameOver {
			return fmt.Errorf("unknown status %d of a prediction", p.Status)
		}
		if len(p.Moves) > 0 || p.Value != 0 {
			return errNotAsked
		}
		return nil
	}
	if p.Value < -math.MaxInt16 {
		return fmt.Errorf("value %d", p.Value)
	}
	for i := range p.Moves {
		if i > 0 && p.Moves[i].Prior < p.Moves[i-1].Prior {
			return errPriorRank
		}
	}
	return nil
}

// PredictionsOf returns a network's predictions for the line's samples; nil if there are none.
func (l *Line) PredictionsOf(network int) []Prediction {
	for i := range l.Predictions {
		if l.Predictions[i].Network == network {
			return l.Predictions[i].Predictions
		}
	}
	return nil
}

// ErrNoPredictions says that a dataset has no predictions of a network, or none of the one asked for.
var ErrNoPredictions = errors.New("no predictions of a network")

// PriorOf returns the number of the network of that ID whose priors a dataset has; for the empty ID, of the last one.
// An ID that is not among them, and no network with priors, are [ErrNoPredictions].
func (m *Manifest) PriorOf(id string) (int, error) {
	var known []string
	for i := len(m.Networks) - 1; i >= 0; i-- {
		n := &m.Networks[i]
		if !n.Prior {
			continue
		}
		if id == "" || n.ID() == id {
			return i, nil
		}
		known = append(known, fmt.Sprintf("%s (%s, step %d)", n.ID(), n.Recipe, n.Step))
	}
	if id == "" {
		return 0, fmt.Errorf("%w that gives priors", ErrNoPredictions)
	}
	if known == nil {
		known = []string{"none"}
	}
	return 0, fmt.Errorf("%w %q with priors; available: %s", ErrNoPredictions, id, strings.Join(known, ", "))
}
