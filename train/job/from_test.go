package job

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/model"

	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/testkit"
	"talbot/internal/testkit/traindata"
	"talbot/network/backend"
	"talbot/network/model"
	"talbot/network/predict"
	"talbot/network/recipe"
	"talbot/network/run"
	"talbot/shards"
)

// otherwise returns another value of a setting than the one it has.
func otherwise(t *testing.T, c run.Config, name string) string {
	t.Helper()
	value := c.Settings.Values()[name]
	if value == "true" || value == "false" {
		return strconv.FormatBool(value == "false")
	}
	if n, err := strconv.Atoi(value); err == nil && n > 0 {
		return strconv.Itoa(2 * n)
	}
	x, err := strconv.ParseFloat(value, 64)
	if err != nil {
		t.Fatalf("%s=%s: %v", name, value, err)
	}
	return strconv.FormatFloat(0.75-x/2, 'g', -1, 64)
}

// leelaOther has other values for the settings of a residual tower of the recipe leela.
var leelaOther = map[string]string{"input": "4", "activation": "mish", "blocks": "2", "filters": "12", "squeeze": "4",
	"norm": "false", "policy": "classical", "policy_filters": "73", "chances": "false", "value_filters": "16",
	"value_hidden": "64", "value_weight": "0.5", "moves_left_weight": "0.5"}

// TestFromEverySetting goes through all settings of all recipes. A run that begins with weights of a network with that
// setting has all of its settings, and one that asks for another value is refused if the same weights compute something
// else with it, and warned if it learns something else. Which settings do either is measured: by the shapes of the
// parameters, by all heads and answers of the same weights about the same positions, by what samples hold, and by the
// terms of the loss.
func TestFromEverySetting(t *testing.T) {
	data := write(t, traindata.Dataset{Seed: 5, Games: 12, Candidates: true, Rated: true}).Dir
	b, err := backend.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize()
	tried := 0
	for _, r := range recipe.All() {
		base, err := run.New(r.Name, "")
		if err != nil {
			t.Fatal(err)
		}
		small(&base, 1)
		for _, name := range r.SettingNames() {
			var value string
			if value = leelaOther[name]; r.Name != "leela" {
				value = otherwise(t, base, name)
			} else if value == "" { // of another body
				continue
			}
			tried++
			other := base
			if err := set(&other, name, value); err != nil {
				t.Fatal(err)
			}
			shapes, heads, learns := difference(t, b, data, base, other)
			for kind, list := range map[string][]string{"size": r.Size, "computes": r.Computes, "learns": r.Learns} {
				if want := map[string]bool{"size": shapes, "computes": heads, "learns": learns}[kind]; want !=
					slices.Contains(list, name) {
					t.Errorf("%s: %s is %v, and %s: %v", r.Name, kind, list, name, want)
				}
			}

			weights := &run.Weights{Config: other}
			c, err := Train{Steps: 1}.config(100, weights)
			if err != nil || c.Settings != other.Settings || c.Recipe != r.Name {
				t.Errorf("%s, %s: begins with the settings %s of weights with %s, %v", r.Name, name, c.Settings,
					other.Settings, err)
			}
			back := base.Settings.Values()[name]
			asked := Train{Steps: 1, Adjust: func(c *run.Config) error { return set(c, name, back) }}
			warned := 0
			asked.Warn = func(error) { warned++ }
			c, err = asked.config(100, weights)
			// planes are added at the end alone: of the test's networks only the last ones are
			extends := len(r.Extends) > 0 && name == r.Extends[len(r.Extends)-1] && back == "true"
			if refused := (shapes || heads) && !extends; (err != nil) != refused {
				t.Errorf("%s, weights with %s=%s, asked for %s: %v", r.Name, name, other.Settings.Values()[name], back,
					err)
			}
			if err == nil {
				c.ValueTarget, c.PolicyTarget = "", "" // those of the weights are not said
				if asked.compare(c, weights); (warned > 0) != learns {
					t.Errorf("%s, %s: %d warnings", r.Name, name, warned)
				}
			}
		}
	}
	if tried < 20 {
		t.Errorf("%d settings", tried)
	}
}

