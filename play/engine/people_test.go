package engine

import (
	"os"
	"path/filepath"
	"testing"
)

// A rating is at the end of a file's name; a folder gives the files that have one, and what is no folder gives itself.
func TestPeople(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]int{"maia-1100.pb.gz": 1100, "Maia1900.PB.GZ": 1900, "maia_900.pb.gz": 900,
		"club 1550.pb.gz": 1550, "1500.pb.gz": 1500, "maia-1500-mine.pb.gz": 0, "maia-1500.pb": 0, "maia.pb.gz": 0,
		"t1-256x10-distilled-swa-2432500.pb.gz": 0, "T40.T8.610.pb.gz": 0, "J13B.2-136.pb.gz": 0, "maia-150.pb.gz": 0,
		"791556.pb.gz": 0} {
		if got := PeopleRating(filepath.Join("1300", name)); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list, err := FindPeople(dir)
	if err != nil || len(list) != 5 {
		t.Errorf("%v, %v", list, err)
	}
	of := func(p People) int { return p.Rating }
	for rating, want := range map[int]int{0: 900, 1000: 900, 1001: 1100, 1525: 1500, 1526: 1550, 4000: 1900} {
		if got := Nearest(list, rating, of); got.Rating != want {
			t.Errorf("%d: %v, want %d", rating, got, want)
		}
	}
	one := filepath.Join(dir, "maia.pb.gz")
	if list, err := FindPeople(one); err != nil || len(list) != 1 || list[0] != (People{Path: one}) {
		t.Errorf("%v, %v", list, err)
	}
	if list, err := FindPeople(t.TempDir()); err == nil {
		t.Errorf("an empty folder: %v", list)
	}
}
