package main

import (
	"runtime"
	"strings"
	"time"

	"talbot/internal/plain"
	"talbot/internal/progress"
)

// shellQuote returns a command line that a shell splits into args again.
func shellQuote(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = quoteFor(runtime.GOOS, a)
	}
	return strings.Join(quoted, " ")
}

// quoteFor quotes a word for the shells of a system. What would not show is in $'…', which those of Windows do not
// have.
func quoteFor(goos, word string) string {
	harmless := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%"
	if goos == "windows" {
		harmless = strings.Replace(harmless, "%", `\`, 1)
	}
	plainly := word != "" && strings.Trim(word, harmless) == ""
	switch {
	case plainly:
		return word
	case goos == "windows":
		return `"` + word + `"`
	case plain.Escape(word) != word:
		return "$'" + plain.Escape(strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(word)) + "'"
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// How often progress is shown on a terminal, and as lines of text elsewhere.
const (
	drawEvery = 100 * time.Millisecond
	sayEvery  = 10 * time.Second
)

// progress returns a callback that keeps one line up to date on a terminal and prints one every ten seconds elsewhere,
// and a function that ends the display.
func showProgress() (func(progress.Progress), func()) {
	if voice.quiet {
		return func(progress.Progress) {}, func() {}
	}
	show, end := display()
	var s stages
	return func(p progress.Progress) { s.add(p); show(p) }, func() { end(); s.end() }
}

// display is [progress] of a command that is not quiet.
func display() (func(progress.Progress), func()) {
	start := time.Now()
	var pace progress.Pace
	watch := func(p *progress.Progress) {
		pace.Add(0, p.First, 0)
		pace.Add(time.Since(start), p.Done, p.Free)
		p.Pace = &pace
	}
	if stderr.columns == nil {
		last := start
		return func(p progress.Progress) {
			watch(&p)
			if time.Since(last) >= sayEvery {
				last = time.Now()
				say("%s: %s\n", p.Verb, p.Text(time.Since(start)))
			}
		}, func() {}
	}
	var last time.Time
	return func(p progress.Progress) {
		watch(&p)
		if time.Since(last) >= drawEvery {
			last = time.Now()
			stderr.setLine(statusOf(p, last.Sub(start)).text)
		}
	}, func() { stderr.setLine(nil) }
}

func statusOf(p progress.Progress, elapsed time.Duration) statusLine {
	line := statusLine{verb: p.Verb, share: -1, details: p.Details(elapsed)}
	if share, ok := p.Share(); ok {
		line.share = share
	}
	return line
}
