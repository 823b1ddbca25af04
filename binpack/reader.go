package binpack

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// maxChunk is the size above which a chunk is taken for damaged, as Stockfish's own reader does.
const maxChunk = 100 << 20

const (
	magic      = "BINP"
	headerSize = len(magic) + 4
)

// Looks reports whether a file begins as a binpack file does. head is at least its first 42 bytes.
func Looks(head []byte) bool {
	if len(head) < headerSize+stemSize || string(head[:len(magic)]) != magic {
		return false
	}
	size := binary.LittleEndian.Uint32(head[len(magic):])
	var c Chain
	return size >= stemSize && size <= maxChunk && c.decodeStem(head[headerSize:]) == nil
}

// Damage is a part of a file that is not read, as it breaks the format or the rules of chess. The reader can go on.
type Damage struct {
	Offset int64 // of the chain or chunk, in the unpacked file
	Lost   int64 // bytes that are not read because of it, up to the next chunk
	Err    error
}

func (d *Damage) Error() string {
	return fmt.Sprintf("damaged at byte %d: %v; %d bytes up to the next chunk are lost", d.Offset, d.Err, d.Lost)
}

func (d *Damage) Unwrap() error { return d.Err }

// Reader reads chains.
type Reader struct {
	in     *bufio.Reader
	offset int64 // of what in gives next

	chunk []byte // the one at hand
	begin int64  // where it begins in the file
	next  int    // the next chain in it
	short error  // why the chunk ends before its size, nil if it does not
}

// NewReader returns a reader of an unpacked file.
func NewReader(in io.Reader) *Reader { return &Reader{in: bufio.NewReaderSize(in, 1<<16)} }

// Next reads the next chain into c, whose memory it uses again, and returns where it begins in the file. After a
// *[Damage] it can be called again; every other error is final, and io.EOF is the end.
func (r *Reader) Next(c *Chain) (offset int64, err error) {
	for r.next == len(r.chunk) {
		if r.short != nil {
			return 0, r.endShort()
		}
		if err := r.nextChunk(); err != nil {
			return 0, err
		}
	}
	offset = r.begin + int64(r.next)
	size, err := c.decode(r.chunk[r.next:])
	if err != nil {
		return offset, r.skip(err)
	}
	r.next += size
	return offset, nil
}

// endShort says that the file ends, or cannot be read, within a chunk all of whose chains were read.
func (r *Reader) endShort() error {
	err := r.short
	r.short = nil
	if err == io.ErrUnexpectedEOF {
		return &Damage{Offset: r.begin + int64(len(r.chunk)), Err: errors.New("the file ends within a chunk")}
	}
	return err
}

// skip passes over the rest of a chunk. If its size was wrong others may stand in it: these are read.
func (r *Reader) skip(err error) error {
	d := &Damage{Offset: r.begin + int64(r.next), Err: err}
	rest := r.chunk[r.next:]
	if err == errCutOff && r.short == io.ErrUnexpectedEOF {
		d.Err, r.short = errors.New("the file ends within a chain"), nil
	}
	at := bytes.Index(rest, []byte(magic))
	if at < 0 || !Looks(rest[at:]) {
		d.Lost = int64(len(rest))
		r.next = len(r.chunk)
		return d
	}
	d.Lost = int64(at)
	back := bytes.Clone(rest[at:])
	r.offset = r.begin + int64(r.next+at)
	in := io.Reader(r.in)
	if r.short != nil {
		in = failing{r.short}
		if r.short == io.ErrUnexpectedEOF {
			in = bytes.NewReader(nil)
		}
	}
	r.in = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(back), in), 1<<16)
	r.chunk, r.next, r.short = nil, 0, nil
	return d
}

// failing is a reader that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// nextChunk reads a chunk, as far as the file goes.
func (r *Reader) nextChunk() error {
	header, err := r.in.Peek(headerSize)
	switch {
	case err == io.EOF && len(header) == 0:
		return io.EOF
	case err == io.EOF:
		return r.resync(errors.New("the file ends within the header of a chunk"))
	case err != nil:
		return err
	}
	size := binary.LittleEndian.Uint32(header[len(magic):])
	if string(header[:len(magic)]) != magic {
		return r.resync(errors.New("no chunk begins here"))
	}
	if size > maxChunk {
		return r.resync(fmt.Errorf("a chunk of %d bytes; %d are possible", size, maxChunk))
	}
	r.in.Discard(headerSize)
	r.begin = r.offset + int64(headerSize)
	buffer := bytes.NewBuffer(r.chunk[:0]) // grows with what there is, not with what the header says
	n, err := io.CopyN(buffer, r.in, int64(size))
	r.chunk, r.next, r.short = buffer.Bytes(), 0, nil
	r.offset = r.begin + n
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	r.short = err
	return nil
}

// resync passes over what is before the next chunk.
func (r *Reader) resync(err error) error {
	d := &Damage{Offset: r.offset, Err: err}
	for {
		// The first letter at hand is not that of a chunk.
		n := 1
		if window, _ := r.in.Peek(r.in.Buffered()); len(window) > 1 {
			n = len(window) - len(magic) + 1
			if at := bytes.Index(window[1:], []byte(magic)); at >= 0 {
				n = 1 + at
			}
		}
		n, err := r.in.Discard(max(n, 1))
		d.Lost += int64(n)
		r.offset += int64(n)
		if err != nil { // the next call meets it again
			return d
		}
		head, err := r.in.Peek(headerSize + stemSize)
		if Looks(head) || err != nil && len(head) == 0 {
			return d
		}
	}
}
