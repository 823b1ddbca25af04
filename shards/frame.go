package shards

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"

	"talbot/dataset"
)

// A shard is a skippable frame with the header, the columns as zstd frames, and a skippable frame with the footer,
// which ends in the trailer.
const (
	headerMagic  = 0x184D2A50 // of a skippable frame
	footerMagic  = 0x184D2A51
	headerText   = "talbot shard" // and the version as a little-endian 32-bit number
	trailerText  = "talbotEF"
	frameHead    = 8 // magic, size of the content
	headerSize   = frameHead + len(headerText) + 4
	trailerSize  = 24       // length and xxHash64 of the footer, trailerText
	maxFooter    = 16 << 20 // bytes of JSON
	smallestFile = headerSize + frameHead + trailerSize
)

// appendHeader appends the frame that begins a shard.
func appendHeader(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, headerMagic)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(headerSize-frameHead))
	dst = append(dst, headerText...)
	return binary.LittleEndian.AppendUint32(dst, dataset.FormatVersion)
}

// appendFooter appends the frame that ends a shard.
func appendFooter(dst []byte, ix *index) ([]byte, error) {
	text, err := json.Marshal(ix)
	if err != nil {
		return nil, err
	}
	if len(text) > maxFooter {
		return nil, fmt.Errorf("footer of %d bytes is above %d; use more shards", len(text), maxFooter)
	}
	dst = binary.LittleEndian.AppendUint32(dst, footerMagic)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(text)+trailerSize))
	dst = append(dst, text...)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(len(text)))
	dst = binary.LittleEndian.AppendUint64(dst, xxhash.Sum64(text))
	return append(dst, trailerText...), nil
}

// appendStored appends a zstd frame of raw blocks: the bytes as they are (RFC 8878, sections 3.1.1 and 3.1.1.2.2).
func appendStored(dst, raw []byte) []byte {
	const (
		zstdMagic   = 0xFD2FB528
		description = 3<<6 | 1<<5 // a content size of 8 bytes, a single segment
		blockMax    = 128 << 10
	)
	dst = binary.LittleEndian.AppendUint32(dst, zstdMagic)
	dst = append(dst, description)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(len(raw)))
	for last := false; !last; {
		n := min(len(raw), blockMax)
		last = n == len(raw)
		head := uint32(n) << 3 // of type 0
		if last {
			head |= 1
		}
		dst = append(dst, byte(head), byte(head>>8), byte(head>>16))
		dst = append(dst, raw[:n]...)
		raw = raw[n:]
	}
	return dst
}

// damage is a fault at a byte of a shard.
type damage struct {
	at    int64
	fault string
	err   error // may be nil
}

func (d *damage) Error() string {
	if d.err != nil {
		return fmt.Sprintf("byte %d: %s: %v", d.at, d.fault, d.err)
	}
	return fmt.Sprintf("byte %d: %s", d.at, d.fault)
}

func (d *damage) Unwrap() []error {
	if d.err != nil {
		return []error{dataset.ErrDamaged, d.err}
	}
	return []error{dataset.ErrDamaged}
}

// readIndex reads header and footer of a shard of that size.
func readIndex(r io.ReaderAt, size int64) (*index, error) {
	if size < int64(smallestFile) {
		return nil, &damage{at: size, fault: "the file is too short to be a shard"}
	}
	var head [headerSize]byte
	if err := readAt(r, head[:], 0); err != nil {
		return nil, err
	}
	const textEnd = int(headerSize - 4)
	if string(head[:textEnd]) != string(appendHeader(nil)[:textEnd]) {
		return nil, &damage{at: 0, fault: "not a shard: wrong header"}
	}
	version := binary.LittleEndian.Uint32(head[textEnd:])
	text, start, err := readFooter(r, size)
	if err != nil {
		return nil, err
	}
	ix, unknown := new(index), false
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if strict.Decode(ix) != nil || strict.InputOffset() != int64(len(text)) {
		ix, unknown = new(index), true
		if err := json.Unmarshal(text, ix); err != nil {
			return nil, &damage{at: start + frameHead, fault: "footer", err: err}
		}
	}
	if ix.Format != int(version) {
		return nil, &damage{at: int64(textEnd),
			fault: fmt.Sprintf("version %d in the header, %d in the footer", version, ix.Format)}
	}
	if version != dataset.FormatVersion {
		return nil, fmt.Errorf("%w: it has version %d, this program reads version %d", dataset.ErrVersion, version,
			dataset.FormatVersion)
	}
	if unknown {
		return nil, fmt.Errorf("%w: its footer has unknown members", dataset.ErrVersion)
	}
	if err := ix.check(int64(headerSize), start); err != nil {
		return nil, &damage{at: start + frameHead, fault: "footer", err: err}
	}
	return ix, ix.checkKnown()
}

// readFooter finds the footer from the file's end and returns its JSON and the offset of its frame.
func readFooter(r io.ReaderAt, size int64) ([]byte, int64, error) {
	var trailer [trailerSize]byte
	at := size - trailerSize
	if err := readAt(r, trailer[:], at); err != nil {
		return nil, 0, err
	}
	if string(trailer[16:]) != trailerText {
		return nil, 0, &damage{at: at + 16, fault: "trailer missing: the file is truncated or has extra bytes"}
	}
	length := binary.LittleEndian.Uint64(trailer[:])
	if length > maxFooter || int64(length) > size-int64(smallestFile) {
		return nil, 0, &damage{at: at, fault: fmt.Sprintf("footer of %d bytes in a file of %d", length, size)}
	}
	start := at - int64(length) - frameHead
	frame := make([]byte, frameHead+length)
	if err := readAt(r, frame, start); err != nil {
		return nil, 0, err
	}
	if binary.LittleEndian.Uint32(frame) != footerMagic ||
		uint64(binary.LittleEndian.Uint32(frame[4:])) != length+trailerSize {
		return nil, 0, &damage{at: start, fault: "not the frame of a footer"}
	}
	text := frame[frameHead:]
	if xxhash.Sum64(text) != binary.LittleEndian.Uint64(trailer[8:]) {
		return nil, 0, &damage{at: start + frameHead, fault: "footer does not match its checksum"}
	}
	return text, start, nil
}

// readAt fills p. A file that ends before is damaged; other errors are the file system's.
func readAt(r io.ReaderAt, p []byte, at int64) error {
	n, err := r.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return &damage{at: at + int64(n), fault: "unexpected end of file"}
	}
	return fmt.Errorf("byte %d: %w", at+int64(n), err)
}
