package predict

import (
	"errors"
	"math"
	"slices"
	"testing"

	"talbot/encode"
	"talbot/internal/testkit/tinyrun"
	"talbot/network/recipe"
)

// TestInt8 computes networks of every recipe with convolutions in 8 bits: answers are near those in float32, and their
// bits do not depend on what else is in a batch.
func TestInt8(t *testing.T) {
	without := []string{"nosearch", "napoleon", "probability"} // no convolution is followed by a normalisation
	for _, name := range recipe.Names() {
		t.Run(name, func(t *testing.T) {
			c := tinyrun.Small(t, name)
			dir, _ := tinyrun.Write(t, c, tinyrun.Weights(t, c))
			o := Options{Batches: []int{8}}
			if slices.Contains(without, name) {
				if p, err := Open(opened(t, "onnx:int8"), dir, o); !errors.Is(err, ErrNoInt8) {
					t.Errorf("%v, %v", p, err)
				}
				return
			}
			exact, fast := mustOpen(t, opened(t, "onnx"), dir, o), mustOpen(t, opened(t, "onnx:int8"), dir, o)
			asked := questions(t, exact.Encoder(), 40)
			want, got := ask(t, exact, asked), ask(t, fast, asked)
			same, farthest := 0, 0.0
			for i := range want {
				for j := range want[i].Prior {
					a, b := math.Exp(float64(want[i].Prior[j])), math.Exp(float64(got[i].Prior[j]))
					farthest = max(farthest, math.Abs(a-b))
				}
				farthest = max(farthest, math.Abs(float64(want[i].Value-got[i].Value)))
				if want[i].Value == got[i].Value && slices.Equal(want[i].Prior, got[i].Prior) {
					same++
				}
			}
			if farthest > 0.01 {
				t.Errorf("a probability or a value is off by %.3f", farthest)
			}
			if same == len(want) {
				t.Error("all answers are those in float32: nothing is computed in 8 bits")
			}
			t.Logf("off by %.4f at most", farthest)
			for i := range asked[:8] {
				alone := ask(t, fast, asked[i:i+1])[0]
				if alone.Value != got[i].Value || !slices.Equal(alone.Prior, got[i].Prior) {
					t.Errorf("position %d: alone it has other bits", i)
				}
			}
		})
	}
}

// TestCalibrationPositions: the positions that ranges are found by are 256 different ones, most of them with history.
func TestCalibrationPositions(t *testing.T) {
	numbers, err := calibrationInputs(encode.Lynx{Attacks: true, Tactics: true})
	if err != nil {
		t.Fatal(err)
	}
	layout := encode.Lynx{Attacks: true, Tactics: true}.Layout()
	size := layout.Numbers()
	if len(numbers) != 256*size {
		t.Fatalf("%d positions", len(numbers)/size)
	}
	seen := map[string]bool{}
	for i := range 256 {
		key := make([]byte, size)
		for j, x := range numbers[i*size : (i+1)*size] {
			key[j] = byte(x)
		}
		seen[string(key)] = true
	}
	if len(seen) < 250 {
		t.Errorf("only %d are different", len(seen))
	}
}
