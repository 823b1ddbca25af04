package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/dataset"
	"talbot/internal/humanize"
	"talbot/internal/progress"
)

// speech is how much the command of this process says beside its results, warnings and errors.
type speech struct {
	quiet   bool      // no progress, no summaries, no notes
	verbose bool      // also inputs, settings and the time of each stage
	json    bool      // standard output has JSON alone, and an error is JSON
	next    []string  // the command line that usually follows, if one does
	takes   string    // and how long it takes, where that is known
	kept    io.Writer // gets the JSON of a command that is a step of another; nil: standard output
}

// voice is set by the flags that every command has.
var voice speech

// addVoice gives all commands --help, --quiet and --verbose.
func addVoice(root *cobra.Command) {
	voice = speech{}
	f := root.PersistentFlags()
	f.BoolP("help", "h", false, "show this help")
	f.BoolVarP(&voice.quiet, "quiet", "q", false, "print only results, warnings and errors")
	f.BoolVarP(&voice.verbose, "verbose", "v", false, "also print inputs, settings and the time of each stage")
}

// begin takes over the flags of a command that is about to run and, if it is to be verbose, says with what.
func (s *speech) begin(cmd *cobra.Command, args []string) error {
	s.json = cmd.Flags().Lookup("json") != nil && cmd.Flags().Lookup("json").Value.String() == "true"
	if s.quiet && s.verbose {
		return usage(errors.New("--quiet and --verbose cannot be used together"), "leave one of them out")
	}
	if !s.verbose {
		return nil
	}
	detail("version %s", thisBuild())
	var given, defaults []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Changed:
			given = append(given, "--"+f.Name+"="+f.Value.String())
		case f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" && f.DefValue != "[]":
			defaults = append(defaults, "--"+f.Name+"="+f.DefValue)
		}
	})
	detail("%s %s", cmd.Name(), shellQuote(append(given, args...)))
	if len(defaults) > 0 {
		detail("defaults: %s", shellQuote(defaults))
	}
	for _, path := range inputsOf(cmd, args) {
		if text := describe(path); text != "" {
			detail("input %q: %s", path, text)
		}
	}
	return nil
}

// inputsOf lists the paths that a command line names as inputs.
func inputsOf(cmd *cobra.Command, args []string) []string {
	all := slices.Clone(args)
	for _, name := range []string{"data", "reuse", "puzzles", "audit", "material-file", "from", "syzygy",
		"openings"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			for part := range strings.SplitSeq(strings.Trim(f.Value.String(), "[]"), ",") {
				path, _, _ := strings.Cut(part, ":")
				all = append(all, path)
			}
		}
	}
	return all
}

// describe says what a path leads to, "" if it is nothing.
func describe(path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return ""
	case info.Mode().IsRegular():
		return humanize.Size(float64(info.Size()))
	case !info.IsDir():
		return "a pipe or device"
	}
	if m, err := dataset.ReadManifest(path); err == nil {
		return fmt.Sprintf("dataset made by %s, %s, %s, %s labelled, %s", m.Verb,
			humanize.Count(m.Counts.GamesKept, "line"),
			humanize.Count(m.Counts.Samples, "sample"), humanize.Thousands(m.Counts.Labelled),
			humanize.Count(int64(len(m.Shards)), "shard"))
	}
	return "folder"
}

// tell prints a note on standard error, unless the command is quiet.
func tell(format string, values ...any) {
	if !voice.quiet {
		say(format, values...)
	}
}

// detail prints a note that only --verbose has.
func detail(format string, values ...any) {
	if voice.verbose {
		say("talbot: "+format+"\n", values...)
	}
}

// summarise prints on standard output what a command has made. Unlike a result that was asked for, it is left out by
// --quiet.
func summarise(format string, values ...any) {
	if !voice.quiet {
		printf(format, values...)
	}
}

// end says what --verbose has to say at the end of a command, and what usually follows.
func (s *speech) end(cmd *cobra.Command, took time.Duration, err error) {
	detail("%s took %.1f s", cmd.Name(), took.Seconds())
	if err == nil && s.next != nil && !s.quiet && !s.json && stdout.flush() == nil {
		sayHead("next:", colours["hint"], " %s %s\n", program, shellQuote(s.next))
		if s.takes != "" {
			say("%s\n", s.takes)
		}
	}
}

// stages tells --verbose how long each stage of the work took.
type stages struct {
	last  progress.Progress
	begun time.Time
}

func (s *stages) add(p progress.Progress) {
	if !voice.verbose {
		return
	}
	if p.Verb != s.last.Verb {
		s.end()
		s.begun = time.Now()
	}
	s.last = p
}

// end ends the stage.
func (s *stages) end() {
	if s.last.Verb == "" {
		return
	}
	count := humanize.Thousands(s.last.Count) + " " + s.last.Unit
	if s.last.Unit == progress.Bytes {
		count = humanize.Size(float64(s.last.Count))
	}
	detail("%s: %s in %.1f s", s.last.Verb, count, time.Since(s.begun).Seconds())
	s.last = progress.Progress{}
}
