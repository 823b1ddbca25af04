package studio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/inspect/samples"
	"talbot/internal/chart"
	"talbot/network/recipe"
	"talbot/network/run"
)

// dataPage is the page of a dataset.
type dataPage struct {
	pageOf
	Filter *filter
	At     int64 // place of the first sample that is shown
	Found  found
	Cards  []sampleCard
}

// sampleCard is a sample in a page of several.
type sampleCard struct {
	chart.Board
	Sample  int64
	Where   string // from which line
	Players string
	Said    string // the label
	Played  string // the move; "" = none
}

// cardsShown is the number of samples on a page.
const cardsShown = 12

// Value is a field of the filter.
func (p *dataPage) Value(name string) string { return p.Filter.values.Get(name) }

// Chosen reports whether the filter leaves samples out.
func (p *dataPage) Chosen() bool { return !p.Filter.all() }

// Settled reports whether everything has been found.
func (p *dataPage) Settled() bool { return p.Found.Done || p.Found.Problem != nil }

// First and Last are the places of the samples that are shown, from 1.
func (p *dataPage) First() int64 { return p.At + 1 }

// Last is the place of the last sample that is shown.
func (p *dataPage) Last() int64 { return p.At + int64(len(p.Cards)) }

// Before, Next and End are the addresses of other pages; "" = there is none.
func (p *dataPage) Before() template.URL { return p.to(p.At-cardsShown, p.At > 0) }

// Next is the page after this one.
func (p *dataPage) Next() template.URL { return p.to(p.At+cardsShown, p.At+cardsShown < p.Found.Count) }

// End is the last page.
func (p *dataPage) End() template.URL {
	return p.to((p.Found.Count-1)/cardsShown*cardsShown, p.At+cardsShown < p.Found.Count && p.Found.Done)
}

// Begin is the first page.
func (p *dataPage) Begin() template.URL { return p.to(0, p.At > 0) }

// to is an address: the path is made of a key, and the query is encoded.
func (p *dataPage) to(place int64, there bool) template.URL {
	if !there {
		return ""
	}
	return template.URL("/data/" + p.Key + p.Filter.at(max(place, 0)))
}

// To is the address of a sample.
func (p *dataPage) To(sample int64) template.URL {
	return template.URL(fmt.Sprintf("/data/%s/sample/%d%s", p.Key, sample, p.Filter.at(0)))
}

// lookAtData lays the page out.
func (s *Server) lookAtData(f *folder, r *http.Request) *dataPage {
	own := readFilter(r)
	p := &dataPage{pageOf: pageOf{folder: f, Notice: own.problem}, Filter: &own}
	switch {
	case f.Problem != "":
		p.Notice = f.Problem
		return p
	case f.Manifest == nil:
		p.Notice = "This dataset is not finished."
		return p
	}
	v, release, err := s.datasets.get(f)
	if err != nil {
		p.Notice = f.within(err)
		return p
	}
	defer release()
	if n, err := strconv.ParseInt(r.FormValue("at"), 10, 64); err == nil {
		p.At = max(0, n/cardsShown*cardsShown)
	}
	p.find(s, v)
	samples, err := v.Some(r.Context(), p.Found.Numbers, runtime.GOMAXPROCS(0))
	if err != nil {
		if p.Found.Problem = err; !errors.Is(err, context.Canceled) {
			p.Notice = f.within(err)
		}
		return p
	}
	for _, one := range samples {
		p.Cards = append(p.Cards, newCard(one))
	}
	return p
}

// find says which samples are shown.
func (p *dataPage) find(s *Server, v *openDataset) {
	if p.Filter.all() {
		p.Found = found{Count: v.Samples(), Percent: 100, Done: true}
		p.At = min(p.At, max(0, (v.Samples()-1)/cardsShown*cardsShown))
		for n := p.At; n < v.Samples() && len(p.Found.Numbers) < cardsShown; n++ {
			p.Found.Numbers = append(p.Found.Numbers, n)
		}
	} else if j, err := s.search(v, p.Filter); err != nil {
		p.Found.Problem, p.Notice = err, err.Error()
	} else {
		p.Found = foundOf(j, p.At, cardsShown, v.Samples())
		if last := max(0, (p.Found.Count-1)/cardsShown*cardsShown); p.At > last && p.Found.Done {
			p.At = last
			p.Found = foundOf(j, p.At, cardsShown, v.Samples())
		}
		if p.Found.Problem != nil {
			p.Notice = errSearch(p.folder, p.Found.Problem)
		}
	}
	p.Version = fmt.Sprintf("%d-%d-%t-%t", p.Found.Count, p.Found.Percent, p.Found.Done, p.Found.Problem != nil)
}

