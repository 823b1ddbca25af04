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

	"talbot/internal/testkit"
	"talbot/network/backend"
	"talbot/network/checkpoint"
	"talbot/network/model"
	"talbot/network/recipe"
	"talbot/network/run"
)

// Config returns the configuration of a recipe, with settings written NAME=VALUE.
func Config(t testing.TB, name string, sets ...string) run.Config {
	t.Helper()
	c := testkit.Value(run.New(name, ""))(t)
	for _, set := range sets {
		key, value, _ := strings.Cut(set, "=")
		testkit.OK(t, c.Set(key, value))
	}
	return c
}

// Small returns the configuration of a recipe, with two small blocks where it has such settings.
func Small(t testing.TB, name string) run.Config {
	t.Helper()
	c := Config(t, name)
	for _, set := range [][2]string{{"blocks", "2"}, {"filters", "16"}, {"width", "16"}} {
		_ = c.Set(set[0], set[1])
	}
	return c
}

// Weights returns initial weights, and statistics drawn at random.
func Weights(t testing.TB, c run.Config) []checkpoint.Tensor {
	t.Helper()
	built := testkit.Value(c.Build())(t)
	store := testkit.Value(model.NewStore(built.Network, uint64(c.Seed)))(t)
	defer store.Finalize()
	rng := rand.New(rand.NewPCG(1, uint64(c.Seed)))
	var list []checkpoint.Tensor
	for _, p := range store.Params() {
		data := testkit.Value(store.Get(p.Name))(t)
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
	meta := testkit.Value(json.Marshal(run.State{Config: c, Step: 7}))(t)
	testkit.OK(t, c.Write(dir))
	path = testkit.Value(run.Checkpoints(dir).Save(7, &checkpoint.File{Meta: meta, Tensors: tensors}, true))(t)
	return dir, path
}

// Heads returns the heads of packed inputs, computed as in training.
func Heads(t testing.TB, b *backend.Backend, n recipe.Built, weights []checkpoint.Tensor, packed []uint64) [][]float32 {
	t.Helper()
	store := testkit.Value(model.StoreOf(n.Network, func(p model.Param) ([]float32, error) {
		i := slices.IndexFunc(weights, func(w checkpoint.Tensor) bool { return w.Name == p.Name })
		return weights[i].Data, nil
	}))(t)
	defer store.Finalize()
	exec := testkit.Value(gomlx.NewExec(b.Backend, store.Store,
		func(_ *gomlx.Scope, in []*graph.Node) []*graph.Node {
			return n.Network.Forward(&model.Pass{Store: store, Conv: b.Conv}, n.Network.Unpack(b.Conv, in[0]))
		}))(t)
	defer exec.Finalize()
	words := n.Encoder.Layout().Words
	out := testkit.Value(exec.Call(tensors.FromFlatDataAndDimensions(packed, len(packed)/words, words)))(t)
	var heads [][]float32
	for _, head := range out {
		heads = append(heads, tensors.MustCopyFlatData[float32](head))
	}
	return heads
}
