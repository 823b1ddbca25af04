package studio

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"talbot/encode"
	"talbot/inspect/samples"
	"talbot/internal/cache"
)

// openDataset is a dataset that is closed when it is neither kept nor in use.
type openDataset struct {
	*samples.Dataset
	hash  string // of the manifest
	users sync.WaitGroup
}

const (
	maxDatasets = 3 // that are kept open
	maxSearches = 18
	foundBytes  = 128 << 20 // on disk
)

// newDatasets returns the datasets that were viewed last.
func newDatasets() recent[*openDataset] {
	return recent[*openDataset]{most: maxDatasets, use: func(d *openDataset) { d.users.Add(1) },
		close: func(d *openDataset) {
			go func() {
				d.users.Wait()
				_ = d.Close() // it was read only
			}()
		}}
}

// foundCache returns the cache for results of searches, statistics and comparisons; nil without a cache folder.
func foundCache() *cache.Folder {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return cache.New(filepath.Join(dir, "talbot", "studio"), foundBytes)
}

// open returns the dataset of a folder. The caller calls release when it is done.
func (s *Server) open(f *folder) (d *openDataset, release func(), err error) {
	d, err = s.datasets.get(f.Path+"\n"+f.stamp, func() (*openDataset, error) {
		d, err := samples.Open(f.Path, samples.Options{Encoder: encode.TalbotBot{}})
		if err != nil {
			return nil, err
		}
		return &openDataset{Dataset: d, hash: d.Manifest().Hash()}, nil
	})
	if err != nil {
		return nil, nil, err
	}
	return d, d.users.Done, nil
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
	key := cache.Key(foundVersion, d.hash, f.Values.Encode())
	return s.searches.get(key, "", func() (search, func(*work[search]) error) {
		if text, ok := s.found.Get(key); ok {
			if set, err := samples.ReadSet(text, d.Samples()); err == nil {
				return search{set, d.Samples()}, nil
			}
		}
		d.users.Add(1)
		return search{set: samples.NewSet(d.Samples())}, func(j *work[search]) error {
			defer d.users.Done()
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
	Problem error   // why it ended early
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
