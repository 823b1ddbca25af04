package mcts

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"unsafe"

	"talbot/board"
	"talbot/internal/testkit"
)

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want uintptr
	}{
		{"node", unsafe.Sizeof(node{}), nodeBytes},
		{"edge", unsafe.Sizeof(edge{}), edgeBytes},
		{"cached", unsafe.Sizeof(cached{}), cachedBytes},
		{"simulated", unsafe.Sizeof(simulated{}), simulatedBytes},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d bytes, stated are %d", c.name, c.got, c.want)
		}
	}
}

func TestPack(t *testing.T) {
	last := uint16(0)
	for x := 1.0; x > 1e-12; x *= 0.999 {
		p := float32(x)
		got := unpack(pack(p))
		if math.Abs(float64(got/p-1)) > 1.0/1024 {
			t.Fatalf("%v becomes %v", p, got)
		}
		if last != 0 && pack(p) > last {
			t.Fatalf("%v is packed above a larger one", p)
		}
		last = pack(p)
	}
	for p, want := range map[float32]float32{0: 0, 1: 1, 0.5: 0.5, 2: 1, -1: 0} {
		if got := unpack(pack(p)); got != want {
			t.Errorf("%v becomes %v", p, got)
		}
	}
	if got := unpack(pack(float32(math.Inf(1)))); got != 1 {
		t.Errorf("infinity becomes %v", got)
	}
}

func TestBounds(t *testing.T) {
	n := &node{}
	n.setKind(tablebase)
	for lower := int8(-1); lower <= 1; lower++ {
		for upper := lower; upper <= 1; upper++ {
			if n.setBounds(lower, upper); n.lower() != lower || n.upper() != upper || n.kind() != tablebase {
				t.Errorf("%d to %d becomes %d to %d, %d", lower, upper, n.lower(), n.upper(), n.kind())
			}
			if n.proven() != (lower == upper) {
				t.Errorf("%d to %d", lower, upper)
			}
		}
	}
}

// TestArena grows and drops random trees, and sees that no two nodes share memory and that all memory is found again.
func TestArena(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	a := &arena{limit: 8 * pieceBytes}
	a.reset()
	top := a.newNode()
	owner := map[uint32]uint32{} // of every edge
	var grow func(i uint32, depth int) bool
	grow = func(i uint32, depth int) bool {
		count := 1 + random.IntN(218)
		if !a.newEdges(a.at(i), count) {
			return false
		}
		for k := range a.edgesOf(a.at(i)) {
			a.edgesOf(a.at(i))[k] = edge{move: board.Move(i)}
		}
		for k := range count {
			if depth > 0 && random.IntN(40) == 0 {
				child := a.newNode()
				if child == 0 {
					return false
				}
				a.edgesOf(a.at(i))[k].child = child
				if !grow(child, depth-1) {
					return false
				}
			}
		}
		return true
	}
	var walk func(i uint32)
	walk = func(i uint32) {
		n := a.at(i)
		for k, e := range a.edgesOf(n) {
			if by, ok := owner[n.edges+uint32(k)]; ok || e.move != board.Move(i) {
				t.Fatalf("edge %d belongs to %d and to %d", n.edges+uint32(k), by, i)
			}
			owner[n.edges+uint32(k)] = i
			if e.child != 0 {
				walk(e.child)
			}
		}
	}
	grown, full := 0, 0
	for range 1000 {
		if !grow(top, 3) {
			full++
		} else {
			grown++
		}
		clear(owner)
		walk(top)
		a.drop(top)
		if top = a.newNode(); top == 0 {
			t.Fatal("no node after a tree was dropped")
		}
		if a.bytes > a.limit || a.used() > a.bytes+nodeBytes+edgeBytes {
			t.Fatalf("%d bytes of %d, %d used", a.bytes, a.limit, a.used())
		}
	}
	if grown < 300 {
		t.Errorf("%d trees grown, %d did not fit", grown, full)
	}
}

// TestArenaFull fills the memory, drops all and sees that as much fits again.
func TestArenaFull(t *testing.T) {
	a := &arena{limit: 4 * pieceBytes}
	a.reset()
	fill := func() (n int) {
		top := a.newNode()
		for i := top; a.newEdges(a.at(i), 30); n++ {
			clear(a.edgesOf(a.at(i)))
			next := a.newNode()
			if next == 0 {
				break
			}
			a.edgesOf(a.at(i))[0].child = next
			i = next
		}
		a.drop(top)
		return n
	}
	first := fill()
	if most := 3 * pieceEdges / 30; first < most*9/10 || first > most+1 {
		t.Errorf("%d nodes fit, not %d", first, most)
	}
	for range 5 {
		if n := fill(); n < first {
			t.Errorf("%d nodes fit, %d did before", n, first)
		}
	}
	bytes := a.bytes
	a.reset()
	if n := fill(); n != first || a.bytes != bytes {
		t.Errorf("after a reset %d nodes fit in %d bytes, before %d in %d", n, a.bytes, first, bytes)
	}
}

