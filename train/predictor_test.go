package train

import (
	"errors"
	"math"
	"strings"
	"testing"

	"talbot/train/backend"
	"talbot/train/model"
)

func TestPredictor(t *testing.T) {
	c := tiny()
	dir := t.TempDir()
	if _, err := NewPredictor(openTest(t, "go"), dir, BestCheckpoint, 4); !errors.Is(err, ErrNoRun) {
		t.Errorf("empty run: %v", err)
	}
	val := valBatches(c, 1)
	result := mustRun(t, c, Options{Dir: dir, Backend: openTest(t, "go"), Source: &synthetic{batch: c.Batch}, Val: val})
	var planes []uint64
	for i := range c.Batch {
		of := planesOf(val[0].Packed[i*model.Words:])
		planes = append(planes, of[:]...)
	}
	eachBackend(t, func(t *testing.T, b *backend.Opened) {
		p, err := NewPredictor(b, dir, NewestCheckpoint, 7)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		if p.Step != c.Steps || p.Path != result.Checkpoint {
			t.Errorf("loaded step %d, %q", p.Step, p.Path)
		}
		logits, values, err := p.Predict(planes, c.Batch) // 16 = 7 + 7 + 2
		if err != nil {
			t.Fatal(err)
		}
		// The same losses as the validation of the run, from logits and values.
		var ce, mse, n float64
		for i := range c.Batch {
			l := logits[i*model.Moves:][:model.Moves]
			ce += logSumExp(l, nil) - float64(l[val[0].PolicyIndex[i]])
			d := float64(values[i] - val[0].Value[i])
			mse += d * d * float64(val[0].ValueWeight[i])
			n += float64(val[0].ValueWeight[i])
		}
		if d := ce/float64(c.Batch) - *result.Final.PolicyCE; math.Abs(d) > 1e-4 {
			t.Errorf("cross-entropy is off by %g", d)
		}
		if d := mse/n - *result.Final.ValueMSE; math.Abs(d) > 1e-5 {
			t.Errorf("MSE is off by %g", d)
		}
		// A position's answer does not depend on its place or company in a batch.
		one, v, err := p.Predict(planes[15*model.Planes:], 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, z := range one {
			if math.Abs(float64(z-logits[15*model.Moves+i])) > 1e-4 {
				t.Fatalf("logit %d is %g alone and %g in a batch", i, z, logits[15*model.Moves+i])
			}
		}
		if math.Abs(float64(v[0]-values[15])) > 1e-5 {
			t.Errorf("value %g alone, %g in a batch", v[0], values[15])
		}
		if _, _, err := p.Predict(planes[1:], c.Batch); err == nil {
			t.Error("no error for a short slice")
		}
	})
}

// TestPredictorNamesNaN: a number that is not finite is an error wherever it comes up: among the moves, in a value,
// whose tanh is finite on some backends, or in the trunk, whose next ReLU makes 0 of NaN.
func TestPredictorNamesNaN(t *testing.T) {
	c, o := trained(t)
	val := valBatches(c, 1)[0]
	var planes []uint64
	for i := range 3 {
		of := planesOf(val.Packed[i*model.Words:])
		planes = append(planes, of[:]...)
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, test := range []struct {
		tensor string
		bad    float32
		want   string // "" = no error
	}{
		{"policy.fc.bias", 1, ""}, {"policy.fc.bias", nan, "move 4671 of position 0 the logit NaN"},
		{"policy.fc.bias", inf, "move 4671 of position 0 the logit +Inf"},
		{"policy.fc.bias", -inf, "move 4671 of position 0 the logit -Inf"},
		{"value.fc2.bias", nan, "not finite"}, {"value.fc2.bias", inf, "not finite"},
		{"value.fc1.bias", nan, "not finite"}, {"value.bn.bias", inf, "not finite"},
		{"policy.bn.running_mean", nan, "not finite"}, {"policy.bn.running_var", -1, "not finite"},
		{"blocks.0.bn2.bias", -inf, "not finite"}, {"blocks.0.bn1.weight", nan, "not finite"},
		{"stem.bn.running_mean", nan, "not finite"},
	} {
		p, err := NewPredictor(o.Backend, o.Dir, BestCheckpoint, 2)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		data, err := p.engine.store.Get(test.tensor)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)-1] = test.bad
		if err := p.engine.store.Set(test.tensor, []int{len(data)}, data); err != nil {
			t.Fatal(err)
		}
		_, _, err = p.Predict(planes, 3)
		if test.want == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s of %g: %v", test.tensor, test.bad, err)
		}
	}
}
