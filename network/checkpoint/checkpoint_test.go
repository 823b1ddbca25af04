package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"talbot/internal/durable"
)

func sample() *File {
	return &File{Meta: json.RawMessage(`{"step":7,"text":"é\"\\"}`), Tensors: []Tensor{
		{"w", []int{2, 3}, []float32{1, -2, 3.5, 0, float32(math.Inf(1)), 1e-40}},
		{"scalar", []int{}, []float32{42}},
		{"b", []int{2}, []float32{7, 8}},
	}}
}

func encode(t testing.TB, f *File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sealed puts the right checksum into a file.
func sealed(data []byte) []byte {
	data = slices.Clone(data)
	copy(data[sumStart:], zeroSum)
	sum := sha256.Sum256(data)
	hex.Encode(data[sumStart:], sum[:])
	return data
}

// crafted is a file with a right checksum, a header of any text, and data.
func crafted(rest, data string) []byte {
	header := opening + string(zeroSum) + rest
	header += strings.Repeat(" ", 7-(len(header)+7)%8)
	return sealed(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header+data...))
}

func TestRoundTrip(t *testing.T) {
	data := encode(t, sample())
	f, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	want := sample()
	if want.Sum = string(data[sumStart:][:sumLength]); !reflect.DeepEqual(f, want) {
		t.Errorf("got %+v", f)
	}
	if !bytes.Equal(encode(t, f), data) {
		t.Error("writing again gives other bytes")
	}
	if h := binary.LittleEndian.Uint64(data); h%8 != 0 || len(data) != 8+int(h)+4*9 {
		t.Errorf("header of %d in %d bytes", h, len(data))
	}
}

// TestHalf: tensors with more than one axis are rounded to half precision, to the nearest and at ties to even; others
// stay as they are.
func TestHalf(t *testing.T) {
	const step = 1. / 1024 // between numbers from 1 to 2
	given := []float32{0, float32(math.Copysign(0, -1)), 1 + step, 1 + step/2, 1 + 3*step/2, 1 + 0.51*step, -65504,
		65519, 0x1p-24, 0x1p-26, 0x1.8p-25}
	want := []float32{0, float32(math.Copysign(0, -1)), 1 + step, 1, 1 + 2*step, 1 + step, -65504, 65504, 0x1p-24, 0,
		0x1p-24}
	data := encode(t, &File{Meta: json.RawMessage("1"), Half: true, Tensors: []Tensor{
		{"matrix", []int{1, len(given)}, given}, {"vector", []int{2}, []float32{1e-30, 1 + step/4}}}})
	f, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range f.Tensors[0].Data {
		if math.Float32bits(x) != math.Float32bits(want[i]) {
			t.Errorf("%g is read as %g, want %g", given[i], x, want[i])
		}
	}
	if !slices.Equal(f.Tensors[1].Data, []float32{1e-30, 1 + step/4}) {
		t.Errorf("the vector is %v", f.Tensors[1].Data)
	}
	if h := binary.LittleEndian.Uint64(data); len(data) != 8+int(h)+2*len(given)+4*2 {
		t.Errorf("%d bytes", len(data))
	}
	if f.Half {
		t.Error("what was read is not half precision any more")
	}
}

