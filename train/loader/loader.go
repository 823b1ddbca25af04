package loader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/ordered"
	"talbot/train"
)

// GroupSamples is how many samples are shuffled together, over all datasets, where nothing else is asked for.
const GroupSamples = 1 << 20

// LoaderOptions decide what a [Loader] draws.
type LoaderOptions struct {
	Batch        int   // samples of a batch
	Seed         int64 // of the order
	GroupSamples int64 // samples that are shuffled together, over all datasets; 0 = [GroupSamples]
}

// Loader draws the batches of a training run. It is a [train.Source].
type Loader struct {
	data    *Data
	survey  *Survey
	options LoaderOptions
	streams []*stream
	draws   uint64
	drawn   []pendingSample
	filled  int // of them are in the batch
	lists   lists
}

// pendingSample is a sample that was drawn and is not yet in its batch.
type pendingSample struct {
	group  *group
	sample int32
}

var _ train.Source = (*Loader)(nil)

// State is the place of a [Loader], as JSON in a batch.
type State struct {
	Draws uint64   `json:"draws"` // samples drawn so far
	Sets  []Cursor `json:"sets"`  // of each dataset
}

// Cursor is the next sample of a dataset.
type Cursor struct {
	Manifest string `json:"manifest"` // the dataset's hash
	Epoch    int    `json:"epoch"`
	Group    int    `json:"group"`  // of the epoch
	Offset   int    `json:"offset"` // in the group
}

// NewLoader returns a loader at the beginning. The caller closes it, before the data.
func (s *Survey) NewLoader(o LoaderOptions) *Loader {
	if o.GroupSamples <= 0 {
		o.GroupSamples = GroupSamples
	}
	l := &Loader{data: s.data, survey: s, options: o}
	for i, set := range s.data.Sets {
		var blocks []int64
		for b := range s.parts[i] {
			blocks = append(blocks, s.samples(i, piece{b, 0, blockParts}))
		}
		parts := partsOf(blocks, l.limit(i))
		l.streams = append(l.streams, &stream{loader: l, set: i, parts: parts, Cursor: Cursor{Manifest: set.Hash}})
	}
	return l
}

// Next draws the next batch. Errors are those of reading a shard.
func (l *Loader) Next(b *train.Batch) error {
	s := l.shape()
	b.Resize(l.options.Batch, l.survey.Longest, &s.layout)
	l.drawn, l.filled = l.drawn[:0], 0
	l.lists.reset()
	for range l.options.Batch {
		if err := l.choose().draw(b); err != nil {
			return err
		}
		l.draws++
	}
	l.fill(b)
	if s.layout.Moves != encode.NoMoves && !s.inside() {
		l.lists.pad(b, &s)
	}
	state := State{Draws: l.draws}
	for _, s := range l.streams {
		state.Sets = append(state.Sets, s.Cursor)
	}
	var err error
	b.State, err = json.Marshal(state)
	return err
}

func (l *Loader) shape() shape { return shape{l.data.layout, l.survey.Longest} }

// fill copies what was drawn into the batch.
func (l *Loader) fill(b *train.Batch) {
	for i := l.filled; i < len(l.drawn); i++ {
		l.drawn[i].group.input(b, i, int(l.drawn[i].sample))
	}
	for ; l.filled < len(l.drawn); l.filled++ {
		d := &l.drawn[l.filled]
		d.group.rest(b, &l.lists, l.filled, int(d.sample))
	}
}

// choose picks the dataset of the next draw.
func (l *Loader) choose() *stream {
	u := 0.0
	if len(l.streams) > 1 {
		u = unit(l.options.Seed^forDatasets, l.draws)
	}
	for i, c := range l.survey.Sets {
		if u -= c.Share; u < 0 {
			return l.streams[i]
		}
	}
	return l.streams[len(l.streams)-1] // shares sum to 1 but for rounding
}

// Restore continues after the batch that carried the state. The datasets must be those of the state.
func (l *Loader) Restore(text json.RawMessage) error {
	var state State
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&state); err != nil {
		return fmt.Errorf("state of the loader %q: %w", text, err)
	}
	if len(state.Sets) != len(l.streams) {
		return fmt.Errorf("the checkpoint was made with %d datasets, this run has %d", len(state.Sets), len(l.streams))
	}
	for i, p := range state.Sets {
		s := l.streams[i]
		if p.Manifest != s.Manifest {
			return fmt.Errorf("the checkpoint was made with another dataset than %q", l.data.Sets[i].Dir)
		}
		if p.Epoch < 0 || p.Group < 0 || p.Offset < 0 {
			return fmt.Errorf("state of the loader %q has a negative number", text)
		}
	}
	l.Close()
	for i, p := range state.Sets {
		if err := l.streams[i].seek(p); err != nil {
			return err
		}
	}
	l.draws = state.Draws
	return nil
}

