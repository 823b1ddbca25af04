// Package checkpoint reads and writes the files that keep a training run.
//
// Named float32 tensors and a JSON value become one file, which is whole or absent, and are read back. The package
// starts no goroutines. A [Dir] may be used by one goroutine, and one process, at a time.
//
// # Format
//
// The file is a valid safetensors file: Python's safetensors library opens it. All integers are little-endian.
//
//	offset     bytes  what
//	0          8      H, the length of the header, unsigned; a multiple of 8 and at most 16 MiB
//	8          34     the text {"__metadata__":{"talbot.sha256":"
//	42         64     the checksum: SHA-256 of the whole file in lower-case hex, computed with these 64 bytes as '0'
//	106        H−98   the rest of the header, JSON in UTF-8, filled up with spaces
//	8 + H      D      the data: the tensors' numbers, row-major, in the header's order, no gaps
//
// The header is an object. Its member "__metadata__" holds strings: "talbot.sha256" (first), "talbot.version" ("1"),
// and "talbot.meta" (the JSON value, as text). Every other member is a tensor: {"dtype":"F32","shape":[…],
// "data_offsets":[begin,end]}, offsets relative to the data. The tensors cover the data exactly, so the file's length
// follows from the header: safetensors demands that, which is why the checksum is not a footer but a field of fixed
// place and length. In a file that was written with [File].Half the dtype of tensors with more than one axis is "F16":
// half precision, IEEE 754 binary16.
//
// A reader checks the length and the checksum before it parses anything, and never allocates more than a small multiple
// of the file's real size, whatever the header says.
package checkpoint

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes/float16"

	"talbot/internal/fault"
)

// Tensor is a named array of float32, row-major.
type Tensor struct {
	Name  string
	Shape []int // each at least 1; empty for a scalar
	Data  []float32
}

// File is the content of a checkpoint.
type File struct {
	Meta    json.RawMessage // a JSON value of the writer's
	Tensors []Tensor
	Sum     string // the checksum that was read, in hex; writing computes it again
	// Half has tensors with more than one axis written in half precision, rounded to the nearest. The others, biases
	// and statistics, are small and stay in float32. Reading leaves it false: what was read is float32.
	Half bool
}

// ErrDamaged marks a file whose bytes are not what was written, or that never was a checkpoint.
var ErrDamaged = fault.New(fault.ExitDamaged, "damaged checkpoint",
	"no intact checkpoint is left: train again; an ONNX file cannot be read, only safetensors")

const (
	headerStart = 8
	sumStart    = headerStart + len(opening)
	sumLength   = 2 * sha256.Size
	opening     = `{"__metadata__":{"talbot.sha256":"`
	version     = "1"
	maxHeader   = 16 << 20
	maxRank     = 8
)

var zeroSum = bytes.Repeat([]byte{'0'}, sumLength)

// Types of numbers.
const (
	single = "F32"
	half   = "F16"
)

// widths are the bytes of a number.
var widths = map[string]uint64{single: 4, half: 2}

// dtype is the type that a tensor is written in.
func (f *File) dtype(t *Tensor) string {
	if f.Half && len(t.Shape) > 1 {
		return half
	}
	return single
}

// tooLarge reports whether a number is an infinity in half precision.
func tooLarge(x float32) bool { return math.IsInf(float64(float16.FromFloat32(x).Float32()), 0) }

type entry struct {
	Dtype   string    `json:"dtype"`
	Shape   []int     `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"`
}

// head returns length and header with a checksum of zeros, and checks the tensors.
func (f *File) head() ([]byte, error) {
	if !json.Valid(f.Meta) {
		return nil, errors.New("metadata is not valid JSON")
	}
	var h bytes.Buffer
	h.Write(make([]byte, headerStart))
	h.WriteString(opening)
	h.Write(zeroSum)
	meta, err := json.Marshal(string(f.Meta))
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&h, `","talbot.version":%q,"talbot.meta":%s}`, version, meta)
	var offset uint64
	seen := map[string]bool{"__metadata__": true}
	for _, t := range f.Tensors {
		if seen[t.Name] {
			return nil, fmt.Errorf("tensor name %q is taken", t.Name)
		}
		seen[t.Name] = true
		size := 1
		for _, d := range t.Shape {
			if d < 1 || size > math.MaxInt32/d {
				return nil, fmt.Errorf("tensor %q has shape %v", t.Name, t.Shape)
			}
			size *= d
		}
		if size != len(t.Data) || len(t.Shape) > maxRank {
			return nil, fmt.Errorf("tensor %q of shape %v has %d numbers", t.Name, t.Shape, len(t.Data))
		}
		dtype := f.dtype(&t)
		if i := slices.IndexFunc(t.Data, tooLarge); dtype == half && i >= 0 {
			return nil, fmt.Errorf("tensor %q has the number %g, too large for half precision", t.Name, t.Data[i])
		}
		end := offset + widths[dtype]*uint64(size)
		name, err := json.Marshal(t.Name)
		if err != nil {
			return nil, err
		}
		e, err := json.Marshal(entry{dtype, append([]int{}, t.Shape...), [2]uint64{offset, end}})
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&h, ",%s:%s", name, e)
		offset = end
	}
	h.WriteByte('}')
	for h.Len()%8 != 0 {
		h.WriteByte(' ')
	}
	if h.Len()-headerStart > maxHeader {
		return nil, fmt.Errorf("header of %d bytes is above %d", h.Len()-headerStart, maxHeader)
	}
	binary.LittleEndian.PutUint64(h.Bytes(), uint64(h.Len()-headerStart))
	return h.Bytes(), nil
}

