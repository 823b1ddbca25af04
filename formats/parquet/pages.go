package parquet

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

const (
	maxPage   = 64 << 20  // bytes of a page, packed or not
	maxHeader = 256 << 10 // bytes of its header

	// plainDictionary is what older writers call plain in dictionaries, and numbers of a dictionary in pages.
	plainDictionary format.Encoding = 2
)

// value is one of a column. Text is valid until the group ends.
type value struct {
	null   bool
	text   []byte
	number int64 // or the bits of a float64
}

func (v *value) float() float64     { return math.Float64frombits(uint64(v.number)) }
func (v *value) setFloat(f float64) { v.number = int64(math.Float64bits(f)) }

// pages reads the values of a column in one row group, page by page.
type pages struct {
	leaf  *leaf
	in    *bufio.Reader
	at    int64 // of what in gives next
	end   int64
	codec format.CompressionCodec
	left  int64 // values that no page has given yet
	zstd  **zstd.Decoder

	packed []byte // the last page as it is in the file, if it is compressed

	dictionary []value
	inPage     int64 // values of this page that are to come
	reps, defs runs
	values     decoder
}

// decoder gives the values of a page that are not null.
type decoder interface{ next(v *value) error }

// newPages returns a reader of the values of a chunk.
func newPages(f *file, l *leaf, chunk *format.ColumnChunk, unpacker **zstd.Decoder) (*pages, error) {
	meta := &chunk.MetaData
	start := meta.DataPageOffset
	if d := meta.DictionaryPageOffset; d > 0 && d < start {
		start = d
	}
	size := meta.TotalCompressedSize
	switch {
	case chunk.FilePath != "":
		return nil, fmt.Errorf("%w: column %q is in another file", ErrUnsupported, l.path)
	case start < int64(len(magic)) || size < 0 || size > f.size || start > f.size-size:
		return nil, fmt.Errorf("column %q: %d bytes at %d, outside the file", l.path, size, start)
	case meta.NumValues < 0 || meta.Type != l.kind:
		return nil, fmt.Errorf("column %q: %d values of another type than the schema's", l.path, meta.NumValues)
	}
	switch meta.Codec {
	case format.Uncompressed, format.Snappy, format.Gzip, format.Zstd:
	default:
		return nil, fmt.Errorf("%w: column %q is compressed with %v", ErrUnsupported, l.path, meta.Codec)
	}
	return &pages{leaf: l, in: bufio.NewReaderSize(io.NewSectionReader(f.in, start, size), 64<<10), at: start,
		end: start + size, codec: meta.Codec, left: meta.NumValues, zstd: unpacker}, nil
}

// next returns the next value. rep > 0 says that it is of the same list as the one before; def is its definition level.
func (p *pages) next(v *value) (rep, def uint32, err error) {
	for p.inPage == 0 {
		if p.left == 0 {
			return 0, 0, io.EOF
		}
		if err := p.page(); err != nil {
			return 0, 0, fmt.Errorf("column %q, page at byte %d: %w", p.leaf.path, p.at, err)
		}
	}
	if p.leaf.maxRep > 0 {
		rep, err = p.reps.next()
	}
	if p.leaf.maxDef > 0 && err == nil {
		def, err = p.defs.next()
	}
	if err == nil && (rep > p.leaf.maxRep || def > p.leaf.maxDef) {
		err = errStructure
	}
	if v.null = def < p.leaf.maxDef; !v.null && err == nil {
		if err = p.values.next(v); p.leaf.half && err == nil {
			v.setFloat(half(v.text))
			v.text = nil
		}
	}
	if err != nil {
		return 0, 0, fmt.Errorf("column %q, page before byte %d: %w", p.leaf.path, p.at, err)
	}
	p.inPage--
	p.left--
	return rep, def, nil
}

