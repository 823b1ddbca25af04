package loader

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"slices"
	"strings"

	"talbot/encode"
	"talbot/internal/cache"
	"talbot/shards"
)

// What is found out about a dataset before the first step is kept in a cache ([Options.Cache]), since it does not
// change: a dataset is known by the hash of its manifest, which names the SHA-256 of each shard. Kept are
//
//   - which of its files were compared with their checksums, and how they were then; a file that is as it was is not
//     read again,
//   - its survey, under all that decides it: recipe, targets, label, the cap on copies and the datasets that it
//     is counted over.

// load reads an entry; false if it is missing or cannot be read.
func (o *Options) load(key string, into any) bool {
	content, ok := o.Cache.Get(key)
	return ok && gob.NewDecoder(bytes.NewReader(content)).Decode(into) == nil
}

func (o *Options) store(key string, entry any) {
	if o.Cache == nil {
		return
	}
	var b bytes.Buffer
	if gob.NewEncoder(&b).Encode(entry) == nil {
		o.Cache.Put(key, b.Bytes())
	}
}

// fileKey is of a dataset where it lies.
func fileKey(dir, hash string) string { return cache.Key("files", "1", dir, hash) }

// checkFiles compares the files of a dataset with their checksums, but for those that were compared and are as they
// were then. done, if not nil, is called as [shards.Dataset.CheckFiles] does.
func (o *Options) checkFiles(ctx context.Context, ds *shards.Dataset, dir string, done func(int64)) error {
	key := fileKey(dir, ds.Manifest.Hash())
	var known shards.Stamps
	o.load(key, &known)
	now, err := ds.CheckChanged(ctx, o.Workers, known, done)
	if err == nil && len(now) > 0 && !sameStamps(now, known) {
		o.store(key, now)
	}
	return err
}

func sameStamps(a, b shards.Stamps) bool {
	if len(a) != len(b) {
		return false
	}
	for name, stamp := range a {
		if b[name] != stamp {
			return false
		}
	}
	return true
}

// setKey names all that decides the survey of a dataset. An encoder is what its recipe and settings made it: its fields
// count too. One that has pointers has another key in each process, and nothing of it is found again.
func (d *Data) setKey(set, limit int) string {
	o, l := &d.Options, &d.layout
	var others []string
	if o.MaxCopies > 0 {
		others = append(others, "cap")
		for _, s := range d.Sets {
			others = append(others, s.Hash)
		}
	}
	return cache.Key("survey", fmt.Sprint(surveyVersion), d.Sets[set].Hash, d.encoder.Name(),
		fmt.Sprintf("%#v", d.encoder), fmt.Sprint(l.Words, l.Moves, l.Codes, l.Scores, l.Floats, o.columns()), o.Label,
		o.Targets.Value.Formula(d.encoder), o.Targets.Policy.String(), fmt.Sprint(o.MaxCopies, limit),
		strings.Join(others, " "))
}

// loadSets takes over the surveys that were kept. A cap on copies counts over all datasets: then it takes all or none.
func (d *Data) loadSets(sets []*setSurvey, limit int) {
	for i, set := range d.Sets {
		var s setSurvey
		if d.Options.load(d.setKey(i, limit), &s) && s.of(set, &d.layout) {
			sets[i] = &s
		}
	}
	if d.Options.MaxCopies > 0 && slices.Contains(sets, nil) {
		clear(sets)
	}
}

func (d *Data) storeSet(i int, s *setSurvey, limit int) {
	d.Options.store(d.setKey(i, limit), s)
}

// of reports whether s can be a survey of that dataset.
func (s *setSurvey) of(set *Set, l *encode.Layout) bool {
	if len(s.Blocks) != len(set.blocks) || s.Longest < 1 {
		return false
	}
	if len(s.Mask) != len(s.Blocks) || len(s.Parts) != len(s.Blocks) {
		return false
	}
	var samples int64
	for i, n := range s.Blocks {
		b := &s.Mask[i]
		if n < 0 || b.N < 0 || len(b.Bits) != (b.N+63)/64 || slices.Min(s.Parts[i][:]) < 0 ||
			s.Parts[i].kept(b, 0, blockParts) != n {
			return false
		}
		samples += n
	}
	b, n := &s.Val, len(s.Hashes)
	floats := n * len(l.Floats)
	if samples != s.Counts.Train || b.N != n || len(b.Packed) != n*l.Words || len(b.Floats) != floats ||
		len(b.Known) != floats {
		return false
	}
	if l.Moves == encode.NoMoves || n == 0 {
		return len(b.Weights)+len(b.Codes) == 0
	}
	return len(b.Weights) > 0 && len(b.Weights)%n == 0 && len(b.Codes) == len(b.Weights)*l.Codes
}
