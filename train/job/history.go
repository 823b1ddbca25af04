package job

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"talbot/internal/durable"
	"talbot/network/run"
	"talbot/train/loader"
)

// historyName is the file of a run that keeps what the card of its network needs from its datasets and from the runs
// that it continues, which may be gone when the network is exported.
const historyName = "history.json"

const (
	historyVersion = 1
	maxHistory     = 64 << 20 // bytes
)

// history is a run's [historyName].
type history struct {
	Version int            `json:"version"`
	Weights string         `json:"weights,omitempty"` // checksum of those that the run started with
	Known   bool           `json:"known"`             // whether it is known how those were trained
	Earlier []run.Part     `json:"earlier,omitempty"` // how; nothing where they were drawn at random
	Data    []run.CardData `json:"data"`              // the run's own
}

// newHistory returns the history of a run that starts, as far as it can be found out.
func newHistory(from run.Origin, id loader.Identity) history {
	h := history{Version: historyVersion, Weights: from.Sum, Data: described(id)}
	h.Earlier, h.Known = earlier(from)
	return h
}

// keepHistory writes the history of a run that starts. A resumed run keeps the one that it has. The caller holds the
// run's [run.Claim].
func keepHistory(dir string, from run.Origin, id loader.Identity, resumed bool) error {
	if _, err := readHistory(dir, from, id); resumed && err == nil {
		return nil
	}
	return durable.WriteSealed(filepath.Join(dir, historyName), newHistory(from, id))
}

// readHistory reads the history of a run that began with those weights, on that data. One that is damaged or of another
// run is an error.
func readHistory(dir string, from run.Origin, id loader.Identity) (history, error) {
	var h history
	path := filepath.Join(dir, historyName)
	err := durable.ReadSealed(path, maxHistory, historyVersion, &h)
	if err == nil && h.Version == 0 {
		return h, fs.ErrNotExist
	}
	if err == nil && (h.Weights != from.Sum || !h.of(id)) {
		err = errors.New("it is not of this run")
	}
	if err != nil {
		return history{}, fmt.Errorf("%q is not used: %w", path, err)
	}
	return h, nil
}

// of reports whether it is that of a run on that data.
func (h *history) of(id loader.Identity) bool {
	return slices.EqualFunc(h.Data, id.Sets, func(d run.CardData, s loader.SetIdentity) bool {
		return d.Weight == s.Weight && d.Manifest == s.Manifest
	})
}

// lacks warns of what is missing in the parts of a card.
func lacks(parts []run.Part, warn func(error)) {
	for _, p := range parts {
		if p.Origin != "" {
			warn(fmt.Errorf("the card does not say how the weights with the checksum %.16s were trained", p.Origin))
		}
		for _, d := range p.Data {
			if d.Made == "" {
				warn(fmt.Errorf("the card does not describe a dataset: %q was gone when it was asked for", d.Name))
			}
		}
	}
}
