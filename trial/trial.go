package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"talbot/internal/durable"
)

// Files of the folder.
const (
	ReportName = "report.md"
	stateName  = "trial.json"
)

// Trial is a test of this machine.
type Trial struct {
	Dir      string // folder of the report and of what the steps need; made if it is not there
	Backend  string // as talbot train takes it
	Networks []Size // whose training is measured
	Batches  []int  // they are trained in
	Seconds  int    // that each measurement takes; training continues for six times as long before it is killed
	Matrix   int    // rows of the matrices whose products are measured
	Games    int    // random ones that are trained on
	Talbot   string // the program itself
	Python   string // with PyTorch, if it has it
	Version  string // of talbot, for the report

	Began func(step string)            // a step begins; may be nil
	Ended func(step string, err error) // and ends; may be nil

	asked bool   // whether PyTorch is there
	sees  string // the device that it sees, "cuda" or "cpu"; "" without PyTorch
}

// Size is a network of the recipe talbotbot.
type Size struct {
	Blocks  int `json:"blocks"`
	Filters int `json:"filters"`
}

func (s Size) String() string { return fmt.Sprintf("%d×%d", s.Blocks, s.Filters) }

// State is what a trial has found.
type State struct {
	Backend string             `json:"backend"`
	Devices int                `json:"devices"` // that the backend sees; 0: not known yet
	Machine []Fact             `json:"machine"`
	Done    []Outcome          `json:"steps"`
	Matrix  map[string]float64 `json:"matrix_rate"` // operations a second, by precision
	Speeds  []Speed            `json:"speeds"`
}

// Fact is a line about the machine.
type Fact struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Outcome is how a step ended.
type Outcome struct {
	Step    string  `json:"step"`
	Error   string  `json:"error,omitempty"`
	Skipped string  `json:"skipped,omitempty"` // why it cannot be done here
	Text    string  `json:"text"`              // what it found, as Markdown
	Seconds float64 `json:"seconds"`
}

// Speed is how fast a network trained with the loader running. What is not known is 0.
type Speed struct {
	Size
	Precision     string  `json:"precision"`
	Batch         int     `json:"batch"`
	Devices       int     `json:"devices"`
	Deterministic bool    `json:"deterministic,omitempty"`
	PerSecond     float64 `json:"positions_per_second"`
	Wait          float64 `json:"loader_wait"` // share of the time
	Busy          float64 `json:"device_busy"` // share of the time
	Operations    float64 `json:"operations"`  // of training on a position
	FirstStep     float64 `json:"first_step"`  // seconds until it ended, with compiling
	Watts         float64 `json:"watts"`       // of the first device, mean
	Torch         float64 `json:"torch"`       // positions a second of PyTorch
	TorchMode     string  `json:"torch_mode"`  // how it ran, or why it was not measured
}

// skipReason says that a step cannot be done on this machine, which is no fault.
type skipReason string

func (s skipReason) Error() string { return string(s) }

// ErrFailed says that steps of a trial failed; the report says why.
var ErrFailed = errors.New("failed")

// step is one part of a trial. It returns what it found as Markdown.
type step struct {
	name string
	do   func(ctx context.Context, s *State) (string, error)
}

// Run goes through the steps that are not done. A step that fails does not keep the others from running; the error is
// [ErrFailed] then. If ctx ends, its error is returned, and the report is there so far. The folder of a trial of
// another backend is an error.
func (t *Trial) Run(ctx context.Context) (*State, error) {
	if err := os.MkdirAll(t.Dir, 0o777); err != nil {
		return nil, err
	}
	lock, err := durable.Lock(filepath.Join(t.Dir, "lock"))
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	s, err := t.load()
	if err != nil {
		return nil, err
	}
	steps := t.steps(s)
	for _, x := range steps {
		if i := slices.IndexFunc(s.Done, func(o Outcome) bool { return o.Step == x.name }); i >= 0 {
			if s.Done[i].Error == "" {
				continue
			}
			s.Done = slices.Delete(s.Done, i, i+1) // it is tried again
		}
		if t.Began != nil {
			t.Began(x.name)
		}
		o := Outcome{Step: x.name}
		begun := time.Now()
		o.Text, err = x.do(ctx, s)
		o.Seconds = time.Since(begun).Seconds()
		if ctx.Err() != nil {
			return s, errors.Join(ctx.Err(), t.save(s, steps))
		}
		if not, ok := errors.AsType[skipReason](err); ok {
			o.Skipped, err = string(not), nil
		} else if err != nil {
			o.Error = err.Error()
		}
		s.Done = append(s.Done, o)
		if t.Ended != nil {
			t.Ended(x.name, err)
		}
		if err := t.save(s, steps); err != nil {
			return s, err
		}
	}
	var failed []string
	for _, o := range s.Done {
		if o.Error != "" {
			failed = append(failed, o.Step)
		}
	}
	if err := t.save(s, steps); err != nil {
		return s, err
	}
	if len(failed) > 0 {
		return s, fmt.Errorf("%w: %s", ErrFailed, strings.Join(failed, ", "))
	}
	return s, nil
}

// load reads what an earlier call found.
func (t *Trial) load() (*State, error) {
	s := &State{Backend: t.Backend, Matrix: map[string]float64{}}
	data, err := durable.ReadFile(filepath.Join(t.Dir, stateName), 1<<24)
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("%q: %w; remove the file, or choose another folder", filepath.Join(t.Dir, stateName),
			err)
	}
	if s.Backend != t.Backend {
		return nil, fmt.Errorf("%q is a trial of the backend %s, not %s; choose another folder", t.Dir, s.Backend,
			t.Backend)
	}
	if s.Matrix == nil {
		s.Matrix = map[string]float64{}
	}
	return s, nil
}

// save writes what was found, and the report.
func (t *Trial) save(s *State, steps []step) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(t.Dir, stateName), append(data, '\n')); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(t.Dir, ReportName), []byte(t.report(s, steps)))
}

// steps are all that a trial does, in order.
func (t *Trial) steps(s *State) []step {
	list := []step{
		{"machine", t.machine},
		{"backend", t.backend},
		{"data", t.data},
		{"training, killed and resumed", t.killed},
		{"one run whole and in two parts", t.twoParts},
		{"out of memory", t.memory},
		{"100 steps compared with go", t.besideGo},
		{"100 steps compared with PyTorch", t.besideTorch},
		{"rate of matrix products", t.matrix},
	}
	precisions := []string{"bf16", "float32"}
	if t.Backend == "go" { // has no convolutions in bfloat16
		precisions = precisions[1:]
	}
	for _, size := range t.Networks {
		for _, precision := range precisions {
			for _, batch := range t.Batches {
				list = append(list, t.speedStep(Speed{Size: size, Precision: precision, Batch: batch, Devices: 1}))
			}
		}
	}
	if len(t.Networks) > 0 && len(t.Batches) > 0 {
		base := Speed{Size: t.Networks[0], Precision: precisions[0], Batch: t.Batches[len(t.Batches)/2], Devices: 1}
		base.Deterministic = true
		list = append(list, t.speedStep(base))
		base.Deterministic = false
		for base.Devices = 2; base.Devices <= 8; base.Devices *= 2 {
			list = append(list, t.speedStep(base))
		}
	}
	return list
}

// network is the one that is not measured but trained.
func (t *Trial) network() Size { return t.Networks[0] }
