package shards

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/ordered"
)

// maxDamage is how many damages a verification lists.
const maxDamage = 100

// Report is what a verification read.
type Report struct {
	Shards     int      `json:"shards"` // read whole
	Bytes      int64    `json:"bytes"`  // of them
	Lines      int64    `json:"lines"`  // that were replayed without an error
	Positions  int64    `json:"positions"`
	Samples    int64    `json:"samples"`
	Labelled   int64    `json:"labelled"` // labels of each status, over all fingerprints
	Terminal   int64    `json:"terminal"`
	Failed     int64    `json:"failed"`
	Untargeted int64    `json:"-"`     // lines without any policy target
	Extra      []string `json:"extra"` // shards in the folder that the manifest does not name; readers ignore them
	Damage     []error  `json:"-"`     // what is wrong, at most 100, each naming file and place
}

// VerifyOptions change how a verification works. What is nil is not called.
type VerifyOptions struct {
	Workers  int               // blocks that are replayed at a time, at least 1
	Progress func(lines int64) // gets the lines read so far, now and then, from one goroutine at a time
	// Line gets every line that was replayed without an error, on as many goroutines at a time as there are workers,
	// each with its number. It must not keep the line.
	Line func(worker int, l *dataset.Line)
	// Sample gets the position and the number of every sample while its line is replayed, as Line does. If more of the
	// line turns out to be damaged, Line is not called with it. It must not keep the position.
	Sample func(worker int, p *board.Position, sample int)
}

type verifier struct {
	VerifyOptions
	manifest *dataset.Manifest

	mu     sync.Mutex
	report Report
	counts dataset.Counts // of the lines that were replayed
}

// Verify reads a dataset whole: the manifest, every file's SHA-256, every column's checksum, every line, which it
// replays ([dataset.Line.Check]), and compares the totals with the manifest. It continues after damage; what it found
// is in the report, and the error wraps [dataset.ErrDamaged] if there is any. It ends early with the context's error,
// or with a file system's error.
func Verify(ctx context.Context, dir string, options VerifyOptions) (Report, error) {
	v := &verifier{VerifyOptions: options}
	err := v.run(ctx, dir)
	c := &v.counts
	v.report.Lines, v.report.Positions, v.report.Samples = c.GamesKept, c.Positions, c.Samples
	v.report.Labelled, v.report.Terminal, v.report.Failed = c.Labelled, c.Terminal, c.Failed
	return v.report, err
}

func (v *verifier) run(ctx context.Context, dir string) (err error) {
	if v.manifest, err = dataset.ReadManifest(dir); err != nil {
		if errors.Is(err, dataset.ErrDamaged) {
			v.report.Damage = append(v.report.Damage, err)
		}
		return err
	}
	for _, want := range v.manifest.Shards {
		if err := v.shard(ctx, dir, want); err != nil {
			if !errors.Is(err, dataset.ErrDamaged) {
				return err
			}
			v.damaged(err)
		}
	}
	v.totals(dir)
	if v.report.Extra, err = extraShards(dir, v.manifest); err != nil {
		return err
	}
	switch n := len(v.report.Damage); n {
	case 0:
		return nil
	case 1:
		return v.report.Damage[0]
	default:
		return fmt.Errorf("%d faults, the first: %w", n, v.report.Damage[0])
	}
}

func (v *verifier) damaged(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.report.Damage) < maxDamage {
		v.report.Damage = append(v.report.Damage, err)
	}
}

// shard verifies one shard. Damage to a block goes into the report; the error is damage that ends the shard.
func (v *verifier) shard(ctx context.Context, dir string, want dataset.ShardInfo) error {
	r, err := openShard(dir, v.manifest, want)
	if err != nil {
		return err
	}
	defer r.Close()
	// A wrong hash is reported; the blocks tell more about the place.
	if err := checkFile(ctx, filepath.Join(dir, want.File), want.SHA256, nil); errors.Is(err, dataset.ErrDamaged) {
		v.damaged(err)
	} else if err != nil {
		return err
	}
	for damage, err := range ordered.N(ctx, r.Blocks(), max(v.Workers, 1), func(worker, i int) (damage, err error) {
		if err = v.block(r, i, worker); errors.Is(err, dataset.ErrDamaged) {
			return err, nil
		}
		return nil, err
	}) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		if damage != nil {
			v.damaged(damage)
		}
	}
	v.report.Shards++
	v.report.Bytes += want.Bytes
	return nil
}

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.r.Read(p)
}

// block verifies every line of one block.
func (v *verifier) block(r *Reader, i, worker int) error {
	lines, err := r.ReadBlock(i, nil)
	if err != nil {
		return err
	}
	for k := range lines {
		if err := v.line(&lines[k], worker); err != nil {
			v.damaged(r.LineError(i, k, &lines[k], err))
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.Progress != nil {
		v.Progress(v.counts.GamesKept)
	}
	return nil
}

// line replays a line and counts it.
func (v *verifier) line(l *dataset.Line, worker int) error {
	err := l.CheckEach(func(p *board.Position, ply, sample int) error {
		if v.Sample != nil {
			v.Sample(worker, p, sample)
		}
		return nil
	})
	if n := len(v.manifest.Inputs); err == nil && l.Input >= n {
		err = fmt.Errorf("input %d of %d", l.Input, n)
	}
	if err != nil {
		return err
	}
	v.mu.Lock()
	v.counts.AddLine(l)
	if dataset.HasNoTarget(l.Policies) {
		v.report.Untargeted++
	}
	v.mu.Unlock()
	if v.Line != nil {
		v.Line(worker, l)
	}
	return nil
}

// totals compares what was read with the manifest, unless damage explains a difference.
func (v *verifier) totals(dir string) {
	if len(v.report.Damage) > 0 {
		return
	}
	want, got := &v.manifest.Counts, &v.counts
	untargeted := int64(0)
	for _, s := range v.manifest.Shards {
		untargeted += s.Untargeted
	}
	for _, t := range []struct {
		name      string
		got, want int64
	}{
		{"lines", got.GamesKept, want.GamesKept}, {"positions", got.Positions, want.Positions},
		{"samples", got.Samples, want.Samples}, {"labelled samples", got.Labelled, want.Labelled},
		{"terminal samples", got.Terminal, want.Terminal}, {"failed samples", got.Failed, want.Failed},
		{"lines without any policy target", v.report.Untargeted, untargeted},
	} {
		if t.got != t.want {
			v.damaged(fmt.Errorf("%q: %d %s, the manifest says %d: %w", dir, t.got, t.name, t.want, dataset.ErrDamaged))
		}
	}
}

// extraShards returns the shards in the folder that the manifest does not name.
func extraShards(dir string, m *dataset.Manifest) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("verifying: %w", err)
	}
	known := make(map[string]bool)
	for _, s := range m.Shards {
		known[s.File] = true
	}
	var extra []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), nameSuffix) && !known[e.Name()] {
			extra = append(extra, e.Name())
		}
	}
	return extra, nil
}
