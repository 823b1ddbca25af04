package samples

import (
	"math"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/shards"
)

// Query chooses samples by what they are and by the lines that they are on. The zero value chooses all.
type Query struct {
	Source        *dataset.Source
	Split         *dataset.Split
	Result        *dataset.Result
	Player        string // a part of the name of either player, in capitals or not
	Reconstructed *bool  // the line begins with reconstructed history
	Rating        Range  // of the side to move; a rating that is not known is in no range
	Pieces        Range  // on the board
	Label         Labels
	Score         Range // of the label, in centipawns from the side to move's view; mates are beyond all of them
	Against       Against
}

// Range is from Low to High, both included; [math.MinInt] and [math.MaxInt] are no limits. The zero value is all.
type Range struct {
	Low, High int
	Limited   bool
}

func (r Range) has(x int) bool { return !r.Limited || x >= r.Low && x <= r.High }

// Labels are the samples that a query chooses by their labels.
type Labels uint8

// The choices by label.
const (
	AnyLabel      Labels = iota
	WithLabel            // an engine searched it, or the game is over there
	WithoutLabel         // neither
	WithoutAnswer        // an engine was asked and failed
)

// Against are the samples where two judges contradict each other.
type Against uint8

// The contradictions.
const (
	AgainstNothing Against = iota
	AgainstResult          // the label is for one side by at least three pawns, and the other one won
	// AgainstNetwork: the value of the last network and the label's, as [encode.TalbotBot] has it, are more than 0.5
	// apart.
	AgainstNetwork
)

// clear is from how many centipawns on a label is for one side.
const clear = 300

// farApart is the difference of values from which on network and label contradict each other.
const farApart = 0.5

// columns are what must be read to answer.
func (q *Query) columns() (c shards.Columns) {
	if q.Player != "" {
		c |= shards.Tags
	}
	if q.Rating.Limited {
		c |= shards.Ratings
	}
	if q.Label != AnyLabel || q.Score.Limited || q.Against != AgainstNothing {
		c |= shards.Scores
	}
	if q.Against == AgainstNetwork {
		c |= shards.Predictions
	}
	return c
}

// line reports whether any sample of a line is chosen.
func (q *Query) line(l *dataset.Line, splits *dataset.Splits) bool {
	switch {
	case q.Source != nil && *q.Source != l.Source,
		q.Result != nil && *q.Result != l.Result,
		q.Reconstructed != nil && *q.Reconstructed != (l.Reconstructed > 0),
		q.Split != nil && *q.Split != splits.Of(dataset.SplitKey(l)):
		return false
	}
	return q.Player == "" || contains(l.Tag("White"), q.Player) || contains(l.Tag("Black"), q.Player)
}

func contains(name, part string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(part))
}

// sample reports whether a sample of a line that is chosen is chosen too. at is its position, which is known only where
// the query asks for pieces.
func (q *Query) sample(l *dataset.Line, sample, ply int, at *board.Position, counting *dataset.Counting) bool {
	turn := (int(l.Start.Turn()) + ply) % 2
	if q.Rating.Limited {
		rating := l.WhiteElo
		if board.Color(turn) == board.Black {
			rating = l.BlackElo
		}
		if rating == 0 || !q.Rating.has(rating) {
			return false
		}
	}
	if q.Pieces.Limited && !q.Pieces.has(at.Occupied().Len()) {
		return false
	}
	if q.Label == AnyLabel && !q.Score.Limited && q.Against == AgainstNothing {
		return true
	}
	return q.labels(l, sample, board.Color(turn), counting)
}

// labels reports whether a sample is chosen by its label and prediction.
func (q *Query) labels(l *dataset.Line, sample int, turn board.Color, counting *dataset.Counting) bool {
	label := counting.Of(l, sample).Moves
	known := label.Status == dataset.Labelled || label.Status == dataset.Terminal
	switch q.Label {
	case WithLabel:
		if !known {
			return false
		}
	case WithoutLabel:
		if label.Status != dataset.Missing {
			return false
		}
	case WithoutAnswer:
		if label.Status != dataset.Failed {
			return false
		}
	}
	if !q.Score.Limited && q.Against == AgainstNothing {
		return true
	}
	if label.Status != dataset.Labelled || len(label.Lines) == 0 {
		return false
	}
	score := label.Lines[0].Score
	cp, ok := score.Centipawns()
	if n, mate := score.Mate(); mate {
		cp, ok = math.MaxInt, true
		if n <= 0 {
			cp = math.MinInt
		}
	}
	if !ok || !q.Score.has(cp) {
		return false
	}
	switch q.Against {
	case AgainstResult:
		if l.Result != dataset.WhiteWins && l.Result != dataset.BlackWins {
			return false
		}
		won := (l.Result == dataset.WhiteWins) == (turn == board.White)
		return won && cp <= -clear || !won && cp >= clear
	case AgainstNetwork:
		said, ok := networkValue(l, sample)
		value, known := encode.TalbotBot{}.Value(score)
		return ok && known && math.Abs(said-float64(value)) > farApart
	}
	return true
}

// networkValue is the last network's value of a sample. One that gives none says 0 of all, and is passed over.
func networkValue(l *dataset.Line, sample int) (value float64, ok bool) {
	for i := len(l.Predictions) - 1; i >= 0; i-- {
		list := l.Predictions[i].Predictions
		if sample < len(list) && list[sample].Status == dataset.Predicted {
			return list[sample].Value.Float(), true
		}
	}
	return 0, false
}
