// Package testrecipe holds two recipes that no user trains: they show that the seam carries what the recipes to come
// need. "boards" says moves by what they change on the board, "tokens" reads tokens and learns scores of all legal
// moves, negative ones too. [Register] adds them to the list of package recipe.
package testrecipe

import (
	"fmt"
	"sync"

	"talbot/board"
	"talbot/encode"
	"talbot/network/model"
	"talbot/network/recipe"
)

var once sync.Once

// Register adds the recipes. It may be called more than once.
func Register() {
	once.Do(func() {
		register("boards", "moves", "filters", Boards{Filters: 8}, boards{})
		register("tokens", "scores", "width", Tokens{Width: 8}, tokens{})
	})
}

func register[N model.Network](name, targets, size string, network N, e encode.Encoder) {
	training := recipe.Training{Batch: 32, Steps: 100, Schedule: "constant", LR: 1e-2, Decay: recipe.DecayWeights}
	recipe.Register(recipe.New(recipe.Recipe{Name: name, About: "for tests", Data: "games", Targets: targets,
		Size: []string{size}}, network, recipe.Preset{Epochs: 1, Training: training},
		func(N) encode.Encoder { return e }))
}

// pack writes the board of the side to move: three words of what stands on each square, and where the opponent's pieces
// are.
func pack(dst []uint64, p *board.Position) {
	us := p.Turn()
	a, b, c := p.TypeBits()
	theirs := p.ByColor(us.Other())
	if us == board.Black {
		a, b, c, theirs = a.Mirror(), b.Mirror(), c.Mirror(), theirs.Mirror()
	}
	dst[0], dst[1], dst[2], dst[3] = uint64(a), uint64(b), uint64(c), uint64(theirs)
}

// kindAt returns what stands on a square of a packed board: 0 nothing, 1 … 6 own pieces, 7 … 12 the opponent's.
func kindAt(packed []uint64, square int) int {
	kind := int(packed[0]>>square&1 | packed[1]>>square&1<<1 | packed[2]>>square&1<<2)
	if kind > 0 && packed[3]>>square&1 != 0 {
		kind += 6
	}
	return kind
}

// result is that of the view's game for the side to move, NaN where it is not known.
func result(v *encode.View) float32 {
	switch side := v.Position().Turn(); {
	case v.Line == nil:
	case v.Line.Result.String() == "1/2-1/2":
		return 0
	case v.Line.Result.String() == "1-0":
		return 1 - 2*float32(side)
	case v.Line.Result.String() == "0-1":
		return 2*float32(side) - 1
	}
	return notKnown
}

func setting(name string, n int) error {
	if n < 2 || n > 64 {
		return fmt.Errorf("%s must be from 2 to 64: %d", name, n)
	}
	return nil
}
