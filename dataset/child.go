package dataset

import (
	"path/filepath"
	"slices"
)

// Parent names the dataset in the folder dir, whose manifest m is, as what others were made from.
func (m *Manifest) Parent(dir string) Parent {
	return Parent{Manifest: m.Hash(), Name: filepath.Base(filepath.Clean(dir))}
}

// Empty returns the manifest as it was before the first shard: without what the content and the program that wrote it
// decide. Its lists are copies and may grow. Only it and [Manifest.Child] decide what datasets take over from others.
func (m *Manifest) Empty() Manifest {
	e := *m
	e.Format, e.Tool, e.Counts, e.Shards = 0, "", Counts{}, nil
	e.Inputs, e.Networks = slices.Clone(m.Inputs), slices.Clone(m.Networks)
	e.Fingerprints = slices.Clone(m.Fingerprints)
	return e
}

// Child returns the manifest, before the first shard, of a dataset that a command makes from the one in the folder dir,
// whose manifest m is. The child has its inputs, seed and splits, and its lines may have its labels and predictions.
func (m *Manifest) Child(dir, verb string, flags ...Tag) Manifest {
	c := m.Empty()
	c.Verb, c.Flags, c.Parents = verb, flags, []Parent{m.Parent(dir)}
	return c
}
