package ingest

import (
	"bytes"
	"io"

	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/formats/viriformat"
)

var viriformats = &Kind{
	Name: "viriformat", Suffixes: []string{".vf"}, Binary: true,
	Sniff: viriformat.Looks, Check: checkViriformat,
	Open: func(in io.Reader, form rows.TableForm) Reader { return openViriformat(in, form) },
}

// openViriformat returns a reader of scores that are White's unless stated otherwise.
func openViriformat(in io.Reader, form rows.TableForm) *viriformat.Reader {
	view := dataset.WhiteView
	if form.View != nil {
		view = *form.View
	}
	return viriformat.NewReader(in, form.Origin, view, form.Unchecked)
}

// checkViriformat refuses what the beginning shows to be of another view.
func checkViriformat(head []byte, form rows.TableForm) error {
	return openViriformat(bytes.NewReader(head), form).Check()
}
