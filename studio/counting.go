package studio

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"net/http"

	"talbot/inspect/stats"
	"talbot/internal/cache"
	"talbot/internal/progress"
)

// countedVersion is that of what is kept of statistics.
const countedVersion = "statistics 1"

// count finds out the statistics of a dataset, as a part of a page, and keeps them.
func (s *Server) count(f *folder) *work {
	key := cache.Key(countedVersion, f.Manifest.Hash())
	return s.works.of(key+f.Path, func(ctx context.Context, tell tell) (string, error) {
		if text, ok := s.shelf.found.Get(key); ok {
			return string(text), nil
		}
		counts, err := stats.Request{Dir: f.Path, Progress: func(p progress.Progress) {
			if p.Total > 0 {
				tell("", int(100*p.Done/p.Total))
			}
		}}.Run(ctx)
		if err != nil {
			return "", err
		}
		page, err := counts.Page("")
		if err != nil {
			return "", err
		}
		var text bytes.Buffer
		if err := page.WritePart(&text); err != nil {
			return "", err
		}
		s.shelf.found.Put(key, text.Bytes())
		return text.String(), nil
	})
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
	text, _, percent, err := s.count(f).look()
	p.Counted, p.Percent = template.HTML(text), percent // of our own template
	if err != nil {
		p.Notice = "The counting ended early: " + f.within(err)
	}
	p.Version = fmt.Sprintf("%d-%d-%t", len(text), percent, err != nil)
	return p
}
