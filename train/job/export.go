package job

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"

	"talbot/internal/durable"
	"talbot/train"
	"talbot/train/backend"
	"talbot/train/checkpoint"
	"talbot/train/model"
	"talbot/train/onnx"
)

// Formats are what [Export] writes.
var Formats = []string{"onnx", "safetensors"}

// Export writes the network of a run for other programs.
type Export struct {
	Dir    string // run folder
	Out    string // file to write; one that is there is replaced
	Format string // one of [Formats]
	Choice train.Choice
	Warn   func(error) // a damaged checkpoint that was passed over; may be nil
}

// Exported is what an export wrote.
type Exported struct {
	Out        string `json:"out"`
	Format     string `json:"format"`
	Checkpoint string `json:"checkpoint"`
	Step       int64  `json:"step"`
	Weights    string `json:"weights"`    // "raw" or "average"
	Parameters int    `json:"parameters"` // trainable numbers
	Bytes      int64  `json:"bytes"`
}

// origin says in the file where a network comes from.
type origin struct {
	Recipe string `json:"recipe"`
	model.Config
	Step       int64  `json:"step"`
	Checkpoint string `json:"checkpoint"` // file name
}

// Run exports. Errors are those of [train.ReadConfig], [train.NewPredictor] and [onnx.Model], and [ErrConfig].
//
// A safetensors file holds the parameters and the running statistics under PyTorch's names, without the optimiser's
// moments; its metadata is that of a checkpoint (see package checkpoint), and talbot.meta names recipe, shape and step.
func (e Export) Run() (Exported, error) {
	x := Exported{Out: e.Out, Format: e.Format}
	if _, err := train.ReadConfig(e.Dir, e.Warn); err != nil {
		return x, err
	}
	b, err := backend.Open("go") // it only holds the weights
	if err != nil {
		return x, err
	}
	defer b.Finalize()
	p, err := train.NewPredictor(b, e.Dir, e.Choice, 1)
	if err != nil {
		return x, err
	}
	defer p.Close()
	for _, damaged := range p.Damaged {
		if e.Warn != nil {
			e.Warn(fmt.Errorf("skipping %w", damaged))
		}
	}
	tensors, err := p.Tensors()
	if err != nil {
		return x, err
	}
	o := origin{Recipe: p.Config.Recipe, Config: p.Config.Config, Step: p.Step, Checkpoint: filepath.Base(p.Path)}
	file, err := e.file(o, tensors)
	if err != nil {
		return x, err
	}
	if err := durable.WriteFile(e.Out, file); err != nil {
		return x, err
	}
	network, err := model.New(o.Recipe, o.Config)
	if err != nil {
		return x, err
	}
	x.Checkpoint, x.Step, x.Bytes, x.Weights = p.Path, p.Step, int64(len(file)), "raw"
	if p.Config.EMA > 0 {
		x.Weights = "average"
	}
	x.Parameters = model.CountTrainable(network.Params())
	return x, nil
}

// file is the content of the file.
func (e Export) file(o origin, tensors []checkpoint.Tensor) ([]byte, error) {
	switch e.Format {
	case "onnx":
		return onnx.Model(o.Recipe, o.Config, tensors, map[string]string{
			"recipe": o.Recipe, "blocks": strconv.Itoa(o.Blocks), "filters": strconv.Itoa(o.Filters),
			"step": strconv.FormatInt(o.Step, 10), "checkpoint": o.Checkpoint,
		})
	case "safetensors":
		meta, err := json.Marshal(o)
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		err = (&checkpoint.File{Meta: meta, Tensors: tensors}).Write(&out)
		return out.Bytes(), err
	}
	return nil, fmt.Errorf("%w: format must be one of %q: %q", ErrConfig, Formats, e.Format)
}
