package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestForeign: files of other formats are named, and damaged checkpoints are not taken for them, whichever bit is
// flipped in their beginning.
func TestForeign(t *testing.T) {
	dir := t.TempDir()
	read := func(name, content string) error {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path)
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
		return err
	}
	onnx := "\x08\x08\x12\x06talbot"
	for name, c := range map[string]struct{ content, is string }{
		"net.onnx": {onnx, "an ONNX model"},
		"net.pt":   {"PK\x03\x04rest", "PyTorch"}, "old.pt": {"\x80\x02}q", "PyTorch"},
		"net.pb.gz": {"\x1f\x8b\x08", "Lc0"},
		"net.h5":    {"\x89HDF\r\n\x1a\n", "Keras"},
		"games.pgn": {"[Event \"?\"]\n", "text"}, "marked.pgn": {"\xef\xbb\xbf[Event \"?\"]\n", "text"},
	} {
		if err := read(name, c.content); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), c.is) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, content := range map[string]string{"empty": "", "text": "hello", "short.onnx": "hello", "cut": onnx} {
		if err := read(name, content); errors.Is(err, ErrForeign) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var whole strings.Builder
	file := File{Meta: []byte(`{"step":1}`), Tensors: []Tensor{{Name: "w", Shape: []int{2}, Data: []float32{1, 2}}}}
	if err := file.Write(&whole); err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * min(whole.Len(), 200) {
		bad := []byte(whole.String())
		bad[bit/8] ^= 1 << (bit % 8)
		if err := read("flipped.safetensors", string(bad)); errors.Is(err, ErrForeign) {
			t.Fatalf("bit %d: %v", bit, err)
		}
	}
}
