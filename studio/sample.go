package studio

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/inspect/samples"
	"talbot/internal/chart"
	"talbot/network/run"
)

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
	Past         pastView
	Moves        []legalMove
	Probable     bool         // some network gives the moves probabilities
	Recipe       string       // by which input and targets are shown
	Notice       string       // why they are not shown by the one that was asked for; "" = they are
	Groups       []planeGroup // of the input
	Runs         []*folder
	Prediction   *prediction // of the run that is asked; nil: none is
}

// usualRecipe is the one by which a sample is shown where no other is asked for.
const usualRecipe = "talbotbot"

// Asked is the key of the run that is asked; "" = none.
func (p *samplePage) Asked() string {
	if p.Prediction == nil {
		return ""
	}
	return p.Prediction.Run.Key
}

// Number is the sample's place in what the filter chooses, from 1.
func (p *samplePage) Number() int64 { return p.Place + 1 }

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

// To is the address of another sample with the same filter, which is looked at in the same way.
func (p *samplePage) To(sample int64) template.URL {
	q := p.Filter.at(0)
	if p.Recipe != usualRecipe {
		q.Set("recipe", p.Recipe)
	}
	if asked := p.Asked(); asked != "" {
		q.Set("run", asked)
	}
	return address(fmt.Sprintf("/data/%s/sample/%d", p.Key, sample), q)
}

// List is the page of samples that this one is on.
func (p *samplePage) List() template.URL {
	return address("/data/"+p.Key, p.Filter.at(p.Place/cardsShown*cardsShown))
}

// sample answers with the page of a sample.
func (s *Server) sample(f *folder, w http.ResponseWriter, r *http.Request) error {
	if f.unreadable() != "" {
		return missing("This dataset cannot be read.")
	}
	number, err := strconv.ParseInt(r.PathValue("sample"), 10, 64)
	if err != nil {
		return missing("There is no such sample.")
	}
	d, release, err := s.open(f)
	if err != nil {
		return missing("The dataset cannot be read: " + chart.Plain(f.within(err)))
	}
	defer release()
	name, notice := cmp.Or(r.FormValue("recipe"), usualRecipe), ""
	one, e, err := sampleAs(d, number, name)
	if err != nil && name != usualRecipe {
		name, notice = usualRecipe, "It cannot be shown by that recipe: "+f.within(err)
		one, e, err = sampleAs(d, number, usualRecipe)
	}
	if err != nil {
		return missing("The sample cannot be read: " + chart.Plain(f.within(err)))
	}
	own := readFilter(r)
	p := &samplePage{folder: f, Recipe: name, Notice: notice, Sample: one, Filter: own, Place: number,
		Count: d.Samples(), Before: number - 1, Next: number + 1}
	if p.Next >= d.Samples() {
		p.Next = -1
	}
	if own.Chosen() {
		if j, err := s.search(d, own); err == nil {
			p.Place, p.Before, p.Next = neighbours(j, number)
			p.Count = foundOf(j, 0, 0, d.Samples()).Count
		}
	}
	layout := e.Layout()
	p.Groups = numbersOf(e, &layout, one.Encoded.Input.Data)
	for _, run := range s.library.look() {
		if run.answers() {
			p.Runs = append(p.Runs, run)
		}
	}
	if run := byKey(p.Runs, r.FormValue("run")); run != nil {
		p.Prediction = s.networks.predict(r.Context(), run, one)
	}
	p.fill()
	return s.show(w, "sample", p)
}