// newCard lays a sample out.
func newCard(one *samples.Sample) sampleCard {
	at := positionOf(one)
	c := sampleCard{Board: chart.NewBoardFrom(&at, board.White), Sample: one.Sample, Said: saidOf(one),
		Where: dataset.LineName(one.Source, one.Game, chart.Plain(one.Input))}
	c.Players = playersOf(one)
	if one.Played != nil {
		if m, err := at.ParseUCI(*one.Played); err == nil {
			c.Played = at.SAN(m)
			c.Board.Arrow("target", m)
		}
	}
	if one.Label != nil && (one.Played == nil || one.Label.Best != *one.Played) {
		if m, err := at.ParseUCI(one.Label.Best); err == nil {
			c.Board.Arrow("best", m)
		}
	}
	return c
}

// positionOf replays the sample's past.
func positionOf(one *samples.Sample) board.Position {
	at, moves := one.Past()
	for _, m := range moves {
		at.Play(m)
	}
	return at
}

// playersOf says who played and how it ended; empty if nothing is known.
func playersOf(one *samples.Sample) string {
	if one.White == "" && one.Black == "" {
		return ""
	}
	return fmt.Sprintf("%s – %s, %s", playerText(one.White, one.WhiteElo), playerText(one.Black, one.BlackElo),
		one.Result)
}

func playerText(name string, rating int) string {
	if name = chart.Name(name); name == "" {
		name = "?"
	}
	if rating > 0 {
		name += fmt.Sprintf(" (%d)", rating)
	}
	return name
}

// saidOf is a sample's label in a few words, from the view of the side to move.
func saidOf(one *samples.Sample) string {
	switch l := one.Label; {
	case l == nil:
		return map[string]string{"missing": "no label", "terminal": "game over"}[one.LabelStatus]
	default:
		return labelScore(l)
	}
}

// labelScore writes the score of a label from the side to move's view.
func labelScore(l *samples.Label) string {
	switch {
	case l.Mate != nil:
		return fmt.Sprintf("#%d", *l.Mate)
	case l.CP != nil:
		return fmt.Sprintf("%+.2f", float64(*l.CP)/100)
	}
	return "?"
}

// signed writes a value, which is a pointer to a number.
func signed(x any) string {
	switch x := x.(type) {
	case *float32:
		return fmt.Sprintf("%+.5f", *x)
	case *float64:
		return fmt.Sprintf("%+.4f", *x)
	}
	return "?"
}

// samplePage is the page of a sample.
type samplePage struct {
	*folder
	*samples.Sample
	Filter       *filter
	Place, Count int64 // in what the filter chooses, from 0; a count of 0: not known
	Before, Next int64 // samples; -1: none
	Players      string
	Turn         string
	Strip        []stripBoard
	Past         pastView
	Moves        []legalMove
	PlayedSAN    string
	Probable     bool         // some network gives the moves probabilities
	Recipe       string       // by which input and targets are shown
	Notice       string       // why they are not shown by the one that was asked for; "" = they are
	Groups       []planeGroup // of the input
	Runs         []*folder
	Prediction   *prediction // of the run that is asked; nil: none is
}

// usualRecipe is the one by which a sample is shown where no other is asked for.
const usualRecipe = "talbotbot"

// Recipes returns the names of all recipes.
func (*samplePage) Recipes() []string { return recipe.Names() }

// Asked is the key of the run that is asked; "" = none.
func (p *samplePage) Asked() string {
	if p.Prediction == nil {
		return ""
	}
	return p.Prediction.Run.Key
}

// Kept are the fields of the filter, for a form.
func (p *samplePage) Kept() url.Values { return p.Filter.values }

