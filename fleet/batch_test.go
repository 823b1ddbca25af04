package fleet

import (
	"testing"
	"time"

	"talbot/dataset"
)

// Batches are worth five seconds, and become smaller towards the end, down to a position each; where there are many
// engines they stay so large that there are not more than five hundred in a second.
func TestBatchSizes(t *testing.T) {
	for _, c := range []struct{ slots, last, most int }{{2, 1, 30}, {100, 2, 1000}, {1000, 20, 4500}} {
		p := &Pool{workers: func() (int, int) { return c.slots, 1 },
			share: Share{BatchTime: 5 * time.Second}, mean: 0.1}
		r := &run{Pool: p, ready: make([]position, 100*c.slots), ended: true, offered: 2 * c.slots}
		batches, size := 0, 50
		for len(r.ready) > 0 {
			n := r.size(p.share.BatchTime)
			if n > size || n < c.last {
				t.Fatalf("%d slots: %d positions after %d, with %d left", c.slots, n, size, len(r.ready))
			}
			size = n
			r.ready = r.ready[min(n, len(r.ready)):]
			batches++
		}
		if size != c.last || batches > c.most {
			t.Errorf("%d slots: %d batches, the last of %d", c.slots, batches, size)
		}
	}
	most := &run{Pool: &Pool{workers: func() (int, int) { return 1000, 1 }, mean: 0.1}, ready: make([]position, 30_000), offered: 2000}
	if n := most.size(batchTime); n != 30 {
		t.Errorf("%d positions while there is more to come", n)
	}
	crowd := func() (int, int) { return 1000, 1 }
	begun, large := &run{Pool: &Pool{workers: crowd, mean: 0.1}, ready: make([]position, 1<<20)}, 0
	for range 1000 { // all engines get their first one
		switch n := begun.size(batchTime); {
		case n < 20 || n > 50:
			t.Errorf("a first batch of %d positions", n)
		case n > 35:
			large++
		}
	}
	if large < 300 || large > 700 {
		t.Errorf("%d of 1,000 first batches are larger than the mean", large)
	}
	fresh := &run{Pool: &Pool{workers: crowd, batch: map[uint64]*batch{}}, ready: make([]position, 1<<20)}
	sizes := map[int]bool{}
	for i := range uint64(100) {
		n := fresh.size(batchTime)
		sizes[n] = true
		if n < 1 || n > firstBatch {
			t.Errorf("%d positions before the speed is known", n)
		}
		fresh.batch[i] = &batch{}
	}
	if len(sizes) != firstBatch {
		t.Errorf("the first batches have %d sizes", len(sizes))
	}
}

// TestClaimedTimes: whatever time a worker claims to have spent, the size of batches stays near what the engines are
// worth.
func TestClaimedTimes(t *testing.T) {
	const position = 20 * time.Millisecond
	for _, c := range []struct {
		name    string
		honest  int           // workers beside the liar
		claim   time.Duration // for a batch
		passed  time.Duration // since it was offered
		answers int
	}{
		{"a day", 0, maxSpent, 8 * time.Second, 1}, {"a day, always", 0, maxSpent, 8 * time.Second, 200},
		{"a day, held for an hour", 0, maxSpent, time.Hour, 200}, {"a day among others", 3, maxSpent, time.Hour, 200},
		{"nothing", 0, 1, 8 * time.Second, 200}, {"nothing among others", 3, 1, 8 * time.Second, 200},
	} {
		r := &run{Pool: &Pool{workers: func() (int, int) { return 2, 1 }}}
		for range c.answers {
			r.updateMean(0, 50*position, 50)
			for i := range c.honest {
				r.updateMean(2+i, 240*position, 250)
			}
			r.updateMean(1, min(c.claim, c.passed), 250)
		}
		n, least, most := r.target(batchTime), 60, 1000
		if c.honest > 0 {
			least, most = 230, 270
		}
		if n < least || n > most {
			t.Errorf("%s: batches of %d positions, not about 250", c.name, n)
		}
	}
	r := &run{Pool: &Pool{}} // without own engines, or before they have answered
	r.updateMean(1, 8*time.Second, 250)
	if n := r.target(batchTime); n != 156 {
		t.Errorf("batches of %d positions", n)
	}
}

// TestClaimedTimeOfAnswers: an answer that comes back after five seconds cannot have taken a day.
func TestClaimedTimeOfAnswers(t *testing.T) {
	now := time.Unix(1e9, 0)
	p := newPool(Share{})
	p.now, p.workers = func() time.Time { return now }, func() (int, int) { return 2, 1 }
	p.prints, p.fleet = make([]dataset.Fingerprint, 1), &coordinator{}
	r := &run{Pool: p, open: map[int64]*openLine{}}
	var list []question
	for i := range int64(250) {
		list = append(list, question{index: i, plies: []int{0}})
	}
	for number := range uint64(20) {
		p.batch[number+1] = &batch{number: number + 1, offered: now.Add(-5 * time.Second)}
		answer := &delivery{worker: 1, number: number + 1, query: appendAsked(nil, list),
			answer: appendAnswer(nil, maxSpent, 1, make([]outcome, len(list))), reply: func(err error) {
				if err != nil {
					t.Fatal(err)
				}
			}}
		if err := r.onResult(answer); err != nil {
			t.Fatal(err)
		}
		if n := r.target(batchTime); n < 240 || n > 260 {
			t.Fatalf("batches of %d positions after %d answers", n, number+1)
		}
	}
}
