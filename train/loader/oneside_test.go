package loader

import (
	"testing"

	"talbot/dataset"
)

// A run keeps whose moves alone it learns from, where that is so in all of its data.
func TestOneSide(t *testing.T) {
	set := func(flags ...dataset.Tag) *Set { return &Set{Manifest: &dataset.Manifest{Flags: flags}} }
	tal := set(dataset.Tag{Name: "player", Value: "Tal M"}, dataset.Tag{Name: "side", Value: "player"})
	winners := set(dataset.Tag{Name: "side", Value: "winner"})
	for _, c := range []struct {
		sets []*Set
		want string
	}{
		{[]*Set{tal}, "the player Tal M"},
		{[]*Set{tal, tal}, "the player Tal M"},
		{[]*Set{winners, tal}, "the player Tal M, the winner"},
		{[]*Set{tal, set()}, ""},
		{[]*Set{set(dataset.Tag{Name: "player", Value: "Tal M"})}, ""},
	} {
		d := &Data{Sets: c.sets}
		if got := d.Identity().OneSide; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		dir := t.TempDir()
		if err := d.Identity().Write(dir); err != nil {
			t.Fatal(err)
		}
		if id, err := ReadIdentity(dir); err != nil || id.OneSide != c.want {
			t.Errorf("read %q, %v", id.OneSide, err)
		}
	}
}
