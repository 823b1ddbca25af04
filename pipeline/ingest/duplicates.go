package ingest

import "talbot/dataset"

// Duplicate counts games that were read before: the same start and moves, whatever the headers. The first is kept.
const Duplicate dataset.Reason = "duplicate"

// Prefix counts games that another game begins with: the same start, and all their moves are the other's first ones.
// The longer game is kept, wherever it was read, so the order of the inputs does not matter.
const Prefix dataset.Reason = "prefix"
