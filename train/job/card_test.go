package job

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/testkit/traindata"
	"talbot/network/checkpoint"
	"talbot/network/predict"
	"talbot/network/run"
	"talbot/train/loader"
)

// TestCardOfGiven: a run that begins with a network that has a card continues with its training.
func TestCardOfGiven(t *testing.T) {
	data := write(t, traindata.Dataset{Seed: 1, Games: 100})
	first := tiny(t, data)
	mustTrain(t, first)
	given := filepath.Join(t.TempDir(), "given.safetensors")
	if _, err := (Export{Dir: first.Dir, Out: output.File{Path: given}, Format: "net",
		Licence: "CC0-1.0"}).Run(); err != nil {
		t.Fatal(err)
	}
	card, _ := describe(t, first.Dir)
	second := tiny(t, data)
	second.Recipe, second.From = "", given
	mustTrain(t, second)
	both, warned := describe(t, second.Dir)
	if len(warned) > 0 || len(both.Training) != 2 || both.Training[0].To != card.Training[0].To ||
		both.Training[0].Data[0].Manifest != card.Training[0].Data[0].Manifest {
		t.Errorf("%+v, %v", both, warned)
	}
}

// describe exports the network of a run to give it away.
func describe(t *testing.T, dir string) (card *run.Card, warned []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "net.safetensors")
	_, err := Export{Dir: dir, Out: output.File{Path: path}, Format: "net", Licence: "CC0-1.0",
		Warn: collect(&warned)}.Run()
	if err != nil {
		t.Fatal(err)
	}
	file, err := checkpoint.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	d, err := run.Describe(file, path)
	if err != nil || d.Card == nil {
		t.Fatal(d, err)
	}
	return d.Card, warned
}

// TestCard: a card says what the files of a run and of the runs before it do, and warns of what is not there any more.
func TestCard(t *testing.T) {
	data, more := write(t, traindata.Dataset{Seed: 1, Games: 100}),
		write(t, traindata.Dataset{Seed: 2, Games: 60, Splits: dataset.Splits{Train: 80, Val: 20}})
	first := tiny(t, data)
	first.Until = 20
	mustTrain(t, first)
	second := tiny(t, more)
	second.Recipe, second.After = "", first.Dir
	second.Data[0].Weight = 1
	mustTrain(t, second)
	card, warned := describe(t, second.Dir)
	if len(warned) > 0 || len(card.Training) != 2 || card.Licence != "CC0-1.0" || card.Weights != "raw" ||
		card.Network != "1 block of 8 filters" || card.Parameters == 0 || card.Val == nil || card.Val.Loss == 0 {
		t.Fatalf("%+v, %v", card, warned)
	}
	a, b := card.Training[0], card.Training[1]
	if a.From != 0 || a.To != 20 || b.From != 20 || a.Batch != 16 || a.Backend != "go" || a.Hours <= 0 || b.Hours <= 0 {
		t.Errorf("%+v", card.Training)
	}
	for i, want := range []string{data.Dir, more.Dir} {
		d := card.Training[i].Data[0]
		if d.Name != filepath.Base(want) || len(d.Manifest) != 64 || d.Samples == 0 || d.Lines == 0 || d.Made == "" {
			t.Errorf("data %+v", d)
		}
	}
	whole := card.Training
	for _, gone := range []string{first.Dir, more.Dir} {
		if err := os.RemoveAll(gone); err != nil {
			t.Fatal(err)
		}
	}
	if card, warned = describe(t, second.Dir); len(warned) > 0 || !reflect.DeepEqual(card.Training, whole) {
		t.Errorf("with data and the earlier run gone: %+v, %v", card.Training, warned)
	}

	// What was not known when a run began is not known to it, nor to those after it.
	if err := os.WriteFile(filepath.Join(second.Dir, "data.json"), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	third := tiny(t, data)
	third.Recipe, third.From = "", second.Dir
	mustTrain(t, third)
	fourth := tiny(t, data)
	fourth.Recipe, fourth.From = "", third.Dir
	mustTrain(t, fourth)
	card, warned = describe(t, fourth.Dir)
	if len(warned) != 1 || !strings.Contains(warned[0], "does not say how the weights") || len(card.Training) != 2 ||
		len(card.Training[0].Origin) != 64 || card.Training[1].Origin != "" {
		t.Errorf("%+v, %v", card.Training, warned)
	}

	random := tiny(t)
	random.Steps = 0
	if _, _, err := random.Init(); err != nil {
		t.Fatal(err)
	}
	fifth := tiny(t, data)
	fifth.Recipe, fifth.From = "", random.Dir
	mustTrain(t, fifth)
	if err := os.RemoveAll(random.Dir); err != nil {
		t.Fatal(err)
	}
	card, warned = describe(t, fifth.Dir)
	if len(card.Training) != 1 || card.Training[0].Origin != "" || len(warned) != 0 {
		t.Errorf("%+v, %v", card.Training, warned)
	}

	// A run that took another's weights and was not trained has its training.
	copied := tiny(t)
	copied.Recipe, copied.From, copied.Steps = "", fifth.Dir, 0
	if _, _, err := copied.Init(); err != nil {
		t.Fatal(err)
	}
	of := func(dir string) map[string][]float32 {
		w, err := run.ReadWeights(dir)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string][]float32{}
		for _, tensor := range w.File.Tensors {
			name, ok := strings.CutPrefix(tensor.Name, w.Config.Evaluated())
			if ok && !strings.HasPrefix(name, "optimizer.") {
				all[name] = tensor.Data
			}
		}
		return all
	}
	if have := of(copied.Dir); len(have) == 0 || !reflect.DeepEqual(have, of(fifth.Dir)) {
		t.Error("the weights differ")
	}
	trained := card.Training
	if card, warned = describe(t, copied.Dir); !reflect.DeepEqual(card.Training, trained) || len(warned) != 0 {
		t.Errorf("%+v, %v", card.Training, warned)
	}
	sixth := tiny(t, data)
	sixth.Recipe, sixth.From = "", copied.Dir
	mustTrain(t, sixth)
	if card, warned = describe(t, sixth.Dir); len(card.Training) != 2 ||
		!reflect.DeepEqual(card.Training[:1], trained) || len(warned) != 0 {
		t.Errorf("%+v, %v", card.Training, warned)
	}
}

// firstChoices are the moves that a network finds most probable.
func firstChoices(t *testing.T, path string, spec loader.Spec, most int) (list []int) {
	t.Helper()
	p := openNetwork(t, path)
	defer p.Close()
	questions := positions(t, spec.Dir, p.Encoder(), most)
	answers := make([]predict.Output, len(questions))
	if err := p.Predict(t.Context(), questions, answers); err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		list = append(list, slices.Index(a.Prior, slices.Max(a.Prior)))
	}
	return list
}

// TestHalfKeepsTheFirstChoice compares a network in float32 with itself in half precision.
func TestHalfKeepsTheFirstChoice(t *testing.T) {
	spec := write(t, traindata.Dataset{Seed: 3, Games: 60})
	train := tiny(t, spec)
	train.Recipe = "lynx"
	mustTrain(t, train)
	whole := exportTo(t, train.Dir, "safetensors")
	short := exportTo(t, train.Dir, "net")
	a, b := firstChoices(t, whole, spec, 1000), firstChoices(t, short, spec, 1000)
	same := 0
	for i := range a {
		if a[i] == b[i] {
			same++
		}
	}
	if t.Logf("%d of %d first choices are the same", same, len(a)); len(a) < 500 || same < len(a)*99/100 {
		t.Errorf("%d of %d first choices are the same", same, len(a))
	}
}
