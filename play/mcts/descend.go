package mcts

import (
	"talbot/board"
)

// gather descends until a batch is full, the visits are used up, or too many descents collided. What needs no network
// is added at once.
func (t *tree) gather(visits int64) {
	t.queue, t.paths, t.blocked, t.store, t.asked = t.queue[:0], t.paths[:0], t.blocked[:0], t.store[:0], 0
	met, most, ply := 0, t.collisions(), t.game.Ply()
	end, hits := t.added+min(visits, freeVisits), t.hits+freeHits
	for more := true; more && t.asked < t.size && t.added+int64(t.asked) < end && t.hits < hits; t.game.Rewind(ply) {
		switch t.descend() {
		case visited:
			more = !t.finished()
		case collided:
			met++
			more = met <= most && len(t.path) > 1
		case treeBusy, outOfMemory:
			more = false
		}
	}
}

// freeVisits is the most visits between two looks at the clock, all of which may be such that need no network, and
// freeHits the most answers of tables, which take about 0.1 ms each.
const (
	freeVisits = 2048
	freeHits   = 64
)

// arrival is how a descent ends.
type arrival uint8

const (
	visited     arrival = iota // at a known value, which was added
	queued                     // at a node that waits for the network now
	collided                   // at one that waits for it already
	subtreeBusy                // above others that all wait
	treeBusy                   // nowhere, as all waits
	outOfMemory                // where there is no memory left
)

// descend goes from the root to where nothing is chosen.
func (t *tree) descend() arrival {
	t.path = append(t.path[:0], t.top)
	i := t.top
	if t.asPublished && t.at(i).inFlight > 0 {
		return treeBusy
	}
	for {
		n := t.at(i)
		top := len(t.path) == 1
		if n.kind() == collapsed && !n.proven() {
			if how, ends := t.restoreEdges(n); ends {
				return how
			}
		}
		if n.kind() != expanded || !top && n.proven() {
			return t.arrive(n)
		}
		t.look(n)
		at := t.choose(t, n, top)
		if at < 0 {
			if t.asPublished && t.block(n, i) {
				return subtreeBusy
			}
			return t.visit(n, n.value, n.drawn)
		}
		e := &t.edgesOf(n)[at]
		if e.child == 0 {
			child := t.newNode()
			if child == 0 {
				t.full = true
				return outOfMemory
			}
			e.child = child
			n.opened = max(n.opened, uint8(at+1))
		}
		t.game.Push(e.move)
		i = e.child
		t.path = append(t.path, i)
	}
}

// arrive ends a descent.
func (t *tree) arrive(n *node) arrival {
	switch k := n.kind(); {
	case k == fresh:
		return t.open(n)
	case k == waiting:
		return t.wait(leaf{collision: true}, collided)
	case n.proven():
		value := float32(n.lower())
		return t.visit(n, value, 1-value*value)
	}
	return t.visit(n, n.value, n.drawn)
}

// block passes a node over for the rest of the batch if something below it waits, and reports whether it does.
func (t *tree) block(n *node, i uint32) bool {
	for _, e := range t.edgesOf(n) {
		if c := t.child(&e); c != nil && c.inFlight > 0 {
			n.inFlight = 1
			t.blocked = append(t.blocked, i)
			return true
		}
	}
	return false
}

// open finds out what a node is that was not looked at before.
func (t *tree) open(n *node) arrival {
	top := len(t.path) == 1
	t.replies = t.game.Position().LegalMoves(t.replies[:0])
	if !top && t.resolve(n, t.replies) {
		return t.visit(n, n.value, n.drawn)
	}
	key, a, priors := t.lookup(t.replies)
	if a != nil {
		n.left = a.left
		t.expand(n, t.game.Position(), t.replies, priors, a.value, a.drawn)
		return t.visit(n, n.value, n.drawn)
	}
	return t.enqueue(n, leaf{key: key})
}

// lookup returns the cached evaluation of the present position, nil if there is none, and the key that it
// is kept under.
func (t *tree) lookup(legal []board.Move) (key uint64, a *cached, priors []uint16) {
	if len(t.cache.answers) == 0 {
		return 0, nil, nil
	}
	key = t.cache.key(t.game)
	a, priors = t.cache.get(key, len(legal))
	return key, a, priors
}

// enqueue has the network asked about the present position, of which replies are the legal moves.
func (t *tree) enqueue(n *node, l leaf) arrival {
	t.evaluator.Put(t.asked, t.game, t.replies)
	t.asked++
	n.setKind(waiting)
	begin := len(t.store)
	t.store = append(t.store, t.replies...)
	l.position, l.legal = *t.game.Position(), t.store[begin:]
	return t.wait(l, queued)
}

// resolve reports whether the rules or tables say what a position is worth, and writes it down.
func (t *tree) resolve(n *node, legal []board.Move) bool {
	end := ended(t.game, legal)
	if end == open {
		return !t.asPublished && (t.repeated(n) || t.probe(n))
	}
	value, _ := end.value()
	t.setResult(n, terminal, int8(value))
	return true
}

// setResult gives a node a value that is certain.
func (t *tree) setResult(n *node, k kind, value int8) {
	n.setKind(k)
	n.value, n.drawn, n.plies = float32(value), float32(1-value*value), 0
	if k == tablebase && value != 0 {
		n.plies = unknown
	}
	if !t.asPublished {
		n.setBounds(value, value)
	}
}

// visit adds a visit of a node with a known value.
func (t *tree) visit(n *node, value, drawn float32) arrival {
	t.add(t.path, value, drawn)
	if n.proven() {
		t.prove(t.path)
	}
	return visited
}

// wait notes a descent that waits.
func (t *tree) wait(l leaf, how arrival) arrival {
	l.begin = len(t.paths)
	t.paths = append(t.paths, t.path...)
	l.end = len(t.paths)
	t.queue = append(t.queue, l)
	t.addInFlight(t.path, 1)
	return how
}

// addInFlight notes that a descent waits, or with -1 that it no longer does.
func (t *tree) addInFlight(path []uint32, by int) {
	if t.asPublished {
		path = path[len(path)-1:]
	}
	for _, i := range path {
		n := t.at(i)
		n.inFlight = uint16(int(n.inFlight) + by)
	}
}