// header reads the header of a page.
func (p *pages) header() (h format.PageHeader, err error) {
	for ask := 512; ; ask *= 8 {
		head, peekErr := p.peek(ask)
		h = format.PageHeader{}
		n, err := decode(head, &h)
		switch {
		case err == nil:
			p.in.Discard(n)
			p.at += int64(n)
			return h, nil
		case !errors.Is(err, io.ErrUnexpectedEOF):
			return h, err
		case peekErr != nil && peekErr != bufio.ErrBufferFull:
			if peekErr == io.EOF {
				peekErr = errors.New("the column ends within a page")
			}
			return h, peekErr
		case ask >= maxHeader:
			return h, fmt.Errorf("a header of more than %d bytes", maxHeader)
		}
	}
}

// peek looks at up to n bytes. The buffer grows for them.
func (p *pages) peek(n int) ([]byte, error) {
	if n > p.in.Size() {
		p.in = bufio.NewReaderSize(p.in, n)
	}
	return p.in.Peek(n)
}

// page begins the next page that has values.
func (p *pages) page() error {
	h, err := p.header()
	if err != nil {
		return err
	}
	if h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 ||
		max(h.CompressedPageSize, h.UncompressedPageSize) > maxPage || int64(h.CompressedPageSize) > p.end-p.at {
		return fmt.Errorf("%d bytes, unpacked %d; %d are possible", h.CompressedPageSize, h.UncompressedPageSize,
			min(maxPage, p.end-p.at))
	}
	data := p.packed[:0]
	if p.codec == format.Uncompressed {
		data = nil // values keep what they refer to
	}
	data = slices.Grow(data, int(h.CompressedPageSize))[:h.CompressedPageSize]
	if _, err := io.ReadFull(p.in, data); err != nil {
		return err
	}
	p.packed = data
	p.at += int64(len(data))
	if h.CRC != 0 && crc32.ChecksumIEEE(data) != uint32(h.CRC) {
		return errors.New("wrong checksum")
	}
	switch h.Type {
	case format.DictionaryPage:
		return p.readDictionary(&h, data)
	case format.DataPage:
		return p.version1(&h, data)
	case format.DataPageV2:
		return p.version2(&h, data)
	case format.IndexPage:
		return nil
	}
	return fmt.Errorf("%w: pages of type %v", ErrUnsupported, h.Type)
}

func (p *pages) readDictionary(h *format.PageHeader, data []byte) error {
	d := &h.DictionaryPageHeader
	if !d.Valid || d.V.NumValues < 0 || p.dictionary != nil {
		return errStructure
	}
	data, err := p.unpack(data, int(h.UncompressedPageSize))
	if err != nil {
		return err
	}
	if e := d.V.Encoding; e != format.Plain && e != plainDictionary {
		return fmt.Errorf("%w: dictionaries as %v", ErrUnsupported, e)
	}
	if int(d.V.NumValues) > len(data) { // none takes less than a byte
		return errShort
	}
	p.dictionary = make([]value, d.V.NumValues)
	values := &plain{data: data, leaf: p.leaf}
	for i := range p.dictionary {
		if err := values.next(&p.dictionary[i]); err != nil {
			return err
		}
	}
	return nil
}

// version1 begins a page whose levels and values are packed together.
func (p *pages) version1(h *format.PageHeader, data []byte) error {
	d := &h.DataPageHeader
	if !d.Valid {
		return errStructure
	}
	data, err := p.unpack(data, int(h.UncompressedPageSize))
	if err != nil {
		return err
	}
	level := func(most uint32, encoding format.Encoding) (r runs, err error) {
		if most == 0 {
			return r, nil
		}
		if encoding != format.RLE {
			return r, fmt.Errorf("%w: levels as %v", ErrUnsupported, encoding)
		}
		if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
			return r, errShort
		}
		end := 4 + int(binary.LittleEndian.Uint32(data))
		r, data = runs{data: data[4:end], width: width(most)}, data[end:]
		return r, nil
	}
	if p.reps, err = level(p.leaf.maxRep, d.V.RepetitionLevelEncoding); err != nil {
		return err
	}
	if p.defs, err = level(p.leaf.maxDef, d.V.DefinitionLevelEncoding); err != nil {
		return err
	}
	return p.begin(int64(d.V.NumValues), d.V.Encoding, data)
}

