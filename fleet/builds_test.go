package fleet

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"talbot/dataset"
)

// TestDamagedBuilds: any flipped bit in the list of builds is damage.
func TestDamagedBuilds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "builds")
	b, err := openBuilds(path)
	if err == nil {
		err = b.add("0123456789abcdef")
	}
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(whole) {
		flipped := append([]byte{}, whole...)
		flipped[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(path, flipped, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openBuilds(path); !errors.Is(err, dataset.ErrDamaged) {
			t.Errorf("bit %d: %v", bit, err)
		}
	}
}
