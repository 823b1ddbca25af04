package builtin_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"talbot/network/builtin"
	"talbot/network/checkpoint"
	"talbot/network/model"
	"talbot/network/predict"
	"talbot/network/run"
)

// largest is what the file may add to the program, in bytes.
const largest = 4 << 20

// TestNetwork: the file is small, has the tensors of its network in half precision, and a card that fits it.
func TestNetwork(t *testing.T) {
	data, err := os.ReadFile("net.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > largest {
		t.Errorf("%d bytes, at most %d", len(data), largest)
	}
	file, err := builtin.Read()
	if err != nil {
		t.Fatal(err)
	}
	d, err := run.Describe(file, builtin.Name)
	if err != nil {
		t.Fatal(err)
	}
	n, err := predict.Load(builtin.Name, run.BestCheckpoint)
	if err != nil {
		t.Fatal(err)
	}
	if n.Path != builtin.Name || n.Sum != file.Sum || !n.Exported || n.Step != d.Step {
		t.Errorf("%+v", n.About)
	}
	c := d.Card
	if c == nil {
		t.Fatal("no card")
	}
	if want := model.CountTrainable(n.Network.Params()); c.Parameters != want || c.Network != n.Network.String() {
		t.Errorf("the card says %s and %d parameters, the network %s and %d", c.Network, c.Parameters, n.Network, want)
	}
	if perNumber := float64(len(data)) / float64(c.Parameters); perNumber > 2.5 {
		t.Errorf("%.1f bytes for each parameter", perNumber)
	}
	if c.Licence == "" || len(c.Training) == 0 || c.Training[len(c.Training)-1].To != n.Step {
		t.Errorf("card %+v", c)
	}
	for _, p := range c.Training {
		if p.Batch < 1 || p.To <= p.From || len(p.Data) == 0 {
			t.Errorf("training %+v", p)
		}
		for _, s := range p.Data {
			if s.Name == "" || len(s.Manifest) != 64 || s.Made == "" || s.Samples == 0 {
				t.Errorf("the card does not describe its data: %+v", s)
			}
		}
	}
}

// TestDamage: a file that is not what was exported is refused, and named.
func TestDamage(t *testing.T) {
	data, err := os.ReadFile("net.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]byte{append([]byte{data[0] ^ 0x10}, data[1:]...), data[:len(data)-1]} {
		if f, err := builtin.ReadData(bad); f != nil || !errors.Is(err, builtin.ErrDamaged) ||
			!errors.Is(err, checkpoint.ErrDamaged) || !strings.Contains(err.Error(), `"net:"`) {
			t.Errorf("%v", err)
		}
	}
	if _, err := builtin.ReadData(data); err != nil {
		t.Errorf("the file itself: %v", err)
	}
}
