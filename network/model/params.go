package model

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Kind says what a parameter is; initial value and weight decay follow from it.
type Kind uint8

const (
	Weight      Kind = iota // of a convolution or linear layer
	Bias                    // of a convolution or linear layer
	NormGain                // of a batch normalisation: 1
	NormBias                // of a batch normalisation: 0
	RunningMean             // statistic, starts at 0, not trained
	RunningVar              // statistic, starts at 1, not trained
)

// Param describes one parameter or statistic, float32.
type Param struct {
	// Name is PyTorch's in a state dict. Muon updates the weights of "blocks." and "encoders." alone, and the
	// oracles of train/testdata tell normalisations by ".bn" or ".ln".
	Name  string
	Shape []int
	Kind  Kind
	// FanIn makes the first value of a Weight or Bias U(−1/√fan-in, 1/√fan-in), PyTorch's; 0 makes that of a Bias 0.
	FanIn int
	// FanOut, where it is not 0, makes that of a Weight U(−b, b) with b = √(6/(fan-in + fan-out)), Keras's (Glorot and
	// Bengio, Understanding the Difficulty of Training Deep Feedforward Neural Networks).
	FanOut int
	// Gain, where it is not 0, makes the bound that many times as large, and Start is the first value of a Bias without
	// FanIn.
	Gain, Start float64
}

// Trainable tells parameters from statistics.
func (p Param) Trainable() bool { return p.Kind < RunningMean }

// Size is the number of elements.
func (p Param) Size() int {
	n := 1
	for _, d := range p.Shape {
		n *= d
	}
	return n
}

// Initial returns the first value: a function of seed and name only, so it is the same on every backend and does not
// depend on the other parameters.
func (p Param) Initial(seed uint64) []float32 {
	data := make([]float32, p.Size())
	switch p.Kind {
	case NormGain, RunningVar:
		for i := range data {
			data[i] = 1
		}
	case Weight, Bias:
		if p.FanIn == 0 {
			for i := range data {
				data[i] = float32(p.Start)
			}
			break
		}
		h := fnv.New64a()
		h.Write([]byte(p.Name))
		rng := rand.New(rand.NewPCG(seed, h.Sum64()))
		bound := 1 / math.Sqrt(float64(p.FanIn))
		if p.FanOut > 0 {
			bound = math.Sqrt(6 / float64(p.FanIn+p.FanOut))
		}
		if p.Gain > 0 {
			bound *= p.Gain
		}
		for i := range data {
			data[i] = float32((2*rng.Float64() - 1) * bound)
		}
	}
	return data
}

// layers are parameters that are being listed, under PyTorch's names and with PyTorch's first values.
type layers []Param

func (l *layers) add(kind Kind, fanIn int, name string, shape ...int) {
	*l = append(*l, Param{Name: name, Shape: shape, Kind: kind, FanIn: fanIn})
}

// bias adds that of a convolution or linear layer.
func (l *layers) bias(name string, out, fanIn int) { l.add(Bias, fanIn, name+".bias", out) }

// conv adds a convolution without bias.
func (l *layers) conv(name string, out, in, size int) {
	l.add(Weight, in*size*size, name+".weight", out, in, size, size)
}

func (l *layers) norm(name string, c int) {
	l.add(NormGain, 0, name+".weight", c)
	l.add(NormBias, 0, name+".bias", c)
	l.add(RunningMean, 0, name+".running_mean", c)
	l.add(RunningVar, 0, name+".running_var", c)
}

func (l *layers) linear(name string, out, in int) {
	l.add(Weight, in, name+".weight", out, in)
	l.bias(name, out, in)
}

// keras gives convolutions and linear layers Keras's first values.
func (l layers) keras() []Param {
	for i, p := range l {
		switch p.Kind {
		case Weight:
			l[i].FanOut = p.FanIn / p.Shape[1] * p.Shape[0]
		case Bias:
			l[i].FanIn = 0
		}
	}
	return l
}

// Store holds the values of a network's parameters, on the host or on the device that ran last.
// It is not safe for concurrent use.
type Store struct {
	*model.Store
	params []Param
}

// NewStore returns a store with the initial values for the seed.
func NewStore(n Network, seed uint64) (*Store, error) {
	return StoreOf(n, func(p Param) ([]float32, error) { return p.Initial(seed), nil })
}

// StoreOf returns a store with the values that value returns, which are copied.
func StoreOf(n Network, value func(Param) ([]float32, error)) (*Store, error) {
	s := &Store{Store: model.NewStore(), params: n.Params()}
	for _, p := range s.params {
		data, err := value(p)
		if err != nil {
			return nil, err
		}
		if err := s.create(p.Name, p.Trainable(), data, p.Shape); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Store) create(name string, trainable bool, data []float32, shape []int) error {
	v, err := s.CreateVariable("/"+name, tensors.FromFlatDataAndDimensions(data, shape...))
	if err != nil {
		return fmt.Errorf("parameter %q: %w", name, err)
	}
	v.SetTrainable(trainable)
	return nil
}

// Params lists the network's parameters in their fixed order.
func (s *Store) Params() []Param { return s.params }

// AddZeros adds a tensor of zeros of a parameter's shape, under another name.
func (s *Store) AddZeros(name string, p Param) error {
	return s.create(name, false, make([]float32, p.Size()), p.Shape)
}

// AddCopies adds a copy of each parameter and statistic as it is now, named prefix + its name.
func (s *Store) AddCopies(prefix string) error {
	for _, p := range s.params {
		data, err := s.Get(p.Name)
		if err != nil {
			return err
		}
		if err := s.create(prefix+p.Name, false, data, p.Shape); err != nil {
			return err
		}
	}
	return nil
}

// Get copies a variable's value to the host.
func (s *Store) Get(name string) ([]float32, error) {
	v := s.GetVariable("/" + name)
	if v == nil {
		return nil, fmt.Errorf("no parameter %q", name)
	}
	t, err := v.Value()
	if err != nil {
		return nil, fmt.Errorf("parameter %q: %w", name, err)
	}
	return tensors.CopyFlatData[float32](t)
}

// Set replaces a variable's value; the shape must be the declared one.
func (s *Store) Set(name string, shape []int, data []float32) error {
	v := s.GetVariable("/" + name)
	if v == nil {
		return fmt.Errorf("no parameter %q", name)
	}
	if got := v.Shape().Dimensions; fmt.Sprint(got) != fmt.Sprint(shape) {
		return fmt.Errorf("parameter %q has shape %v, not %v", name, got, shape)
	}
	if err := v.SetValue(tensors.FromFlatDataAndDimensions(data, shape...)); err != nil {
		return fmt.Errorf("parameter %q: %w", name, err)
	}
	return nil
}

// CountTrainable is the number of trainable numbers.
func CountTrainable(params []Param) int {
	n := 0
	for _, p := range params {
		if p.Trainable() {
			n += p.Size()
		}
	}
	return n
}
