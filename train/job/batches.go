package job

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"unsafe"

	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/fault"
	"talbot/network/recipe"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/loader"
)

// BatchesFormat is the version of the stream of [Train.Batches].
const BatchesFormat = 1

// BatchesHeader is the first line of a stream of batches, as JSON. Each batch follows it as two numbers of four bytes,
// N and K, and then its arrays, one after the other; two zeros end the stream. All numbers are little-endian.
type BatchesHeader struct {
	Format       int             `json:"talbot_batches"`
	Recipe       string          `json:"recipe"`
	Settings     recipe.Settings `json:"settings"`
	PolicyTarget string          `json:"policy_target"`
	ValueTarget  string          `json:"value_target"`
	Split        string          `json:"split"`
	Samples      int64           `json:"samples"` // different ones: those of the train split, or of the batches
	Batch        int             `json:"batch"`   // samples in each
	Batches      int64           `json:"batches"`
	Seed         int64           `json:"seed"`
	// Perspective is whose board and values these are.
	Perspective string       `json:"perspective"`
	Arrays      []BatchArray `json:"arrays"`
	Floats      []string     `json:"floats"`  // names of the columns of floats and known
	Moves       string       `json:"moves"`   // which ones are listed: none, target or legal
	Indices     int          `json:"indices"` // how many values a move's first code can have, 0 = not said
	Scores      bool         `json:"scores"`  // weights of moves are any numbers; else they sum to 1, or are all 0
	Shape       []int        `json:"shape"`   // of a sample's input, unpacked
	// Planes say how planes follow from the packed words; none where the input is not planes, or has counts.
	Planes []encode.Plane `json:"planes,omitempty"`
}

// BatchArray is an array of a batch. The shape begins with "N" samples, and then has numbers, and "K" for the moves
// that are listed of each sample.
type BatchArray struct {
	Name  string `json:"name"`
	Type  string `json:"type"` // as NumPy has it
	Shape []any  `json:"shape"`
}

// Batches writes the batches that [Train.Run] draws with the same data, recipe, batch, seed and targets: as many as it
// has steps, or those of some epochs. Of the val split they are those that it validates on. From, After, Until and
// Resume must not be set. Errors are those of Run before the first step, and of writing.
func (t Train) Batches(ctx context.Context, w io.Writer, split dataset.Split, epochs int64) error {
	c, err := t.config(0, nil)
	if err != nil {
		return err
	}
	data, _, err := t.open(ctx, c)
	if err != nil {
		return err
	}
	defer data.Close()
	survey, err := data.Survey(ctx, valSamples, min(c.Batch, valBatch), t.Surveyed)
	if err != nil {
		return err
	}
	for _, warning := range data.Derived() {
		t.warn(warning)
	}
	if epochs > 0 {
		t.Steps = batchesOf(survey.Train()*epochs, c.Batch)
	}
	if c, err = t.config(survey.Train(), nil); err != nil {
		return err
	}
	h := BatchesHeader{Format: BatchesFormat, Recipe: c.Recipe, Settings: c.Settings, PolicyTarget: c.PolicyTarget,
		ValueTarget: c.ValueFormula, Split: split.String(), Samples: survey.Train(), Batch: c.Batch, Batches: c.Steps,
		Seed: c.Seed}
	h.describe(data.Options.Encoder)
	source := loaderOf(c, survey)
	defer source.Close()
	next := source.Next
	if split == dataset.Val {
		if len(survey.Val) == 0 {
			return fault.Hint(fmt.Errorf("the val split (%s) has %w", data.Sets[0].Manifest.Splits,
				loader.ErrNoSamples), "`talbot stats DIR` counts the samples of each split")
		}
		h.Batch, h.Batches = survey.Val[0].N, int64(len(survey.Val))
		h.Samples, h.Seed = int64(h.Batch)*h.Batches, 0
		next = func(b *train.Batch) error { *b, survey.Val = survey.Val[0], survey.Val[1:]; return nil }
	}
	if err := json.NewEncoder(w).Encode(h); err != nil {
		return err
	}
	layout := data.Options.Encoder.Layout()
	var b train.Batch
	for i := range h.Batches {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := next(&b)
		if err == nil {
			err = b.Check(&layout)
		}
		if err != nil {
			return fmt.Errorf("batch %d: %w", i, err)
		}
		if err := writeBatch(w, &b); err != nil {
			return err
		}
	}
	_, err = w.Write(make([]byte, 8))
	return err
}

// loaderOf returns the loader of a run, at its beginning.
func loaderOf(c run.Config, s *loader.Survey) *loader.Loader {
	return s.NewLoader(loader.LoaderOptions{Batch: c.Batch, Seed: c.Seed + c.Begin()})
}

// describe says what the arrays of an encoder are.
func (h *BatchesHeader) describe(e encode.Encoder) {
	l := e.Layout()
	h.Perspective = "the side to move: own pieces, its frame of the board, values from its view"
	h.Arrays = []BatchArray{{"packed", "<u8", []any{"N", l.Words}}}
	if h.Moves = [...]string{"none", "target", "legal"}[l.Moves]; l.Moves != encode.NoMoves {
		h.Arrays = append(h.Arrays, BatchArray{"codes", "<i4", []any{"N", "K", l.Codes}},
			BatchArray{"weights", "<f4", []any{"N", "K"}})
	}
	h.Arrays = append(h.Arrays, BatchArray{"floats", "<f4", []any{"N", len(l.Floats)}},
		BatchArray{"known", "<f4", []any{"N", len(l.Floats)}})
	h.Floats, h.Indices, h.Scores, h.Shape = append([]string{}, l.Floats...), l.Indices, l.Scores, l.Shape
	if p, ok := e.(encode.PlaneEncoder); ok {
		h.Planes = p.PackedPlanes()
	}
}

// writeBatch writes a batch as [BatchesHeader] describes it.
func writeBatch(w io.Writer, b *train.Batch) error {
	for _, text := range [][]byte{bytesOf([]uint32{uint32(b.N), uint32(b.Moves())}), bytesOf(b.Packed),
		bytesOf(b.Codes), bytesOf(b.Weights), bytesOf(b.Floats), bytesOf(b.Known)} {
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// bytesOf returns the memory of numbers, which is not copied.
func bytesOf[T uint32 | int32 | uint64 | float32](s []T) []byte {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		panic("batches are little-endian, and this machine is not")
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}
