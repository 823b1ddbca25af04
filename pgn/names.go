package pgn

import (
	"hash/maphash"
	"slices"
)

var nameSeed = maphash.MakeSeed()

// blockNames is the set of tag names of one tag block, by hash. It holds at most maxNames of them and is only
// filled where a blank line inside a tag block asks for it.
type blockNames struct {
	pos    int // the block has been read up to here
	hashes []uint64
}

const maxNames = 64

func (t *blockNames) reset(pos int) { t.pos, t.hashes = pos, t.hashes[:0] }

// has reports whether the block buf[start:end] has a tag of that name.
func (t *blockNames) has(buf []byte, start, end int, name []byte) bool {
	for i := max(t.pos, start); i < end && len(t.hashes) < maxNames; {
		at := skipSpace(buf[:end], i)
		if name, _, ok := tagName(buf[at:end]); ok {
			t.hashes = append(t.hashes, maphash.Bytes(nameSeed, name))
		}
		n := indexLineEnd(buf[at:end])
		if n < 0 {
			break
		}
		i = at + n + 1
	}
	t.pos = end
	return slices.Contains(t.hashes, maphash.Bytes(nameSeed, name))
}
