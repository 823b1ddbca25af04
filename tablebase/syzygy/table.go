package syzygy

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
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
	Sum    string        `json:"sum"`              // the computed checksum, 32 hex digits
	Reason string        `json:"reason,omitempty"` // why it is damaged; empty: it is not
	// settled: a later change would show in the stamp.
	settled bool
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

// read reads the whole file and notes what it finds.
func (t *Table) read(ctx context.Context, chunk []byte, done func(int64)) error {
	f, err := durable.OpenRegular(t.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	found := &finding{}
	begun := time.Now()
	found.Stamp, _ = durable.StampOf(f)
	length, stored, reason, err := t.checkEnds(f)
	if err != nil {
		return err
	}
	if reason != "" {
		found.Reason = reason
		done(t.size)
	} else {
		if found.Sum, err = sum(ctx, io.NewSectionReader(f, 0, length), chunk, done); err != nil {
			return fmt.Errorf("%q: %w", t.Path, err)
		}
		done(t.size - length)
		if found.Sum != stored {
			found.Reason = "its bytes do not agree with its checksum"
		}
	}
	after, ok := durable.StampOf(f)
	found.settled = ok && after == found.Stamp && after.Settled(begun)
	t.finding = found
	return nil
}

// checkEnds looks at the beginning and the end of a file. It returns the length of what the checksum is over and the
// checksum that is stored, or the reason why it is no whole table of its name.
func (t *Table) checkEnds(f *os.File) (length int64, stored, reason string, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, "", "", err
	}
	length = info.Size() - checksumBytes
	if length < blockBytes || length%blockBytes != 0 {
		return 0, "", fmt.Sprintf("%d bytes cannot be all of it", info.Size()), nil
	}
	var head [headBytes]byte
	var tail [checksumBytes]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return 0, "", "", fmt.Errorf("%q: %w", t.Path, err)
	}
	if _, err := f.ReadAt(tail[:], length); err != nil {
		return 0, "", "", fmt.Errorf("%q: %w", t.Path, err)
	}
	return length, hex.EncodeToString(tail[:]), t.mismatch(head[:]), nil
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

// readEnds returns the checksum stored in a file, and why the file cannot be an intact table, as far as its beginning
// and its end show.
func (t *Table) readEnds() (stored, reason string, err error) {
	f, err := durable.OpenRegular(t.Path)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	_, stored, reason, err = t.checkEnds(f)
	return stored, reason, err
}
