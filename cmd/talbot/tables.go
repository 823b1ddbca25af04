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
		progress.Report(show, verb, progress.Bytes, done, total)
	}
}

// openProbe opens the Syzygy tables of --syzygy, checked, for looking up positions through an engine. The caller closes
// both that it returns.
func openProbe(ctx context.Context, engine, path string, again bool) (*stockfish.Tables, *syzygy.Set, error) {
	reader, err := stockfish.Find(engine)
	if err != nil {
		return nil, nil, err
	}
	show, end := cli.ShowProgress()
	c := tablesCheck(again)
	c.Progress = showBytes(show, "checking tables")
	set, err := syzygy.Open(ctx, path, c)
	end()
	if err != nil {
		return nil, nil, err
	}
	t, err := stockfish.OpenTables(ctx, stockfish.Config{Path: reader}, set)
	if err != nil {
		return nil, nil, errors.Join(err, set.Close())
	}
	return t, set, nil
}

// openTables opens Syzygy tables for a search.
func openTables(path string) (uci.Tables, error) {
	reader, err := stockfish.Find("")
	if err != nil {
		return nil, fmt.Errorf("the tables are read by Stockfish: %w", err)
	}
	return engine.OpenTables(context.Background(), stockfish.Config{Path: reader}, path, hastyCheck())
}
