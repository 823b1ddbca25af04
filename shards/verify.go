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

	"github.com/cespare/xxhash/v2"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/ordered"
)

// maxDamage is how many damages a verification lists.
const maxDamage = 100

// Report is what a verification read.
type Report struct {
	Shards     int   // read whole
	Bytes      int64 // of them
	Lines      int64 // that were replayed without an error
	Positions  int64
	Samples    int64
	Labelled   int64    // labels of each status, over all fingerprints
	Terminal   int64    //
	Failed     int64    //
	Untargeted int64    // lines without any policy target
	Extra      []string // shards in the folder that the manifest does not name; readers ignore them
	Damage     []error  // what is wrong, at most 100, each naming file and place
}

// VerifyOption changes how a verification works.
type VerifyOption func(*verifier)

// VerifyWorkers replays up to n blocks at a time; the default is 1.
func VerifyWorkers(n int) VerifyOption { return func(v *verifier) { v.workers = max(n, 1) } }

// VerifyProgress calls f with the number of lines read so far, now and then, from one goroutine at a time.
func VerifyProgress(f func(lines int64)) VerifyOption { return func(v *verifier) { v.progress = f } }

// VerifyLine calls f with every line that was replayed without an error, on as many goroutines at a time as there are
// workers, each with its number. An error of f is damage. f must not keep the line.
func VerifyLine(f func(worker int, l *dataset.Line) error) VerifyOption {
	return func(v *verifier) { v.each = f }
}

// VerifySample calls f with every sample while its line is replayed, on as many goroutines at a time as there are
// workers, each with its number; see [dataset.Line.CheckEach]. If more of the line turns out to be damaged, the
// function of [VerifyLine] is not called with it. An error of f is damage. f must keep neither line nor position.
func VerifySample(f func(worker int, l *dataset.Line, p *board.Position, ply, sample int) error) VerifyOption {
	return func(v *verifier) { v.sample = f }
}

type verifier struct {
	workers  int
	progress func(int64)
	each     func(worker int, l *dataset.Line) error
	sample   func(worker int, l *dataset.Line, p *board.Position, ply, sample int) error
	manifest *dataset.Manifest

	mu     sync.Mutex
	report Report
}

// Verify reads a dataset whole: the manifest, every file's SHA-256, every column's checksum, known or not, every
// line, which it replays ([dataset.Line.Check]), and compares the totals with the manifest. It continues after
// damage; what it found is in the report, and the error wraps [dataset.ErrDamaged] if there is any. It ends early
// with the context's error, or with a file system's error.
func Verify(ctx context.Context, dir string, options ...VerifyOption) (Report, error) {
	v := &verifier{workers: 1, progress: func(int64) {}, each: func(int, *dataset.Line) error { return nil },
		sample: func(int, *dataset.Line, *board.Position, int, int) error { return nil }}
	for _, option := range options {
		option(v)
	}
	var err error
	if v.manifest, err = dataset.ReadManifest(dir); err != nil {
		if errors.Is(err, dataset.ErrDamaged) {
			v.report.Damage = append(v.report.Damage, err)
		}
		return v.report, err
	}
	for _, want := range v.manifest.Shards {
		if err := v.shard(ctx, dir, want); err != nil {
			if !errors.Is(err, dataset.ErrDamaged) {
				return v.report, err
			}
			v.damaged(err)
		}
	}
	v.totals(dir)
	if v.report.Extra, err = extraShards(dir, v.manifest); err != nil {
		return v.report, err
	}
	switch n := len(v.report.Damage); n {
	case 0:
		return v.report, nil
	case 1:
		return v.report, v.report.Damage[0]
	default:
		return v.report, fmt.Errorf("%d faults, the first: %w", n, v.report.Damage[0])
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
	if err := v.fileHash(ctx, filepath.Join(dir, want.File), want.SHA256); err != nil {
		return err
	}
	for damage, err := range ordered.N(ctx, r.Blocks(), v.workers, func(worker, i int) (damage, err error) {
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

// fileHash compares a file's SHA-256. A wrong one is reported; the blocks tell more about the place.
func (v *verifier) fileHash(ctx context.Context, path, want string) error {
	err := checkFile(ctx, path, want, nil)
	if errors.Is(err, dataset.ErrDamaged) {
		v.damaged(err)
		return nil
	}
	return err
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

// block verifies one block: the columns that a reader skips, and every line.
func (v *verifier) block(r *Reader, i, worker int) error {
	for k := range r.index.Blocks[i].Columns {
		c := &r.index.Blocks[i].Columns[k]
		if AllColumns.wanted(c.Name) {
			continue
		}
		frame := make([]byte, c.Size)
		if err := readAt(r.file, frame, c.Offset); err != nil {
			return r.blockError(i, c, err)
		}
		if xxhash.Sum64(frame) != uint64(c.Hash) {
			return r.blockError(i, c, &damage{at: c.Offset, fault: "frame does not match its checksum"})
		}
	}
	lines, err := r.ReadBlock(i, nil)
	if err != nil {
		return err
	}
	var part Report
	for k := range lines {
		err := v.line(&lines[k], worker, &part)
		if err == nil {
			err = v.each(worker, &lines[k])
		}
		if err != nil {
			v.damaged(r.lineError(i, k, &lines[k], err))
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.report.Lines += part.Lines
	v.report.Positions += part.Positions
	v.report.Samples += part.Samples
	v.report.Labelled += part.Labelled
	v.report.Terminal += part.Terminal
	v.report.Failed += part.Failed
	v.report.Untargeted += part.Untargeted
	v.progress(v.report.Lines)
	return nil
}

// line replays a line and counts it.
func (v *verifier) line(l *dataset.Line, worker int, part *Report) error {
	err := l.CheckEach(func(p *board.Position, ply, sample int) error { return v.sample(worker, l, p, ply, sample) })
	if err != nil {
		return err
	}
	if n := len(v.manifest.Inputs); l.Input >= n {
		return fmt.Errorf("input %d of %d", l.Input, n)
	}
	part.Lines++
	part.Positions += int64(len(l.Moves) + 1)
	part.Samples += int64(l.SampleCount())
	if dataset.HasNoTarget(l.Policies) {
		part.Untargeted++
	}
	for _, c := range l.Labels {
		for i := range c.Labels {
			switch c.Labels[i].Status {
			case dataset.Labelled:
				part.Labelled++
			case dataset.Terminal:
				part.Terminal++
			case dataset.Failed:
				part.Failed++
			}
		}
	}
	return nil
}

// totals compares what was read with the manifest, unless damage explains a difference.
func (v *verifier) totals(dir string) {
	if len(v.report.Damage) > 0 {
		return
	}
	c, r := &v.manifest.Counts, &v.report
	untargeted := int64(0)
	for _, s := range v.manifest.Shards {
		untargeted += s.Untargeted
	}
	for _, t := range []struct {
		name      string
		got, want int64
	}{
		{"lines", r.Lines, c.GamesKept}, {"positions", r.Positions, c.Positions}, {"samples", r.Samples, c.Samples},
		{"labelled samples", r.Labelled, c.Labelled}, {"terminal samples", r.Terminal, c.Terminal},
		{"failed samples", r.Failed, c.Failed}, {"lines without any policy target", r.Untargeted, untargeted},
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