func TestEveryFlipAndCutIsSeen(t *testing.T) {
	data := encode(t, sample())
	for i := range data {
		for _, bit := range []byte{1, 0x20, 0x80} {
			bad := slices.Clone(data)
			bad[i] ^= bit
			if _, err := Parse(bad); !errors.Is(err, ErrDamaged) {
				t.Fatalf("byte %d ^ %#x: %v", i, bit, err)
			}
		}
		if _, err := Parse(data[:i]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
	if _, err := Parse(append(data, 0)); !errors.Is(err, ErrDamaged) {
		t.Errorf("a byte too many: %v", err)
	}
}

func TestCraftedHeaders(t *testing.T) {
	const meta = `","talbot.version":"1","talbot.meta":"{}"}`
	if _, err := Parse(crafted(meta+`,"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, "1234")); err != nil {
		t.Fatalf("the pattern of the others: %v", err)
	}
	for name, data := range map[string][]byte{
		"huge shape": crafted(meta+`,"x":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,4]}}`,
			"1234"),
		"huge offsets": crafted(meta+`,"x":{"dtype":"F32","shape":[4611686018427387903],"data_offsets":[0,18446744073709551612]}}`, "1234"),
		"overflow to 4": crafted(meta+`,"x":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]}}`,
			"1234"),
		"gap":            crafted(meta+`,"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, "12345678"),
		"overlap":        crafted(meta+`,"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"y":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, "1234"),
		"left over":      crafted(meta+`,"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, "12345678"),
		"negative axis":  crafted(meta+`,"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, "1234"),
		"zero axis":      crafted(meta+`,"x":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}`, ""),
		"half too long":  crafted(meta+`,"x":{"dtype":"F16","shape":[2],"data_offsets":[0,8]}}`, "12345678"),
		"half too short": crafted(meta+`,"x":{"dtype":"F16","shape":[4],"data_offsets":[0,4]}}`, "1234"),
		"other type":     crafted(meta+`,"x":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}`, "1234"),
		"nine axes": crafted(meta+`,"x":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]}}`,
			"1234"),
		"name twice":      crafted(meta+`,"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, "12345678"),
		"metadata twice":  crafted(meta+`,"__metadata__":{"talbot.version":"1","talbot.meta":"{}"}}`, ""),
		"other version":   crafted(`","talbot.version":"2","talbot.meta":"{}"}}`, ""),
		"no version":      crafted(`","talbot.meta":"{}"}}`, ""),
		"meta not JSON":   crafted(`","talbot.version":"1","talbot.meta":"{"}}`, ""),
		"text behind":     crafted(meta+`} x`, ""),
		"unfinished":      crafted(meta, ""),
		"tensor a number": crafted(meta+`,"x":3}`, ""),
	} {
		if f, err := Parse(data); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	for name, f := range map[string]*File{
		"meta":       {Meta: json.RawMessage("{")},
		"shape":      {Meta: json.RawMessage("1"), Tensors: []Tensor{{"x", []int{2}, []float32{1}}}},
		"zero shape": {Meta: json.RawMessage("1"), Tensors: []Tensor{{"x", []int{0}, nil}}},
		"name twice": {Meta: json.RawMessage("1"), Tensors: []Tensor{{"x", nil, []float32{1}},
			{"x", nil, []float32{1}}}},
		"too large for half": {Meta: json.RawMessage("1"), Half: true,
			Tensors: []Tensor{{"x", []int{1, 2}, []float32{1, 65520}}}},
	} {
		if err := f.Write(&bytes.Buffer{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// FuzzParse gives files a right checksum, so that the fuzzer gets behind it.
func FuzzParse(f *testing.F) {
	f.Add(encode(f, sample()), true)
	f.Add(encode(f, sample()), false)
	f.Add(encode(f, &File{Meta: json.RawMessage("{}"), Half: true,
		Tensors: []Tensor{{"x", []int{2, 1}, []float32{1, -2}}}}), true)
	f.Add(crafted(`","talbot.version":"1","talbot.meta":"{}"},"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`,
		"1234"), true)
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal && len(data) >= sumStart+sumLength {
			data = sealed(data)
		}
		file, err := Parse(data)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatalf("error without a kind: %v", err)
			}
			return
		}
		again, err := Parse(encode(t, file))
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if len(again.Tensors) != len(file.Tensors) || !bytes.Equal(again.Meta, file.Meta) {
			t.Fatal("a round trip loses something")
		}
	})
}

func at(step int64) *File {
	f := sample()
	f.Tensors[0].Data[4] = 0
	f.Tensors[1].Data[0] = float32(step)
	return f
}

func stepOf(t *testing.T, l *Loaded, err error) int64 {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return int64(l.Tensors[1].Data[0])
}

