package diff_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/inspect/diff"
	"talbot/internal/testkit/madeup"
)

// TestDiff knows every difference.
func TestDiff(t *testing.T) {
	lines := madeup.Lines(t)
	a := madeup.Dataset(t, lines, 2)
	other := madeup.Lines(t)[1:]
	other[0].Labels = nil
	b := madeup.Dataset(t, append(other, madeup.Line(t, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4")), 3)
	d, err := diff.Request{A: a, B: b}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if l := d.Lines; d.Same || l.OnlyA != 1 || l.OnlyB != 1 || l.Both != int64(len(lines)-1) || l.Labels != 1 ||
		len(l.Examples) != 2 || l.Moved+l.Samples != 0 {
		t.Errorf("%+v", d)
	}
	if len(d.Labels) == 0 || d.Labels[0].OnlyA == 0 || d.Labels[0].Equal != 0 {
		t.Errorf("%+v", d.Labels)
	}
	if text := d.Text(); !strings.Contains(text, "1 only in a, 1 only in b") {
		t.Error(text)
	}
	if d, err := (diff.Request{A: a, B: a}).Run(t.Context()); err != nil || !d.Same || !d.Identical {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestDiffDamaged: a flip in a shard of either side is damage, whether the manifests agree or not.
func TestDiffDamaged(t *testing.T) {
	lines := madeup.Lines(t)
	other := madeup.Dataset(t, lines[1:], 2)
	stride := 4
	if os.Getenv("TALBOT_FULL") != "" {
		stride = 1
	}
	for offset, same := range []bool{true, false} {
		a, b := madeup.Dataset(t, lines, 2), madeup.Dataset(t, lines, 2)
		if !same {
			b = other
		}
		if _, err := (diff.Request{A: a, B: b}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(a, "shard-00001.talbot.zst")
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for at := offset * stride / 2; at < len(whole); at += stride {
			madeup.Flip(t, path, at)
			for _, r := range []diff.Request{{A: a, B: b}, {A: b, B: a}} {
				if d, err := r.Run(t.Context()); !errors.Is(err, dataset.ErrDamaged) &&
					!errors.Is(err, dataset.ErrVersion) {
					t.Errorf("byte %d, manifests agree %v: %+v, %v", at, same, d, err)
				}
			}
			if err := os.WriteFile(path, whole, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}
