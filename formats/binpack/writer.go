package binpack

import (
	"encoding/binary"
	"io"
)

// closeChunk is the size at which a chunk ends with its chain, as other writers do.
const closeChunk = 1 << 20

// Writer writes chains.
type Writer struct {
	out   io.Writer
	chunk []byte // header and chains
	limit int
}

// NewWriter returns a writer of an unpacked file.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out, limit: closeChunk} }

// Write adds a chain. An error of the chain, such as an illegal move, leaves the file as it was.
func (w *Writer) Write(c *Chain) error {
	if len(w.chunk) == 0 {
		w.chunk = append(append(w.chunk, magic...), 0, 0, 0, 0)
	}
	before := len(w.chunk)
	chunk, err := c.append(w.chunk)
	if w.chunk = chunk; err != nil {
		w.chunk = chunk[:before]
		return err
	}
	if len(chunk)-headerSize > w.limit {
		return w.Flush()
	}
	return nil
}

// Flush ends the current chunk and writes it.
func (w *Writer) Flush() error {
	if len(w.chunk) <= headerSize {
		return nil
	}
	binary.LittleEndian.PutUint32(w.chunk[len(magic):], uint32(len(w.chunk)-headerSize))
	_, err := w.out.Write(w.chunk)
	w.chunk = w.chunk[:0]
	return err
}
