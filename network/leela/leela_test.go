package leela

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"talbot/internal/testkit/shareddata"
	"talbot/network/checkpoint"
	"talbot/network/model"
)

// towerNet and bodyNet are small networks of both kinds.
var (
	towerNet = model.Leela{Input: 1, Activation: "relu", Blocks: 2, Filters: 8, Squeeze: 4, Norm: true,
		Policy:        "convolution",
		PolicyFilters: 73, Chances: true, ValueFilters: 2, ValueHidden: 8, MovesLeftFilters: 2, MovesLeftHidden: 4,
		ValueWeight: 1, MovesLeftWeight: 1}
	bodyNet = model.Leela{Input: 3, Activation: "mish", Encoders: 2, Features: 16, AttentionHeads: 2, Depth: 8,
		FeedForward: 8,
		Embedding:   "dense", BoardFeatures: 2, EmbedFeedForward: 8, Gates: true, SmolgenCompress: 2, SmolgenHidden: 4,
		SmolgenFeatures: 2, FFNActivation: "relu2", SmolgenActivation: "swish", Policy: "attention", PolicyFeatures: 8,
		PolicyDepth: 8, ValueFilters: 2, ValueHidden: 4, ValueWeight: 1, MovesLeftWeight: 1}
)

// file returns a network of random weights.
func file(n model.Leela) *File {
	rng := rand.New(rand.NewPCG(1, 2))
	f := &File{Licence: "of the test", Training: Training{Steps: 7, LearningRate: 0.5, Params: "text"}, Settings: n}
	for _, p := range n.Params() {
		data := make([]float32, p.Size())
		for i := range data {
			data[i] = rng.Float32() - 0.5
			if p.Kind == model.RunningVar {
				data[i] += 0.51
			}
		}
		f.Tensors = append(f.Tensors, checkpoint.Tensor{Name: p.Name, Shape: p.Shape, Data: data})
	}
	return f
}

