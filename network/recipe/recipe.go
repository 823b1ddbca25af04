// Package recipe is the one list of recipes: which encoding belongs to which network, with which settings both are
// built, and how the network is trained where nothing else is said.
//
// A recipe is a file in package encode, a file in package model, and an entry of the list in registry.go; what several
// recipes may use (board.go of both, residual.go, attention.go, changes.go, encode/uci.go) has files of its own.
// Whatever trains, evaluates, exports, shows or plays a network finds it here by its name. The package starts no
// goroutines.
package recipe

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"talbot/encode"
	"talbot/network/model"
)

// Recipe is one system: an encoding and a network that fit each other.
type Recipe struct {
	Name    string
	About   string   // in one line
	Data    string   // that it is trained on
	Targets string   // what it learns
	Size    []string // settings that the shapes of the parameters depend on
	// Computes are further settings that make another network of the same weights, and Learns those that decide what
	// is learnt. The others are about training alone: dropout, shares of a loss.
	Computes, Learns []string
	// Extends are those of Size that are true or false, and true adds planes to the input and nothing else: at its end,
	// in this order.
	Extends []string
	// Grows are those of Size of which a network may have more than the weights that it begins with: its blocks end
	// with the gain of a normalisation "bn2", and a parameter's first axis is what it makes, its second what it takes.
	Grows   []string
	Presets []Preset // other settings to start from; the default one has no name and is first
	// Gentler is what the learning rates are divided by where a training begins with trained weights; 0 = 10.
	Gentler float64
	// Search is what its networks are played with where nothing else is said, as parameters of a match: "c=1.5,fpu=0".
	Search string
	// Winograd has XLA train with [model.Winograd] in float32 on a processor. A recipe most of whose work are 3×3
	// convolutions of activations sets it; others that convolve train one step at a time there.
	Winograd bool
	// Masked recipes train policies over the legal moves only; for others "legal_mask" is a setting.
	Masked bool

	build func(Settings) (Built, error)
	write func(Settings) (Settings, error) // in the one way of [Settings]
}

// Preset are settings to start from.
type Preset struct {
	Name     string // "" = the default
	About    string
	Settings Settings
	Training Training
	Epochs   int64 // where no steps are given
	ByEpoch  bool  // there is a validation after each epoch
}

// Built is a recipe with its settings.
type Built struct {
	Encoder encode.Encoder
	Network model.Network
}

// HasValue reports whether the network answers with a value.
func (b Built) HasValue() bool {
	return slices.ContainsFunc(b.Network.Heads(), func(h model.Head) bool { return h.Name == "value" })
}

// Training is how a network is trained; run.Config says what the rest of a run depends on.
type Training struct {
	Batch int   `json:"batch"` // samples a step
	Steps int64 `json:"steps"` // length of the run and of its schedule

	Schedule    string    `json:"schedule"` // of the learning rate: schedule.Names
	Optimizer   Optimizer `json:"optimizer,omitempty"`
	LR          float64   `json:"lr"`     // highest learning rate
	MinLR       float64   `json:"min_lr"` // learning rate of the last step
	Warmup      int64     `json:"warmup"` // steps of linear rise from 0
	WeightDecay float64   `json:"weight_decay"`
	Decay       Decay     `json:"decay"`             // which tensors decay
	Epsilon     float64   `json:"epsilon,omitempty"` // of Adam, beside the root; 0 = 1e-8, PyTorch's
	Clip        float64   `json:"clip"`              // highest global norm of the gradient, 0 = no clipping
}

// Optimizer says how weights are updated.
type Optimizer string

// The optimizers.
const (
	AdamW Optimizer = ""     // all of them, as in PyTorch
	Muon  Optimizer = "muon" // those of the blocks by directions of equal singular values, the others by AdamW
	SGD   Optimizer = "sgd"  // all of them, with momentum 0.9, as in PyTorch
)

// Decay says which tensors weight decay applies to.
type Decay string

const (
	DecayAll     Decay = "all"     // every trainable tensor, as the reference does
	DecayWeights Decay = "weights" // convolution kernels and matrices, not biases and normalisations
)

// ErrUnknown reports that there is no recipe or preset of a name.
var ErrUnknown = errors.New("unknown")

// All returns the recipes in the order of the list.
func All() []*Recipe { return recipes }

// Names lists the recipes.
func Names() (names []string) {
	for _, r := range recipes {
		names = append(names, r.Name)
	}
	return names
}

// ByName returns the recipe of that name; [ErrUnknown] if there is none.
func ByName(name string) (*Recipe, error) {
	for _, r := range recipes {
		if r.Name == name {
			return r, nil
		}
	}
	return nil, fmt.Errorf("%w recipe %q (known: %s)", ErrUnknown, name, strings.Join(Names(), ", "))
}

// Build returns the recipe of that name with its settings.
func Build(name string, s Settings) (Built, error) {
	r, err := ByName(name)
	if err != nil {
		return Built{}, err
	}
	return r.Build(s)
}

// BuildWhole is [Build] of settings that were written by talbot: every one of them is there, in the one form.
func BuildWhole(name string, s Settings) (Built, error) {
	r, err := ByName(name)
	if err != nil {
		return Built{}, err
	}
	if whole, err := r.write(s); err != nil {
		return Built{}, err
	} else if s != whole {
		return Built{}, fmt.Errorf("settings %s of the recipe %s are not whole", s, name)
	}
	return r.Build(s)
}

// Build returns the recipe with these settings; what they do not say is as in the default preset. An error names the
// setting that cannot be.
func (r *Recipe) Build(s Settings) (Built, error) { return r.build(s) }

// Preset returns the preset of that name; [ErrUnknown] if there is none.
func (r *Recipe) Preset(name string) (Preset, error) {
	var names []string
	for _, p := range r.Presets {
		if p.Name == name {
			return p, nil
		}
		if p.Name != "" {
			names = append(names, p.Name)
		}
	}
	if names == nil {
		return Preset{}, fmt.Errorf("%w preset %q: the recipe %s has none", ErrUnknown, name, r.Name)
	}
	return Preset{}, fmt.Errorf("%w preset %q of the recipe %s (known: %s)", ErrUnknown, name, r.Name,
		strings.Join(names, ", "))
}
