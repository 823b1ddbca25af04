package searches

import (
	"testing"
	"time"
)

// Batches are worth five seconds, and become smaller towards the end, down to a position each; where there are many
// engines they stay so large that there are not more than five hundred in a second.
func TestBatchSizes(t *testing.T) {
	for _, c := range []struct{ slots, last, most int }{{2, 1, 30}, {100, 2, 1000}, {1000, 20, 4500}} {
		p := &Pool{crowd: func() (int, int) { return c.slots, 1 }, share: Share{BatchTime: 5 * time.Second}, mean: 0.1}
		r := &run{Pool: p, waiting: 100 * c.slots, ended: true, offered: 2 * c.slots}
		batches, size := 0, 50
		for r.waiting > 0 {
			n := r.size(p.share.BatchTime)
			if n > size || n < c.last {
				t.Fatalf("%d slots: %d positions after %d, with %d left", c.slots, n, size, r.waiting)
			}
			size = n
			r.waiting -= min(n, r.waiting)
			batches++
		}
		if size != c.last || batches > c.most {
			t.Errorf("%d slots: %d batches, the last of %d", c.slots, batches, size)
		}
	}
	most := &run{Pool: &Pool{crowd: func() (int, int) { return 1000, 1 }, mean: 0.1}, waiting: 30_000, offered: 2000}
	if n := most.size(batchTime); n != 30 {
		t.Errorf("%d positions while there is more to come", n)
	}
	crowd := func() (int, int) { return 1000, 1 }
	begun, large := &run{Pool: &Pool{crowd: crowd, mean: 0.1}, waiting: 1 << 20}, 0
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
	fresh := &run{Pool: &Pool{crowd: crowd, batch: map[uint64]*batch{}}, waiting: 1 << 20}
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
