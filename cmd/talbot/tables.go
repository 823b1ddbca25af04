package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"talbot/internal/cache"
	"talbot/internal/cli"
	"talbot/internal/progress"
	"talbot/play/engine"
	"talbot/play/uci"
	"talbot/stockfish"
	"talbot/tablebase/syzygy"
)

// checkTime is how long players look at tables before they play.
const checkTime = 300 * time.Millisecond

// tablesCheck is how commands whose results must be right check Syzygy tables.
func tablesCheck(again bool) syzygy.Check { return syzygy.Check{Memory: cache.User(), Reread: again} }

// hastyCheck is how players check Syzygy tables.
func hastyCheck() syzygy.Check { return syzygy.Check{Memory: cache.User(), TimeLimit: checkTime} }

// showBytes shows how many bytes of all a check has read.
func showBytes(show func(progress.Progress), verb string) func(done, total int64) {
	return func(done, total int64) {
		show(progress.Progress{Verb: verb, Done: done, Total: total, Count: done, Rate: done, Unit: progress.Bytes})
	}
}

// findTables finds the Syzygy tables of --syzygy and checks them.
func findTables(ctx context.Context, path string, again bool) (*syzygy.Set, error) {
	show, end := cli.ShowProgress()
	defer end()
	c := tablesCheck(again)
	c.Progress = showBytes(show, "checking tables")
	return syzygy.Open(ctx, path, c)
}

// openProbe opens the Syzygy tables of --syzygy, checked, for looking up positions through an engine.
func openProbe(ctx context.Context, engine, path string, again bool) (*stockfish.Tables, error) {
	reader, err := stockfish.Find(engine)
	if err != nil {
		return nil, err
	}
	set, err := findTables(ctx, path, again)
	if err != nil {
		return nil, err
	}
	t, err := stockfish.OpenTables(ctx, stockfish.Config{Path: reader}, set)
	if err != nil {
		return nil, errors.Join(err, set.Close())
	}
	return t, nil
}

// openTables opens Syzygy tables for a search.
func openTables(path string) (uci.Tables, error) {
	reader, err := stockfish.Find("")
	if err != nil {
		return nil, fmt.Errorf("the tables are read by Stockfish: %w", err)
	}
	return engine.OpenTables(context.Background(), stockfish.Config{Path: reader}, path, hastyCheck())
}
