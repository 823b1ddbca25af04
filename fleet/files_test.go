package fleet

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"talbot/dataset"
	"talbot/internal/fault"
	"talbot/internal/testkit"
)

// TestDamagedFiles: whatever bit of a coordinator's files is flipped, and where they are cut short or empty, that is
// damage, and the error says what helps. Nothing else is taken for damage.
func TestDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	c := testCoordinator(t, dir, nil)
	testWorker(t, joinOf(t, c), "w", &echo{}, 1)
	serve(t, c, questions(2))
	c.close()
	open := func() error {
		c, err := openCoordinator(t.Context(), coordinatorConfig{Dir: dir, terms: []byte("hello"), prove: proveEcho})
		if err == nil {
			c.close()
		}
		return err
	}
	testkit.OK(t, open())
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{keyFile, rosterFile} {
		path := filepath.Join(dir, name)
		whole := testkit.Value(os.ReadFile(path))(t)
		damaged := map[string][]byte{"empty": {}, "half": whole[:len(whole)/2], "long": make([]byte, 65<<20)}
		if name == rosterFile {
			for range 40 {
				at := rng.IntN(8 * len(whole))
				b := append([]byte{}, whole...)
				b[at/8] ^= 1 << (at % 8)
				damaged[fmt.Sprintf("bit %d", at)] = b
			}
		}
		for what, b := range damaged {
			testkit.OK(t, os.WriteFile(path, b, 0o600))
			err := open()
			exit, remedy := fault.Of(err)
			if exit != fault.ExitDamaged || !strings.HasPrefix(remedy, "re") ||
				!strings.Contains(fmt.Sprint(err), path) {
				t.Errorf("%s, %s: %v, %q", name, what, err, remedy)
			}
		}
		testkit.OK(t, errors.Join(os.Remove(path), os.Mkdir(path, 0o700)))
		if err := open(); !errors.Is(err, dataset.ErrDamaged) {
			t.Errorf("%s is a folder: %v", name, err)
		}
		testkit.OK(t, errors.Join(os.Remove(path), os.WriteFile(path, whole, 0o600)))
	}
	if err := open(); err != nil {
		t.Error(err)
	}
}

// TestEqualWorkers: each process of a worker keeps its number and its place for as long as it is there.
func TestEqualWorkers(t *testing.T) {
	c := testCoordinator(t, t.TempDir(), nil)
	key := filepath.Join(t.TempDir(), "key")
	process := func(slots int) (stop func() error) {
		return testWorkerOf(t, joinOf(t, c), key, &echo{}, slots)
	}
	var stops []func() error
	places := func() (text string) {
		for _, w := range c.Status().Workers {
			text += fmt.Sprintf("%d.%d: %d slots; ", w.Number, w.Process, w.Slots)
		}
		return text
	}
	await := func(want string) {
		t.Helper()
		for range 6000 { // of a busy machine
			if places() == want {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		for range 50 {
			if is := places(); is != want {
				t.Fatalf("%q, want %q", is, want)
			}
		}
	}
	want := ""
	for slots := 1; slots <= 6; slots++ {
		stops = append(stops, process(slots))
		want += fmt.Sprintf("1.%d: %d slots; ", slots, slots)
		await(want)
	}
	if err := stops[2](); err != nil {
		t.Log(err)
	}
	await("1.1: 1 slots; 1.2: 2 slots; 1.4: 4 slots; 1.5: 5 slots; 1.6: 6 slots; ")
	process(7)
	await("1.1: 1 slots; 1.2: 2 slots; 1.3: 7 slots; 1.4: 4 slots; 1.5: 5 slots; 1.6: 6 slots; ")
}
