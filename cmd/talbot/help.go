package main

import (
	"github.com/spf13/cobra"

	"talbot/internal/cli"
)

// groups are the headings of the commands in help, in order.
var groups = []*cobra.Group{
	{ID: "make", Title: "Make datasets"}, {ID: "train", Title: "Train and measure networks"},
	{ID: "play", Title: "Play"}, {ID: "look", Title: "Inspect datasets"},
	{ID: "machine", Title: "Plan and set up"}, {ID: "more", Title: "More"},
}

func init() {
	cli.Placeholders = map[string]string{
		"data": "DIRS", "reuse": "DIRS", "syzygy": "DIRS", "run": "RUN", "out": "DIR", "temp": "DIR",
		"audit": "DIR", "html": "FILE", "report": "FILE", "rejects": "FILE", "puzzles": "FILE",
		"material-file": "FILE", "since": "DATE", "until": "DATE", "fraction": "SHARE", "label": "FINGERPRINT",
		"player": "NAME", "elo-of": "PLAYERS", "unknown-elo": "ACTION", "result-conflict": "RULE", "hash": "MIB",
		"result": "RESULTS", "termination": "TEXTS", "creds": "FILE", "key": "FILE", "openings": "FILE",
		"probability": "RUN", "advertise": "HOST", "games-of": "SPLIT", "tc": "CLOCK", "batches": "SIZES",
		"material": "MATERIALS", "pieces": "COUNTS", "time-control": "CONTROLS",
	}
}
