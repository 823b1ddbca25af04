package lc0

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"

	"talbot/dataset"
	"talbot/formats/rows"
)

// Reader reads games as lines: the start, the moves, visits as policies, the result, and values as imported labels. A
// Reader is for one goroutine.
type Reader struct {
	chunk  io.Reader // nil once it was read
	tar    *archive  // nil if the file is one chunk
	told   bool      // that the archive is cut off
	engine string
	number int64
	gzip   unpacker
	ahead  *dataset.Reject // damage before the game that was read last
	line   dataset.Line
	labels []dataset.Label
	err    error
}

// NewReader returns a reader of an unpacked file. The origin, which may be empty, names the run that made it.
func NewReader(in io.Reader, origin string) *Reader {
	buffered := bufio.NewReaderSize(in, 1<<16)
	r := &Reader{engine: strings.TrimSpace("lc0 " + origin)}
	if head, _ := buffered.Peek(rows.TarBlock); isHeader(head) {
		r.tar = &archive{in: &counter{Reader: buffered}}
	} else {
		r.chunk = buffered
	}
	return r
}

func isHeader(head []byte) bool { _, ok := rows.ReadTarHeader(head); return ok }

// Next returns the next game with its labels, by ascending Number, or io.EOF after the last. A game that cannot be used
// is a *[dataset.Reject], and reading can go on; every other error is final.
func (r *Reader) Next() (l dataset.Line, labels dataset.Imported, err error) {
	if r.ahead != nil {
		r.ahead = nil
		return r.result()
	}
	if r.tar == nil {
		if r.chunk == nil {
			return l, labels, io.EOF
		}
		r.read(r.chunk, 0)
		r.chunk = nil
		return r.result()
	}
	content, header, offset, lost, err := r.tar.file()
	if err == io.ErrUnexpectedEOF { // within the file that was read last, as that has shown
		err = io.EOF
	}
	if lost > 0 {
		r.number++
		why := errTar
		if r.tar.partly {
			offset, why = r.tar.in.at, errTarCut
		}
		r.ahead = bad(fmt.Errorf("%w; %d bytes are lost", why, lost)).Place(r.number, offset-lost)
		if err == io.EOF {
			reject := r.ahead
			r.ahead, r.told = nil, true
			return l, labels, reject
		}
	}
	if err == io.EOF && r.tar.cut && !r.told {
		r.told = true
		return l, labels, bad(errTarEnd).Place(r.number+1, offset)
	}
	if err != nil {
		return l, labels, err
	}
	r.member(content, header, offset)
	if r.ahead != nil {
		return l, labels, r.ahead
	}
	return r.result()
}

// result returns what was read last.
func (r *Reader) result() (dataset.Line, dataset.Imported, error) {
	if r.err != nil {
		return dataset.Line{}, dataset.Imported{}, r.err
	}
	return r.line, dataset.Imported{Engine: r.engine, Labels: r.labels}, nil
}

// member reads a file of an archive, packed or not.
func (r *Reader) member(content io.Reader, header rows.TarHeader, offset int64) {
	if chunk, err := r.gzip.unpack(content); err != nil {
		r.number++
		r.err = err
	} else {
		r.read(chunk, offset)
	}
	var reject *dataset.Reject
	switch {
	case r.err == nil:
	case errors.As(r.err, &reject):
		if reject.Err != nil {
			reject.Err = fmt.Errorf("%q: %w", header.Name, r.cause(content, header, offset, reject.Err))
		}
	default:
		err := fmt.Errorf("%q: %w", header.Name, r.cause(content, header, offset, r.err))
		r.err = bad(err).Place(r.number, offset)
	}
}

// unpacker unpacks the files of an archive that are packed.
type unpacker struct{ gzip.Reader }

func (u *unpacker) unpack(content io.Reader) (io.Reader, error) {
	in := bufio.NewReader(content)
	if magic, _ := in.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return in, nil
	}
	return u, u.Reset(in)
}

// cause returns why a file of an archive could not be read: err, unless the archive ends within the file.
func (r *Reader) cause(content io.Reader, header rows.TarHeader, offset int64, err error) error {
	_, _ = io.Copy(io.Discard, content) // an error shows when the next file is looked for
	if r.tar.in.at < offset+rows.TarBlock+header.Size {
		r.told = true
		return errTarCut
	}
	return err
}

// bad makes a reject of a file.
func bad(err error) *dataset.Reject { return &dataset.Reject{Reason: dataset.BadChunk, Err: err} }

// read reads a game that begins at an offset of the file.
func (r *Reader) read(chunk io.Reader, offset int64) {
	r.number++
	r.line, r.labels, r.err = game(chunk)
	r.line.Number, r.line.Offset = r.number, offset
	var reject *dataset.Reject
	if errors.As(r.err, &reject) {
		reject.Number, reject.Offset = r.number, offset
		if reject.At += offset; r.tar != nil {
			reject.At = offset // a place in the unpacked chunk is none of the archive
		}
	}
}

// Looks reports whether a file begins with a record, or is an archive in which a file does, by its first bytes: at
// least 512, and 64 KiB of an archive, which may begin with other files such as a licence.
func Looks(head []byte) bool {
	if !isHeader(head) {
		return looksRecord(head)
	}
	a := &archive{in: &counter{Reader: bytes.NewReader(head)}}
	for unpack := new(unpacker); ; {
		content, _, _, lost, err := a.file()
		if err != nil || lost > 0 {
			return false
		}
		if chunk, err := unpack.unpack(content); err == nil { // else no chunk, such as a licence or an empty file
			first := make([]byte, rows.TarBlock)
			if n, _ := io.ReadFull(chunk, first); looksRecord(first[:n]) {
				return true
			}
		}
	}
}

// looksRecord reports whether the first 512 bytes may be those of a record: a version, and shares of visits.
func looksRecord(head []byte) bool {
	if len(head) < rows.TarBlock {
		return false
	}
	version := head[0]
	if head[1]|head[2]|head[3] != 0 || version < 3 || version > 7 {
		return false
	}
	first := 4
	if version >= 5 {
		first = 8
		if head[5]|head[6]|head[7] != 0 || head[4] == 0 {
			return false
		}
	}
	r := record{data: head}
	for at := first; at+4 <= rows.TarBlock; at += 4 {
		if v := r.float(at); v != -1 && !(v >= 0 && v <= 1) && v == v {
			return false
		}
	}
	return true
}