func written(t testing.TB, f *File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRoundTrip: what was written is read with the same settings, and, in steps of a
// 65,535th of a tensor's range, as the same function; what was read is written as the same numbers, with gzip and
// without.
func TestRoundTrip(t *testing.T) {
	for _, n := range []model.Leela{towerNet, bodyNet} {
		f := file(n)
		content := written(t, f)
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		z.Write(content)
		z.Close()
		got, err := Read(&zipped)
		if err != nil {
			t.Fatal(err)
		}
		if got.Settings != n || got.Licence != f.Licence || got.Training != f.Training {
			t.Errorf("read %+v %q %+v", got.Settings, got.Licence, got.Training)
		}
		want, have := folded(f), folded(got)
		for name, numbers := range want {
			for i, x := range numbers {
				if d := math.Abs(have[name][i] - x); !(d <= 1e-4*(1+math.Abs(x))) {
					t.Fatalf("%s[%d] is %g, not %g", name, i, have[name][i], x)
				}
			}
		}
		if len(got.Tensors) != len(f.Tensors) || len(want) != len(have) {
			t.Errorf("%d tensors of %d", len(got.Tensors), len(f.Tensors))
		}
		again, err := Read(bytes.NewReader(written(t, got)))
		if err != nil || !reflect.DeepEqual(again.Tensors, got.Tensors) {
			t.Errorf("a second round trip: %v", err)
		}
	}
}

// folded returns the tensors of a network by name, those of a convolution with its normalisation as the weights and the
// bias that are equal to both.
func folded(f *File) map[string][]float64 {
	all := map[string][]float64{}
	for _, t := range f.Tensors {
		for _, x := range t.Data {
			all[t.Name] = append(all[t.Name], float64(x))
		}
	}
	for name := range all {
		norm, ok := strings.CutSuffix(name, ".running_var")
		if !ok {
			continue
		}
		conv := strings.Replace(norm, "bn", "conv", 1)
		weights, width := all[conv+".weight"], len(all[conv+".weight"])/len(all[name])
		for i := range weights {
			weights[i] *= all[norm+".weight"][i/width] / math.Sqrt(all[name][i/width]+epsilon)
		}
		for c, mean := range all[norm+".running_mean"] {
			all[norm+".bias"][c] -= mean * all[norm+".weight"][c] / math.Sqrt(all[name][c]+epsilon)
		}
		delete(all, norm+".weight")
		delete(all, norm+".running_mean")
		delete(all, name)
	}
	return all
}

// TestMaia: the files of Maia are networks of 6 blocks of 64 filters, and what is written of them has the same numbers.
func TestMaia(t *testing.T) {
	for _, name := range []string{"1100", "1300", "1500", "1700", "1900", "2200"} {
		f, err := os.Open(shareddata.Path(t, "lc0/maia-"+name+".pb.gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		got, err := Read(f)
		if err != nil {
			t.Fatal(err)
		}
		want := model.Leela{Input: 1, Activation: "relu", Blocks: 6, Filters: 64, Squeeze: 8, Norm: true,
			Policy: "convolution", PolicyFilters: 80, Chances: true, ValueFilters: 32, ValueHidden: 128, ValueWeight: 1,
			MovesLeftWeight: 1}
		if got.Settings != want || got.Training.Steps != 400_000 {
			t.Errorf("%s: %+v, %+v", name, got.Settings, got.Training)
		}
		again, err := Read(bytes.NewReader(written(t, got)))
		if err != nil || !reflect.DeepEqual(again.Tensors, got.Tensors) {
			t.Errorf("%s: written and read: %v", name, err)
		}
	}
}

// TestCut: a file that is cut off is refused, wherever.
func TestCut(t *testing.T) {
	for _, n := range []model.Leela{towerNet, bodyNet} {
		content := written(t, file(n))
		for i := range 100 {
			at := i * len(content) / 100
			if _, err := Read(bytes.NewReader(content[:at])); !errors.Is(err, ErrDamaged) {
				t.Fatalf("cut to %d bytes of %d: %v", at, len(content), err)
			}
		}
	}
}

// TestFlips: a file with a changed byte is refused, or is read as a network of the same settings, since the format has
// no checksum: then the byte is one of a number, a text or an unknown field.
func TestFlips(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	refused, others := 0, 0
	for _, n := range []model.Leela{towerNet, bodyNet} {
		content := written(t, file(n))
		for range 300 {
			at, bit := rng.IntN(len(content)), byte(1)<<rng.IntN(8)
			content[at] ^= bit
			switch f, err := Read(bytes.NewReader(content)); {
			case err != nil:
				refused++
				if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrUnsupported) {
					t.Errorf("byte %d: %v", at, err)
				}
			case f.Settings != n:
				others++ // in a form that another number names
			}
			content[at] ^= bit
		}
	}
	t.Logf("%d of 600 flips refused, %d read as another form", refused, others)
	if refused == 0 || others > 20 {
		t.Error("flips")
	}
}

// TestShapes: a tensor with a number too few or too many, one that is missing and one that is infinite are refused by
// the name of the field.
func TestShapes(t *testing.T) {
	for _, n := range []model.Leela{towerNet, bodyNet} {
		whole, err := parse(written(t, file(n)))
		if err != nil {
			t.Fatal(err)
		}
		weights := whole.one(netWeights)
		for i, change := range tensorChanges(weights, nil) {
			b := protowire.AppendTag(nil, netMagic, protowire.Fixed32Type)
			b = protowire.AppendFixed32(b, magic)
			b = appendBytes(b, netFormat, whole.one(netFormat))
			b = appendBytes(b, netWeights, change)
			_, err := Read(bytes.NewReader(b))
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrUnsupported) {
				t.Errorf("change %d, %d bytes: %v", i, len(change)-len(weights), err)
			} else if text := err.Error(); !strings.Contains(text, "weights") && !strings.Contains(text, "must be") {
				t.Errorf("change %d names no field: %v", i, err)
			}
		}
	}
}

// tensorChanges returns a message with one tensor in it changed, in all ways and places; optional ones are not removed.
func tensorChanges(b []byte, optional map[protowire.Number]bool) (changed [][]byte) {
	for at := 0; at < len(b); {
		field, kind, n := protowire.ConsumeTag(b[at:])
		size := protowire.ConsumeFieldValue(field, kind, b[at+n:])
		end := at + n + size
		if kind == protowire.BytesType {
			v, _ := protowire.ConsumeBytes(b[at+n:])
			before, after := b[:at], b[end:]
			with := func(v []byte) {
				changed = append(changed, append(appendBytes(bytes.Clone(before), field, v), after...))
			}
			if m, err := parse(v); err == nil && len(m.numbers) > 0 && m.has(3) && len(m.parts) == 1 { // a layer
				params := m.one(3)
				layer := func(params []byte, most float32) []byte {
					l := appendFloat(nil, 1, m.float(1))
					return appendBytes(appendFloat(l, 2, most), 3, params)
				}
				with(layer(params[2:], m.float(2)))
				with(layer(append(bytes.Clone(params), 0, 0), m.float(2)))
				with(layer(params[1:], m.float(2)))
				inf := float32(1e38)
				with(layer(params, inf*inf))
				if !optional[field] {
					changed = append(changed, append(bytes.Clone(before), after...))
				}
			} else if err == nil {
				inner := map[protowire.Number]bool{}
				if m.has(convMeans) && m.has(convVariances) || m.has(convWeights) && m.has(convBiases) &&
					len(m.parts) == 2 {
					inner = map[protowire.Number]bool{convBiases: true, convGains: true, convOffsets: true}
				}
				for _, inner := range tensorChanges(v, inner) {
					with(inner)
				}
			}
		}
		at = end
	}
	return changed
}

// FuzzRead: nothing panics, and what is read can be written.
func FuzzRead(f *testing.F) {
	f.Add(written(f, file(towerNet)))
	f.Add(written(f, file(bodyNet)))
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := Read(bytes.NewReader(content))
		if err != nil {
			return
		}
		again, err := Read(bytes.NewReader(written(t, got)))
		if err != nil || again.Settings != got.Settings {
			t.Fatal(err)
		}
	})
}

