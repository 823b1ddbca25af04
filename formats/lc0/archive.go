package lc0

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
)

// An archive is a tar: blocks of 512 bytes, of which one describes a file and those after it have its content. The
// description has an octal sum of its bytes, so damage shows, and the next one can be found.
const (
	block    = 512
	sumAt    = 148
	sumSize  = 8
	sizeAt   = 124
	sizeSize = 12
	typeAt   = 156
)

// tarHeader describes a file.
type tarHeader struct {
	name    string
	size    int64 // of its content
	regular bool
}

// readHeader reads a description; false if it is none.
func readHeader(data []byte) (h tarHeader, ok bool) {
	if len(data) < block || bytes.IndexByte(data[:block], 0) < 0 {
		return h, false
	}
	octal := func(at, size int) (int64, error) {
		return strconv.ParseInt(strings.Trim(string(data[at:at+size]), " \x00"), 8, 64)
	}
	want, err := octal(sumAt, sumSize)
	if err != nil {
		return h, false
	}
	sum := int64(sumSize * ' ')
	for i, c := range data[:block] {
		if i < sumAt || i >= sumAt+sumSize {
			sum += int64(c)
		}
	}
	if sum != want {
		return h, false
	}
	if h.size, err = octal(sizeAt, sizeSize); err != nil || h.size < 0 {
		return h, false
	}
	name, _, _ := bytes.Cut(data[:100], []byte{0})
	h.name = string(name)
	h.regular = data[typeAt] == '0' || data[typeAt] == 0
	if !h.regular && strings.IndexByte("12345", data[typeAt]) >= 0 { // links and folders have no content
		h.size = 0
	}
	return h, true
}

// archive reads the files of a tar.
type archive struct {
	in   *counter
	next int64 // offset of the next description

	ended  bool // behind the last file there were zeros, which end an archive
	cut    bool // it ended without them,
	partly bool // and within a block or a file
}

// counter counts what is read.
type counter struct {
	io.Reader
	at int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.at += int64(n)
	return n, err
}

var (
	errTar    = errors.New("damaged: no file of the archive begins here")
	errTarCut = errors.New("the archive is cut off here: download or copy it again, or use the games before it")
	errTarEnd = errors.New("the archive ends here without the mark of its end: games may be missing, so compare its " +
		"size with the original's")
)

// file returns the next regular file: its content, which must be read before the next call, and where it begins. lost
// are bytes before it that are no file. io.EOF is the end.
func (a *archive) file() (content io.Reader, h tarHeader, offset, lost int64, err error) {
	var data [block]byte
	for {
		if _, err := io.CopyN(io.Discard, a.in, a.next-a.in.at); err != nil {
			if err == io.EOF {
				err, a.cut, a.partly = io.ErrUnexpectedEOF, true, true // within the file before
			}
			return nil, h, a.in.at, lost, err
		}
		offset = a.in.at
		n, err := io.ReadFull(a.in, data[:])
		if err == io.ErrUnexpectedEOF {
			if allZero(data[:n]) {
				a.ended = true
			} else {
				lost += int64(n)
				a.partly = true
			}
			err = io.EOF
		}
		if err != nil {
			a.cut = err == io.EOF && !a.ended
			return nil, h, offset, lost, err
		}
		a.next = a.in.at
		if h, ok := readHeader(data[:]); ok {
			a.ended = false
			a.next += (h.size + block - 1) / block * block
			if h.regular {
				return io.LimitReader(a.in, h.size), h, offset, lost, nil
			}
			continue
		}
		if allZero(data[:]) {
			a.ended = true
		} else {
			lost += block
		}
	}
}

func allZero(data []byte) bool { return len(bytes.Trim(data, "\x00")) == 0 }
