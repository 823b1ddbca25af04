package loader

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/testkit/traindata"
	"talbot/shards"
	"talbot/train"
)

func write(t testing.TB, m traindata.Dataset) string {
	t.Helper()
	return m.Write(t)
}

func open(t testing.TB, workers int, specs ...Spec) *Data {
	t.Helper()
	d, err := Open(t.Context(), specs, Options{Encoder: encode.TalbotBot{}, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func survey(t testing.TB, d *Data) *Survey {
	t.Helper()
	s, err := d.Survey(context.Background(), 100, 32, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// threeBlocks is enough lines for three blocks of a shard.
const threeBlocks = 2100

// sum is a hash of all that training sees of a batch.
func sum(b *train.Batch) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, b.N, b.Packed, b.Codes, b.Weights, b.Floats, b.Known, string(b.State))
	return h.Sum64()
}

func next(t testing.TB, l *Loader) *train.Batch {
	t.Helper()
	var b train.Batch
	if err := l.Next(&b); err != nil {
		t.Fatal(err)
	}
	return &b
}

func TestSameBatchesAtAnyNumberOfWorkers(t *testing.T) {
	a := write(t, traindata.Dataset{Seed: 1, Games: threeBlocks, Shards: 2})
	b := write(t, traindata.Dataset{Seed: 2, Games: 300, Policies: true})
	var want []uint64
	for _, workers := range []int{1, 2, 7} {
		d := open(t, workers, Spec{a, 1}, Spec{b, 3})
		s := survey(t, d)
		var got []uint64
		for i := range s.Val {
			got = append(got, sum(&s.Val[i]))
		}
		l := s.NewLoader(LoaderOptions{Batch: 500, Seed: 3, GroupSamples: 30000})
		defer l.Close()
		for range 100 {
			got = append(got, sum(next(t, l)))
		}
		if want == nil {
			want = got
		} else if !slices.Equal(got, want) {
			t.Errorf("%d workers draw other batches than 1", workers)
		}
		if s.Longest != 3 || len(s.Val) != 4 || s.Val[0].N != 25 {
			t.Errorf("choices %d, %d batches of validation", s.Longest, len(s.Val))
		}
	}
	if slices.Sort(want); len(slices.Compact(want)) != 104 {
		t.Error("some batches are alike")
	}
	l := survey(t, open(t, 2, Spec{a, 1}, Spec{b, 3})).NewLoader(LoaderOptions{Batch: 500, Seed: 4,
		GroupSamples: 30000})
	defer l.Close()
	if slices.Contains(want, sum(next(t, l))) {
		t.Error("another seed draws the same batch")
	}
}

func TestRestoredLoaderGoesOnLikeTheUninterrupted(t *testing.T) {
	a := write(t, traindata.Dataset{Seed: 1, Games: threeBlocks})
	b := write(t, traindata.Dataset{Seed: 2, Games: 40, Source: dataset.SourcePuzzle})
	s := survey(t, open(t, 2, Spec{a, 9}, Spec{b, 1}))
	o := LoaderOptions{Batch: 999, Seed: 5, GroupSamples: 20000}
	whole := s.NewLoader(o)
	defer whole.Close()
	var states []json.RawMessage
	var want []uint64
	for range 60 {
		batch := next(t, whole)
		states, want = append(states, batch.State), append(want, sum(batch))
	}
	var last State
	if err := json.Unmarshal(states[59], &last); err != nil || last.Sets[0].Epoch+last.Sets[0].Group == 0 ||
		last.Sets[1].Epoch < 5 {
		t.Fatalf("the test does not come to another group: %s", states[59])
	}
	for _, at := range []int{0, 1, 20, 41, 57} {
		// another process has another survey and another number of workers
		l := survey(t, open(t, 1, Spec{a, 9}, Spec{b, 1})).NewLoader(o)
		if err := l.Restore(states[at]); err != nil {
			t.Fatal(err)
		}
		for i := at + 1; i < min(at+15, 60); i++ {
			if got := sum(next(t, l)); got != want[i] {
				t.Errorf("restored after batch %d, batch %d differs", at, i)
				break
			}
		}
		l.Close()
	}
}

func TestRestoreRefusesOtherStates(t *testing.T) {
	a, b := write(t, traindata.Dataset{Seed: 1, Games: 50}), write(t, traindata.Dataset{Seed: 2, Games: 50})
	l := survey(t, open(t, 1, Spec{Dir: a})).NewLoader(LoaderOptions{Batch: 8})
	defer l.Close()
	other := survey(t, open(t, 1, Spec{Dir: b})).NewLoader(LoaderOptions{Batch: 8})
	defer other.Close()
	good := string(next(t, l).State)
	for _, state := range []string{"", "{}", "[]", string(next(t, other).State),
		strings.Replace(good, `"offset":8`, `"offset":99999999`, 1), strings.Replace(good, `"offset":8`, `"offset":-1`,
			1),
		strings.Replace(good, `"group":0`, `"group":7`, 1), strings.Replace(good, `"epoch":0`, `"epoch":-1`, 1),
		strings.Replace(good, `"offset":8`, `"offset":8,"more":3`, 1)} {
		if state == good {
			t.Fatal("the state is written otherwise")
		}
		if l.Restore(json.RawMessage(state)) == nil {
			t.Errorf("%s: no error", state)
		}
	}
	if err := l.Restore(json.RawMessage(good)); err != nil {
		t.Error(err)
	}
}

// ply names a sample independently of the loader.
type ply struct {
	game int64
	ply  int
}

// samplesOf counts the samples of a split by reading the dataset plainly.
func samplesOf(t *testing.T, dir string, split dataset.Split) map[ply]int {
	t.Helper()
	ds, err := shards.OpenDataset(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ds.Close()
	all := map[ply]int{}
	for l, err := range ds.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		if ds.Manifest.Splits.Of(dataset.SplitKey(l)) == split {
			for _, p := range l.Samples.Plies(nil, len(l.Moves)) {
				all[ply{l.Number, p}]++
			}
		}
	}
	return all
}

// inputsOf counts the train samples of a dataset by their inputs, read plainly, and says where those stand that occur
// once.
func inputsOf(t *testing.T, dir string) (count map[uint64]int, places map[uint64]ply) {
	t.Helper()
	ds, err := shards.OpenDataset(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ds.Close()
	count, places = map[uint64]int{}, map[uint64]ply{}
	var e encode.TalbotBot
	packed := make([]uint64, encode.TalbotBotWords)
	var view encode.View
	for l, err := range ds.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		if ds.Manifest.Splits.Of(dataset.SplitKey(l)) != dataset.Train {
			continue
		}
		var w dataset.Walker
		for w.Reset(l); w.Next(); {
			view.Visit(&w, dataset.Counted{})
			e.Pack(packed, &view)
			id := hashOf(packed)
			if count[id]++; count[id] == 1 {
				places[id] = ply{l.Number, w.Ply()}
			} else {
				delete(places, id)
			}
		}
	}
	return count, places
}

func hashOf(words []uint64) uint64 {
	h := fnv.New64a()
	var b [8]byte
	for _, p := range words {
		binary.LittleEndian.PutUint64(b[:], p)
		h.Write(b[:])
	}
	return h.Sum64()
}

func TestEveryTrainSampleOnceAnEpochAndNoOther(t *testing.T) {
	dir := write(t, traindata.Dataset{Seed: 3, Games: threeBlocks, Shards: 2})
	want, places := inputsOf(t, dir)
	n := len(samplesOf(t, dir, dataset.Train))
	s := survey(t, open(t, 2, Spec{Dir: dir}))
	if s.Train() != int64(n) {
		t.Fatalf("survey counts %d train samples, there are %d", s.Train(), n)
	}
	l := s.NewLoader(LoaderOptions{Batch: 1, GroupSamples: 20000})
	defer l.Close()
	var orders [2][]uint64
	for epoch := range orders {
		got := map[uint64]int{}
		for range n {
			id := hashOf(next(t, l).Packed)
			got[id]++
			orders[epoch] = append(orders[epoch], id)
		}
		if !maps.Equal(got, want) {
			t.Errorf("epoch %d is not every train sample once", epoch)
		}
	}
	if slices.Equal(orders[0], orders[1]) {
		t.Error("both epochs have the same order")
	}
	follows, known := 0, 0
	for i, id := range orders[0][1:] {
		p, ok := places[orders[0][i]]
		q, ok2 := places[id]
		if ok && ok2 {
			known++
		}
		if ok && ok2 && p.game == q.game && p.ply+1 == q.ply {
			follows++
		}
	}
	if follows > 20 || known < n/4 {
		t.Errorf("%d of %d samples come after the one before them on their line", follows, known)
	}
}

func TestSharesOfTheDraws(t *testing.T) {
	a := write(t, traindata.Dataset{Seed: 1, Games: 400})
	b := write(t, traindata.Dataset{Seed: 2, Games: 100})
	for _, weights := range [][2]float64{{7, 3}, {1, 9}, {0, 0}} {
		s := survey(t, open(t, 2, Spec{a, weights[0]}, Spec{b, weights[1]}))
		share := weights[0] / (weights[0] + weights[1])
		if weights[0] == 0 {
			n, m := len(samplesOf(t, a, dataset.Train)), len(samplesOf(t, b, dataset.Train))
			share = float64(n) / float64(n+m)
		}
		l := s.NewLoader(LoaderOptions{Batch: 1000, Seed: 1})
		defer l.Close()
		for range 20 {
			next(t, l)
		}
		drawn := [2]int64{}
		for i, st := range l.streams {
			drawn[i] = int64(st.Epoch)*s.Sets[i].Train + int64(st.Offset)
		}
		if drawn[0]+drawn[1] != 20000 {
			t.Fatalf("drawn %v", drawn)
		}
		if sigma := math.Sqrt(20000 * share * (1 - share)); math.Abs(float64(drawn[0])-20000*share) > 4*sigma {
			t.Errorf("weights %v: %v drawn, want a share of %.3f", weights, drawn, share)
		}
	}
}

func TestNoGoroutineIsLeft(t *testing.T) {
	dir := write(t, traindata.Dataset{Seed: 1, Games: 500})
	d := open(t, 4, Spec{Dir: dir})
	s := survey(t, d)
	before := runtime.NumGoroutine()
	l := s.NewLoader(LoaderOptions{Batch: 100})
	next(t, l)
	l.Close()
	for range d.Samples(t.Context(), EvalOptions{Splits: []dataset.Split{dataset.Train}}) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Survey(ctx, 10, 10, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled survey: %v", err)
	}
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

func FuzzRestore(f *testing.F) {
	dir := write(f, traindata.Dataset{Seed: 1, Games: 30})
	s := survey(f, open(f, 1, Spec{Dir: dir}))
	l := s.NewLoader(LoaderOptions{Batch: 8})
	f.Cleanup(l.Close)
	f.Add([]byte(next(f, l).State))
	f.Add([]byte(`{"sets":[{}]}`))
	f.Fuzz(func(t *testing.T, state []byte) {
		if l.Restore(state) != nil {
			return
		}
		b := next(t, l)
		if b.N != 8 || bytes.Equal(b.State, state) {
			t.Fatalf("%s: %d samples, then %s", state, b.N, b.State)
		}
	})
}
