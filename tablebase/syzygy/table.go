package syzygy

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"talbot/board"
	"talbot/internal/durable"
)

// A file is a multiple of 64 bytes and its checksum.
const (
	blockBytes    = 64
	checksumBytes = 16
	chunkBytes    = 16 << 20 // hashed separately
)

// The first bytes of files.
const (
	resultMagic   = "\x71\xe8\x23\x5d"
	distanceMagic = "\xd7\x66\x0c\xa5"
)

// headBytes is how much of a file's beginning says whose table it is.
const headBytes = 16

// finding is the result of reading a file.
type finding struct {
	Stamp  durable.Stamp `json:"stamp"`
	Reason string        `json:"reason,omitempty"` // why it is damaged; empty: it is not
}

// sum computes the checksum of a table's content: CityHashCrc128 of the CityHashCrc256 of each chunk of 16 MiB, low
// word first. chunk is the memory for one of them; done gets the number of bytes read.
func sum(ctx context.Context, r io.Reader, chunk []byte, done func(int64)) (string, error) {
	var hashes []byte
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := io.ReadFull(r, chunk)
		if n > 0 {
			for _, word := range crc256(chunk[:n]) {
				hashes = binary.LittleEndian.AppendUint64(hashes, word)
			}
			done(int64(n))
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return "", err
		}
	}
	low, high := hash128(hashes)
	b := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, low), high)
	return hex.EncodeToString(b), nil
}

// look notes size, stamp and stored checksum of the file, and why it cannot be an intact table, as far as its beginning
// and its end show.
func (t *Table) look() error {
	f, err := durable.OpenRegular(t.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	t.size = info.Size()
	t.stamp, _ = durable.StampOf(f)
	length := t.size - checksumBytes
	if length < blockBytes || length%blockBytes != 0 {
		t.reason = fmt.Sprintf("%d bytes cannot be all of it", t.size)
		return nil
	}
	var head [headBytes]byte
	var tail [checksumBytes]byte
	_, errHead := f.ReadAt(head[:], 0)
	_, errTail := f.ReadAt(tail[:], length)
	if err := cmp.Or(errHead, errTail); err != nil {
		return fmt.Errorf("%q: %w", t.Path, err)
	}
	t.checksum, t.reason = hex.EncodeToString(tail[:]), t.mismatch(head[:])
	return nil
}

// verify reads the whole file. It returns what it found, and whether a later change would show in the stamp.
func (t *Table) verify(ctx context.Context, chunk []byte, done func(int64)) (found finding, settled bool, err error) {
	f, err := durable.OpenRegular(t.Path)
	if err != nil {
		return found, false, err
	}
	defer f.Close()
	begun := time.Now()
	found.Stamp, _ = durable.StampOf(f)
	is, err := sum(ctx, io.NewSectionReader(f, 0, t.size-checksumBytes), chunk, done)
	if err != nil {
		return found, false, fmt.Errorf("%q: %w", t.Path, err)
	}
	done(checksumBytes)
	if is != t.checksum {
		found.Reason = "its bytes do not agree with its checksum"
	}
	after, ok := durable.StampOf(f)
	return found, ok && after == found.Stamp && after.Settled(begun), nil
}

// mismatch returns why a file that begins like this is not the table of its name.
//
// After the magic come the number of pieces, in the high half of a byte with flags; the order in which squares are
// counted, two bytes where both sides have pawns; and a byte for each piece: in the low half the piece, from 1 = pawn
// to 6 = king and 8 more for Black, in the high half the same for the other side to move. (All this of the leading pawn
// on the a-file; what follows is of other files.)
func (t *Table) mismatch(head []byte) string {
	magic := distanceMagic
	if t.results() {
		magic = resultMagic
	}
	if string(head[:4]) != magic {
		return "it does not begin as such a table does"
	}
	pieces := t.Material.Pieces()
	at := 6
	if t.Material.Count(board.White, board.Pawn) > 0 && t.Material.Count(board.Black, board.Pawn) > 0 {
		at++
	}
	if at+pieces > len(head) {
		return "no tables of so many pieces are known"
	}
	if n := int(head[4] >> 4); n != pieces {
		return fmt.Sprintf("it is a table of %d pieces under another name", n)
	}
	var m board.Material
	for _, b := range head[at:][:pieces] {
		switch kind := board.PieceType(b & 7); {
		case kind < board.Pawn || kind > board.King:
			return "it is not a table of chess"
		case kind != board.King:
			m = m.With(board.Color(b>>3&1), kind)
		}
	}
	if m.Fold() != t.Material.Fold() {
		return fmt.Sprintf("it is the table of %v under another name", m)
	}
	return ""
}
