package loader

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"talbot/internal/testkit/traindata"
	"talbot/train"
)

func TestIdentity(t *testing.T) {
	a, b := write(t, traindata.Dataset{Seed: 1, Games: 20}), write(t, traindata.Dataset{Seed: 2, Games: 20})
	run := filepath.Join(t.TempDir(), "new", "run")
	if _, err := ReadIdentity(run); !errors.Is(err, ErrNoIdentity) {
		t.Errorf("no run: %v", err)
	}
	id := open(t, 1, Spec{a, 2}).Identity()
	if err := id.Write(run); err != nil {
		t.Fatal(err)
	}
	was, err := ReadIdentity(run)
	if err != nil || id.Differs(was) != nil {
		t.Fatalf("%+v, %v, differs %v", was, err, id.Differs(was))
	}
	var refused *train.ConfigError
	for name, other := range map[string]Identity{
		"weight": open(t, 1, Spec{a, 3}).Identity(), "data": open(t, 1, Spec{b, 2}).Identity(), "more": open(t, 1,
			Spec{a, 2}, Spec{b, 2}).Identity(),
	} {
		if err := other.Differs(was); !errors.As(err, &refused) || refused.Field != "data" {
			t.Errorf("%s: %v", name, err)
		}
	}
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(a, moved); err != nil {
		t.Fatal(err)
	}
	if found, missing := was.Locate([]Spec{{Dir: b}}); len(missing) != 1 || missing[0] != a {
		t.Errorf("moved: %v, %v", found, missing)
	}
	if found, missing := was.Locate([]Spec{{Dir: b}, {Dir: moved}}); len(missing) != 0 || found[0].Dir != moved {
		t.Errorf("named: %v, %v", found, missing)
	}
}