// sampleAs reads a sample as a recipe with its usual settings sees it.
func sampleAs(v *openDataset, number int64, name string) (*samples.Sample, encode.Encoder, error) {
	c, err := run.New(name, "")
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
	p.Players = one.Players(chart.Name)
	at, moves := one.Past()
	p.Past.replay = newReplay(at)
	for i, m := range moves {
		var known replayMove
		if i < one.Reconstructed {
			known.Note = "made up"
		}
		p.Past.play(&at, m, known)
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
		}
		p.Moves = append(p.Moves, row)
	}
	slices.SortStableFunc(p.Moves, func(a, b legalMove) int {
		return cmp.Or(cmp.Compare(b.Prior, a.Prior), cmp.Compare(b.Target, a.Target), cmp.Compare(a.Index, b.Index))
	})
	for _, row := range p.Moves[:min(len(p.Moves), 5)] {
		if row.Prior >= 0 {
			p.Past.Arrows = append(p.Past.Arrows, moveArrow{row.UCI, "prior", row.Prior})
		}
	}
	add := func(uci, kind string) {
		p.Past.Arrows = append(p.Past.Arrows, moveArrow{uci, kind, 0.5})
	}
	if p.Label != nil && strings.TrimSpace(p.Label.Best) != "" && p.Label.Best != board.NoMove.String() {
		add(p.Label.Best, "best")
	}
	if p.Played != nil {
		add(*p.Played, "played")
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
func (s *Server) goTo(f *folder, w http.ResponseWriter, r *http.Request) error {
	digits := strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return c
		}
		return -1
	}, r.FormValue("sample"))
	number, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return missing("That is not the number of a sample.")
	}
	http.Redirect(w, r, fmt.Sprintf("/data/%s/sample/%d", f.Key, number), http.StatusSeeOther)
	return nil
}

// planeGroup are planes, or other numbers, of one kind.
type planeGroup struct {
	Name    string
	Planes  []planeView
	Numbers []numberView
}

// planeView is a plane of numbers, laid out; the mover's first rank is at the bottom, and a square is 1 wide.
type planeView struct {
	Number int
	Name   string
	Layers []planeLayer
	Said   string // in words
}

// planeLayer are the squares of a plane with one value.
type planeLayer struct {
	Path     string
	Negative bool
	Opacity  string // from 0 to 1, by the greatest value of the plane
}

// numberView is a number that is on no plane.
type numberView struct{ Name, Value string }

// numbersOf lays out what the network of an encoder reads.
func numbersOf(e encode.Encoder, input *encode.Layout, data []float32) (list []planeGroup) {
	size, number := len(data)/max(1, input.Shape[0]), 0
	for _, g := range e.NumberNames() {
		group := planeGroup{Name: g.Name}
		for _, name := range g.Names {
			if (number+1)*size > len(data) {
				return list
			}
			values := data[number*size : (number+1)*size]
			if size == 64 {
				group.Planes = append(group.Planes, newPlane(number, name, values))
			} else {
				value := strconv.FormatFloat(float64(values[0]), 'g', 4, 32)
				group.Numbers = append(group.Numbers, numberView{name, value})
			}
			number++
		}
		list = append(list, group)
	}
	return list
}

func newPlane(number int, name string, values []float32) planeView {
	v := planeView{Number: number, Name: name}
	squares, most := map[float32][]int{}, float32(0)
	for s, x := range values {
		if x != 0 {
			squares[x] = append(squares[x], s)
			most = max(most, float32(math.Abs(float64(x))))
		}
	}
	for x, list := range squares {
		var path strings.Builder
		if len(list) == 64 {
			path.WriteString("M0 0h8v8h-8z")
			list = nil
		}
		for _, s := range list {
			fmt.Fprintf(&path, "M%d %dh1v1h-1z", s%8, 7-s/8)
		}
		v.Layers = append(v.Layers, planeLayer{path.String(), x < 0,
			strconv.FormatFloat(0.2+0.8*math.Abs(float64(x/most)), 'f', 2, 64)})
	}
	slices.SortFunc(v.Layers, func(a, b planeLayer) int { return cmp.Compare(a.Path, b.Path) })
	set := 0
	for _, list := range squares {
		set += len(list)
	}
	v.Said = fmt.Sprintf("%d squares", set)
	if len(squares) == 1 {
		for x := range squares {
			if x != 1 {
				v.Said += fmt.Sprintf(" of %.3g", x)
			}
		}
	} else if len(squares) > 1 {
		low, high := slices.Min(values), slices.Max(values)
		v.Said += fmt.Sprintf(", %.3g to %.3g", low, high)
	}
	return v
}
