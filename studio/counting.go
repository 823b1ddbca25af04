package studio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"time"

	"talbot/internal/cache"
	"talbot/pipeline"
	"talbot/pipeline/stats"
)

// counting is the statistics of a dataset, as far as they are known. It is safe for concurrent use.
type counting struct {
	cancel context.CancelFunc
	asking
	text    string // a part of a page; "" until it is done
	percent int
	err     error
}

// countedVersion is that of what is kept of statistics.
const countedVersion = "statistics 1"

// count returns the statistics of a dataset, and begins to count where that is new.
func (s *shelf) count(v *volume) *counting {
	v.mu.Lock()
	c := v.counted
	v.mu.Unlock()
	if c != nil && !c.given() {
		return c
	}
	c = &counting{asking: asking{asked: time.Now()}, cancel: func() {}}
	key := cache.Key(countedVersion, v.hash)
	if text, ok := s.found.Get(key); ok {
		c.text = string(text)
	} else {
		s.beginCount(v, key, c)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.counted = c
	return c
}

// given reports whether a page that was closed has ended the counting; the page that asks is noted.
func (c *counting) given() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = time.Now()
	return errors.Is(c.err, context.Canceled)
}

func (s *shelf) beginCount(v *volume, key string, c *counting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithCancel(s.ctx)
	c.cancel = cancel
	if c.err = ctx.Err(); c.err != nil { // the end has come
		return
	}
	v.users++
	s.runs.Go(func() {
		defer s.release(v)
		defer cancel()
		stop := watchPage(ctx, cancel, c.lastAsked)
		defer stop()
		text, err := s.counts(ctx, v, c)
		if err == nil {
			s.found.Put(key, text)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.text, c.err = string(text), err
	})
}

// counts goes through the dataset.
func (s *shelf) counts(ctx context.Context, v *volume, c *counting) ([]byte, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	counts, err := stats.Request{Dir: v.path, Progress: func(p pipeline.Progress) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if p.Total > 0 {
			c.percent = int(100 * p.Done / p.Total)
		}
	}}.Run(ctx)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = counts.WritePart(&text, "")
	return text.Bytes(), err
}

// statsPage is what the page of a dataset's statistics shows.
type statsPage struct {
	*folder
	Notice  string
	Percent int
	Counted template.HTML // "" until it is done
	Version string
}

// Waiting reports whether there is more to come.
func (p *statsPage) Waiting() bool { return p.Counted == "" && p.Notice == "" }

func (p *statsPage) version() string { return p.Version }

// lookAtStats lays the page out.
func (s *Server) lookAtStats(f *folder, _ *http.Request) *statsPage {
	p := &statsPage{folder: f, Notice: f.Problem}
	if f.Problem == "" && f.Manifest == nil {
		p.Notice = "This dataset is not finished."
	}
	if p.Notice != "" {
		return p
	}
	v, release, err := s.shelf.of(f)
	if err != nil {
		p.Notice = f.within(err)
		return p
	}
	defer release()
	c := s.shelf.count(v)
	c.mu.Lock()
	defer c.mu.Unlock()
	p.Counted, p.Percent = template.HTML(c.text), c.percent // of our own template
	if c.err != nil {
		p.Notice = "The counting ended early: " + f.within(c.err)
	}
	p.Version = fmt.Sprintf("%d-%d-%t", len(c.text), c.percent, c.err != nil)
	return p
}
