package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// handMade makes a file of one column fen of texts, whose only page is as given.
func handMade(t *testing.T, rows int64, codec format.CompressionCodec, pages ...[]byte) []byte {
	t.Helper()
	data := []byte(magic)
	for _, p := range pages {
		data = append(data, p...)
	}
	column := func(name string, kind format.Type) format.SchemaElement {
		return format.SchemaElement{Name: name, Type: thrift.New(kind), RepetitionType: thrift.New(format.Required)}
	}
	chunk := format.ColumnChunk{MetaData: format.ColumnMetaData{Type: format.ByteArray, Codec: codec, NumValues: rows,
		DataPageOffset: 4, TotalCompressedSize: int64(len(data) - 4), PathInSchema: []string{"fen"}}}
	number := format.ColumnChunk{MetaData: format.ColumnMetaData{Type: format.Int32, NumValues: rows, DataPageOffset: 4,
		TotalCompressedSize: int64(len(data) - 4), PathInSchema: []string{"cp"}}}
	meta := format.FileMetaData{Version: 2, NumRows: rows,
		Schema: []format.SchemaElement{{Name: "root", NumChildren: thrift.New[int32](2)},
			column("fen", format.ByteArray), column("cp", format.Int32)},
		RowGroups: []format.RowGroup{{NumRows: rows, Columns: []format.ColumnChunk{chunk, number}}}}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), meta)
	if err != nil {
		t.Fatal(err)
	}
	return closed(append(data, footer...), len(footer))
}

// closed ends a file whose directory has that size.
func closed(data []byte, footer int) []byte {
	return append(binary.LittleEndian.AppendUint32(data, uint32(footer)), magic...)
}

// page makes a page.
func page(t *testing.T, h format.PageHeader, data []byte) []byte {
	t.Helper()
	h.CompressedPageSize = int32(len(data))
	head, err := thrift.Marshal(new(thrift.CompactProtocol), h)
	if err != nil {
		t.Fatal(err)
	}
	return append(head, data...)
}

// TestBombs has files of a few bytes that claim gigabytes. None takes memory for them, and what cannot be is refused.
func TestBombs(t *testing.T) {
	const huge = 1<<31 - 1
	zeros := make([]byte, 80<<20)
	var zipped, squeezed bytes.Buffer
	g := gzip.NewWriter(&zipped)
	g.Write(zeros)
	g.Close()
	z, _ := zstd.NewWriter(&squeezed)
	z.Write(zeros)
	z.Close()
	values := func(n int32, e format.Encoding, size int32) format.PageHeader {
		return format.PageHeader{Type: format.DataPage, UncompressedPageSize: size, DataPageHeader: thrift.New(
			format.DataPageHeader{NumValues: n, Encoding: e, DefinitionLevelEncoding: format.RLE,
				RepetitionLevelEncoding: format.RLE})}
	}
	dictionary := page(t, format.PageHeader{Type: format.DictionaryPage, UncompressedPageSize: 5,
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: 1})}, []byte("\x01\x00\x00\x00x"))
	// one bit wide, a run of 2^31 zeros
	run := append([]byte{1}, append(binary.AppendUvarint(nil, 1<<32), 0)...)
	listClaim := []byte{0x15, 2, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07}
	deltaClaim := binary.AppendVarint(binary.AppendUvarint([]byte{0x80, 1, 4}, 1<<40), 7)
	bigDictionary := format.PageHeader{Type: format.DictionaryPage, UncompressedPageSize: 5,
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: huge})}
	one := func(codec format.CompressionCodec, h format.PageHeader, data []byte) []byte {
		return handMade(t, huge, codec, page(t, h, data))
	}
	runs := func(rows int64) []byte {
		return handMade(t, rows, format.Uncompressed, dictionary, page(t, values(huge, format.RLEDictionary, 7), run))
	}
	for name, test := range map[string]struct {
		data []byte
		says string
	}{
		"a run":        {runs(huge), ""},
		"many rows":    {runs(1 << 62), ""},
		"a dictionary": {one(format.Uncompressed, bigDictionary, []byte("\x01\x00\x00\x00x")), "fewer values"},
		"no page":      {handMade(t, huge, format.Uncompressed), "the column ends within a page"},
		"gzip": {one(format.Gzip, values(huge, format.Plain, 64<<20), zipped.Bytes()),
			"has not the 67108864 bytes"},
		"zstd": {one(format.Zstd, values(huge, format.Plain, 10), squeezed.Bytes()), "has not the 10 bytes"},
		"snappy": {one(format.Snappy, values(huge, format.Plain, 10), binary.AppendUvarint(nil, 1<<32-1)),
			"has not the 10 bytes"},
		"a page": {one(format.Uncompressed, values(huge, format.Plain, huge), []byte("x")),
			"unpacked 2147483647; 1 are possible"},
		"deltas": {one(format.Uncompressed, values(huge, format.DeltaLengthByteArray, int32(len(deltaClaim))),
			deltaClaim), "breaks the format"},
		"its list": {closed(append([]byte(magic), listClaim...), len(listClaim)), "breaks the format"},
		"its size": {append([]byte("PAR1xxxxxxxxxx\xff\xff\xff\xff"), magic...), "a directory of 4294967295 bytes"},
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		f, err := open(bytes.NewReader(test.data), int64(len(test.data)))
		if err == nil {
			var r table
			if r, err = newTable(f, []string{"fen"}); err == nil {
				for range 100_000 {
					if err = r.next(); err != nil {
						break
					}
				}
			}
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 300<<20 {
			t.Errorf("%s: %d MiB", name, got>>20)
		}
		if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want %q", name, err, test.says)
		}
	}
}