func TestKeepsTheNewestAndTheBest(t *testing.T) {
	d := NewDir(filepath.Join(t.TempDir(), "checkpoints"))
	if _, err := d.Newest(); !errors.Is(err, ErrNone) {
		t.Errorf("no folder: %v", err)
	}
	for step := int64(1); step <= 6; step++ {
		if _, err := d.Save(step*10, at(step*10), step == 2); err != nil {
			t.Fatal(err)
		}
		if err := d.Prune(3); err != nil {
			t.Fatal(err)
		}
	}
	entries, _ := os.ReadDir(d.path)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := []string{Best, Name(40), Name(50), Name(60)}
	if !slices.Equal(names, want) {
		t.Errorf("files %v, want %v", names, want)
	}
	l, err := d.Newest()
	if got := stepOf(t, l, err); got != 60 {
		t.Errorf("newest is %d", got)
	}
	l, err = d.BestOrNewest()
	if got := stepOf(t, l, err); got != 20 {
		t.Errorf("best is %d", got)
	}
	os.Truncate(filepath.Join(d.path, Name(60)), 100)
	os.Truncate(filepath.Join(d.path, Best), 100)
	l, err = d.Newest()
	if got := stepOf(t, l, err); got != 50 || len(l.Damaged) != 1 || !strings.Contains(l.Damaged[0].Error(), Name(60)) {
		t.Errorf("newest whole is %d, damaged %v", got, l.Damaged)
	}
	l, err = d.BestOrNewest()
	if got := stepOf(t, l, err); got != 50 || len(l.Damaged) != 2 {
		t.Errorf("best whole is %d, damaged %v", got, l.Damaged)
	}
	if err := d.SetBest(50); err != nil {
		t.Fatal(err)
	}
	l, err = d.Best()
	if got := stepOf(t, l, err); got != 50 || l.Path != filepath.Join(d.path, Best) {
		t.Errorf("best is %d", got)
	}
	if err := d.SetBest(20); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("best of a step without a checkpoint: %v", err)
	}
	aside, err := d.SetAside(60)
	if _, e := os.Stat(aside); err != nil || e != nil {
		t.Error(err, e)
	}
	if path, step := d.Last(); step != 50 || path != filepath.Join(d.path, Name(50)) {
		t.Errorf("last is %d, %s", step, path)
	}
	for _, step := range []int64{40, 50} {
		os.Remove(filepath.Join(d.path, Name(step)))
	}
	if l, err = d.Newest(); stepOf(t, l, err) != 50 {
		t.Errorf("where only the best is left, newest is %+v", l)
	}
	if path, step := d.Last(); path != "" || step != -1 {
		t.Errorf("last is %d, %s", step, path)
	}
	os.Truncate(filepath.Join(d.path, Best), 0)
	if _, err = d.Newest(); !errors.Is(err, ErrDamaged) {
		t.Errorf("all damaged: %v", err)
	}
}

// TestNotFinite: numbers that are not finite are neither saved nor loaded.
func TestNotFinite(t *testing.T) {
	d := NewDir(t.TempDir())
	if _, err := d.Save(10, at(10), true); err != nil {
		t.Fatal(err)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		bad := at(20)
		bad.Tensors[2].Data[1] = float32(x)
		if _, err := d.Save(20, bad, true); !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), `"b"`) {
			t.Errorf("%g: %v", x, err)
		}
		// as no talbot writes it
		if err := os.WriteFile(filepath.Join(d.path, Name(20)), encode(t, bad), 0o666); err != nil {
			t.Fatal(err)
		}
		l, err := d.Newest()
		if got := stepOf(t, l, err); got != 10 || len(l.Damaged) != 1 || !errors.Is(l.Damaged[0], ErrNotFinite) {
			t.Errorf("newest is %d, damaged %v", got, l.Damaged)
		}
	}
}

var errFault = errors.New("injected fault")

// TestFailingDisk fails every single call of a save and looks for a whole checkpoint afterwards.
func TestFailingDisk(t *testing.T) {
	for n := 1; ; n++ {
		d := NewDir(t.TempDir())
		for _, step := range []int64{10, 20} {
			if _, err := d.Save(step, at(step), step == 10); err != nil {
				t.Fatal(err)
			}
		}
		calls := 0
		durable.InjectFaults(t, func(string, string) error {
			if calls++; calls >= n {
				return errFault
			}
			return nil
		})
		_, err := d.Save(30, at(30), true)
		durable.InjectFaults(t, nil)
		if err == nil {
			if n < 10 {
				t.Errorf("only %d calls", n-1)
			}
			return
		}
		if !errors.Is(err, errFault) {
			t.Fatalf("call %d: %v", n, err)
		}
		l, err := d.Newest()
		newest := stepOf(t, l, err)
		if newest != 20 && newest != 30 || len(l.Damaged) != 0 {
			t.Errorf("call %d: newest is %d, damaged %v", n, newest, l.Damaged)
		}
		l, err = d.BestOrNewest()
		if got := stepOf(t, l, err); got != 10 && got != 30 || got == 10 && newest == 30 || len(l.Damaged) != 0 {
			t.Errorf("call %d: best is %d, newest %d, damaged %v", n, got, newest, l.Damaged)
		}
		for _, step := range []int64{30, 40} { // a temporary file of step 30 may be there
			if _, err := d.Save(step, at(step), step == 40); err != nil {
				t.Errorf("after a fault at call %d: %v", n, err)
			}
			if _, err := d.Best(); err != nil {
				t.Errorf("after a fault at call %d: saving step %d damaged the best: %v", n, step, err)
			}
		}
		for _, load := range []func() (*Loaded, error){d.Newest, d.Best} {
			if l, err := load(); stepOf(t, l, err) != 40 {
				t.Errorf("after a fault at call %d: %s", n, l.Path)
			}
		}
	}
}
