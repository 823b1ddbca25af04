package loader

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/fault"
	"talbot/network/run"
	"talbot/train"
)

// identityName is the file of a run that says what it is trained on.
const identityName = "data.json"

// Identity says what a run is trained on. It is kept in the run's folder as data.json.
type Identity struct {
	Version int `json:"version"` // of the file; set by Write

	Splits string        `json:"splits"`          // percentages, as "90,5,5"
	Label  string        `json:"label,omitempty"` // [Options.Label]
	Sets   []SetIdentity `json:"datasets"`

	// MaxCopies is [Options.MaxCopies].
	MaxCopies int `json:"max_copies,omitempty"`

	// MinClock is [Options.MinClock], "30s".
	MinClock string `json:"min_clock,omitempty"`

	// Backend opens the backend that a resumed run continues with: the one asked for, or the kind that was chosen. Kind
	// is its kind.
	Backend string `json:"backend"`
	Kind    string `json:"backend_kind"`

	// OneSide says whose moves alone are samples, in all of the data: those of "the player NAME", or of "the winner";
	// empty if others' are too.
	OneSide string `json:"one_side,omitempty"`

	// Results reports that values were learnt from results of games.
	Results bool `json:"results,omitempty"`

	Train int64 `json:"train_samples"` // that the run learns from

	// Earlier is how the weights that the run began with were trained; nothing where they were drawn at random. Where
	// that is not known, Origin is their checksum.
	Earlier []run.Part `json:"earlier,omitempty"`
	Origin  string     `json:"origin,omitempty"`
}

// identityVersion is the version of data.json.
const identityVersion = 1

// maxIdentity is the largest data.json that is read, in bytes.
const maxIdentity = 16 << 20

// SetIdentity is one dataset of a run.
type SetIdentity struct {
	Dir string `json:"dir"` // absolute; where it was when the run last began
	run.CardData
}

// setIdentity describes a dataset by its manifest.
func setIdentity(s Spec, m *dataset.Manifest) SetIdentity {
	made := []string{m.Verb}
	for _, f := range m.Flags {
		made = append(made, f.Name+"="+f.Value)
	}
	if m.Seed != 0 {
		made = append(made, fmt.Sprintf("seed=%d", m.Seed))
	}
	d := run.CardData{Name: filepath.Base(s.Dir), Weight: s.Weight, Manifest: m.Hash(), Made: strings.Join(made, " "),
		Lines: m.Counts.GamesKept, Samples: m.Counts.Samples}
	for _, f := range m.Fingerprints {
		if text := f.Engine + ", " + f.Limit; !slices.Contains(d.Labels, text) {
			d.Labels = append(d.Labels, text)
		}
	}
	return SetIdentity{s.Dir, d}
}

// String is the dataset as it is named on a command line.
func (s SetIdentity) String() string {
	if s.Weight == 0 {
		return fmt.Sprintf("%q", s.Dir)
	}
	return fmt.Sprintf("%q:%g", s.Dir, s.Weight)
}

// Identity returns what d is.
func (d *Data) Identity() Identity {
	id := d.Options.identity()
	id.Splits, id.OneSide = d.Sets[0].Manifest.Splits.String(), d.oneSide()
	for _, s := range d.Sets {
		id.Sets = append(id.Sets, setIdentity(Spec{s.absolute(), s.Weight}, s.Manifest))
	}
	return id
}

// identity returns that of data that is read like this, without the datasets.
func (o Options) identity() Identity {
	id := Identity{Label: o.Label, MaxCopies: o.MaxCopies}
	if o.MinClock != 0 {
		id.MinClock = o.MinClock.String()
	}
	return id
}

// Clock returns [Identity.MinClock] as a time.
func (id Identity) Clock() (time.Duration, error) {
	if id.MinClock == "" {
		return 0, nil
	}
	return time.ParseDuration(id.MinClock)
}

// IdentityOf returns what a run would be trained on, without opening the data: by the manifests alone.
func IdentityOf(specs []Spec, o Options) (id Identity, err error) {
	id = o.identity()
	for _, s := range specs {
		m, err := dataset.ReadManifest(s.Dir)
		if err != nil {
			return id, err
		}
		id.Sets = append(id.Sets, setIdentity(s, m))
	}
	return id, nil
}

// oneSide is [Identity.OneSide].
func (d *Data) oneSide() string {
	var sides []string
	for _, s := range d.Sets {
		flags := map[string]string{}
		for _, f := range s.Manifest.Flags {
			flags[f.Name] = f.Value
		}
		switch flags["side"] {
		case "player":
			sides = append(sides, "the player "+flags["player"])
		case "winner":
			sides = append(sides, "the winner")
		default:
			return ""
		}
	}
	slices.Sort(sides)
	return strings.Join(slices.Compact(sides), ", ")
}