// version2 begins a page whose values alone are packed.
func (p *pages) version2(h *format.PageHeader, data []byte) error {
	d := &h.DataPageHeaderV2
	if !d.Valid {
		return errStructure
	}
	reps, defs := int(d.V.RepetitionLevelsByteLength), int(d.V.DefinitionLevelsByteLength)
	if reps < 0 || defs < 0 || reps > len(data) || defs > len(data)-reps || int(h.UncompressedPageSize) < reps+defs {
		return errStructure
	}
	if reps > 0 && p.leaf.maxRep == 0 || defs > 0 && p.leaf.maxDef == 0 { // levels that nobody would read
		return errStructure
	}
	p.reps = runs{data: data[:reps], width: width(p.leaf.maxRep)}
	p.defs = runs{data: data[reps : reps+defs], width: width(p.leaf.maxDef)}
	data = data[reps+defs:]
	if c := d.V.IsCompressed; !c.Valid || c.V {
		var err error
		if data, err = p.unpack(data, int(h.UncompressedPageSize)-reps-defs); err != nil {
			return err
		}
	} else {
		p.packed = nil // values keep what they refer to
	}
	return p.begin(int64(d.V.NumValues), d.V.Encoding, data)
}

// width is the number of bits of numbers up to most.
func width(most uint32) (n int) {
	for ; most > 0; most >>= 1 {
		n++
	}
	return n
}

// begin begins the values of a page.
func (p *pages) begin(n int64, encoding format.Encoding, data []byte) (err error) {
	if n < 0 || n > p.left {
		return fmt.Errorf("%d values, where %d are to come", n, p.left)
	}
	kind := p.leaf.kind
	switch {
	case encoding == format.Plain:
		p.values = &plain{data: data, leaf: p.leaf}
	case encoding == format.RLEDictionary || encoding == plainDictionary:
		index := runs{}
		if len(data) > 0 {
			index = runs{data: data[1:], width: int(data[0])}
		}
		if index.width > 32 {
			return errStructure
		}
		p.values = &indexed{dictionary: p.dictionary, index: index,
			text: kind == format.ByteArray || kind == format.FixedLenByteArray}
	case encoding == format.DeltaBinaryPacked && (kind == format.Int32 || kind == format.Int64):
		var d *deltas
		if d, err = newDeltas(data); err == nil {
			p.values = &differences{d, kind == format.Int32}
		}
	case encoding == format.DeltaLengthByteArray && kind == format.ByteArray:
		p.values, err = newLengths(data)
	default:
		err = fmt.Errorf("%w: values as %v", ErrUnsupported, encoding)
	}
	if err != nil {
		return err
	}
	p.inPage = n
	return nil
}

// unpack unpacks a page to its size.
func (p *pages) unpack(data []byte, size int) (_ []byte, err error) {
	if size == 0 && len(data) == 0 {
		return nil, nil
	}
	switch p.codec {
	case format.Snappy:
		var n int
		if n, err = snappy.DecodedLen(data); err == nil && n == size {
			data, err = snappy.Decode(nil, data)
		} else if err == nil {
			data = nil
		}
	case format.Zstd:
		if *p.zstd == nil {
			if *p.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPage),
				zstd.WithDecoderMaxWindow(maxPage)); err != nil {
				return nil, err
			}
		}
		var h zstd.Header
		if err = h.Decode(data); err == nil && h.HasFCS && h.FrameContentSize == uint64(size) {
			data, err = (*p.zstd).DecodeAll(data, make([]byte, 0, size))
		} else if err == nil {
			if err = (*p.zstd).Reset(bytes.NewReader(data)); err == nil {
				data, err = upTo(*p.zstd, size)
			}
		}
	case format.Gzip:
		var r *gzip.Reader
		if r, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			data, err = upTo(r, size)
		}
	}
	if err == nil && len(data) != size {
		err = fmt.Errorf("it has not the %d bytes that it claims", size)
	}
	return data, err
}

// upTo reads what should be n bytes, and at most one more.
func upTo(r io.Reader, size int) ([]byte, error) {
	out := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err := out.ReadFrom(io.LimitReader(r, int64(size)+1))
	return out.Bytes(), err
}
