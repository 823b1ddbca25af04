package verify

import (
	"encoding/binary"
	"errors"
	"fmt"

	"talbot/dataset"
	"talbot/shards"
)

// gameKey is the game's hash, bits 63 … 3, and its split. That two of n games are taken for one is as likely as for
// [dataset.PositionKey].
func gameKey(l *dataset.Line, s dataset.Split) uint64 {
	hash := l.GameHash()
	return binary.LittleEndian.Uint64(hash[:])&^7 | uint64(s)
}

// LinesMemory is how many bytes of the keys of games, one for each line, are held in memory.
const LinesMemory = 32 << 20

// splitExamples is how many games on both sides are named.
const splitExamples = 10

// bothSides counts the games that are in more than one split and names some.
func (v *verification) bothSides() error {
	wanted := map[uint64]bool{}
	err := v.games.Each(1, func(_ int, sorted []uint64) error {
		for i := 0; i < len(sorted); {
			k, several := i, false
			for ; i < len(sorted) && sorted[i]>>3 == sorted[k]>>3; i++ {
				several = several || sorted[i] != sorted[k]
			}
			if several {
				if v.result.BothSides++; len(wanted) < splitExamples {
					wanted[sorted[k]>>3] = true
				}
			}
		}
		return nil
	})
	if err != nil || v.result.BothSides == 0 {
		return err
	}
	for i := range v.result.Datasets {
		if err := v.examples(v.result.Datasets[i].Dataset, wanted); err != nil {
			return err
		}
	}
	return fmt.Errorf("%d %w", v.result.BothSides, ErrBothSides)
}

// examples names the lines of a dataset whose games are wanted.
func (v *verification) examples(dir string, wanted map[uint64]bool) error {
	d, err := shards.OpenDataset(dir, shards.WithColumns(shards.Origin))
	if errors.Is(err, dataset.ErrNoDataset) || errors.Is(err, dataset.ErrDamaged) {
		return nil // reported already
	}
	if err != nil {
		return err
	}
	defer d.Close()
	for l, err := range d.Lines() {
		if err != nil {
			return nil // reported already
		}
		split := d.Manifest.Splits.Of(dataset.SplitKey(l))
		if wanted[gameKey(l, split)>>3] {
			v.result.Examples = append(v.result.Examples,
				SplitGame{dir, split.String(), l.Source.String(), d.Manifest.InputName(l.Input), l.Number})
		}
	}
	return nil
}