// difference compares two networks: the shapes of their parameters and, where these are the same, their heads with the
// same weights; and where these are the same, their answers and what is learnt.
func difference(t *testing.T, b *backend.Backend, data string, x, y run.Config) (shapes, heads, learns bool) {
	t.Helper()
	var said [2][][]float32
	var nets [2]recipe.Built
	heading := 0
	for i, c := range []run.Config{x, y} {
		var err error
		if nets[i], err = c.Build(); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.EqualFunc(nets[0].Network.Params(), nets[1].Network.Params(), func(a, b model.Param) bool {
		return a.Name == b.Name && slices.Equal(a.Shape, b.Shape)
	}) {
		return true, false, false
	}
	for i, built := range nets {
		heading = len(built.Network.Heads())
		said[i] = says(t, b, data, built)
	}
	if !reflect.DeepEqual(said[0][:heading], said[1][:heading]) {
		return false, true, false
	}
	terms := func(n model.Network) (list []model.Term) {
		for _, term := range n.Terms() {
			term.Weight = 0 // how much, not what
			list = append(list, term)
		}
		return list
	}
	layouts := [2]encode.Layout{nets[0].Encoder.Layout(), nets[1].Encoder.Layout()}
	return false, false, !reflect.DeepEqual(said[0], said[1]) || layouts[0].Words != layouts[1].Words ||
		layouts[0].Moves != layouts[1].Moves || layouts[0].Scores != layouts[1].Scores ||
		nets[0].Encoder.ValueFormula() != nets[1].Encoder.ValueFormula() ||
		!reflect.DeepEqual(terms(nets[0].Network), terms(nets[1].Network))
}

// positions returns questions about the first positions of a dataset, whether or not there is something to learn of
// them.
func positions(t *testing.T, dir string, e encode.Encoder, n int) (list []predict.Input) {
	t.Helper()
	d, err := shards.OpenDataset(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	layout := e.Layout()
	counting, err := dataset.NewCounting(d.Manifest.Fingerprints, "")
	if err == nil && layout.Candidates > 0 {
		counting, err = counting.WithCandidates(d.Manifest, layout.Candidates)
	}
	if err != nil {
		t.Fatal(err)
	}
	var w dataset.Walker
	var v encode.View
	for line, err := range d.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		for w.Reset(line); w.Next() && len(list) < n; {
			v.Visit(&w, counting.Of(line, w.Sample()))
			if len(v.Legal()) == 0 {
				continue
			}
			q := predict.Input{Packed: make([]uint64, layout.Words)}
			e.Pack(q.Packed, &v)
			for _, m := range v.Legal() {
				code := make([]int32, layout.Codes)
				if layout.Codes > 0 {
					e.EncodeMove(code, &v, m)
				}
				q.Codes = append(q.Codes, code...)
			}
			list = append(list, q)
		}
	}
	return list
}

// says returns the heads of a network with its first weights, and after them its answers, about some positions.
func says(t *testing.T, b *backend.Backend, data string, built recipe.Built) (list [][]float32) {
	t.Helper()
	store, err := model.NewStore(built.Network, 7)
	if err != nil {
		t.Fatal(err)
	}
	layout := built.Encoder.Layout()
	questions := positions(t, data, built.Encoder, 30)
	longest := 1
	for _, q := range questions {
		longest = max(longest, len(q.Codes)/max(layout.Codes, 1))
	}
	var packed []uint64
	var codes []int32
	for _, q := range questions {
		packed = append(packed, q.Packed...)
		codes = append(append(codes, q.Codes...), slices.Repeat([]int32{-1}, longest*layout.Codes-len(q.Codes))...)
	}
	exec, err := gomlx.NewExec(b.Backend, store.Store, func(_ *gomlx.Scope, in []*graph.Node) []*graph.Node {
		pass := &model.Pass{Store: store, Conv: b.Conv}
		heads := built.Network.Forward(pass, built.Network.Unpack(b.Conv, in[0]))
		legal := in[1]
		if layout.Codes == 0 {
			legal = nil
		}
		answer := built.Network.Outputs(heads, legal)
		return append(slices.Clip(heads), answer.Nodes()...)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	legal := tensors.FromFlatDataAndDimensions([]int32{0}, 1)
	if layout.Codes > 0 {
		legal = tensors.FromFlatDataAndDimensions(codes, len(questions), longest, layout.Codes)
	}
	out, err := exec.Call(tensors.FromFlatDataAndDimensions(packed, len(questions), layout.Words), legal)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range out {
		values, err := tensors.CopyFlatData[float32](x)
		if err != nil { // words of moves
			words := tensors.MustCopyFlatData[int32](x)
			values = make([]float32, len(words))
			for i, w := range words {
				values[i] = float32(w)
			}
		}
		list = append(list, values)
	}
	return list
}

// TestFromTakesNothingElse: of all members of a configuration a run inherits its network and what that was trained to
// say; length, schedule, optimizer and all else are those that a run without weights has.
func TestFromTakesNothingElse(t *testing.T) {
	inherited := []string{"recipe", "settings", "value_target", "value_formula", "policy_target", "from"}
	w := &run.Weights{Origin: run.Origin{Path: "/w", Step: 3}}
	var err error
	if w.Config, err = run.New("talbotbot", "10x64"); err != nil {
		t.Fatal(err)
	}
	settings := w.Config.Settings
	change(reflect.ValueOf(&w.Config).Elem())
	w.Config.Recipe, w.Config.Settings = "talbotbot", settings
	w.Config.ValueTarget, w.Config.PolicyTarget = "wdl", "multipv:0.2"
	for _, preset := range []*string{nil, new("10x64")} {
		job := Train{Steps: 50, Preset: preset}
		got, err := job.config(100, w)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := job.config(100, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Settings != settings || got.ValueTarget != "wdl" || got.PolicyTarget != "multipv:0.2" ||
			!strings.Contains(got.ValueFormula, "1000") || got.From != w.Origin {
			t.Errorf("%+v", got)
		}
		if preset == nil && got.LR == plain.LR/10 && got.MinLR == plain.MinLR/10 {
			got.LR, got.MinLR = plain.LR, plain.MinLR // the rate is a tenth of the recipe's
		}
		members(reflect.ValueOf(got), reflect.ValueOf(plain), func(name string, same bool) {
			if !same && !slices.Contains(inherited, name) {
				t.Errorf("%s is another one than without weights", name)
			}
		})
	}

	// Of lc0's networks, trained for long, the rate is a fortieth.
	lc0 := &run.Weights{Origin: run.Origin{Path: "/w", Step: 3}, Config: testkit.Must(run.New("leela", ""))}
	got := testkit.Must(Train{Steps: 50}.config(100, lc0))
	if plain := lc0.Config; got.LR != plain.LR/40 || got.MinLR != plain.MinLR/40 {
		t.Errorf("rates %g and %g, of random weights %g and %g", got.LR, got.MinLR, plain.LR, plain.MinLR)
	}

	// A preset that would make another network of the weights is refused.
	if w.Config, err = run.New("nosearch", "early"); err != nil {
		t.Fatal(err)
	}
	if err := set(&w.Config, "heads", 2); err != nil {
		t.Fatal(err)
	}
	if _, err := (Train{Steps: 50, Preset: new("early")}).config(100, w); err == nil ||
		!strings.Contains(err.Error(), "were trained with heads=2, and would compute something else with heads=8") {
		t.Errorf("a preset with other heads: %v", err)
	}
	if c, err := (Train{Steps: 50}).config(100, w); err != nil ||
		c.Settings.Values()["dropout"] != "0.1" || c.Settings.Values()["heads"] != "2" {
		t.Errorf("%s, %v", c.Settings, err)
	}
}

// change gives every member of a struct another value.
func change(v reflect.Value) {
	for _, field := range v.Fields() {
		switch f := field; f.Kind() {
		case reflect.Struct:
			change(f)
		case reflect.Bool:
			f.SetBool(!f.Bool())
		case reflect.Int, reflect.Int64:
			f.SetInt(f.Int() + 17)
		case reflect.Float64:
			f.SetFloat(f.Float() + 0.125)
		case reflect.String:
			f.SetString(f.String() + "x")
		}
	}
}

// members tells of every member of two structs whether it is the same.
func members(a, b reflect.Value, each func(name string, same bool)) {
	for i := range a.NumField() {
		f := a.Type().Field(i)
		if f.Anonymous {
			members(a.Field(i), b.Field(i), each)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		each(name, reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()))
	}
}
