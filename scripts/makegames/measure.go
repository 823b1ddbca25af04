package main

import (
	"fmt"
	"io"
	"slices"

	"talbot/shards"
)

// measure prints what lines of a dataset have in common.
func measure(w io.Writer, dir string, every int64) error {
	d, err := shards.OpenDataset(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	counts := map[uint64]int32{} // of positions
	var lines, plies, positions, seen int64
	var lengths []int
	for l, err := range d.Lines() {
		if err != nil {
			return err
		}
		if lines++; lines%every != 0 {
			continue
		}
		lengths = append(lengths, len(l.Moves))
		plies += int64(len(l.Moves))
		p := l.Start
		for i := range len(l.Moves) + 1 {
			positions++
			if counts[p.Key()]++; counts[p.Key()] > 1 {
				seen++
			}
			if i < len(l.Moves) {
				p.Play(l.Moves[i])
			}
		}
	}
	if positions == 0 {
		return fmt.Errorf("%q: no lines", dir)
	}
	var twice, six int
	for _, n := range counts {
		if n >= 2 {
			twice++
		}
		if n >= 6 {
			six++
		}
	}
	bytes := int64(0)
	for _, s := range d.Manifest.Shards {
		bytes += s.Bytes
	}
	slices.Sort(lengths)
	fmt.Fprintf(w, "%d lines, %d positions, %.2f bytes a position in all of the dataset\n", len(lengths), positions,
		float64(bytes)/float64(d.Manifest.Counts.Positions))
	fmt.Fprintf(w, "positions seen before: %.2f %%\n", 100*float64(seen)/float64(positions))
	share := func(n int) float64 { return 100 * float64(n) / float64(len(counts)) }
	fmt.Fprintf(w, "of %d different positions, %.3f %% occur at least twice, %.4f %% at least 6 times\n", len(counts),
		share(twice), share(six))
	fmt.Fprintf(w, "plies of a line, by twentieths:")
	for i := range 21 {
		fmt.Fprintf(w, " %d", lengths[i*(len(lengths)-1)/20])
	}
	fmt.Fprintln(w)
	return nil
}
