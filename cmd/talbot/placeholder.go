package main

import (
	"strings"

	"github.com/spf13/pflag"
)

// placeholders are the words that stand for the values of flags in help, where neither their name nor their type will
// do. A flag of one command has its own in its usage, in back quotes.
var placeholders = map[string]string{
	"data": "DIRS", "reuse": "DIRS", "syzygy": "DIRS", "run": "RUN", "out": "DIR", "temp": "DIR",
	"audit": "DIR", "html": "FILE", "report": "FILE", "rejects": "FILE", "puzzles": "FILE", "material-file": "FILE",
	"since": "DATE", "until": "DATE", "fraction": "SHARE", "label": "FINGERPRINT", "player": "NAME",
	"elo-of": "PLAYERS", "unknown-elo": "ACTION", "result-conflict": "RULE", "hash": "MIB", "result": "RESULTS",
	"termination": "TEXTS", "creds": "FILE", "key": "FILE", "openings": "FILE", "probability": "RUN",
	"advertise": "HOST", "games-of": "SPLIT", "tc": "CLOCK", "batches": "SIZES",
	"material": "MATERIALS", "pieces": "COUNTS", "time-control": "CONTROLS",
}

// placeholder returns the word that stands for a flag's value in help; "" if it takes none.
func placeholder(f *pflag.Flag) string {
	name, _ := pflag.UnquoteUsage(f)
	if strings.Contains(f.Usage, "`") || name == "" {
		return name
	}
	if word := placeholders[f.Name]; word != "" {
		return word
	}
	switch f.Value.Type() {
	case "string", "stringSlice":
		return strings.ToUpper(f.Name[strings.LastIndexByte(f.Name, '-')+1:])
	case "duration":
		return "DURATION"
	case "float64":
		return "X"
	}
	return "N"
}

// namedValue is the value of a flag as help has it: its type is the placeholder.
type namedValue struct {
	pflag.Value
	name string
}

func (v namedValue) Type() string { return v.name }

// withPlaceholder returns a flag as help shows it.
func withPlaceholder(f *pflag.Flag) *pflag.Flag {
	name := placeholder(f)
	if name == "" {
		return f
	}
	shown := *f
	shown.Value = namedValue{f.Value, name}
	if shown.DefValue == "0s" || shown.DefValue == "[]" { // pflag knows these as no default by the type alone
		shown.DefValue = ""
	}
	return &shown
}
