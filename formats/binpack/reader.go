package binpack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// maxChunk is the size above which a chunk is taken for damaged, as Stockfish's own reader does.
const maxChunk = 100 << 20

const (
	magic      = "BINP"
	headerSize = len(magic) + 4
	readSize   = 64 << 10 // asked from a file at least
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
	in io.Reader
	// window is what was read of the file and may still be needed, from byte base of the file on: as much as a chunk,
	// and what was read ahead.
	window []byte
	base   int64
	failed error // of reading on; io.EOF at the end

	at    int   // what is next in window
	end   int   // where the current chunk ends in it; equal to at: there is none
	short error // why the chunk ends before its size, nil if it does not
}

// NewReader returns a reader of an unpacked file.
func NewReader(in io.Reader) *Reader { return &Reader{in: in} }

// Next reads the next chain into c, whose memory it uses again, and returns where it begins in the file. After a
// *[Damage] it can be called again; every other error is final, and io.EOF is the end.
func (r *Reader) Next(c *Chain) (offset int64, err error) {
	for r.at == r.end {
		if r.short != nil {
			return 0, r.endShort()
		}
		if err := r.nextChunk(); err != nil {
			return 0, err
		}
	}
	offset = r.offset()
	size, err := c.decode(r.window[r.at:r.end])
	if err != nil {
		return offset, r.skip(err)
	}
	r.at += size
	return offset, nil
}

// offset is the position in the file of the next byte.
func (r *Reader) offset() int64 { return r.base + int64(r.at) }

// fill reads on until it has n bytes. It returns how many it has, and why if they are fewer.
func (r *Reader) fill(n int) (have int, err error) {
	for empty := 0; len(r.window)-r.at < n; {
		if r.failed != nil {
			return len(r.window) - r.at, r.failed
		}
		if r.at >= len(r.window)-r.at { // so that a byte is moved less than once for each that is passed over
			r.base += int64(r.at)
			r.window = r.window[:copy(r.window, r.window[r.at:])]
			r.at, r.end = 0, r.end-r.at
		}
		r.window = slices.Grow(r.window, readSize) // with what there is, not with what a header says
		free := r.window[len(r.window):cap(r.window)]
		got, err := r.in.Read(free)
		r.window, r.failed = r.window[:len(r.window)+got], err
		if empty++; got > 0 {
			empty = 0
		} else if empty == 100 && err == nil {
			r.failed = io.ErrNoProgress
		}
	}
	return len(r.window) - r.at, nil
}

// endShort says that the file ends, or cannot be read, within a chunk all of whose chains were read.
func (r *Reader) endShort() error {
	err := r.short
	r.short = nil
	if err == io.ErrUnexpectedEOF {
		return &Damage{Offset: r.offset(), Err: errors.New("the file ends within a chunk")}
	}
	return err
}

// skip passes over the rest of a chunk. If its size was wrong others may stand in it: these are read.
func (r *Reader) skip(err error) error {
	d := &Damage{Offset: r.offset(), Err: err}
	rest := r.window[r.at:r.end]
	if err == errCutOff && r.short == io.ErrUnexpectedEOF {
		d.Err, r.short = errors.New("the file ends within a chain"), nil
	}
	at := bytes.Index(rest, []byte(magic))
	if at < 0 || !Looks(rest[at:]) {
		d.Lost = int64(len(rest))
		r.at = r.end
		return d
	}
	d.Lost = int64(at)
	r.at += at
	r.end, r.short = r.at, nil
	return d
}

// nextChunk reads a chunk, as far as the file goes.
func (r *Reader) nextChunk() error {
	have, err := r.fill(headerSize)
	switch {
	case err == io.EOF && have == 0:
		return io.EOF
	case err == io.EOF:
		return r.resync(errors.New("the file ends within the header of a chunk"))
	case err != nil:
		return err
	}
	header := r.window[r.at:]
	size := binary.LittleEndian.Uint32(header[len(magic):])
	if string(header[:len(magic)]) != magic {
		return r.resync(errors.New("no chunk begins here"))
	}
	if size > maxChunk {
		return r.resync(fmt.Errorf("a chunk of %d bytes; %d are possible", size, maxChunk))
	}
	r.at += headerSize
	r.end = r.at
	have, err = r.fill(int(size))
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	r.end, r.short = r.at+min(have, int(size)), err
	return nil
}

// resync skips to the next chunk, which begins after the current byte.
func (r *Reader) resync(err error) error {
	d := &Damage{Offset: r.offset(), Err: err}
	for {
		have, _ := r.fill(readSize) // the next call meets an error again
		n := max(have-len(magic)+1, 1)
		if at := bytes.Index(r.window[min(r.at+1, len(r.window)):], []byte(magic)); at >= 0 {
			n = 1 + at
		}
		n = min(n, have)
		d.Lost += int64(n)
		r.at += n
		r.end = r.at
		if have, _ := r.fill(headerSize + stemSize); have == 0 || Looks(r.window[r.at:]) {
			return d
		}
	}
}
