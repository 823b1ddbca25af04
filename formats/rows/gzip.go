package rows

import (
	"bufio"
	"io"

	"github.com/klauspost/compress/gzip"
)

// gzipReader reads gzip members one after another, and passes over zero bytes after the last one, with which tapes and
// some tools fill up blocks. Anything else after a member is an error.
type gzipReader struct {
	member *gzip.Reader
	raw    *bufio.Reader
}

func newGzip(raw *bufio.Reader) (*gzipReader, error) {
	g := &gzipReader{new(gzip.Reader), raw}
	return g, g.begin()
}

// begin begins the member that comes next.
func (g *gzipReader) begin() error {
	err := g.member.Reset(g.raw)
	g.member.Multistream(false)
	return err
}

// Read reads decompressed bytes.
func (g *gzipReader) Read(p []byte) (int, error) {
	for {
		n, err := g.member.Read(p)
		if err != io.EOF {
			return n, err
		}
		if err := g.next(); err != nil || n > 0 {
			return n, err
		}
	}
}

// next begins the next member. It returns io.EOF if there is none.
func (g *gzipReader) next() error {
	c, err := g.raw.ReadByte()
	if err == nil && c != 0 {
		g.raw.UnreadByte()
		return g.begin()
	}
	for ; err == nil; c, err = g.raw.ReadByte() {
		if c != 0 {
			return gzip.ErrHeader
		}
	}
	return err
}