// Write writes the file. It goes over the tensors twice, for the checksum stands before them.
func (f *File) Write(w io.Writer) error {
	head, err := f.head()
	if err != nil {
		return err
	}
	sum := sha256.New()
	sum.Write(head)
	if err := f.writeData(sum); err != nil {
		return err
	}
	hex.Encode(head[sumStart:], sum.Sum(nil))
	if _, err := w.Write(head); err != nil {
		return err
	}
	return f.writeData(w)
}

func (f *File) writeData(w io.Writer) error {
	buf := make([]byte, 0, 1<<16)
	for _, t := range f.Tensors {
		dtype := f.dtype(&t)
		for chunk := range slices.Chunk(t.Data, cap(buf)/4) {
			buf = buf[:0]
			for _, x := range chunk {
				if dtype == half {
					buf = binary.LittleEndian.AppendUint16(buf, float16.FromFloat32(x).Bits())
				} else {
					buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(x))
				}
			}
			if _, err := w.Write(buf); err != nil {
				return err
			}
		}
	}
	return nil
}

// Parse reads a file from its bytes. Errors wrap [ErrDamaged].
func Parse(data []byte) (*File, error) {
	f, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return f, nil
}

func parse(data []byte) (*File, error) {
	if len(data) < sumStart+sumLength {
		return nil, fmt.Errorf("file too short (%d bytes)", len(data))
	}
	size := binary.LittleEndian.Uint64(data)
	if size%8 != 0 || size > maxHeader || size > uint64(len(data)-headerStart) {
		return nil, fmt.Errorf("header of %d bytes in a file of %d", size, len(data))
	}
	if string(data[headerStart:sumStart]) != opening {
		return nil, fmt.Errorf("not a talbot checkpoint: it begins with %q", data[headerStart:sumStart])
	}
	stored := data[sumStart:][:sumLength]
	sum := sha256.New()
	sum.Write(data[:sumStart])
	sum.Write(zeroSum)
	sum.Write(data[sumStart+sumLength:])
	if got := hex.EncodeToString(sum.Sum(nil)); got != string(stored) {
		return nil, fmt.Errorf("checksum is %s, the file says %q", got, stored)
	}
	f, err := decode(data[headerStart:headerStart+int(size)], data[headerStart+int(size):])
	if err != nil {
		return nil, err
	}
	f.Sum = string(stored)
	return f, nil
}

// decode walks the header token by token: nothing in it decides on an allocation before it is known to fit the data.
func decode(header, body []byte) (*File, error) {
	d := json.NewDecoder(bytes.NewReader(header))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil, fmt.Errorf("header begins with %v: %w", token, cmp.Or(err, errors.New("not an object")))
	}
	f := &File{}
	var end uint64
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		if seen[name] {
			return nil, fmt.Errorf("%q appears twice", name)
		}
		seen[name] = true
		if name == "__metadata__" {
			if f.Meta, err = decodeMeta(d); err != nil {
				return nil, err
			}
			continue
		}
		var e entry
		if err := d.Decode(&e); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		t, rest, err := e.decode(name, end, body)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		f.Tensors, body, end = append(f.Tensors, t), rest, e.Offsets[1]
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("text after the header")
	}
	if len(body) != 0 {
		return nil, fmt.Errorf("%d bytes do not belong to a tensor", len(body))
	}
	if f.Meta == nil {
		return nil, errors.New("no metadata")
	}
	return f, nil
}

func decodeMeta(d *json.Decoder) (json.RawMessage, error) {
	var m struct {
		Version string `json:"talbot.version"`
		Meta    string `json:"talbot.meta"`
	}
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	if m.Version != version {
		return nil, fmt.Errorf("version %q, this talbot reads %q", m.Version, version)
	}
	if !json.Valid([]byte(m.Meta)) {
		return nil, errors.New("talbot.meta is not JSON")
	}
	return json.RawMessage(m.Meta), nil
}

// decode cuts a tensor's numbers off the front of the remaining data. They begin at offset before.
func (e entry) decode(name string, before uint64, body []byte) (t Tensor, rest []byte, err error) {
	width, ok := widths[e.Dtype]
	if !ok {
		return t, nil, fmt.Errorf("numbers of type %q, want %q or %q", e.Dtype, single, half)
	}
	if e.Offsets[0] != before || e.Offsets[1] < before || e.Offsets[1]-before > uint64(len(body)) {
		return t, nil, fmt.Errorf("data at %v, want it from %d within %d bytes", e.Offsets, before, len(body))
	}
	if len(e.Shape) > maxRank {
		return t, nil, fmt.Errorf("shape of %d axes", len(e.Shape))
	}
	size, bytes := uint64(1), e.Offsets[1]-before
	for _, d := range e.Shape {
		if d < 1 || uint64(d) > bytes {
			return t, nil, fmt.Errorf("shape %v in %d bytes", e.Shape, bytes)
		}
		if size *= uint64(d); size > bytes {
			return t, nil, fmt.Errorf("shape %v in %d bytes", e.Shape, bytes)
		}
	}
	if width*size != bytes {
		return t, nil, fmt.Errorf("shape %v in %d bytes", e.Shape, bytes)
	}
	t = Tensor{Name: name, Shape: e.Shape, Data: make([]float32, size)}
	for i := range t.Data {
		if e.Dtype == half {
			t.Data[i] = float16.FromBits(binary.LittleEndian.Uint16(body[2*i:])).Float32()
		} else {
			t.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:]))
		}
	}
	return t, body[bytes:], nil
}
