package studio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"talbot/encode"
	"talbot/inspect/samples"
	"talbot/internal/cache"
)

// shelf keeps the datasets that were looked at last open. It is safe for concurrent use.
type shelf struct {
	found *cache.Folder // what searches found; nil: nothing is kept
	turn  chan struct{} // has a place for each search that may run
	ctx   context.Context
	end   context.CancelFunc
	runs  sync.WaitGroup // searches

	mu   sync.Mutex
	list []*volume // the last one first
}

// Bounds of what is kept.
const (
	maxVolumes  = 3
	maxSearches = 6         // of each dataset
	foundBytes  = 128 << 20 // on disk
)

// volume is an open dataset. It is closed when it is off the shelf and no longer in use.
type volume struct {
	*samples.Dataset
	path, stamp string
	hash        string // of the manifest
	users       int    // with the shelf; of its mutex

	mu       sync.Mutex
	searches []*search // the last one first
}

func newShelf() *shelf {
	s := &shelf{turn: make(chan struct{}, 1)}
	s.ctx, s.end = context.WithCancel(context.Background())
	if dir, err := os.UserCacheDir(); err == nil {
		s.found = cache.New(filepath.Join(dir, "talbot", "studio"), foundBytes)
	}
	return s
}

// of returns the dataset of a folder. The caller calls release when it is done.
func (s *shelf) of(f *folder) (v *volume, release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return nil, nil, s.ctx.Err()
	}
	i := slices.IndexFunc(s.list, func(v *volume) bool { return v.path == f.Path })
	if i >= 0 && s.list[i].stamp == f.stamp {
		v = s.list[i]
		s.list = slices.Insert(slices.Delete(s.list, i, i+1), 0, v)
	} else {
		if i >= 0 {
			s.remove(i)
		}
		d, err := samples.Open(f.Path, samples.Options{Encoder: encode.TalbotBot{}})
		if err != nil {
			return nil, nil, err
		}
		v = &volume{Dataset: d, path: f.Path, stamp: f.stamp, hash: d.Manifest().Hash(), users: 1}
		s.list = slices.Insert(s.list, 0, v)
		for len(s.list) > maxVolumes {
			s.remove(len(s.list) - 1)
		}
	}
	v.users++
	return v, func() { s.release(v) }, nil
}

// remove takes a dataset off the shelf. The caller holds the lock.
func (s *shelf) remove(i int) {
	v := s.list[i]
	s.list = slices.Delete(s.list, i, i+1)
	v.mu.Lock()
	for _, one := range v.searches {
		one.cancel()
	}
	v.mu.Unlock()
	s.drop(v)
}

// drop removes one user. The caller holds the lock.
func (s *shelf) drop(v *volume) {
	if v.users--; v.users == 0 {
		_ = v.Close() // it was read only
	}
}

func (s *shelf) release(v *volume) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(v)
}

// close ends all searches and closes the datasets.
func (s *shelf) close() {
	s.mu.Lock()
	s.end()
	s.mu.Unlock()
	s.runs.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.list) > 0 {
		s.remove(0)
	}
}

// search is what a filter chooses of a dataset, as far as that is known. It is safe for concurrent use.
type search struct {
	key    string
	cancel context.CancelFunc
	asking
	set  *samples.Set
	upTo int64 // samples that were looked at
	done bool
	err  error
}

// asking knows when a page last asked for something that takes a while. Its mutex is for what it is embedded in, too.
type asking struct {
	mu    sync.Mutex
	asked time.Time
}

// foundVersion is that of what is kept of a search.
const foundVersion = "found 1"

