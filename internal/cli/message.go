package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/internal/fault"
	"talbot/internal/humanize"
	"talbot/internal/plain"
	"talbot/internal/progress"
)

// Mode is how much the command of this process prints beside results, warnings and errors.
var Mode struct {
	Quiet   bool      // no progress, summaries and notes
	Verbose bool      // also inputs, settings and the time of each stage
	JSON    bool      // standard output gets JSON alone, and an error is JSON
	Result  io.Writer // gets the JSON of a command that is a step of another; nil: standard output
}

// Program is how the user calls the program, for command lines to be copied: "talbot" or "bin/talbot".
var Program = "talbot"

// SetProgram sets [Program] from the path by which the process was started, unless that has another name, as in tests.
func SetProgram(path string) {
	if name, _ := strings.CutSuffix(filepath.Base(path), ".exe"); name == "talbot" {
		Program = plain.Quote(path)
	}
}

// WithProgram writes the command lines of a text as the user calls the program.
func WithProgram(text string) string { return strings.ReplaceAll(text, "`talbot ", "`"+Program+" ") }

// Printf prints text on standard output; the values in it are made plain. Its error is remembered.
func Printf(format string, values ...any) { plain.Fprintf(Stdout, format, values...) }

// Summarise prints on standard output what a command has made. Unlike a result that was asked for, --quiet leaves it
// out.
func Summarise(format string, values ...any) {
	if !Mode.Quiet {
		Printf(format, values...)
	}
}

// Say prints text on standard error; the values in it are made plain. Its error is remembered.
func Say(format string, values ...any) {
	_, _ = io.WriteString(Stderr, WithProgram(plain.Sprintf(format, values...)))
}

// Note prints a note on standard error, unless the command is quiet.
func Note(format string, values ...any) {
	if !Mode.Quiet {
		Say(format, values...)
	}
}

// Detail prints a line that only --verbose shows.
func Detail(format string, values ...any) {
	if Mode.Verbose {
		Say("talbot: "+format+"\n", values...)
	}
}

// detailStage prints how long a stage of the work took.
func detailStage(p progress.Progress, took time.Duration) {
	if p.Verb == "" {
		return
	}
	count := humanize.Thousands(p.Count) + " " + p.Unit
	if p.Unit == progress.Bytes {
		count = humanize.Size(float64(p.Count))
	}
	Detail("%s: %s in %.1f s", p.Verb, count, took.Seconds())
}

// Warn prints a warning.
func Warn(err error) { Warnf("%s", MessageOf(err)) }

// Warnf prints a warning; the values in it are made plain.
func Warnf(format string, values ...any) { sayKind("warning", format, values...) }

// PrintHint prints a remedy.
func PrintHint(remedy string) { sayKind("hint", "%s", WithProgram(remedy)) }

// Next prints the command line that usually follows.
func Next(args ...string) {
	sayHead("next:", colours["hint"], " %s %s\n", Program, plain.Quote(args...))
}

// colours are the ANSI colours of the kinds of lines.
var colours = map[string]string{"error": "31", "warning": "33", "hint": "36"}

// sayKind prints a line on standard error that begins with its kind: an error, a warning or a hint.
func sayKind(kind, format string, values ...any) {
	sayHead("talbot: "+kind+":", colours[kind], " "+format+"\n", values...)
}

// sayHead prints text after a head, which has that colour on a terminal.
func sayHead(head, colour, format string, values ...any) {
	text := []byte(plain.Sprintf(format, values...))
	_, _ = Stderr.write(text, func() (int, error) { // the error is remembered
		if _, err := io.WriteString((*locked)(Stderr), Stderr.inColour(colour, head)); err != nil {
			return 0, err
		}
		return Stderr.text.Write(text)
	})
}

// HasColours reports whether t is a terminal that is to show colours: NO_COLOR is not set (https://no-color.org), and
// CLICOLOR not 0 (https://bixense.com/clicolors).
func (t *Terminal) HasColours() bool {
	return t.IsTerminal() && os.Getenv("NO_COLOR") == "" && os.Getenv("CLICOLOR") != "0"
}

