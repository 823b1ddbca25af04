package loader

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/cache"
	"talbot/shards"
	"talbot/train/internal/madeup"
)

// cached surveys datasets with a cache, and returns how many blocks of how many passes it read.
func cached(t *testing.T, c *cache.Folder, o Options, specs ...Spec) (s *Survey, blocks int) {
	t.Helper()
	o.Cache = c
	if o.Encoder == nil {
		o.Encoder = encode.TalbotBot{}
	}
	d, err := Open(t.Context(), specs, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	if s, err = d.Survey(t.Context(), 50, 16, func(int, int) { blocks++ }); err != nil {
		t.Fatal(err)
	}
	return s, blocks
}

// same reports whether two surveys of the same data say the same.
func same(a, b *Survey) bool {
	return reflect.DeepEqual(a.Sets, b.Sets) && a.Longest == b.Longest && reflect.DeepEqual(a.Val, b.Val) &&
		reflect.DeepEqual(a.blocks, b.blocks) && reflect.DeepEqual(a.mask, b.mask)
}

// TestCachedSurvey: surveys from the cache are those that reading gives, for any mix of datasets and options, and of a
// dataset nothing is read that is known.
func TestCachedSurvey(t *testing.T) {
	a := write(t, madeup.Dataset{Seed: 1, Games: 300})
	b := write(t, madeup.Dataset{Seed: 2, Games: 100, Policies: true})
	cut := cutDataset(t, a)
	folder := t.TempDir()
	c := cache.New(folder, 1<<20)
	multipv := Options{Targets: encode.Targets{Policy: encode.PolicyTarget{Temperature: 1}}}
	for i, test := range []struct {
		options Options
		specs   []Spec
		reads   bool
	}{
		{Options{}, []Spec{{Dir: a}}, true},
		{Options{}, []Spec{{Dir: a}}, false},
		{Options{Workers: 1}, []Spec{{a, 3}}, false},
		{Options{}, []Spec{{Dir: b}}, true},
		{Options{}, []Spec{{a, 1}, {b, 5}}, false},
		{Options{}, []Spec{{b, 1}, {a, 1}}, false},
		{Options{}, []Spec{{Dir: cut}, {Dir: a}}, true},
		{Options{}, []Spec{{Dir: a}, {Dir: cut}}, false},
		{Options{MaxCopies: 2}, []Spec{{Dir: a}, {Dir: b}}, true},
		{Options{MaxCopies: 2}, []Spec{{Dir: a}, {Dir: b}}, false},
		{Options{MaxCopies: 2}, []Spec{{Dir: b}, {Dir: a}}, true}, // other copies stay
		{Options{MaxCopies: 3}, []Spec{{Dir: b}, {Dir: a}}, true},
		{Options{Label: madeup.Engine.ID()}, []Spec{{Dir: a}}, true},
		{Options{Targets: encode.Targets{Value: encode.WinProbValue}}, []Spec{{Dir: a}}, true},
		{multipv, []Spec{{Dir: b}, {Dir: a}}, true},
		{multipv, []Spec{{Dir: a}, {Dir: b}}, false},
		{Options{Encoder: encode.Napoleon{}}, []Spec{{Dir: a}}, true},
		{Options{Encoder: encode.Napoleon{}}, []Spec{{Dir: a}}, false},
		{Options{Encoder: encode.TalbotBot{LegalMask: true}}, []Spec{{Dir: a}}, true},
		{Options{}, []Spec{{Dir: a}}, false},
	} {
		got, blocks := cached(t, c, test.options, test.specs...)
		want, _ := cached(t, nil, test.options, test.specs...)
		if !same(got, want) {
			t.Errorf("%d: %+v %v: %+v, without a cache %+v", i, test.options, test.specs, got.Sets, want.Sets)
		}
		if blocks > 0 != test.reads {
			t.Errorf("%d: %+v %v: %d blocks were read", i, test.options, test.specs, blocks)
		}
	}
	want, _ := cached(t, nil, Options{}, Spec{Dir: a})
	files, err := filepath.Glob(filepath.Join(folder, "*.entry"))
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for at := range 3 { // at the beginning, in the middle and at the end
		for _, path := range files {
			flip(t, path, at)
		}
		if got, blocks := cached(t, c, Options{}, Spec{Dir: a}); !same(got, want) || blocks == 0 {
			t.Errorf("with damaged entries: %+v, %d blocks read", got.Sets, blocks)
		}
		if got, blocks := cached(t, c, Options{}, Spec{Dir: a}); !same(got, want) || blocks != 0 {
			t.Errorf("after damaged entries: %+v, %d blocks read", got.Sets, blocks)
		}
	}
	// Whole entries that are no surveys of the dataset are not believed either.
	d := open(t, 1, Spec{Dir: a})
	d.Options.Cache = c
	var whole setSurvey
	if !d.Options.load(d.setKey(0, 50), &whole) {
		t.Fatal("no entry")
	}
	for name, change := range map[string]func(s *setSurvey){
		"empty": func(s *setSurvey) { *s = setSurvey{} }, "blocks": func(s *setSurvey) { s.Blocks = s.Blocks[1:] },
		"count": func(s *setSurvey) { s.Counts.Train++ }, "part": func(s *setSurvey) { s.Parts[0][3]++ },
		"parts": func(s *setSurvey) { s.Parts = nil }, "mask": func(s *setSurvey) { s.Mask[0].N = 64 },
		"masks": func(s *setSurvey) { s.Mask = append(s.Mask, bitmap{}) },
		"hash":  func(s *setSurvey) { s.Hashes = s.Hashes[1:] }, "longest": func(s *setSurvey) { s.Longest = 0 },
		"input":  func(s *setSurvey) { s.Val.Packed = s.Val.Packed[1:] },
		"weight": func(s *setSurvey) { s.Val.Weights = nil }, "code": func(s *setSurvey) { s.Val.Codes = nil },
		"float": func(s *setSurvey) { s.Val.Known = append(s.Val.Known, 0) },
	} {
		var s setSurvey
		d.Options.load(d.setKey(0, 50), &s)
		change(&s)
		d.storeSet(0, &s, 50)
		if got, blocks := cached(t, c, Options{}, Spec{Dir: a}); !same(got, want) || blocks == 0 {
			t.Errorf("%s: a wrong entry was used", name)
		}
	}
}

// flip changes a byte of a file: the first, the middle or the last.
func flip(t *testing.T, path string, at int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[at*(len(text)-1)/2] ^= 8
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// cutDataset is a dataset of the lines of another one without their last moves, split otherwise.
func cutDataset(t *testing.T, dir string) string {
	return rewritten(t, dir, dataset.DefaultSplits, func(_ int, l *dataset.Line) {
		if n := 22; len(l.Moves) > n {
			l.Moves = l.Moves[:n]
			l.Labels, l.Policies = nil, nil
		}
	})
}

// TestCachedChecks: files that were checked and are as they were are known, those that were written since are read
// again, and damage to them is found regardless of the cache.
func TestCachedChecks(t *testing.T) {
	dir := write(t, madeup.Dataset{Seed: 1, Games: 50})
	c := cache.New(t.TempDir(), 1<<20)
	o := Options{Encoder: encode.TalbotBot{}, Cache: c}
	known := func() (files shards.Stamps) {
		t.Helper()
		d, err := Open(t.Context(), []Spec{{Dir: dir}}, o)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		d.Options.load(fileKey(d.Sets[0].absolute(), d.Sets[0].Hash), &files)
		return files
	}
	if files := known(); len(files) != 0 {
		t.Errorf("just written: %v", files)
	}
	time.Sleep(2100 * time.Millisecond) // what a change of the files can be told after
	first := known()
	if len(first) == 0 {
		t.Skip("NOT TESTED: this system tells too little of files")
	}
	if second := known(); !sameStamps(first, second) {
		t.Errorf("%v, then %v", first, second)
	}
	survey, _ := cached(t, c, Options{}, Spec{Dir: dir})
	for name := range first {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		flip(t, path, 1)
		if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		if d, err := Open(t.Context(), []Spec{{Dir: dir}}, o); !errors.Is(err, dataset.ErrDamaged) {
			t.Errorf("a flipped byte: %v", err)
			d.Close()
		}
		flip(t, path, 1)
	}
	if again, blocks := cached(t, c, Options{}, Spec{Dir: dir}); blocks != 0 || !same(again, survey) {
		t.Errorf("after repair: %d blocks read", blocks)
	}
}

// TestCacheAtOnce: surveys of several runs that begin at the same time are right.
func TestCacheAtOnce(t *testing.T) {
	specs := []Spec{{Dir: write(t, madeup.Dataset{Seed: 1, Games: 100})},
		{Dir: write(t, madeup.Dataset{Seed: 2, Games: 100})}}
	dir := t.TempDir()
	want, _ := cached(t, nil, Options{}, specs...)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			d, err := Open(t.Context(), specs, Options{Encoder: encode.TalbotBot{}, Cache: cache.New(dir, 1<<20)})
			if err != nil {
				t.Error(err)
				return
			}
			defer d.Close()
			if s, err := d.Survey(t.Context(), 50, 16, nil); err != nil || !same(s, want) {
				t.Errorf("%v, %+v", err, s)
			}
		})
	}
	all.Wait()
	if _, blocks := cached(t, cache.New(dir, 1<<20), Options{}, specs...); blocks != 0 {
		t.Errorf("%d blocks read", blocks)
	}
}
