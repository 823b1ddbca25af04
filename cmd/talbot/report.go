package main

import (
	"context"
	"io"

	"talbot/internal/cli"
	"talbot/internal/progress"
)

// watched runs work of which nothing is kept if Ctrl-C stops it. show gets what displays its progress.
func watched[R any](ctx context.Context, work interface {
	Run(context.Context) (R, error)
},
	show *func(progress.Progress)) (R, error) {
	ctx, stop := cli.Stops(ctx)
	defer stop()
	var end func()
	*show, end = cli.ShowProgress()
	defer end()
	result, err := work.Run(ctx)
	return result, cli.Repeatable(err)
}

// report prints a result that was asked for, as JSON or as text.
func report(asJSON bool, result interface{ Text() string }) error {
	if asJSON {
		return cli.PrintJSON(result)
	}
	io.WriteString(cli.Stdout, result.Text()) // which remembers its error
	return nil
}

// reportPage prints a result that may have been written as a page, too, "" for none.
func reportPage(asJSON bool, result any, text, kind, page string) error {
	if asJSON {
		return cli.PrintJSON(result)
	}
	err := cli.PrintResult(text)
	if err == nil && page != "" {
		cli.Printf("\n%s: %s\n", kind, page)
	}
	return err
}

// summarise prints what a command has made, as JSON or, unless it is quiet, as text.
func summarise(asJSON bool, made any, text string) error {
	if asJSON {
		return cli.PrintJSON(made)
	}
	if !cli.Mode.Quiet {
		io.WriteString(cli.Stdout, text) // which remembers its error
	}
	return nil
}
