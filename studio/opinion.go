package studio

import (
	"context"
	"errors"
	"math"
	"runtime"
	"time"

	"talbot/board"
	"talbot/inspect/samples"
	"talbot/network/backend"
	"talbot/play/engine"
	"talbot/play/mcts"
)

// opinion is what a network says of a sample.
type opinion struct {
	Run    *folder
	Moves  map[string]float64 // by UCI, among the legal ones; nil: the network gives none
	Value  *float64           // for the side to move, −1 to 1; nil: the network gives none
	Notice string             // why there is none; "" = there is one
}

// opinions asks networks about samples. It is safe for concurrent use.
type opinions struct {
	backend string
	turn    chan struct{} // held by what uses a network
	open    opened[*engine.Network]
}

// opinionTime is how long an answer may take, with the loading of the network.
const opinionTime = 20 * time.Second

func newOpinions(backend string) *opinions {
	return &opinions{backend: backend, turn: make(chan struct{}, 1), open: opened[*engine.Network]{most: maxPeopleRuns}}
}

func (o *opinions) close() {
	o.turn <- struct{}{}
	o.open.close()
	<-o.turn
}

// of asks the network of a run. Positions of the reconstructed past are the sample's, as in training.
func (o *opinions) of(ctx context.Context, run *folder, one *samples.Sample) *opinion {
	said := &opinion{Run: run}
	if err := o.ask(ctx, run, one, said); err != nil {
		said.Notice = run.within(err)
	}
	return said
}

var errTimeOut = errors.New("the networks are busy: try again in a moment")

func (o *opinions) ask(ctx context.Context, run *folder, one *samples.Sample, said *opinion) error {
	ctx, cancel := context.WithTimeoutCause(ctx, opinionTime, errTimeOut)
	defer cancel()
	select {
	case o.turn <- struct{}{}:
		defer func() { <-o.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	n, err := o.open.get(run.Path+"\n"+run.stamp, func() (*engine.Network, error) {
		c := engine.Config{Path: run.Path, Backend: o.backend, Batch: 1, Threads: max(1, runtime.GOMAXPROCS(0)/2)}
		if c.Backend == "auto" {
			c.Backend = backend.AtOnce
		}
		return engine.Open(c)
	})
	if err != nil {
		return err
	}
	start, moves := one.Past()
	g := board.NewGame(start)
	for _, m := range moves {
		g.Push(m)
	}
	legal := g.Position().LegalMoves(nil)
	if len(legal) == 0 {
		return errors.New("the game is over here, so no network is asked")
	}
	e := n.Evaluator()
	white, black := one.WhiteElo, one.BlackElo
	if one.Band != nil {
		white, black = bandRating(one.Band), bandRating(one.Band)
	}
	e.Rate(white, black)
	e.Put(0, g, legal)
	answer := make([]mcts.Evaluation, 1)
	if err := e.Evaluate(ctx, answer); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	knows := e.Capabilities()
	if knows.Prior {
		said.Moves = map[string]float64{}
		for i, m := range legal {
			said.Moves[m.String()] = math.Exp(float64(answer[0].Prior[i]))
		}
	}
	value := float64(answer[0].Value)
	if !knows.Value && knows.WDL {
		value = float64(answer[0].WDL[0] - answer[0].WDL[2])
	}
	if knows.Value || knows.WDL {
		said.Value = &value
	}
	return nil
}

// bandRating is a rating within a band, 250 from its end.
func bandRating(b *samples.Band) int {
	if b.To > 0 {
		return max(b.From, b.To-250)
	}
	return b.From + 250
}
