package ingest

import (
	"io"

	"talbot/formats/lc0"
	"talbot/formats/rows"
)

// chunks are games of Leela, one a file, or many in an archive.
var chunks = &Kind{
	Name: "chunks of lc0's training data", Binary: true, Sniff: lc0.Looks,
	Caution: "lc0's chunks are read by their published layout and were never tried on a real file: " +
		"look at what came out (talbot inspect, talbot stats) before you train on it",
	Open: func(in io.Reader, form rows.TableForm) Reader { return lc0.NewReader(in, form.Origin) },
}