// seen adds to an address how the sample is looked at.
func (p *samplePage) seen(q string) string {
	values, _ := url.ParseQuery(strings.TrimPrefix(q, "?")) // it is ours
	if p.Recipe != usualRecipe {
		values.Set("recipe", p.Recipe)
	}
	if asked := p.Asked(); asked != "" {
		values.Set("run", asked)
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// stripBoard is a position of the sample's past.
type stripBoard struct {
	chart.Board
	Ply  int
	Made bool // reconstructed history
	Name string
}

// stripShown is the number of earlier positions that are drawn.
const stripShown = 8

// pastView is the past of a sample for the script of its page.
type pastView struct {
	replay
	Arrows []moveArrow `json:"arrows"` // of the sample
}

// moveArrow is a move that is drawn, with its share of 1.
type moveArrow struct {
	UCI   string  `json:"uci"`
	Kind  string  `json:"kind"` // "played", "best" or "prior"
	Share float64 `json:"share"`
}

// legalMove is a row of the table of legal moves.
type legalMove struct {
	SAN, UCI string
	Index    int
	Target   float64 // weight in the policy target
	Prior    float64 // the last network's; -1: not known
}

// To is the address of another sample with the same filter, and List that of the page it is on.
func (p *samplePage) To(sample int64) template.URL {
	return template.URL(fmt.Sprintf("/data/%s/sample/%d%s", p.Key, sample, p.seen(p.Filter.at(0))))
}

// List is the page of samples that this one is on.
func (p *samplePage) List() template.URL {
	return template.URL("/data/" + p.Key + p.Filter.at(p.Place/cardsShown*cardsShown))
}

// sample answers with the page of a sample.
func (s *Server) sample(w http.ResponseWriter, r *http.Request) {
	f := s.folderOf(w, r, aDataset)
	if f == nil {
		return
	}
	if f.Problem != "" || f.Manifest == nil {
		s.missing(w, "This dataset cannot be read.")
		return
	}
	number, err := strconv.ParseInt(r.PathValue("sample"), 10, 64)
	if err != nil {
		s.missing(w, "There is no such sample.")
		return
	}
	v, release, err := s.datasets.get(f)
	if err != nil {
		s.missing(w, "The dataset cannot be read: "+chart.Plain(f.within(err)))
		return
	}
	defer release()
	name, notice := usualRecipe, ""
	one, e, err := sampleAs(v, number, r.FormValue("recipe"))
	if r.FormValue("recipe") != "" {
		if name = r.FormValue("recipe"); err != nil {
			name, notice = usualRecipe, "It cannot be shown by that recipe: "+f.within(err)
			one, e, err = sampleAs(v, number, "")
		}
	}
	if err != nil {
		s.missing(w, "The sample cannot be read: "+chart.Plain(f.within(err)))
		return
	}
	own := readFilter(r)
	p := &samplePage{folder: f, Recipe: name, Notice: notice, Sample: one, Filter: &own, Place: number,
		Count: v.Samples(), Before: number - 1, Next: number + 1}
	if p.Next >= v.Samples() {
		p.Next = -1
	}
	if !own.all() {
		if j, err := s.search(v, &own); err == nil {
			p.Place, p.Before, p.Next = neighbours(j, number)
			p.Count = foundOf(j, 0, 0, v.Samples()).Count
		}
	}
	layout := e.Layout()
	p.Groups = numbersOf(e, &layout, one.Encoded.Input.Data)
	for _, run := range s.library.look() {
		if run.Kind == aRun && run.Problem == "" {
			p.Runs = append(p.Runs, run)
		}
	}
	if run := byKey(p.Runs, r.FormValue("run")); run != nil {
		p.Prediction = s.networks.predict(r.Context(), run, one)
	}
	p.fill()
	s.show(w, "sample", p)
}

// sampleAs reads a sample as a recipe with its usual settings sees it; "" = the usual recipe.
func sampleAs(v *openDataset, number int64, name string) (*samples.Sample, encode.Encoder, error) {
	c, err := run.New(cmp.Or(name, usualRecipe), "")
	if err != nil {
		return nil, nil, err
	}
	built, err := c.Build()
	if err != nil {
		return nil, nil, err
	}
	d, err := v.With(samples.Options{Encoder: built.Encoder, Encoded: true})
	if err != nil {
		return nil, nil, err
	}
	one, err := d.Sample(number)
	return one, built.Encoder, err
}

// fill lays the page out.
func (p *samplePage) fill() {
	one := p.Sample
	p.Players = playersOf(one)
	at, moves := one.Past()
	p.Past.replay = newReplay(at)
	last := board.NoMove
	strip := func(ply int) {
		if len(moves)-ply > stripShown || ply == len(moves) {
			return
		}
		b := stripBoard{Board: chart.NewBoardFrom(&at, board.White), Ply: ply, Made: ply < one.Reconstructed,
			Name: "start"}
		if last != board.NoMove {
			b.Board.Arrow("target", last)
			b.Name = p.Past.Moves[ply-1].SAN
		}
		p.Strip = append(p.Strip, b)
	}
	strip(0)
	for i, m := range moves {
		var known replayMove
		if i < one.Reconstructed {
			known.Note = "made up"
		}
		p.Past.play(&at, m, known)
		last = m
		strip(i + 1)
	}
	p.Turn = "White"
	if at.Turn() == board.Black {
		p.Turn = "Black"
	}
	p.moves(&at)
}

// moves lays out the legal moves and the arrows.
func (p *samplePage) moves(at *board.Position) {
	prior := map[string]float64{}
	for _, n := range p.Predictions { // the last one counts
		if len(n.Moves) > 0 {
			clear(prior)
			for _, m := range n.Moves {
				prior[m.UCI] = m.Prior
			}
		}
	}
	if p.Prediction != nil && p.Prediction.Moves != nil { // it was asked for
		prior = p.Prediction.Moves
	}
	p.Probable = len(prior) > 0
	target := map[string]float64{}
	if p.Policy != nil {
		target[p.Policy.UCI] = 1
	}
	for _, m := range p.Policies {
		target[m.UCI] = float64(m.Weight)
	}
	for _, m := range at.LegalMoves(nil) {
		uci := m.String()
		row := legalMove{SAN: at.SAN(m), UCI: uci, Index: p.Legal[uci], Target: target[uci], Prior: -1}
		if share, ok := prior[uci]; ok {
			row.Prior = share
			p.Past.Arrows = append(p.Past.Arrows, moveArrow{uci, "prior", share})
		}
		p.Moves = append(p.Moves, row)
	}
	slices.SortStableFunc(p.Moves, func(a, b legalMove) int {
		return cmp.Or(cmp.Compare(b.Prior, a.Prior), cmp.Compare(b.Target, a.Target), cmp.Compare(a.Index, b.Index))
	})
	slices.SortStableFunc(p.Past.Arrows, func(a, b moveArrow) int { return cmp.Compare(b.Share, a.Share) })
	p.Past.Arrows = p.Past.Arrows[:min(len(p.Past.Arrows), 5)]
	add := func(uci, kind string) {
		p.Past.Arrows = append(p.Past.Arrows, moveArrow{uci, kind, 0.5})
	}
	if p.Label != nil && strings.TrimSpace(p.Label.Best) != "" && p.Label.Best != board.NoMove.String() {
		add(p.Label.Best, "best")
	}
	if p.Played != nil {
		add(*p.Played, "played")
		if m, err := at.ParseUCI(*p.Played); err == nil {
			p.PlayedSAN = at.SAN(m)
		}
	}
}

// SAN is a legal move of the sample as people write it.
func (p *samplePage) SAN(uci string) string {
	for _, m := range p.Moves {
		if m.UCI == uci {
			return m.SAN
		}
	}
	return "none"
}

// PV is a variation from the sample on.
func (p *samplePage) PV(moves []string) string {
	at := positionOf(p.Sample)
	var list []board.Move
	line := at
	for _, text := range moves {
		m, err := line.ParseUCI(text)
		if err != nil {
			break
		}
		list = append(list, m)
		line.Play(m)
	}
	return sanLine(at, list)
}

// Where is the sample's line.
func (p *samplePage) Where() string {
	return dataset.LineName(p.Sample.Source, p.Sample.Game, chart.Plain(p.Sample.Input))
}

// goTo leads to a sample by its number.
func (s *Server) goTo(w http.ResponseWriter, r *http.Request) {
	f := s.folderOf(w, r, aDataset)
	if f == nil {
		return
	}
	digits := strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return c
		}
		return -1
	}, r.FormValue("sample"))
	number, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		s.missing(w, "That is not the number of a sample.")
		return
	}
	http.Redirect(w, r, fmt.Sprintf("/data/%s/sample/%d", f.Key, number), http.StatusSeeOther)
}