// Close stops reading ahead.
func (l *Loader) Close() {
	for _, s := range l.streams {
		s.stop()
	}
}

// stream gives the train samples of one dataset, epoch after epoch.
type stream struct {
	loader *Loader
	set    int
	parts  int // in which each block is drawn
	Cursor

	now   *group
	spare *group          // used up: its memory is for the next
	ahead chan loadResult // the group after now, if it is being read
}

type loadResult struct {
	group *group
	err   error
}

// draw draws the next sample for a batch.
func (s *stream) draw(b *train.Batch) error {
	if s.now == nil {
		if err := s.seek(s.Cursor); err != nil {
			return err
		}
	}
	for s.Offset >= s.now.n {
		s.loader.fill(b) // before the group's memory is used again
		next := s.nextGroup()
		l := <-s.ahead
		s.ahead = nil
		if l.err != nil {
			s.now = nil
			return l.err
		}
		s.spare = s.now
		s.Cursor, s.now = next, l.group
		s.prefetch()
	}
	s.loader.drawn = append(s.loader.drawn, pendingSample{s.now, s.now.order[s.Offset]})
	s.Offset++
	return nil
}

// nextGroup is the beginning of the group after the present one.
func (s *stream) nextGroup() Cursor {
	p := Cursor{Manifest: s.Manifest, Epoch: s.Epoch, Group: s.Group + 1}
	if s.now.last {
		p.Epoch, p.Group = s.Epoch+1, 0
	}
	return p
}

func (s *stream) seek(p Cursor) error {
	s.stop()
	g, err := s.load(p, new(group))
	if err != nil {
		return err
	}
	if p.Offset > g.n {
		return fmt.Errorf("sample %d of a group of %d", p.Offset, g.n)
	}
	s.Cursor, s.now = p, g
	s.prefetch()
	return nil
}

// prefetch begins to read the group after the present one.
func (s *stream) prefetch() {
	next, c, into := s.nextGroup(), make(chan loadResult, 1), s.spare
	if into == nil {
		into = new(group)
	}
	s.ahead, s.spare = c, nil
	go func() {
		g, err := s.load(next, into)
		c <- loadResult{g, err}
	}()
}

// stop waits for what is being read ahead.
func (s *stream) stop() {
	if s.ahead != nil {
		<-s.ahead
		s.ahead = nil
	}
	s.now, s.spare = nil, nil
}

// limit is how many samples a group of a dataset has at most.
func (l *Loader) limit(set int) int64 {
	return int64(float64(l.options.GroupSamples) * l.survey.Sets[set].Share)
}

// load reads the group of a place into the memory of another. It is called from the goroutine of prefetch as well, and
// changes nothing else.
func (s *stream) load(p Cursor, g *group) (*group, error) {
	l := s.loader
	pieces := l.survey.pieces(s.set, s.parts)
	counts := make([]int64, len(pieces))
	for i, u := range pieces {
		counts[i] = l.survey.samples(s.set, u)
	}
	plan := groups(counts, l.limit(s.set), l.options.Seed, s.set, p.Epoch)
	if p.Group >= len(plan) {
		return nil, fmt.Errorf("group %d of an epoch of %d groups", p.Group, len(plan))
	}
	chosen := plan[p.Group]
	firsts, n := make([]int, len(chosen)), 0
	for i, k := range chosen {
		firsts[i] = n
		n += int(counts[k])
	}
	d := newDraws(l.options.Seed, forSamples, int64(s.set), int64(p.Epoch), int64(p.Group))
	g.order = d.order(n)
	g.resize(n, len(chosen), l.shape())
	g.last = p.Group == len(plan)-1
	if err := ordered.All(context.Background(), len(chosen), l.data.Options.Workers, func(_, i int) error {
		return s.fill(g, pieces[chosen[i]], i, firsts[i], int(counts[chosen[i]]))
	}); err != nil {
		return nil, err
	}
	return g, nil
}

// fill encodes the n train samples of u that stay in into a group, from place first on; u is piece number of the group.
func (s *stream) fill(g *group, u piece, number, first, n int) error {
	l := s.loader
	all, put := l.survey.parts[s.set][u.block].usable(0, u.from), 0
	_, err := l.data.eachOf(l.data.Sets[s.set], u, only(dataset.Train), func(v *visit) error {
		keep := l.survey.mask.keeps(s.set, u.block, all)
		if all++; !keep {
			return nil
		}
		if put == n || len(v.target.Moves) > l.survey.Longest {
			return errChanged
		}
		g.put(l.data.encoder, first+put, number, &v.view, &v.target)
		put++
		return nil
	})
	if err == nil && put < n {
		err = errChanged
	}
	return err
}

var errChanged = errors.New("the dataset changed while it was read")
