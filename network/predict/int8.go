package predict

import (
	_ "embed"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"talbot/board"
	"talbot/encode"
	"talbot/network/backend"
	"talbot/network/onnx"
	"talbot/network/ort"
)

// positionsText has 256 positions of games that Stockfish played with itself, weak moves among them (talbot synth-games
// --games 256 --seed 77, one of each game): a FEN, and up to eight moves that follow.
//
//go:embed positions.txt
var positionsText string

// ErrNoInt8 reports that a network has nothing that [onnx.Graph.Int8] computes in 8 bits.
var ErrNoInt8 = errors.New("has no convolutions, followed by a normalisation, to compute in 8 bits: " +
	"use the backend onnx")

// calibrated is how many of them are computed at once: what lies between the layers of a large network takes megabytes
// for each.
const calibrated = 32

// calibrate computes the network for those positions and returns the ranges that [onnx.Graph.Int8] needs. Errors:
// [ErrNoInt8], [ErrNotFinite].
func calibrate(t *Network, threads int) (map[string]onnx.Range, error) {
	g, err := t.ONNX()
	if err != nil {
		return nil, err
	}
	watched := g.Watch()
	if len(watched) == 0 {
		return nil, fmt.Errorf("the recipe %s %w", t.Config.Recipe, ErrNoInt8)
	}
	text, err := g.Model()
	if err != nil {
		return nil, err
	}
	layout := t.Encoder.Layout()
	all, err := calibrationInputs(t.Encoder)
	if err != nil {
		return nil, err
	}
	const n = calibrated
	in := ort.Tensor{Name: g.Inputs()[0], Shape: append([]int{n}, layout.Shape...),
		Data: make([]float32, n*layout.Numbers())}
	var out []ort.Tensor
	var names []string
	for _, h := range t.Network.Heads() {
		names = append(names, h.Name)
		out = append(out, ort.Tensor{Name: h.Name, Shape: append([]int{n}, h.Shape...)})
	}
	for _, v := range watched {
		names = append(names, v.Name)
		out = append(out, ort.Tensor{Name: v.Name, Shape: append([]int{n}, v.Shape...)})
	}
	for i := range out {
		size := 1
		for _, d := range out[i].Shape {
			size *= d
		}
		out[i].Data = make([]float32, size)
	}
	m, err := ort.NewModel(text, in.Name, names, threads)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	batch, err := m.NewBatch(in, out)
	if err != nil {
		return nil, err
	}
	defer batch.Close()
	ranges := map[string]onnx.Range{}
	for some := range slices.Chunk(all, len(in.Data)) {
		copy(in.Data, some)
		if err := batch.Run(); err != nil {
			return nil, err
		}
		for i, v := range append(out, in) {
			if slices.ContainsFunc(v.Data, notFinite) { // whole numbers have no NaN, and would hide one
				return nil, fmt.Errorf("%w: %q", ErrNotFinite, v.Name)
			}
			if i < len(out)-len(watched) { // a head
				continue
			}
			r := ranges[v.Name]
			for _, x := range v.Data {
				r.Include(x)
			}
			ranges[v.Name] = r
		}
	}
	return ranges, nil
}

// calibrationInputs returns what the network reads of the positions, between players rated from 800 to 2,800.
func calibrationInputs(e encode.Encoder) (numbers []float32, err error) {
	layout := e.Layout()
	packed, view := make([]uint64, layout.Words), new(encode.View)
	for i, line := range strings.Split(strings.TrimSpace(positionsText), "\n") {
		fields := strings.Fields(line)
		p, err := board.ParseFEN(strings.Join(fields[:6], " "))
		if err != nil {
			return nil, fmt.Errorf("position %d: %w", i, err)
		}
		game := board.NewGame(p)
		for _, word := range fields[6:] {
			m, err := game.Position().ParseUCI(word)
			if err != nil {
				return nil, fmt.Errorf("position %d: %w", i, err)
			}
			game.Push(m)
		}
		rating := 800 + 500*(i%5)
		view.Play(game, rating, rating)
		e.Pack(packed, view)
		numbers = append(numbers, make([]float32, layout.Numbers())...)
		e.Unpack(numbers[len(numbers)-layout.Numbers():], packed)
	}
	return numbers, nil
}

// int8Limit is the greatest weight in 8 bits with which ONNX Runtime computes exactly on this processor.
func int8Limit() int {
	if runtime.GOARCH == "amd64" && !backend.VNNI() {
		return 63
	}
	return 127
}