// Labelled reports whether at least half of the samples have a label.
func (d *Data) Labelled() bool {
	var labels, samples int64
	for _, s := range d.Sets {
		labels += s.Manifest.Counts.Labelled
		samples += s.Manifest.Counts.Samples
	}
	return 2*labels >= samples
}

// ErrNoIdentity reports that a run does not tell what it is trained on.
var ErrNoIdentity = fault.New(fault.ExitDamaged, "the data of the run is unknown",
	"continue its training as another run: `talbot train --run OTHER --after RUN --data DIR`")

// ReadIdentity reads what the run in that folder is trained on. If the file is not there or is not to the byte what was
// written, the error is [ErrNoIdentity]; if it is of a later talbot, [durable.ErrVersion]; and if it is no file,
// [run.ErrDamaged].
func ReadIdentity(dir string) (id Identity, err error) {
	path := filepath.Join(dir, identityName)
	err = durable.ReadSealed(path, maxIdentity, identityVersion, &id)
	switch {
	case errors.Is(err, durable.ErrNotRegular):
		err = fmt.Errorf("%w: %w", run.ErrDamaged, err)
	case errors.Is(err, durable.ErrVersion):
		err = fmt.Errorf("%q: %w", path, err)
	case err != nil:
		err = fmt.Errorf("%q is damaged: %w: %w", path, ErrNoIdentity, err)
	case id.Version == 0:
		err = fmt.Errorf("%q is missing: %w", path, ErrNoIdentity)
	case len(id.Sets) == 0:
		err = fmt.Errorf("%q is damaged: %w: no dataset", path, ErrNoIdentity)
	}
	if err != nil {
		return Identity{}, err
	}
	return id, nil
}

// Write keeps the identity in a run's folder, which is made if it is not there. Only the holder of its [run.Claim]
// may.
func (id Identity) Write(dir string) error {
	id.Version = identityVersion
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return durable.WriteSealed(filepath.Join(dir, identityName), id)
}

// Specs returns the datasets where they were.
func (id Identity) Specs() []Spec {
	var specs []Spec
	for _, s := range id.Sets {
		specs = append(specs, Spec{s.Dir, s.Weight})
	}
	return specs
}

// Differs returns a [train.ConfigError] that names the first difference to what the run was started with, but for the
// place of the datasets, or nil.
func (id Identity) Differs(started Identity) error {
	refuse := func(field string, want, have any) error {
		return &train.ConfigError{Field: field, Want: fmt.Sprint(want), Have: fmt.Sprint(have)}
	}
	if len(id.Sets) != len(started.Sets) {
		return refuse("data", fmt.Sprintf("%d datasets", len(id.Sets)), fmt.Sprintf("%d datasets", len(started.Sets)))
	}
	for i, s := range id.Sets {
		was := started.Sets[i]
		if s.Manifest != was.Manifest {
			return refuse("data", fmt.Sprintf("%q (manifest %.16s)", s.Dir, s.Manifest),
				fmt.Sprintf("%q (manifest %.16s)", was.Dir, was.Manifest))
		}
		if s.Weight != was.Weight {
			return refuse("data", s, was)
		}
	}
	switch quote := strconv.Quote; {
	case id.MaxCopies != started.MaxCopies:
		return refuse("max-copies", id.MaxCopies, started.MaxCopies)
	case id.MinClock != started.MinClock:
		return refuse("min-clock", quote(id.MinClock), quote(started.MinClock))
	case id.Label != started.Label:
		return refuse("label", quote(id.Label), quote(started.Label))
	}
	return nil
}

// Locate finds the datasets of a run: where they were, or among other folders. missing names those that are in
// neither, or have changed.
func (id Identity) Locate(others []Spec) (found []Spec, missing []string) {
	byHash := map[string]string{}
	for _, o := range others {
		if m, err := dataset.ReadManifest(o.Dir); err == nil {
			byHash[m.Hash()] = o.Dir
		}
	}
	for _, s := range id.Sets {
		if m, err := dataset.ReadManifest(s.Dir); err == nil && m.Hash() == s.Manifest {
			found = append(found, Spec{Dir: s.Dir})
		} else if dir, ok := byHash[s.Manifest]; ok {
			found = append(found, Spec{Dir: dir})
		} else {
			missing = append(missing, s.Dir)
		}
	}
	return found, missing
}
