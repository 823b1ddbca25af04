package studio

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"

	"talbot/inspect/stats"
	"talbot/internal/progress"
	"talbot/internal/table"
	"talbot/train/job"
	"talbot/train/loader"
)

// part is a part of a page that takes a while to make: the statistics of a dataset, or a comparison.
type part struct {
	text    string // HTML of our own templates; "" until it is done
	doing   string // in a few words
	percent int
}

// maxParts is the number of parts that are kept.
const maxParts = 12

// partPage is a page whose main part takes a while to make.
type partPage struct {
	pageOf
	Doing   string // in a few words
	Percent int
	Made    template.HTML // "" until it is done
	asked   bool
}

// Waiting reports whether there is more to come.
func (p *partPage) Waiting() bool { return p.asked && p.Made == "" && p.Notice == "" }

// make lays the part of a key out as far as it is there; from makes its page, and tells how far it is.
func (p *partPage) make(parts *jobs[part], turn turns, key string,
	from func(*work[part]) (*table.Page, error)) error {
	j, err := parts.get(key, "", func() (part, func(*work[part]) error) {
		return part{}, func(j *work[part]) error {
			return turn.do(j.ctx, func() error {
				page, err := from(j)
				if err != nil {
					return err
				}
				var text strings.Builder
				if err := page.WritePart(&text); err != nil {
					return err
				}
				j.change(func(p *part) { p.text = text.String() })
				return nil
			})
		}
	})
	if err == nil {
		j.look(func(now *part, _ bool, failed error) {
			p.Made, p.Doing, p.Percent, err = template.HTML(now.text), now.doing, now.percent, failed
		})
	}
	p.asked, p.Version = true, fmt.Sprintf("%d-%s-%d-%t", len(p.Made), p.Doing, p.Percent, err != nil)
	return err
}

// tell shows how far a part is.
func tell(j *work[part], doing string, done, of int64) {
	if of > 0 {
		j.change(func(p *part) { p.doing, p.percent = doing, int(100*done/of) })
	}
}

// lookAtStats lays out the page of a dataset's statistics.
func (s *Server) lookAtStats(f *folder, _ *http.Request) *partPage {
	p := &partPage{pageOf: pageOf{folder: f, Notice: f.unreadable()}}
	if p.Notice != "" {
		return p
	}
	err := p.make(s.parts, s.reading, f.Path+"\n"+f.Manifest.Hash(), func(j *work[part]) (*table.Page, error) {
		counts, err := stats.Request{Dir: f.Path, Progress: func(p progress.Progress) {
			tell(j, "", p.Done, p.Total)
		}}.Run(j.ctx)
		if err != nil {
			return nil, err
		}
		return counts.Page(""), nil
	})
	if err != nil {
		p.Notice = "The counting ended early: " + f.within(err)
	}
	return p
}

// comparePage is the page of a comparison of two runs.
type comparePage struct {
	partPage
	Runs, Datasets []*folder // to choose from; those that the run was trained on come first
	With, Data     string    // keys of those that are chosen; "" = none
	Split          string
}

// comparedSamples is the most samples of a comparison, which are spread over the data, and comparedBatch the number of
// positions in a batch.
const (
	comparedSamples = 5000
	comparedBatch   = 64
)

// Samples is the most that are compared.
func (*comparePage) Samples() int64 { return comparedSamples }

// lookAtComparison lays out the page of a comparison of two runs as `talbot compare` does it, the second against the
// first.
func (s *Server) lookAtComparison(f *folder, r *http.Request) *comparePage {
	p := &comparePage{partPage: partPage{pageOf: pageOf{folder: f, Notice: f.Problem}}, With: r.FormValue("with"),
		Data: r.FormValue("data"), Split: oneOf("compared", r.FormValue("split"))}
	for _, other := range s.library.look() {
		switch {
		case other.answers() && other.Key != f.Key:
			p.Runs = append(p.Runs, other)
		case other.Kind == aDataset && other.Manifest != nil:
			p.Datasets = append(p.Datasets, other)
		}
	}
	id, _ := loader.ReadIdentity(f.Path) // without one its data is not known
	own := func(data *folder) int {
		if slices.ContainsFunc(id.Sets, func(s loader.SetIdentity) bool { return s.Manifest == data.Manifest.Hash() }) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(p.Datasets, func(a, b *folder) int { return own(a) - own(b) })
	if p.Notice != "" || p.With == "" || p.Data == "" {
		return p
	}
	other, data := byKey(p.Runs, p.With), byKey(p.Datasets, p.Data)
	if other == nil || data == nil {
		p.Notice = "A run or dataset to compare no longer exists."
		return p
	}
	key := strings.Join([]string{"compare", f.Path, f.stamp, other.Path, other.stamp, data.Path, data.Manifest.Hash(),
		p.Split}, "\n")
	err := p.make(s.parts, s.reading, key, func(j *work[part]) (*table.Page, error) {
		c := job.Compare{Settings: [][]string{{f.Path}, {other.Path}}, Measure: job.Measure{
			Data: []loader.Spec{{Dir: data.Path}}, Split: p.Split, Samples: comparedSamples, Batch: comparedBatch,
			Backend: atOnce(s.networks.backend), Workers: runtime.GOMAXPROCS(0),
			Progress: func(what string, done, of int64) { tell(j, what, done, of) }}}
		found, err := c.Run(j.ctx)
		if err != nil {
			return nil, err
		}
		return found.Page(), nil
	})
	if err != nil {
		p.Notice = "The comparison ended early: " + within(err.Error(), f, other, data)
	}
	return p
}

// Compare is the address of a comparison of the run with the first of those that are drawn over it.
func (p *runPage) Compare() template.URL {
	q := url.Values{}
	if len(p.drawn) > 1 {
		q.Set("with", p.drawn[1].Key)
	}
	return address("/run/"+p.Key+"/compare", q)
}
