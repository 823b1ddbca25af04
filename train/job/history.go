package job

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"talbot/internal/durable"
	"talbot/network/run"
	"talbot/train/loader"
)

// HistoryName is the file of a run that says what the card of its network needs from elsewhere: from its datasets and
// from the runs that it goes on from, which may be gone when the network is given away.
const HistoryName = "history.json"

const (
	historyVersion = 1
	maxHistory     = 64 << 20 // bytes
)

// history is a run's [HistoryName].
type history struct {
	Version int            `json:"version"`
	Weights string         `json:"weights,omitempty"` // checksum of those that the run began with
	Earlier []run.Part     `json:"earlier,omitempty"` // how those were trained; nothing where that is not known
	Data    []run.CardData `json:"data"`              // the run's own
}

// keepHistory writes a run's history unless it is there. Only the holder of the run's [run.Claim] may.
func keepHistory(dir string, from run.Origin, id loader.Identity) error {
	path := filepath.Join(dir, HistoryName)
	if _, err := durable.ReadFile(path, maxHistory); !errors.Is(err, fs.ErrNotExist) {
		return nil // export says it if it is damaged
	}
	ignore := func(error) {}
	h := history{Version: historyVersion, Weights: from.Sum, Data: described(id, ignore)}
	var err error
	if h.Earlier, _, err = earlier(from, ignore); err != nil {
		h.Earlier = nil
	}
	text, err := durable.Seal(h)
	if err != nil {
		return err
	}
	return durable.WriteFile(path, text)
}

// readHistory reads the history of a run that began with those weights. It is empty for runs of earlier versions, and
// where it is damaged, which is warned of.
func readHistory(dir string, from run.Origin, warn func(error)) history {
	var h history
	path := filepath.Join(dir, HistoryName)
	text, err := durable.ReadFile(path, maxHistory)
	if errors.Is(err, fs.ErrNotExist) {
		return history{}
	}
	sealed := false
	if err == nil {
		sealed, err = durable.UnsealVersion(text, historyVersion, &h)
	}
	if err == nil && (!sealed || h.Weights != from.Sum) {
		err = errors.New("it is not of this run")
	}
	if err != nil {
		warn(fmt.Errorf("%q is not used: %w", path, err))
		return history{}
	}
	return h
}
