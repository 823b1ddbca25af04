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
	"slices"
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
	binary bool  // one of the kinds recognised it
	close  []func() error
	file   *os.File // that Open opened; nil if it is not regular
}

// Open opens a file, or standard input for the path "-". The compression is found by the first bytes, not by the name:
// plain text and what [Packers] names are read, other archives are refused with a hint. So is text in UTF-16, unless
// one of binary recognises the beginning of the unpacked data.
func Open(path string, binary ...func(head []byte) bool) (*Input, error) {
	if path == "-" {
		return NewInput("standard input", os.Stdin, binary...)
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
	in, err := NewInput(path, f, binary...)
	if err != nil {
		f.Close()
		return nil, err
	}
	if info.Mode().IsRegular() {
		in.size, in.file = info.Size(), f
	}
	in.close = append(in.close, f.Close)
	return in, nil
}

// NewInput reads from r as Open reads from a file; name stands in its errors. It does not close r.
func NewInput(name string, r io.Reader, binary ...func(head []byte) bool) (*Input, error) {
	in := &Input{name: name, size: -1, raw: &rawReader{r: r, hash: sha256.New()}}
	raw := bufio.NewReaderSize(in.raw, peekSize)
	magic, err := raw.Peek(10)
	if err != nil && err != io.EOF {
		return nil, inputError{fmt.Errorf("reading %s: %w", name, err), ErrRead}
	}
	text, err := in.decompress(magic, raw)
	if err == nil {
		in.text = bufio.NewReaderSize(text, peekSize)
		head, _ := in.text.Peek(TarBlock) // damage is found by reading
		if isTar(head) {
			head, _ = in.text.Peek(peekSize) // what is in it decides
		}
		in.binary = slices.ContainsFunc(binary, func(is func([]byte) bool) bool { return is(head) })
		switch name := archiveOf(head); {
		case in.binary:
		case in.format == "plain" && isUTF16(magic):
			in.format, err = "UTF-16 text", ErrUTF16
		case name != "":
			in.format, err = name, ErrArchive
		case in.format != "plain":
			if i := slices.IndexFunc(packers, func(p packer) bool { return p.is(head[:min(len(head), 10)]) }); i >= 0 {
				in.format, err = packers[i].name+" inside "+in.format, ErrArchive
			}
		}
	}
	if err != nil {
		whole := fmt.Errorf("opening %s as %s: %w", name, in.format, err)
		switch {
		case in.raw.err != nil:
			return nil, inputError{whole, ErrRead}
		case errors.Is(err, ErrArchive) || errors.Is(err, ErrUTF16):
			return nil, whole
		}
		return nil, inputError{whole, ErrPacked}
	}
	return in, nil
}

// packer is a compression that is read.
type packer struct {
	name, suffix string
	is           func(magic []byte) bool
	open         func(raw *bufio.Reader) (text io.Reader, closed func() error, err error)
}

// packers lists all of them. A new one is a line here.
var packers = []packer{
	{"zstd", ".zst", isZstd, openZstd},
	{"gzip", ".gz", func(magic []byte) bool { return bytes.HasPrefix(magic, []byte{0x1f, 0x8b}) },
		func(raw *bufio.Reader) (io.Reader, func() error, error) { return unclosed(newGzip(raw)) }},
	{"bzip2", ".bz2", func(magic []byte) bool {
		return len(magic) == 10 && string(magic[:3]) == "BZh" && (string(magic[4:]) == "1AY&SY" ||
			string(magic[4:]) == "\x17\x72\x45\x38\x50\x90") // the first block, or the end of an empty stream
	}, func(raw *bufio.Reader) (io.Reader, func() error, error) { return unclosed(bzip2.NewReader(raw), nil) }},
}

// Packers returns the names of the compressions that are read, and the suffixes of such files.
func Packers() (names, suffixes []string) {
	for _, p := range packers {
		names, suffixes = append(names, p.name), append(suffixes, p.suffix)
	}
	return names, suffixes
}

func unclosed[R io.Reader](r R, err error) (io.Reader, func() error, error) {
	return r, func() error { return nil }, err
}

func openZstd(raw *bufio.Reader) (io.Reader, func() error, error) {
	d, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(MaxWindow))
	return d, func() error { d.Close(); return nil }, err
}

// decompress puts the decoder that the first bytes ask for over raw.
func (in *Input) decompress(magic []byte, raw *bufio.Reader) (io.Reader, error) {
	for _, p := range packers {
		if p.is(magic) {
			in.format = p.name
			text, closed, err := p.open(raw)
			if err == nil {
				in.close = append(in.close, closed)
			}
			return text, err
		}
	}
	in.format = "plain"
	return raw, nil
}

// isZstd reports whether magic is that of a zstd frame, or of a skippable one.
func isZstd(magic []byte) bool {
	return bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}) || isSkippable(magic)
}

// isSkippable reports whether magic is that of a zstd skippable frame, with which parallel compressors may begin.
func isSkippable(magic []byte) bool {
	return len(magic) >= 4 && magic[0]&0xf0 == 0x50 && bytes.Equal(magic[1:4], []byte{0x2a, 0x4d, 0x18})
}

// Name returns the path, or "standard input".
func (in *Input) Name() string { return in.name }

// Size returns the size of the raw file in bytes, or −1 if it is not known.
func (in *Input) Size() int64 { return in.size }

// Direct returns the file itself, to be read in any order, and its size; ok is false if it is packed or no file that
// can be read so. Reading it neither hashes nor counts: [Input.Sum] does that afterwards.
func (in *Input) Direct() (file io.ReaderAt, size int64, ok bool) {
	if in.file == nil || in.format != "plain" {
		return nil, 0, false
	}
	return in.file, in.size, true
}

// RawRead returns how many raw bytes of the file have been read so far, for progress against Size.
func (in *Input) RawRead() int64 { return in.raw.n.Load() }

// Head returns the beginning of the decompressed text, at most 64 KiB, without consuming it. Call it before the first
// Read. Packed text in UTF-16 is refused here.
func (in *Input) Head() ([]byte, error) {
	head, err := in.text.Peek(peekSize)
	if !in.binary && isUTF16(head) {
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
	if in.raw.err != nil { // not the decoder's error
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

// OnClose has Close call a function too.
func (in *Input) OnClose(f func() error) { in.close = append(in.close, f) }

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
