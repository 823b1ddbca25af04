package loader

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"talbot/encode"
	"talbot/internal/testkit/traindata"
)

// TestKeptSurvey: a kept survey is used as long as the data, the options and its bytes are the same, and then the
// survey and the batches are those that reading the data gives.
func TestKeptSurvey(t *testing.T) {
	a, b := write(t, traindata.Dataset{Seed: 1, Games: 300}),
		write(t, traindata.Dataset{Seed: 2, Games: 100, Policies: true})
	run := t.TempDir()
	take := func(o Options, limit, batch int, specs ...Spec) (s *Survey, read bool) {
		t.Helper()
		o.Encoder = encode.TalbotBot{}
		d, err := Open(t.Context(), specs, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		if s, err = d.SurveyOf(t.Context(), run, limit, batch, func(int, int) { read = true }); err != nil {
			t.Fatal(err)
		}
		return s, read
	}
	capped := Options{MaxCopies: 3, Workers: 2}
	first, read := take(capped, 50, 16, Spec{a, 1}, Spec{b, 3})
	if !read || first.Sets[0].Capped == 0 {
		t.Fatalf("read %v, %+v", read, first.Sets)
	}
	if err := first.Keep(run); err != nil {
		t.Fatal(err)
	}
	again, read := take(Options{MaxCopies: 3, Workers: 1}, 50, 16, Spec{a, 1}, Spec{b, 3})
	if read {
		t.Error("the data was read again")
	}
	if !reflect.DeepEqual(again.Sets, first.Sets) || !reflect.DeepEqual(again.Val, first.Val) ||
		again.Longest != first.Longest {
		t.Errorf("kept %+v, made %+v", again.Sets, first.Sets)
	}
	l, m := first.NewLoader(LoaderOptions{Batch: 300}), again.NewLoader(LoaderOptions{Batch: 300})
	defer l.Close()
	defer m.Close()
	for range 20 {
		if sum(next(t, l)) != sum(next(t, m)) {
			t.Fatal("the kept survey draws other batches")
		}
	}
	for name, changed := range map[string]func() (*Survey, bool){
		"cap":    func() (*Survey, bool) { return take(Options{MaxCopies: 2}, 50, 16, Spec{a, 1}, Spec{b, 3}) },
		"no cap": func() (*Survey, bool) { return take(Options{}, 50, 16, Spec{a, 1}, Spec{b, 3}) },
		"label": func() (*Survey, bool) {
			return take(Options{MaxCopies: 3, Label: traindata.Engine.ID()}, 50, 16, Spec{a, 1})
		},
		"value": func() (*Survey, bool) {
			return take(Options{MaxCopies: 3, Targets: encode.Targets{Value: encode.WinProbValue}}, 50, 16, Spec{a, 1},
				Spec{b, 3})
		},
		"policy": func() (*Survey, bool) {
			return take(Options{MaxCopies: 3, Targets: encode.Targets{Policy: encode.PolicyTarget{Temperature: 1}}},
				50, 16, Spec{a, 1}, Spec{b, 3})
		},
		"weight":  func() (*Survey, bool) { return take(capped, 50, 16, Spec{a, 3}, Spec{b, 1}) },
		"limit":   func() (*Survey, bool) { return take(capped, 40, 16, Spec{a, 1}, Spec{b, 3}) },
		"batch":   func() (*Survey, bool) { return take(capped, 50, 8, Spec{a, 1}, Spec{b, 3}) },
		"dataset": func() (*Survey, bool) { return take(capped, 50, 16, Spec{a, 1}) },
		"order":   func() (*Survey, bool) { return take(capped, 50, 16, Spec{b, 3}, Spec{a, 1}) },
	} {
		if _, read := changed(); !read {
			t.Errorf("another %s: the survey was used", name)
		}
	}
	path := filepath.Join(run, SurveyName)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := append([]byte{}, good...)
	flipped[len(flipped)/2] ^= 4
	for name, bad := range map[string][]byte{"empty": {}, "cut": good[:len(good)-1], "short": good[:20],
		"flipped": flipped, "longer": append(good[:len(good):len(good)], 0)} {
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if s, read := take(capped, 50, 16, Spec{a, 1}, Spec{b, 3}); !read || !reflect.DeepEqual(s.Val, first.Val) {
			t.Errorf("%s: the file was used", name)
		}
	}
}
