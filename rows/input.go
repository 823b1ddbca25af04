package rows

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
)

// MaxWindow is the largest zstd window that is decoded, in bytes (zstd --long=28). It bounds the memory of a
// decoder to about that size; the decoder of an ordinary file takes 8 MiB or less.
const MaxWindow = 256 << 20

const peekSize = 64 << 10

// Input is an open file of games or rows: a stream of plain text, whatever the file's compression. Reading it also
// hashes and counts the raw bytes of the file.
//
// Read, Head, Sum and Close belong to one goroutine; RawRead may be called from any. An Input starts no goroutine.
type Input struct {
	name   string
	size   int64
	raw    *rawReader
	format string // "plain", "zstd", "gzip", "bzip2"
	text   *bufio.Reader
	read   int64 // decompressed bytes handed out
	close  []func() error
}

// Open opens a file, or standard input for the path "-". The compression is found by the first bytes, not by the
// name: plain text, zstd, gzip and bzip2 are read, other archives are refused with a hint.
func Open(path string) (*Input, error) {
	if path == "-" {
		return NewInput("standard input", os.Stdin)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%q: %w", path, ErrFolder)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	in, err := NewInput(path, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	if info.Mode().IsRegular() {
		in.size = info.Size()
	}
	in.close = append(in.close, f.Close)
	return in, nil
}

// NewInput reads from r as Open reads from a file; name stands in its errors. It does not close r.
func NewInput(name string, r io.Reader) (*Input, error) {
	in := &Input{name: name, size: -1, raw: &rawReader{r: r, hash: sha256.New()}}
	raw := bufio.NewReaderSize(in.raw, peekSize)
	magic, err := raw.Peek(10)
	if err != nil && err != io.EOF {
		return nil, inputError{fmt.Errorf("reading %s: %w", name, err), ErrRead}
	}
	text, err := in.decompress(magic, raw)
	if err == nil {
		in.text = bufio.NewReaderSize(text, peekSize)
		head, _ := in.text.Peek(tarBlock) // damage is found by reading
		if name := archiveOf(head); name != "" {
			in.format, err = name, ErrArchive
		}
	}
	if err != nil {
		fault := ErrPacked
		if in.raw.err != nil {
			fault = ErrRead
		} else if errors.Is(err, ErrArchive) || errors.Is(err, ErrUTF16) {
			fault = nil
		}
		return nil, inputError{fmt.Errorf("opening %s as %s: %w", name, in.format, err), fault}
	}
	return in, nil
}

// decompress puts the decoder that the first bytes ask for over raw.
func (in *Input) decompress(magic []byte, raw *bufio.Reader) (io.Reader, error) {
	switch {
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}), isSkippable(magic):
		in.format = "zstd"
		d, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(MaxWindow))
		if err != nil {
			return nil, err
		}
		in.close = append(in.close, func() error { d.Close(); return nil })
		return d, nil
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		in.format = "gzip"
		return newGzip(raw)
	case len(magic) == 10 && string(magic[:3]) == "BZh" && string(magic[4:]) == "1AY&SY":
		in.format = "bzip2"
		return bzip2.NewReader(raw), nil
	}
	if isUTF16(magic) {
		in.format = "UTF-16 text"
		return nil, ErrUTF16
	}
	in.format = "plain"
	return raw, nil
}

// isSkippable reports whether magic is that of a zstd skippable frame, with which parallel compressors may begin.
func isSkippable(magic []byte) bool {
	return len(magic) >= 4 && magic[0]&0xf0 == 0x50 && bytes.Equal(magic[1:4], []byte{0x2a, 0x4d, 0x18})
}

// Name returns the path, or "standard input".
func (in *Input) Name() string { return in.name }

// Size returns the size of the raw file in bytes, or −1 if it is not known.
func (in *Input) Size() int64 { return in.size }

// RawRead returns how many raw bytes of the file have been read so far, for progress against Size.
func (in *Input) RawRead() int64 { return in.raw.n.Load() }

// Head returns the beginning of the decompressed text, at most 64 KiB, without consuming it. Call it before the first
// Read. Packed text in UTF-16 is refused here.
func (in *Input) Head() ([]byte, error) {
	head, err := in.text.Peek(peekSize)
	if isUTF16(head) {
		return nil, fmt.Errorf("%s holds UTF-16 text: %w", in.name, ErrUTF16)
	}
	if err == nil || err == io.EOF {
		return head, nil
	}
	return head, in.explain(err)
}

// Read reads decompressed text. A file that cannot be read to its end, being cut or damaged, gives an error that
// names the file and the place; what came before it has been handed out.
func (in *Input) Read(p []byte) (int, error) {
	n, err := in.text.Read(p)
	in.read += int64(n)
	if err == nil || err == io.EOF {
		return n, err
	}
	return n, in.explain(err)
}

// explain names the file, the place and the remedy in an error of its text.
func (in *Input) explain(err error) error {
	if in.raw.err != nil { // not the decoder's, whatever it made of it
		return inputError{fmt.Errorf("reading %s at byte %d: %w", in.name, in.read, in.raw.err), ErrRead}
	}
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return inputError{fmt.Errorf("%s: %w: the limit is %d MiB; compress it again: zstd -d --memory=2GB FILE, "+
			"zstd --long=28 FILE", in.name, err, MaxWindow>>20), ErrPacked}
	}
	what := "damaged"
	if errors.Is(err, io.ErrUnexpectedEOF) {
		what = "cut short"
	}
	return inputError{fmt.Errorf("%s: %s data %s near byte %d of the file, after %d bytes of text: %w",
		in.name, in.format, what, in.RawRead(), in.read, err), ErrPacked}
}

// Sum reads what is left of the raw file and returns the SHA-256 of all of it. Call it after the last Read.
func (in *Input) Sum() ([sha256.Size]byte, error) {
	var sum [sha256.Size]byte
	if _, err := io.Copy(io.Discard, in.raw); err != nil {
		return sum, inputError{fmt.Errorf("reading %s: %w", in.name, err), ErrRead}
	}
	in.raw.hash.Sum(sum[:0])
	return sum, nil
}

// Close closes the decoder, and the file if Open opened it.
func (in *Input) Close() error {
	var errs []error
	for _, c := range in.close {
		errs = append(errs, c())
	}
	in.close = nil
	return errors.Join(errs...)
}

// rawReader hashes and counts what passes through it.
type rawReader struct {
	r    io.Reader
	hash hash.Hash
	n    atomic.Int64
	err  error // of reading the file, but its end
}

func (r *rawReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
	}
	r.hash.Write(p[:n])
	r.n.Add(int64(n))
	return n, err
}
