package studio

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"talbot/encode"
	"talbot/inspect/samples"
	"talbot/internal/cache"
)

// datasetCache keeps recently viewed datasets open. It is safe for concurrent use.
type datasetCache struct {
	mu   sync.Mutex
	open recent[*openDataset]
}

// openDataset is a dataset that is closed when it is neither in the cache nor in use.
type openDataset struct {
	*samples.Dataset
	hash  string // of the manifest
	users int    // with the cache
}

const (
	maxDatasets = 3 // that are kept open
	maxSearches = 18
	foundBytes  = 128 << 20 // on disk
)

func newDatasetCache() *datasetCache {
	return &datasetCache{open: recent[*openDataset]{most: maxDatasets, close: (*openDataset).drop}}
}

// foundCache returns the cache for results of searches and statistics; nil without a cache folder.
func foundCache() *cache.Folder {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return cache.New(filepath.Join(dir, "talbot", "studio"), foundBytes)
}

// get returns the dataset of a folder. The caller calls release when it is done.
func (c *datasetCache) get(f *folder) (d *openDataset, release func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, err = c.open.get(f.Path+"\n"+f.stamp, func() (*openDataset, error) {
		d, err := samples.Open(f.Path, samples.Options{Encoder: encode.TalbotBot{}})
		if err != nil {
			return nil, err
		}
		return &openDataset{Dataset: d, hash: d.Manifest().Hash(), users: 1}, nil
	})
	if err != nil {
		return nil, nil, err
	}
	return d, c.hold(d), nil
}

// hold keeps a dataset open until release is called. The caller holds the lock.
func (c *datasetCache) hold(d *openDataset) (release func()) {
	d.users++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		d.drop()
	}
}

// drop removes one user.
func (d *openDataset) drop() {
	if d.users--; d.users == 0 {
		_ = d.Close() // it was read only
	}
}

func (c *datasetCache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open.shrink(0)
}

// search is the samples that a filter chooses, as far as they are known.
type search struct {
	set  *samples.Set
	upTo int64 // samples that were looked at
}

// foundVersion is the version of cached results.
const foundVersion = "found 1"

// search returns the search of a filter, which holds the dataset while it runs.
func (s *Server) search(d *openDataset, f *filter) (*work[search], error) {
	key := cache.Key(foundVersion, d.hash, f.at(0))
	return s.searches.get(key, "", func() (search, func(*work[search]) error) {
		if text, ok := s.found.Get(key); ok {
			if set, err := samples.ReadSet(text, d.Samples()); err == nil {
				return search{set, d.Samples()}, nil
			}
		}
		s.datasets.mu.Lock()
		release := s.datasets.hold(d)
		s.datasets.mu.Unlock()
		return search{set: samples.NewSet(d.Samples())}, func(j *work[search]) error {
			defer release()
			err := s.reading.do(j.ctx, func() error { return find(j, d, f.Query) })
			if err == nil {
				j.change(func(one *search) {
					if text, err := one.set.AppendBinary(nil); err == nil {
						s.found.Put(key, text)
					}
				})
			}
			return err
		}
	})
}

// find goes through the dataset.
func find(j *work[search], d *openDataset, q samples.Query) error {
	for hits, err := range d.Find(j.ctx, q, runtime.GOMAXPROCS(0)) {
		if err != nil {
			return err
		}
		j.change(func(one *search) {
			for _, number := range hits.Numbers {
				one.set.Add(number)
			}
			one.upTo = hits.UpTo
		})
	}
	return nil
}

// found is a part of what a search has found.
type found struct {
	Count   int64
	Percent int // of the samples that were looked at
	Done    bool
	Problem error
	Numbers []int64 // of the samples that were asked for
}

// foundOf returns at most so many samples from a place on.
func foundOf(j *work[search], place int64, most int, samples int64) (p found) {
	j.look(func(one *search, done bool, err error) {
		p = found{Count: one.set.Len(), Done: done && err == nil, Problem: err}
		if samples > 0 {
			p.Percent = int(100 * one.upTo / samples)
		}
		for i := place; i < p.Count && len(p.Numbers) < most; i++ {
			p.Numbers = append(p.Numbers, one.set.At(i))
		}
	})
	return p
}

// neighbours returns the place of a sample, and the samples before and after it; -1: none.
func neighbours(j *work[search], number int64) (place, before, next int64) {
	before, next = -1, -1
	j.look(func(one *search, _ bool, _ error) {
		var in bool
		place, in = one.set.Place(number)
		if place > 0 {
			before = one.set.At(place - 1)
		}
		after := place
		if in {
			after++
		}
		if after < one.set.Len() {
			next = one.set.At(after)
		}
	})
	return place, before, next
}

// errSearch is the text of a page whose search failed.
func errSearch(f *folder, err error) string {
	return fmt.Sprintf("The search ended early: %s", f.within(err))
}
