package job

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"talbot/internal/durable"
	"talbot/internal/fault"
	"talbot/internal/output"
	"talbot/network/checkpoint"
	"talbot/network/leela"
	"talbot/network/model"
	"talbot/network/predict"
	"talbot/network/run"
)

// Formats are what [Export] writes.
var Formats = []string{"onnx", "safetensors", "net", "lc0"}

// Export writes the network of a run for other programs.
type Export struct {
	Dir    string // run folder, checkpoint or exported network
	Out    output.File
	Format string // one of [Formats]
	Choice run.Choice
	Warn   func(error) // a damaged checkpoint that was passed over, what a card lacks; may be nil
	// Licence is that of a network that is given away, with the formats net and lc0; "" is Apache-2.0 or, for one that
	// was trained on from a network of lc0's, the words that the licence of that one applies.
	Licence string
}

// ExportResult is what an export wrote.
type ExportResult struct {
	Out        string `json:"out"`
	Format     string `json:"format"`
	Checkpoint string `json:"checkpoint"`
	Step       int64  `json:"step"`
	Weights    string `json:"weights"`    // "raw", "average", or "exported": of an exported file, which does not say
	Parameters int    `json:"parameters"` // trainable numbers
	Bytes      int64  `json:"bytes"`
}

// Run exports. Errors are those of [run.ReadConfig], [predict.Load] and [onnx.New],
// [ErrConfig].
//
// A safetensors file holds the parameters and the running statistics under PyTorch's names, without the optimiser's
// moments; its metadata is that of a checkpoint (see package checkpoint), and talbot.meta is a [run.ExportMetadata], so
// that talbot itself can use the file too. The format net is that with weights in half precision and a [run.Card]: what
// package builtin holds. It needs the folder of a run. The format lc0 is that of package leela, with gzip, for networks
// of the recipe leela.
func (e Export) Run() (ExportResult, error) {
	x := ExportResult{Out: e.Out.Path, Format: e.Format}
	if !run.IsFile(e.Dir) {
		if _, err := run.ReadConfig(e.Dir); err != nil {
			return x, err
		}
	}
	t, err := predict.Load(e.Dir, e.Choice)
	if err != nil {
		return x, err
	}
	for _, damaged := range t.Damaged {
		e.warn(fmt.Errorf("skipping %w", damaged))
	}
	e.Licence = e.licence(t)
	if err := e.Out.Make(func(w *durable.AtomicFile) error {
		file, err := e.file(t)
		if err != nil {
			return err
		}
		_, err = w.Write(file)
		x.Bytes = int64(len(file))
		return err
	}); err != nil {
		return x, err
	}
	x.Checkpoint, x.Step, x.Weights = t.Path, t.Step, weightsOf(t)
	x.Parameters = model.CountTrainable(t.Network.Params())
	return x, nil
}

func (e Export) warn(err error) {
	if e.Warn != nil {
		e.Warn(err)
	}
}

// Facts are what the export is made from and with, but for its settings: the checkpoint, and the card of the format
// net.
func (e Export) Facts() (facts output.Facts, err error) {
	t, err := predict.Load(e.Dir, e.Choice)
	if err != nil {
		return nil, err
	}
	facts.Add("checkpoint", "step %d (SHA-256 %.16s)", t.Step, t.Sum)
	if e.Format == "net" {
		card, err := e.card(t)
		if err != nil {
			return nil, err
		}
		more, err := output.FactsOf(card)
		if err != nil {
			return nil, err
		}
		facts = append(facts, more...)
	}
	return facts, nil
}

// weightsOf says which weights those of a network are, as [ExportResult].Weights.
func weightsOf(t *predict.Network) string {
	switch {
	case t.Averaged:
		return "average"
	case t.Exported:
		return "exported"
	}
	return "raw"
}

// file is the content of the file.
func (e Export) file(t *predict.Network) ([]byte, error) {
	c := t.Config
	switch e.Format {
	case "onnx":
		g, err := t.ONNX()
		if err != nil {
			return nil, err
		}
		return g.Model()
	case "safetensors", "net":
		x := run.ExportMetadata{Recipe: c.Recipe, Settings: c.Settings, Step: t.Step, Checkpoint: filepath.Base(t.Path),
			ValueTarget: c.ValueTarget, PolicyTarget: c.PolicyTarget}
		if e.Format == "net" {
			var err error
			if x.Card, err = e.card(t); err != nil {
				return nil, err
			}
		}
		meta, err := json.Marshal(x)
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		err = (&checkpoint.File{Meta: meta, Tensors: t.Tensors, Half: e.Format == "net"}).Write(&out)
		return out.Bytes(), err
	}
	if e.Format == "lc0" {
		return e.leela(t)
	}
	return nil, fmt.Errorf("%w: format must be one of %q: %q", ErrConfig, Formats, e.Format)
}

// licence is that of the network: what was asked for, else Apache-2.0, unless its weights began with a network of
// lc0's.
func (e Export) licence(t *predict.Network) string {
	from := foreign(t.Path, t.Config)
	switch {
	case from == "":
		return cmp.Or(e.Licence, "Apache-2.0")
	case e.Licence == "":
		e.warn(fmt.Errorf("the weights began with %q: the licence of that network applies to this one", from))
		return fmt.Sprintf("that of %s, from which it was trained on", filepath.Base(from))
	}
	return e.Licence
}

// foreign returns the network of lc0's that weights began with, through all runs that are still there; "" for none.
func foreign(path string, c run.Config) string {
	for range 100 { // runs
		if leela.IsFile(path) || strings.Contains(filepath.Base(path), ".pb") {
			return path
		}
		if path = c.From.Path; path == "" {
			return ""
		}
		var err error
		if c, err = run.ReadConfig(runOf(path)); err != nil {
			c = run.Config{}
		}
	}
	return ""
}

// leela is the content of a network file of lc0's.
func (e Export) leela(t *predict.Network) ([]byte, error) {
	n, ok := t.Network.(model.Leela)
	if !ok {
		return nil, fault.Usage(fmt.Errorf("%q has a network of the recipe %s; lc0 plays those of the recipe leela",
			e.Dir, t.Config.Recipe), "train one with --recipe leela, or export it as onnx or safetensors")
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	f := leela.File{Licence: e.Licence, Training: leela.Training{Steps: uint32(t.Step)}, Settings: n,
		Tensors: t.Tensors}
	if err := f.Write(z); err != nil {
		return nil, err
	}
	err = z.Close()
	return out.Bytes(), err
}