// TestCache compares a cache with a map: what it returns is what was put in last, and the newest are there.
func TestCache(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	c := newCache(500, 1<<30, -1)
	type answer struct {
		value  float32
		priors []uint16
	}
	all := map[uint64]answer{}
	found := 0
	for i := range 20000 {
		key := uint64(random.IntN(1000)) * 0x9e3779b97f4a7c15
		a := answer{value: float32(i), priors: make([]uint16, 1+random.IntN(218))}
		for k := range a.priors {
			a.priors[k] = uint16(random.Uint32())
		}
		if was, ok := all[key]; ok {
			if e, priors := c.get(key, len(was.priors)); e != nil {
				found++
				if e.value != was.value || e.drawn != -was.value || e.left != 2*was.value ||
					!equal(priors, was.priors) {
					t.Fatalf("put %d: another answer", i)
				}
			}
			if e, _ := c.get(key, len(was.priors)+1); e != nil {
				t.Fatal("an answer about a position with another number of moves")
			}
		}
		c.put(key, a.value, -a.value, 2*a.value, a.priors)
		all[key] = a
		if e, priors := c.get(key, len(a.priors)); e == nil || !equal(priors, a.priors) {
			t.Fatalf("put %d is not found", i)
		}
	}
	if found < 1000 {
		t.Errorf("%d found", found)
	}
	if c.clear(); c.filled != 0 {
		t.Error("not empty")
	}
	for key, a := range all {
		if e, _ := c.get(key, len(a.priors)); e != nil {
			t.Fatal("found after clearing")
		}
	}
	none := newCache(0, 1<<20, -1)
	none.put(1, 0, 0, 0, make([]uint16, 3))
	if e, _ := none.get(1, 3); e != nil {
		t.Error("a cache of nothing knows something")
	}
}

func equal(a, b []uint16) bool {
	for i := range b {
		if len(a) != len(b) || a[i] != b[i] {
			return false
		}
	}
	return true
}

// TestCacheKey tells positions apart by as much of the past as the network sees.
func TestCacheKey(t *testing.T) {
	at := func(moves ...string) *board.Game { return gameAt(t, board.StartFEN, moves...) }
	one, other := at("g1f3", "g8f6", "b1c3"), at("b1c3", "g8f6", "g1f3")
	later, again := at("g1f3", "g8f6", "f3g1", "f6g8", "e2e4"), at("e2e4")
	back := at("g1f3", "g8f6", "f3g1", "f6g8")
	for _, c := range []struct {
		past int
		a, b *board.Game
		same bool
	}{
		{-1, one, other, true}, {1, one, other, false}, {4, one, other, false},
		{-1, later, again, true}, {1, later, again, true}, {4, later, again, false},
		{-1, back, at(), true}, {0, back, at(), false}, {1, back, at(), false}, {0, one, other, true},
	} {
		k := newCache(10, 1<<20, c.past)
		if same := k.key(c.a) == k.key(c.b); same != c.same {
			t.Errorf("past %d, after %d and %d plies: same is %v", c.past, c.a.Ply(), c.b.Ply(), same)
		}
	}
}

// TestExtremes: whatever the settings allow can be set, all at their most and all at their least, and each alone. A
// cache takes memory as it is filled.
func TestExtremes(t *testing.T) {
	change := func(o *Options, s *Setting, x float64) {
		t.Helper()
		if s.Kind != Switch {
			testkit.OK(t, s.Set(o, strconv.FormatFloat(x, 'f', -1, 64)))
		}
	}
	try := func(what, name string, o Options) {
		t.Helper()
		s, err := New(name, noisy(t, 8, 2), o)
		testkit.OK(t, err)
		set(t, s, board.StartFEN)
		if r := search(t, s, Limits{Nodes: 20}); len(r.Lines) == 0 {
			t.Errorf("%s, %s: no move", name, what)
		}
	}
	for _, name := range []string{"puct", "talbotbot", "napoleon", "policy", "value", "rollouts"} {
		most, least := Defaults(), Defaults()
		for i := range Settings {
			s := &Settings[i]
			change(&most, s, s.Max)
			change(&least, s, s.Min)
			one, other := Defaults(), Defaults()
			change(&one, s, s.Max)
			change(&other, s, s.Min)
			try(s.Name+" at most", name, one)
			try(s.Name+" at least", name, other)
		}
		try("all at most", name, most)
		try("all at least", name, least)
	}
}
