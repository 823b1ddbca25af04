package lc0

import (
	"bytes"
	"errors"
	"io"

	"talbot/formats/rows"
)

// archive reads the files of a tar archive ([rows.TarHeader]), and finds the next one behind damage.
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
func (a *archive) file() (content io.Reader, h rows.TarHeader, offset, lost int64, err error) {
	var data [rows.TarBlock]byte
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
		if h, ok := rows.ReadTarHeader(data[:]); ok {
			a.ended = false
			a.next = h.AfterContent(a.next)
			if h.Regular {
				return io.LimitReader(a.in, h.Size), h, offset, lost, nil
			}
			continue
		}
		if allZero(data[:]) {
			a.ended = true
		} else {
			lost += rows.TarBlock
		}
	}
}

func allZero(data []byte) bool { return len(bytes.Trim(data, "\x00")) == 0 }
