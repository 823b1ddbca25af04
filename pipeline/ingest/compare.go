package ingest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"talbot/dataset"
	"talbot/internal/fault"
	"talbot/internal/output"
)

// ErrUnrepeatable: what comes through a pipe cannot be compared with what came before.
var ErrUnrepeatable = fault.New(fault.ExitUsage,
	"standard input and pipes cannot be compared with what was read before",
	"give the file by its name, or leave out --skip-done and --replace")

// compare says in what a finished dataset was made from other inputs. Their content counts; it is read only where the
// stamp of a file has changed.
func (in *Request) compare(_ string, m *dataset.Manifest) ([]output.Difference, error) {
	want := dataset.Manifest{Verb: m.Verb, Tool: output.Tool, Seed: m.Seed, Splits: m.Splits}
	for i, path := range in.Inputs {
		info, err := os.Stat(path)
		if path == "-" || err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%q: %w", path, ErrUnrepeatable)
		}
		if err != nil {
			return nil, err
		}
		input := dataset.Input{Name: inputName(path)}
		if i < len(m.Inputs) && m.Inputs[i].LeftOut != "" && m.Inputs[i].SHA256 == "" { // it could not be read
			input.Bytes = m.Inputs[i].Bytes
		} else if input.Bytes, input.SHA256, err = in.Cache.FileSum(path); err != nil {
			return nil, err
		}
		want.Inputs = append(want.Inputs, input)
	}
	have := want
	have.Inputs = m.Inputs
	list := output.Compare(output.FactsOfManifest(&have), output.FactsOfManifest(&want))
	if in.Rejects != "" {
		if _, err := os.Stat(in.Rejects); errors.Is(err, fs.ErrNotExist) {
			list = append(list, output.Difference{Name: "rejects", Have: "no table", Want: in.Rejects})
		} else if err != nil {
			return nil, err
		}
	}
	return list, nil
}
