package verify

import (
	"errors"
	"math"

	"talbot/dataset"
	"talbot/shards"
)

// CutCopy is a line that is the beginning of a longer one in another split (see [dataset.CutPlies]).
type CutCopy struct {
	Shorter CutLine `json:"shorter"`
	Longer  CutLine `json:"longer"`
}

// CutLine is one of both.
type CutLine struct {
	SplitGame
	Plies int `json:"plies"` // without reconstructed history
}

// The keys of what lines begin with are collected as those of positions are, so memory does not grow with the datasets:
// bits 63 … 3 of the key, bit 2 for a whole line, and the split.
const wholeLine = 1 << 2

// LinesMemory is how many bytes are held in memory of the keys of games, one for each line, and as many of the keys of
// what lines begin with, up to [dataset.SplitPlies] − [dataset.CutPlies] for each line where all datasets are split
// alike. There are far fewer than positions.
const LinesMemory = 32 << 20

// cutPlies returns the longest beginning that has a key: below [dataset.SplitPlies] if all datasets are split alike,
// for a line and a longer beginning of it are in the same split then.
func cutPlies(dirs []string) int {
	var first *dataset.Manifest
	for _, dir := range dirs {
		m, err := dataset.ReadManifest(dir)
		switch {
		case err != nil: // reported when it is read
		case first == nil:
			first = m
		case m.Splits != first.Splits:
			return math.MaxInt
		}
	}
	return dataset.SplitPlies - 1
}

// cuts collects the beginnings of a line.
func (w *verifyWorker) cuts(l *dataset.Line, split dataset.Split, most int) {
	var whole bool
	w.keys, whole = l.CutKeys(w.keys[:0], most)
	for i, key := range w.keys {
		key = key&^7 | uint64(split)
		if whole && i == len(w.keys)-1 {
			key |= wholeLine
		}
		w.beginnings.Add(key)
	}
}

// cutPair is a beginning that is a whole line and the beginning of a longer one in another split.
type cutPair struct {
	wholes, begins [3]bool // splits that have it as one or the other
	shorter        *CutLine
	split          dataset.Split // of shorter
	longer         [3]*CutLine   // the first of each split
}

// isCut reports whether a whole line of a split is the beginning of a longer one in another.
func (p *cutPair) isCut(split dataset.Split) bool {
	for other, has := range p.begins {
		if has && other != int(split) {
			return p.wholes[split]
		}
	}
	return false
}

// example returns both lines, once they are known.
func (p *cutPair) example() (CutCopy, bool) {
	if p.shorter != nil {
		for split, l := range p.longer {
			if l != nil && split != int(p.split) {
				return CutCopy{*p.shorter, *l}, true
			}
		}
	}
	return CutCopy{}, false
}

// cutCopies counts the lines that are the beginning of a longer one in another split, and names some with one of these.
func (v *verification) cutCopies() error {
	var wanted []uint64 // keys without the lowest bits, ascending
	pairs := map[uint64]*cutPair{}
	err := v.beginnings.Each(1, func(_ int, sorted []uint64) error {
		for i := 0; i < len(sorted); {
			var pair cutPair
			var wholes [3]int64
			key := sorted[i] >> 3
			for ; i < len(sorted) && sorted[i]>>3 == key; i++ {
				if split := sorted[i] & 3; sorted[i]&wholeLine != 0 {
					wholes[split]++
					pair.wholes[split] = true
				} else {
					pair.begins[split] = true
				}
			}
			lines := int64(0)
			for split, n := range wholes {
				if pair.isCut(dataset.Split(split)) {
					lines += n
				}
			}
			if v.result.CutCopies += lines; lines > 0 && len(wanted) < splitExamples {
				wanted, pairs[key] = append(wanted, key), &pair
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	missing := len(wanted)
	for i := range v.result.Datasets {
		if missing == 0 {
			break
		}
		if missing, err = v.cutExamples(v.result.Datasets[i].Dataset, pairs, missing); err != nil {
			return err
		}
	}
	for _, key := range wanted {
		if c, ok := pairs[key].example(); ok {
			v.result.CutExamples = append(v.result.CutExamples, c)
		}
	}
	return nil
}

// cutExamples names the lines of a dataset that belong to pairs, until no pair misses one. It returns how many still
// do.
func (v *verification) cutExamples(dir string, pairs map[uint64]*cutPair, missing int) (int, error) {
	d, err := shards.OpenDataset(dir, shards.WithColumns(shards.Origin))
	if errors.Is(err, dataset.ErrNoDataset) || errors.Is(err, dataset.ErrDamaged) {
		return missing, nil // reported already
	}
	if err != nil {
		return missing, err
	}
	defer d.Close()
	var keys []uint64
	for l, err := range d.Lines() {
		if err != nil || missing == 0 {
			break // reported already
		}
		var whole bool
		keys, whole = l.CutKeys(keys[:0], v.mostPlies)
		for i, key := range keys {
			p := pairs[key>>3]
			if p == nil {
				continue
			}
			_, had := p.example()
			split := d.Manifest.Splits.Of(dataset.SplitKey(l))
			line := &CutLine{SplitGame{dir, split.String(), l.Source.String(), d.Manifest.InputName(l.Input), l.Number},
				len(l.Moves) - l.Reconstructed}
			if whole && i == len(keys)-1 {
				if p.shorter == nil && p.isCut(split) {
					p.shorter, p.split = line, split
				}
			} else if p.longer[split] == nil {
				p.longer[split] = line
			}
			if _, has := p.example(); has && !had {
				missing--
			}
		}
	}
	return missing, nil
}
