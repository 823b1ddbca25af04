// Package shareddata finds the test data beside the checkout, in ../shared/data. It imports none of our packages, so
// that the tests of all can use it.
package shareddata

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of a file or folder of the data. Without it the test is skipped, loudly.
func Path(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("this is no checkout")
		}
	}
	path := filepath.Join(filepath.Dir(dir), "shared", "data", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skip("NOT TESTED on the data beside the checkout:", err)
	}
	return path
}

// Read returns the content of a file of the data.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
