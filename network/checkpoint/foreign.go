package checkpoint

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"talbot/internal/fault"
)

// ErrForeign marks a file of another format. The error says which, and is an [ErrDamaged] too: among checkpoints such a
// file is passed over like one that is damaged.
var ErrForeign = fault.New(fault.ExitFailed, "not a checkpoint",
	"give the folder of a run, a checkpoint, or a file that `talbot export --format safetensors` wrote")

// foreignError is an [ErrForeign].
type foreignError struct{ is string }

func (e foreignError) Error() string { return fmt.Sprintf("%v: it is %s", ErrForeign, e.is) }

func (e foreignError) Unwrap() []error { return []error{ErrForeign, ErrDamaged} }

// formats are how files begin that are taken for networks.
var formats = []struct{ begins, is string }{
	{"PK\x03\x04", "a file of PyTorch or an archive"},
	{"\x80\x02", "a file of PyTorch"},
	{"\x1f\x8b\x08", "compressed by gzip, such as a network of Lc0"},
	{"\x28\xb5\x2f\xfd", "compressed by zstd"},
	{"\x89HDF\r\n", "an HDF5 file, such as one of Keras"},
	{"GGUF", "a GGUF file"},
	{"\x93NUMPY", "an array of NumPy"},
}

// foreign returns [ErrForeign] if the content of a file, which is no checkpoint, is recognised as something else.
func foreign(path string, data []byte) error {
	is := ""
	if strings.EqualFold(filepath.Ext(path), ".onnx") && bytes.HasPrefix(data, []byte{irVersion}) {
		is = "an ONNX model, which talbot writes but does not read"
	}
	for _, f := range formats {
		if strings.HasPrefix(string(data[:min(len(data), 8)]), f.begins) {
			is = f.is
		}
	}
	if is == "" && isText(data) {
		is = "text, such as games or settings"
	}
	if is == "" {
		return nil
	}
	return foreignError{is}
}

// isText reports whether the first eight bytes, which are the length of the header in a checkpoint, are characters of
// text, after a byte order mark or none.
func isText(data []byte) bool {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	return len(data) >= 8 && !bytes.ContainsFunc(data[:8], func(c rune) bool {
		return c > '~' || c < ' ' && c != '\n' && c != '\r' && c != '\t'
	})
}

// irVersion is the first byte of an ONNX model, a protocol buffer: the tag of its version.
const irVersion = 1 << 3
