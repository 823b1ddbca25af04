// Package tinyrun writes runs for tests: networks that were not trained, with statistics as if they were.
package tinyrun

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/model"

	"talbot/network/backend"
	"talbot/network/checkpoint"
	"talbot/network/model"
	"talbot/network/recipe"
	"talbot/network/run"
)

// Config returns the configuration of a recipe, with settings written NAME=VALUE.
func Config(t testing.TB, name string, sets ...string) run.Config {
	t.Helper()
	c, err := run.New(name, "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := recipe.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range sets {
		key, value, _ := strings.Cut(set, "=")
		if c.Settings, err = r.Set(c.Settings, key, value); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// Small returns the configuration of a recipe, with two small blocks where it has such settings.
func Small(t testing.TB, name string) run.Config {
	t.Helper()
	c := Config(t, name)
	r, err := recipe.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range [][2]string{{"blocks", "2"}, {"filters", "16"}, {"width", "16"}} {
		if smaller, err := r.Set(c.Settings, set[0], set[1]); err == nil {
			c.Settings = smaller
		}
	}
	return c
}

// Weights returns initial weights, and statistics drawn at random.
func Weights(t testing.TB, c run.Config) []checkpoint.Tensor {
	t.Helper()
	built, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	store, err := model.NewStore(built.Network, uint64(c.Seed))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Finalize()
	rng := rand.New(rand.NewPCG(1, uint64(c.Seed)))
	var list []checkpoint.Tensor
	for _, p := range store.Params() {
		data, err := store.Get(p.Name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range data {
			switch p.Kind {
			case model.RunningMean, model.NormBias:
				data[i] = 0.2 * float32(rng.NormFloat64())
			case model.RunningVar, model.NormGain:
				data[i] = 0.5 + rng.Float32()
			}
		}
		list = append(list, checkpoint.Tensor{Name: p.Name, Shape: p.Shape, Data: data})
	}
	return list
}

// Write writes a run with one checkpoint, of step 7.
func Write(t testing.TB, c run.Config, tensors []checkpoint.Tensor) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	meta, err := json.Marshal(run.State{Config: c, Step: 7})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Write(dir); err != nil {
		t.Fatal(err)
	}
	path, err = run.Checkpoints(dir).Save(7, &checkpoint.File{Meta: meta, Tensors: tensors}, true)
	if err != nil {
		t.Fatal(err)
	}
	return dir, path
}

// Heads returns the heads of packed inputs, computed as in training.
func Heads(t testing.TB, b *backend.Backend, n recipe.Built, weights []checkpoint.Tensor, packed []uint64) [][]float32 {
	t.Helper()
	store, err := model.StoreOf(n.Network, func(p model.Param) ([]float32, error) {
		i := slices.IndexFunc(weights, func(w checkpoint.Tensor) bool { return w.Name == p.Name })
		return weights[i].Data, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Finalize()
	exec, err := gomlx.NewExec(b.Backend, store.Store, func(_ *gomlx.Scope, in []*graph.Node) []*graph.Node {
		return n.Network.Forward(&model.Pass{Store: store, Conv: b.Conv}, n.Network.Unpack(b.Conv, in[0]))
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	words := n.Encoder.Layout().Words
	out, err := exec.Call(tensors.FromFlatDataAndDimensions(packed, len(packed)/words, words))
	if err != nil {
		t.Fatal(err)
	}
	var heads [][]float32
	for _, head := range out {
		heads = append(heads, tensors.MustCopyFlatData[float32](head))
	}
	return heads
}