// TestDamagedFiles: files that are cut or changed, and others under a name of lc0's, are refused as damaged; the sum is
// that of the whole file.
func TestDamagedFiles(t *testing.T) {
	plain := written(t, file(towerNet))
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write(plain)
	z.Close()
	whole := zipped.Bytes()
	path := filepath.Join(t.TempDir(), "x.pb.gz")
	read := func(content []byte) (*File, error) {
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if !IsFile(path) {
			t.Errorf("%q is no file of lc0's", content[:min(20, len(content))])
		}
		return ReadFile(path)
	}
	if f, err := read(whole); err != nil || f.Sum != fmt.Sprintf("%x", sha256.Sum256(whole)) {
		t.Errorf("%+v, %v", f, err)
	}
	broken := [][]byte{nil, []byte("<html>404</html>"), []byte("version https://git-lfs.github.com/spec/v1\n"),
		whole[:len(whole)/2], whole[:len(whole)-1], append(slices.Clone(whole), "more"...), plain[:len(plain)/2]}
	for i := 0; i < len(whole); i += len(whole)/200 + 1 {
		flipped := slices.Clone(whole)
		flipped[i] ^= 0x10
		broken = append(broken, flipped)
	}
	reasons := map[string]int{}
	for _, content := range broken {
		f, err := read(content)
		switch {
		case err == nil && len(content) == len(whole): // in a part of gzip's header that says nothing of the content
			if got := written(t, f); !bytes.Equal(got, plain) {
				t.Error("a flip changed what was read")
			}
		case !errors.Is(err, ErrDamaged):
			t.Errorf("%q: %v", content[:min(20, len(content))], err)
		default:
			reasons[err.Error()]++
		}
	}
	t.Log(reasons)
}
