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
	member, err := gzip.NewReader(raw)
	if err != nil {
		return nil, err
	}
	member.Multistream(false)
	return &gzipReader{member, raw}, nil
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
	zeros := false
	for {
		b, err := g.raw.ReadByte()
		switch {
		case err != nil:
			return err
		case b == 0:
			zeros = true
		case zeros:
			return gzip.ErrHeader
		default:
			if err := g.raw.UnreadByte(); err != nil {
				return err
			}
			if err := g.member.Reset(g.raw); err != nil {
				return err
			}
			g.member.Multistream(false)
			return nil
		}
	}
}