// TestRefused: what is not read is refused by its name, before and within a file.
func TestRefused(t *testing.T) {
	for name, test := range map[string]struct {
		data []byte
		err  error
		says string
	}{
		"an encoding": {write(t, make([]struct {
			FEN string  `parquet:"fen,delta"`
			CP  float64 `parquet:"cp,split"`
		}, 3)), ErrUnsupported, "values as"},
		"a compression": {write(t, make([]struct {
			FEN string `parquet:"fen,lz4"`
			CP  int32  `parquet:"cp"`
		}, 3)), ErrUnsupported, `column "fen" is compressed with LZ4`},
		"nesting": {write(t, make([]struct {
			FEN string `parquet:"fen"`
			CP  []struct {
				X, Y int32
			} `parquet:"cp"`
		}, 3)), ErrUnsupported, "is nested"},
		"other columns": {write(t, make([]struct{ Position, Score string }, 3)), ErrColumns,
			`"Position", "Score"; games need movetext; puzzles need PuzzleId, FEN and Moves; evaluations need fen`},
		"encrypted": {[]byte("PAR1xxxxxxxxPARE"), ErrUnsupported, "encrypted"},
	} {
		c, err := openBytes(test.data)
		if err == nil && c.Evaluations != nil {
			_, _, err = c.Evaluations.Next()
		}
		if !errors.Is(err, test.err) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want %q", name, err, test.says)
		}
	}
}

// everything has a column of each form that is read.
type everything struct {
	Plain  string   `parquet:"plain,plain,snappy"`
	Dict   string   `parquet:"dict,dict,zstd"`
	Length string   `parquet:"length,gzip"`
	Maybe  *string  `parquet:"maybe,optional,dict"`
	Int    *int32   `parquet:"int,optional"`
	Long   int64    `parquet:"long,delta,zstd"`
	Small  int32    `parquet:"small,delta"`
	Double *float64 `parquet:"double,optional,gzip"`
	Float  float32  `parquet:"float"`
	List   []string `parquet:"list,list,snappy"`
	Bare   []int64  `parquet:"bare,dict"`
}

// TestEverything reads what parquet-go wrote of random values, in pages of both versions and several row groups.
func TestEverything(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	text := func() string { return strings.Repeat(strconv.Itoa(rng.IntN(50)), rng.IntN(6)) }
	for _, version := range []int{1, 2} {
		rows := make([]everything, 3000)
		for i := range rows {
			r := &rows[i]
			r.Plain, r.Dict, r.Length, r.Long, r.Float = text(), text(), text(), rng.Int64()-rng.Int64(), rng.Float32()
			if rng.IntN(3) > 0 {
				s, n, d := text(), int32(rng.Uint32()), rng.NormFloat64()
				r.Maybe, r.Int, r.Double = &s, &n, &d
			}
			r.Small = int32(rng.Uint32())
			if i%100 < 40 {
				r.Long = int64(i)
			}
			for range rng.IntN(4) {
				r.List, r.Bare = append(r.List, text()), append(r.Bare, rng.Int64N(9))
			}
		}
		data := write(t, rows, parquet.DataPageVersion(version), parquet.MaxRowsPerRowGroup(700),
			parquet.PageBufferSize(900))
		f, err := open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		names := []string{"plain", "dict", "length", "maybe", "int", "long", "small", "double", "float", "list", "bare"}
		var columns [][]string
		for _, n := range names {
			columns = append(columns, []string{n})
		}
		r, err := newTable(f, columns...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			want := &rows[i]
			if err := r.next(); err != nil {
				t.Fatalf("version %d, row %d: %v", version, i, err)
			}
			texts := map[string]string{"plain": want.Plain, "dict": want.Dict, "length": want.Length,
				"small": strconv.Itoa(int(want.Small)),
				"long":  strconv.FormatInt(want.Long, 10),
				"float": strconv.FormatFloat(float64(want.Float), 'f', -1, 64), "list": strings.Join(want.List, " ")}
			if want.Maybe != nil {
				texts["maybe"], texts["int"] = *want.Maybe, strconv.Itoa(int(*want.Int))
				texts["double"] = strconv.FormatFloat(*want.Double, 'f', -1, 64)
			}
			var bare []string
			for _, n := range want.Bare {
				bare = append(bare, strconv.FormatInt(n, 10))
			}
			texts["bare"] = strings.Join(bare, " ")
			for _, n := range names {
				if got := r.text(n); got != texts[n] {
					t.Fatalf("version %d, row %d, %s: %q, want %q", version, i, n, got, texts[n])
				}
			}
		}
		if err := r.next(); err != io.EOF {
			t.Error(err)
		}
	}
}
