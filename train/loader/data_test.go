package loader

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/testkit/traindata"
	"talbot/shards"
	"talbot/train"
)

func TestRefusedData(t *testing.T) {
	a := write(t, traindata.Dataset{Seed: 1, Games: 50})
	other := write(t, traindata.Dataset{Seed: 2, Games: 50, Splits: dataset.Splits{Train: 80, Val: 10, Test: 10}})
	bare := write(t, traindata.Dataset{Seed: 3, Games: 50, Source: dataset.SourceEndgame, Unlabelled: true})
	untrained := write(t, traindata.Dataset{Seed: 4, Games: 50, Splits: dataset.Splits{Val: 50, Test: 50}})
	twin := t.TempDir()
	if err := os.CopyFS(twin, os.DirFS(a)); err != nil {
		t.Fatal(err)
	}
	attempt := func(dirs ...string) error {
		var specs []Spec
		for _, dir := range dirs {
			specs = append(specs, Spec{Dir: dir})
		}
		d, err := Open(t.Context(), specs, Options{Encoder: encode.TalbotBot{}})
		if err != nil {
			return err
		}
		defer d.Close()
		_, err = d.Survey(t.Context(), 10, 10, nil)
		return err
	}
	if err := attempt(a, other); !errors.Is(err, ErrSplits) || !strings.Contains(err.Error(), a) ||
		!strings.Contains(err.Error(), other) {
		t.Errorf("different splits: %v", err)
	}
	if err := attempt(a, bare); !errors.Is(err, ErrNoSamples) || !strings.Contains(err.Error(), bare) ||
		!strings.Contains(err.Error(), "samples without any target") {
		t.Errorf("no targets: %v", err)
	}
	if err := attempt(untrained); !errors.Is(err, ErrNoSamples) || !strings.Contains(err.Error(), "0,50,50") {
		t.Errorf("no train split: %v", err)
	}
	if err := attempt(a, twin); err == nil || !strings.Contains(err.Error(), "same dataset") {
		t.Errorf("the same twice: %v", err)
	}
	if err := attempt(filepath.Join(a, "nothing")); !errors.Is(err, dataset.ErrNoDataset) {
		t.Errorf("no dataset: %v", err)
	}
	d := open(t, 1, Spec{Dir: untrained})
	for _, limit := range []int64{0, 5} {
		for _, err := range d.Samples(t.Context(), EvalOptions{Splits: []dataset.Split{dataset.Train}, Limit: limit}) {
			if !errors.Is(err, ErrNoSamples) {
				t.Errorf("empty split: %v", err)
			}
		}
	}
}

func TestDamageSurfaces(t *testing.T) {
	dir := write(t, traindata.Dataset{Seed: 1, Games: threeBlocks})
	d := open(t, 2, Spec{Dir: dir})
	s := survey(t, d)
	path := filepath.Join(dir, shards.Name(0))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for at := int64(1000); at < int64(len(data))/2; at += 1000 { // columns of the first blocks that are read
		if _, err := f.WriteAt([]byte{^data[at]}, at); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Survey(t.Context(), 10, 10, nil); !errors.Is(err, dataset.ErrDamaged) ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("survey: %v", err)
	}
	l := s.NewLoader(LoaderOptions{Batch: 1000, GroupSamples: 1})
	defer l.Close()
	var b train.Batch
	for range s.Train()/1000 + 1 {
		if err = l.Next(&b); err != nil {
			break
		}
	}
	if !errors.Is(err, dataset.ErrDamaged) || !strings.Contains(err.Error(), path) {
		t.Errorf("loader: %v", err)
	}
	for _, err = range d.Samples(t.Context(), EvalOptions{Splits: []dataset.Split{dataset.Train}}) {
		if err != nil {
			break
		}
	}
	if !errors.Is(err, dataset.ErrDamaged) {
		t.Errorf("samples: %v", err)
	}
}
