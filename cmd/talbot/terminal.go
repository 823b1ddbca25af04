package main

import (
	"talbot/internal/cli"
	"talbot/internal/fault"
)

// The functions that all commands use.
var (
	printf    = cli.Printf
	summarise = cli.Summarise
	printJSON = cli.PrintJSON
	say       = cli.Say
	tell      = cli.Note
	detail    = cli.Detail
	warn      = cli.Warn
	usage     = fault.Usage
	hint      = fault.Hint
)