// inColour returns text in that colour, as it is if t has none.
func (t *Terminal) inColour(colour, text string) string {
	if !t.HasColours() {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[m"
}

// PrintResult prints a result; on a terminal the word "worse" has the colour of an error. Its text is plain already.
func PrintResult(text string) error {
	_, err := io.WriteString(Stdout.Exact(),
		strings.ReplaceAll(text, "worse", Stdout.inColour(colours["error"], "worse")))
	return err
}

// sayError prints an error, and each of joined ones in a line of its own.
func sayError(err error) {
	inner := err
	for {
		h, ok := inner.(interface{ Unwrap() error })
		if !ok || h.Unwrap() == nil || h.Unwrap().Error() != inner.Error() {
			break
		}
		inner = h.Unwrap() // an error with a remedy
	}
	if joined, ok := inner.(interface{ Unwrap() []error }); ok {
		var all []string
		for _, e := range joined.Unwrap() {
			all = append(all, e.Error())
		}
		if err.Error() == strings.Join(all, "\n") {
			for _, e := range joined.Unwrap() {
				sayError(e)
			}
			return
		}
	}
	head, list, _ := strings.Cut(MessageOf(err), "\n")
	sayKind("error", "%s", head)
	for line := range strings.SplitSeq(list, "\n") { // a list has a line for each entry
		if line != "" {
			Say("  %v\n", strings.TrimLeft(line, " "))
		}
	}
}

// PrintJSON prints a value on standard output; a command that is a step of another hands it to that one.
func PrintJSON(v any) error {
	if Mode.Result != nil {
		return json.NewEncoder(Mode.Result).Encode(v)
	}
	return encodeJSON(Stdout, v)
}

func encodeJSON(t *Terminal, v any) error {
	enc := json.NewEncoder(t.Exact())
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// MessageOf returns the text of an error in which Go's own errors are put in words: "stat x: no such file" becomes
// "x": no such file.
func MessageOf(err error) string {
	text := err.Error()
	fault.Each(err, func(e error) {
		if words := inWords(e); words != "" {
			text = strings.ReplaceAll(text, e.Error(), words)
		}
	})
	return WithProgram(text)
}

// doing are the operations of [fs.PathError] that a message names; the others are how Go looks at a file.
var doing = map[string]string{
	"read": "reading ", "write": "writing ", "mkdir": "creating ", "remove": "removing ", "unlinkat": "removing ",
	"sync": "writing ", "truncate": "writing ", "readdirent": "reading ", "fork/exec": "starting ",
}

// inWords returns the text for an error of Go's own, "" for any other.
func inWords(err error) string {
	switch e := err.(type) {
	case *fs.PathError:
		what, why := strconv.Quote(e.Path), e.Err.Error()
		if strings.HasPrefix(e.Path, "|") { // the name that Go gives a pipe
			what = "a pipe to another process"
		}
		if errors.Is(e.Err, os.ErrDeadlineExceeded) {
			why = "timed out"
		}
		return doing[e.Op] + what + ": " + why
	case *os.LinkError:
		return fmt.Sprintf("renaming %q to %q: %v", e.Old, e.New, e.Err)
	case *os.SyscallError:
		return e.Err.Error()
	case *strconv.NumError:
		if errors.Is(e.Err, strconv.ErrRange) {
			return strconv.Quote(e.Num) + " is too large or too small"
		}
		return strconv.Quote(e.Num) + " is not a number"
	}
	return ""
}

// AddFlags gives all commands below root --help, --quiet and --verbose.
func AddFlags(root *cobra.Command) {
	Mode.Quiet, Mode.Verbose, Mode.JSON, Mode.Result = false, false, false, nil
	f := root.PersistentFlags()
	f.BoolP("help", "h", false, "show this help")
	f.BoolVarP(&Mode.Quiet, "quiet", "q", false, "print only results, warnings and errors")
	f.BoolVarP(&Mode.Verbose, "verbose", "v", false, "also print all settings and the time of each stage")
}

// Begin takes over the flags of a command that is about to run and prints them, and the build, if it is verbose.
func Begin(cmd *cobra.Command, args []string, build string) error {
	Mode.JSON = cmd.Flags().Lookup("json") != nil && cmd.Flags().Lookup("json").Value.String() == "true"
	if Mode.Quiet && Mode.Verbose {
		return fault.Usage(errors.New("--quiet and --verbose cannot be used together"), "leave one of them out")
	}
	var given, defaults []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Changed:
			given = append(given, "--"+f.Name+"="+f.Value.String())
		case f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" && f.DefValue != "[]":
			defaults = append(defaults, "--"+f.Name+"="+f.DefValue)
		}
	})
	Detail("version %s", build)
	Detail("%s %s", cmd.Name(), plain.Quote(append(given, args...)...))
	if len(defaults) > 0 {
		Detail("defaults: %s", plain.Quote(defaults...))
	}
	return nil
}