// search returns that of a filter, and begins it if it is new.
func (s *shelf) search(v *volume, f *filter) *search {
	key := cache.Key(foundVersion, v.hash, f.at(0))
	one, before := v.look(key)
	if one != nil {
		return one
	}
	one = &search{key: key, asking: asking{asked: time.Now()}, set: samples.NewSet(v.Samples()), cancel: func() {}}
	if text, ok := s.found.Get(key); ok {
		if set, err := samples.ReadSet(text, v.Samples()); err == nil {
			one.set, one.upTo, one.done = set, v.Samples(), true
		}
	}
	if !one.done {
		s.begin(v, f.Query, one)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	others := slices.DeleteFunc(v.searches, func(other *search) bool { return other == before })
	v.searches = slices.Insert(others, 0, one)
	for len(v.searches) > maxSearches {
		last := len(v.searches) - 1
		v.searches[last].cancel()
		v.searches = v.searches[:last]
	}
	return one
}

// look returns the search of a key that is running or done, else nil. given is one that was given up.
func (v *volume) look(key string) (one, given *search) {
	v.mu.Lock()
	defer v.mu.Unlock()
	i := slices.IndexFunc(v.searches, func(one *search) bool { return one.key == key })
	if i < 0 {
		return nil, nil
	}
	one = v.searches[i]
	v.searches = slices.Insert(slices.Delete(v.searches, i, i+1), 0, one)
	one.mu.Lock()
	defer one.mu.Unlock()
	one.asked = time.Now()
	if errors.Is(one.err, context.Canceled) {
		return nil, one
	}
	return one, nil
}

// begin begins a search, which holds the dataset.
func (s *shelf) begin(v *volume, q samples.Query, one *search) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithCancel(s.ctx)
	one.cancel = cancel
	if ctx.Err() != nil { // the end has come
		one.err = ctx.Err()
		return
	}
	v.users++
	s.runs.Go(func() {
		defer s.release(v)
		defer cancel()
		stop := watchPage(ctx, cancel, one.lastAsked)
		defer stop()
		one.end(s.run(ctx, v, q, one))
		s.keep(one)
	})
}

func (one *asking) lastAsked() time.Time {
	one.mu.Lock()
	defer one.mu.Unlock()
	return one.asked
}

// run goes through the dataset.
func (s *shelf) run(ctx context.Context, v *volume, q samples.Query, one *search) error {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for hits, err := range v.Find(ctx, q, runtime.GOMAXPROCS(0)) {
		if err != nil {
			return err
		}
		one.mu.Lock()
		for _, number := range hits.Numbers {
			one.set.Add(number)
		}
		one.upTo = hits.UpTo
		one.mu.Unlock()
	}
	return nil
}

func (one *search) end(err error) {
	one.mu.Lock()
	defer one.mu.Unlock()
	one.done, one.err = err == nil, err
}

// keep stores what a whole search found.
func (s *shelf) keep(one *search) {
	one.mu.Lock()
	defer one.mu.Unlock()
	if !one.done {
		return
	}
	if text, err := one.set.AppendBinary(nil); err == nil {
		s.found.Put(one.key, text)
	}
}

// found is what is known of a search now.
type found struct {
	Count   int64
	Percent int // of the samples that were looked at
	Done    bool
	Problem error
	Numbers []int64 // of the samples that were asked for
}

// part returns at most most samples from a place on.
func (one *search) part(place int64, most int, samples int64) found {
	one.mu.Lock()
	defer one.mu.Unlock()
	p := found{Count: one.set.Len(), Done: one.done, Problem: one.err}
	if samples > 0 {
		p.Percent = int(100 * one.upTo / samples)
	}
	for i := place; i < p.Count && len(p.Numbers) < most; i++ {
		p.Numbers = append(p.Numbers, one.set.At(i))
	}
	return p
}

// beside returns the place of a sample, and the samples before and after it; -1: none.
func (one *search) beside(number int64) (place, before, next int64) {
	one.mu.Lock()
	defer one.mu.Unlock()
	place, in := one.set.Place(number)
	before, next = -1, -1
	if place > 0 {
		before = one.set.At(place - 1)
	}
	behind := place
	if in {
		behind++
	}
	if behind < one.set.Len() {
		next = one.set.At(behind)
	}
	return place, before, next
}

// errSearch is what a page says of a search that failed.
func errSearch(f *folder, err error) string {
	return fmt.Sprintf("The search ended early: %s", f.within(err))
}
