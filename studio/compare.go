package studio

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"runtime"
	"strings"

	"talbot/train/job"
	"talbot/train/loader"
)

// comparePage is the page of a comparison of two runs.
type comparePage struct {
	pageOf
	Runs, Datasets []*folder // to choose from
	With, Data     string    // keys of those that are chosen; "" = none
	Split          string
	Doing          string
	Percent        int
	Found          template.HTML // "" until it is done
}

// comparedSamples is the most samples of a comparison. They are spread over the data.
const comparedSamples = 5000

// comparedBatch is the number of positions in a batch.
const comparedBatch = 64

// Waiting reports whether there is more to come.
func (p *comparePage) Waiting() bool {
	return p.With != "" && p.Data != "" && p.Found == "" && p.Notice == ""
}

// Samples is the most that are compared.
func (*comparePage) Samples() int64 { return comparedSamples }

// lookAtComparison lays the page out.
func (s *Server) lookAtComparison(f *folder, r *http.Request) *comparePage {
	p := &comparePage{pageOf: pageOf{folder: f, Notice: f.Problem}, With: r.FormValue("with"),
		Data: r.FormValue("data")}
	p.Split = oneOf("compared", r.FormValue("split"))
	for _, other := range s.library.look() {
		switch {
		case other.Kind == aRun && other.Key != f.Key && other.Problem == "":
			p.Runs = append(p.Runs, other)
		case other.Kind == aDataset && other.Manifest != nil:
			p.Datasets = append(p.Datasets, other)
		}
	}
	if p.Notice != "" || p.With == "" || p.Data == "" {
		return p
	}
	other, data := byKey(p.Runs, p.With), byKey(p.Datasets, p.Data)
	if other == nil || data == nil {
		p.Notice = "A run or dataset to compare no longer exists."
		return p
	}
	compared, err := s.comparison(f, other, data, p.Split)
	p.Found, p.Doing, p.Percent = template.HTML(compared.text), compared.doing, compared.percent
	if err != nil {
		p.Notice = "The comparison ended early: " + data.within(fmt.Errorf("%s", other.within(err)))
		p.Notice = f.within(fmt.Errorf("%s", p.Notice))
	}
	p.Version = compared.version(err)
	return p
}

// comparison compares two runs as `talbot compare` does, the second against the first.
func (s *Server) comparison(first, second, data *folder, split string) (part, error) {
	key := strings.Join([]string{"compare", first.Path, first.stamp, second.Path, second.stamp, data.Path,
		data.Manifest.Hash(), split}, "\n")
	return s.makePart(key, func(j *work[part]) (string, error) {
		c := job.Compare{Settings: [][]string{{first.Path}, {second.Path}}, Measure: job.Measure{
			Data: []loader.Spec{{Dir: data.Path}}, Split: split, Samples: comparedSamples, Batch: comparedBatch,
			Backend: atOnce(s.backend), Workers: runtime.GOMAXPROCS(0),
			Progress: func(what string, done, of int64) { tell(j, what, done, of) }}}
		found, err := c.Run(j.ctx)
		if err != nil {
			return "", err
		}
		var text strings.Builder
		err = found.Page().WritePart(&text)
		return text.String(), err
	})
}

// Compare is the address of a comparison of the run with the first of those that are drawn over it.
func (p *runPage) Compare() string {
	q := url.Values{}
	if len(p.drawn) > 1 {
		q.Set("with", p.drawn[1].Key)
	}
	return "/run/" + p.Key + "/compare?" + q.Encode()
}
