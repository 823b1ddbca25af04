package leela

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"talbot/internal/testkit"
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

// largeNet is a network whose file has 1 MB.
var largeNet = func() model.Leela {
	n := towerNet
	n.Blocks, n.Filters, n.Squeeze, n.ValueFilters, n.ValueHidden = 6, 62, 8, 8, 64
	return n
}()

var full = os.Getenv("TALBOT_FULL") != ""

// TestFlips: a file with a changed byte, or cut off there, is refused by what is wrong, or is read as the same network,
// or, since the format has no checksum, as one with other numbers in one tensor, or in a form that another number
// names. All memory that is taken, garbage included, is at most two and a half times that of the numbers. With
// TALBOT_FULL=1 a file of 1 MB is changed in 10,000 places and cut in as many.
func TestFlips(t *testing.T) {
	places := 100
	if full {
		places = 10_000
	}
	for name, n := range map[string]model.Leela{"tower": towerNet, "body": bodyNet, "large": largeNet} {
		if name == "large" && testing.Short() {
			continue
		}
		rng := rand.New(rand.NewPCG(3, 4))
		content := written(t, file(n))
		numbers := 0
		for _, p := range n.Params() {
			numbers += 4 * p.Size()
		}
		whole, most := testkit.Must(Read(bytes.NewReader(content))), uint64(0)
		counts, reasons := map[string]int{}, map[string]int{}
		read := func(kind string, b []byte) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			f, err := Read(bytes.NewReader(b))
			runtime.ReadMemStats(&after)
			most = max(most, after.TotalAlloc-before.TotalAlloc)
			switch {
			case err == nil && f.Settings != n:
				kind += " read in another form"
			case err == nil && slices.EqualFunc(f.Tensors, whole.Tensors, equal):
				kind += " read as before"
			case err == nil:
				kind += " read with other numbers"
				other := 0
				for i := range f.Tensors {
					if !equal(f.Tensors[i], whole.Tensors[i]) {
						other++
					}
				}
				if other > 1 {
					t.Errorf("%d tensors have other numbers", other)
				}
			case !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrUnsupported), !named.MatchString(err.Error()):
				t.Errorf("%s: %v", kind, err)
			default:
				kind += " refused"
				reasons[named.FindString(err.Error())]++
			}
			counts[kind]++
		}
		for range places {
			at, bit := rng.IntN(len(content)), byte(1)<<rng.IntN(8)
			content[at] ^= bit
			read("flipped,", content)
			content[at] ^= bit
			read("cut off,", content[:rng.IntN(len(content))])
		}
		t.Logf("%s, %d bytes, %d of numbers: %v, %v; at most %d bytes allocated", name, len(content), numbers, counts,
			reasons, most)
		if counts["cut off, refused"] != places || counts["flipped, refused"] == 0 && name != "large" ||
			counts["flipped, read in another form"] > places/20 {
			t.Errorf("%s: %v", name, counts)
		}
		if most > uint64(numbers)*5/2+1<<16 {
			t.Errorf("%s: %d bytes allocated for %d of numbers", name, most, numbers)
		}
	}
}

// named is what an error names: a field, a setting by the sizes of tensors, or the file as a whole.
var named = regexp.MustCompile(`weights|training_params|format|it is not a network|it is cut off|by the sizes|` +
	`(network|input|policy|value|moves_left|[a-z_]+_(activation|embedding)) \d+`)

func equal(a, b checkpoint.Tensor) bool {
	return a.Name == b.Name && slices.Equal(a.Shape, b.Shape) && slices.Equal(a.Data, b.Data)
}

// TestMixed: the tensors of two networks in one file are refused by the field that does not fit, or are a network whose
// every tensor has the shape that its settings ask for. With TALBOT_FULL=1 there are 500.
func TestMixed(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	files := 60
	if full {
		files = 500
	}
	one := func(list ...int) int { return list[rng.IntN(len(list))] }
	counts := map[string]int{}
	for range files {
		base := []model.Leela{towerNet, bodyNet}[rng.IntN(2)]
		pair := [2]message{}
		for i := range pair {
			n := base
			if n.Blocks > 0 {
				n.Blocks, n.Filters, n.Squeeze, n.Norm = one(1, 2, 3), one(4, 8), one(0, 2, 4), one(0, 1) == 1
				n.Policy, n.PolicyFilters = []string{"convolution", "classical"}[rng.IntN(2)], one(73, 80)
			} else {
				n.Encoders, n.Features, n.AttentionHeads, n.Depth = one(1, 2), one(8, 16), one(1, 2, 4), one(4, 8)
				n.FeedForward, n.Gates, n.SmolgenFeatures = one(4, 8), one(0, 1) == 1, one(2, 4)
				n.Embedding, n.BoardFeatures, n.EmbedFeedForward = "map", 0, 0 // the smallest
			}
			n.ValueFilters, n.ValueHidden, n.Chances = one(1, 2), one(4, 8), one(0, 1) == 1
			if n.Validate() != nil {
				t.Fatal(n.Validate())
			}
			pair[i] = testkit.Must(parse(written(t, file(n))))
		}
		b := protowire.AppendFixed32(protowire.AppendTag(nil, netMagic, protowire.Fixed32Type), magic)
		b = appendBytes(b, netFormat, pair[0].one(netFormat))
		a, other := testkit.Must(parse(pair[0].one(netWeights))), testkit.Must(parse(pair[1].one(netWeights)))
		var weights []byte
		for _, field := range slices.Sorted(maps.Keys(a.parts)) {
			parts := a.parts[field]
			for i := range parts {
				if from := other.parts[field]; i < len(from) && rng.IntN(8) == 0 {
					parts[i] = from[i]
				}
			}
			for _, p := range parts[:len(parts)-one(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)] {
				weights = appendBytes(weights, field, p)
			}
		}
		for field, v := range a.numbers {
			weights = appendNumber(weights, field, v)
		}
		f, err := Read(bytes.NewReader(appendBytes(b, netWeights, weights)))
		switch {
		case err != nil && (!errors.Is(err, ErrDamaged) && !errors.Is(err, ErrUnsupported) ||
			!named.MatchString(err.Error())):
			t.Error(err)
		case err != nil:
			counts["refused"]++
		default:
			counts["read"]++
			params := f.Settings.Params()
			shapes := map[string][]int{}
			for _, p := range params {
				shapes[p.Name] = p.Shape
			}
			for _, x := range f.Tensors {
				size := 1
				for _, d := range x.Shape {
					size *= d
				}
				if !slices.Equal(shapes[x.Name], x.Shape) || len(x.Data) != size {
					t.Errorf("%+v with %s of %v", f.Settings, x.Name, x.Shape)
				}
			}
			if len(f.Tensors) != len(params) || f.Settings.Validate() != nil {
				t.Errorf("%+v with %d tensors", f.Settings, len(f.Tensors))
			}
		}
	}
	t.Log(counts)
	if counts["refused"] < files/2 || counts["read"] < files/50 {
		t.Error(counts)
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
