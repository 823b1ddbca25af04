package studio

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"

	"talbot/inspect/stats"
	"talbot/internal/cache"
	"talbot/internal/progress"
)

// part is a part of a page that takes a while to make: the statistics of a dataset, or a comparison.
type part struct {
	text    string // HTML of our own templates; "" until it is done
	doing   string // in a few words
	percent int
}

// maxParts is the number of parts that are kept.
const maxParts = 12

// makePart returns the part of a key, which make makes.
func (s *Server) makePart(key string, make func(*work[part]) (string, error)) (p part, err error) {
	j, err := s.parts.get(key, "", func() (part, func(*work[part]) error) {
		return part{}, func(j *work[part]) error {
			return s.reading.do(j.ctx, func() error {
				text, err := make(j)
				j.change(func(p *part) { p.text = text })
				return err
			})
		}
	})
	if err == nil {
		j.look(func(now *part, _ bool, failed error) { p, err = *now, failed })
	}
	return p, err
}

// tell shows how far a part is.
func tell(j *work[part], doing string, done, of int64) {
	if of > 0 {
		j.change(func(p *part) { p.doing, p.percent = doing, int(100*done/of) })
	}
}

// version changes when the part does.
func (p *part) version(err error) string {
	return fmt.Sprintf("%d-%s-%d-%t", len(p.text), p.doing, p.percent, err != nil)
}

// countedVersion is the version of cached statistics.
const countedVersion = "statistics 2"

// statistics counts what a dataset has, and keeps the figures.
func (s *Server) statistics(f *folder) (part, error) {
	key := cache.Key(countedVersion, f.Manifest.Hash())
	return s.makePart(key+f.Path, func(j *work[part]) (string, error) {
		if text, ok := s.found.Get(key); ok {
			return string(text), nil
		}
		counts, err := stats.Request{Dir: f.Path, Progress: func(p progress.Progress) {
			tell(j, "", p.Done, p.Total)
		}}.Run(j.ctx)
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
		s.found.Put(key, text.Bytes())
		return text.String(), nil
	})
}

// statsPage is the page of a dataset's statistics.
type statsPage struct {
	pageOf
	Percent int
	Counted template.HTML // "" until it is done
}

// Waiting reports whether there is more to come.
func (p *statsPage) Waiting() bool { return p.Counted == "" && p.Notice == "" }

// lookAtStats lays the page out.
func (s *Server) lookAtStats(f *folder, _ *http.Request) *statsPage {
	p := &statsPage{pageOf: pageOf{folder: f, Notice: f.Problem}}
	if f.Problem == "" && f.Manifest == nil {
		p.Notice = "This dataset is not finished."
	}
	if p.Notice != "" {
		return p
	}
	counted, err := s.statistics(f)
	p.Counted, p.Percent, p.Version = template.HTML(counted.text), counted.percent, counted.version(err)
	if err != nil {
		p.Notice = "The counting ended early: " + f.within(err)
	}
	return p
}
