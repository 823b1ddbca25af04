package match

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"talbot/board"
	"talbot/internal/chart"
	"talbot/internal/durable"
	"talbot/internal/humanize"
	"talbot/internal/table"
	"talbot/play/match/stats"
)

//go:embed report.html
var reportText string

var reportTemplate = chart.New("match", reportText, template.FuncMap{
	"n":        func(n int) string { return humanize.Thousands(int64(n)) },
	"n64":      humanize.Thousands,
	"elo":      eloText,
	"number":   numberText,
	"percent":  percentText,
	"scores":   scoresText,
	"between":  betweenText,
	"count":    func(n int, one string) string { return humanize.Count(int64(n), one) },
	"rating":   func(x RatingResult) string { return roundText(x.Rating) },
	"rating95": func(x RatingResult) string { return roundText(x.Low) + " to " + roundText(x.High) },
})

// How much a page shows, so that it does not grow with the match.
const (
	shownBoards = 12
	curvePoints = 300
)

// pageEvery is the interval at which the page of a match is written while it is played.
const pageEvery = 30 * time.Second

// document is the page of a match. The figures are those of a [Result].
type document struct {
	Result
	Title    string
	Played   string // how many of the games, in words
	Began    string
	Rules    string
	Rated    bool
	Against  []against // the first player's figures against each opponent
	Colours  []against
	Openings []against
	Wrong    bool // some network favoured an illegal move
	Faulty   []faulty
	Kinds    []string // of faults
	Curve    table.Block
	Charts   []table.Block
	Boards   []lastBoard
}

// against is a row of the first player's figures.
type against struct {
	Name string
	Figures
	Rating *RatingResult
}

// faulty is a player with its faults, by kind.
type faulty struct {
	Name   string
	Counts []int64
	Moves  int64
	Wrong  int64
}

// lastBoard is the last position of a game.
type lastBoard struct {
	chart.Board
	Game         int
	White, Black string
	Result, End  string
	Length       int // moves
}

func numberText(n Number) string {
	if !n.Known() {
		return "?"
	}
	return fmt.Sprintf("%+.1f", float64(n))
}

func eloText(n, low, high Number) string {
	if between := betweenText(low, high); between != "" {
		return numberText(n) + " (" + between + ")"
	}
	return numberText(n)
}

// betweenText is an interval, "" if it is not known.
func betweenText(low, high Number) string {
	if !low.Known() && !high.Known() {
		return ""
	}
	return numberText(low) + " to " + numberText(high)
}

func percentText(n Number) string {
	if !n.Known() {
		return "?"
	}
	return humanize.Percent(float64(n))
}

// scoresText is the interval of the score that the Elo has, "" if it is not known.
func scoresText(f Figures) string {
	if !f.Score.Known() || !f.EloLow.Known() && !f.EloHigh.Known() {
		return ""
	}
	return fmt.Sprintf("%.1f to %.1f", 100*stats.ScoreOf(float64(f.EloLow)), 100*stats.ScoreOf(float64(f.EloHigh)))
}

// writePage writes the page of the match as it stands. The journal must be open.
func (r *run) writePage() error {
	d := r.document()
	if err := r.boards(d); err != nil {
		return err
	}
	var text bytes.Buffer
	if err := reportTemplate.Execute(&text, d); err != nil {
		return err
	}
	r.paged = time.Now()
	return durable.WriteFile(r.folder.path(PageFile), text.Bytes())
}

// document lays out all but the boards.
func (r *run) document() *document {
	d := newDocument(r.result(), r.outcomes[:r.stop], r.folder.began, r.Rules.String())
	d.Played = "all played"
	if d.Games < r.stop {
		d.Played = "of " + humanize.Thousands(int64(r.stop)) + " to be played"
	}
	return d
}

// newDocument lays out all but the boards and how far the match is. The outcomes stand by their number; nil: not
// played.
func newDocument(x Result, outcomes []*outcome, began time.Time, rules string) *document {
	d := &document{Result: x, Began: began.UTC().Format("2006-01-02 15:04 UTC"), Rules: rules}
	first := d.Players[0].Name
	d.Title = first + " against " + fmt.Sprintf("%d others", len(d.Players)-1)
	if len(d.Players) == 2 {
		d.Title = first + " against " + d.Players[1].Name
	}
	d.Against = d.versus()
	d.Rated = slices.ContainsFunc(d.Ratings, func(x RatingResult) bool { return x.Anchor })
	d.split(outcomes)
	d.faultTable()
	return d
}

// versus are the rows of the table of results: the opponents, and all together where there are several.
func (d *document) versus() []against {
	if len(d.Ratings) == 0 {
		return []against{{Name: d.Players[1].Name, Figures: d.Figures}}
	}
	var rows []against
	for i := range d.Ratings[1:] {
		x := &d.Ratings[i+1]
		rows = append(rows, against{Name: x.Player, Figures: *x.Versus, Rating: x})
	}
	if len(rows) > 1 {
		rows = append(rows, against{Name: "all", Figures: d.Figures})
	}
	return rows
}

// split goes through the games once more, in order: for the curve, and for the parts by colour and opening. Games that
// the figures leave out are left out here too.
func (d *document) split(outcomes []*outcome) {
	players := len(d.Players)
	all := newTally(players)
	colours := [2]*tally{newTally(players), newTally(players)}
	openings := map[string]*tally{}
	every := max(1, d.Games/curvePoints)
	var points []chart.BandPoint
	lengths := make([]chart.Bar, 0, 21)
	for i := range 20 {
		lengths = append(lengths, chart.Bar{Name: fmt.Sprint(10 * i)})
	}
	lengths = append(lengths, chart.Bar{Name: "200+"})
	point := func() {
		f := all.figures()
		points = append(points, chart.BandPoint{X: float64(f.Games), Y: float64(f.Elo), Low: float64(f.EloLow),
			High: float64(f.EloHigh)})
	}
	for _, o := range outcomes {
		if o == nil {
			continue
		}
		lengths[min((o.plies+1)/2/10, len(lengths)-1)].Count++
		before := all.identical
		if all.add(*o); all.games%every == 0 {
			point()
		}
		if all.identical > before {
			continue
		}
		colour := board.White
		if o.players[board.Black] == 0 {
			colour = board.Black
		}
		colours[colour].add(*o)
		if openings[o.opening] == nil {
			openings[o.opening] = newTally(players)
		}
		openings[o.opening].add(*o)
	}
	if all.games%every != 0 {
		point()
	}
	for c, t := range colours {
		d.Colours = append(d.Colours, against{Name: board.Color(c).String(), Figures: t.figures()})
	}
	for name, t := range openings {
		d.Openings = append(d.Openings, against{Name: name, Figures: t.figures()})
	}
	slices.SortFunc(d.Openings, func(a, b against) int {
		if a.Games != b.Games {
			return b.Games - a.Games
		}
		return strings.Compare(a.Name, b.Name)
	})
	if c, ok := chart.NewBandChart(chart.Band{Title: "Elo by game", Note: "the estimate of " +
		chart.Plain(d.Players[0].Name) + " and its 95 % interval after each part of the games, in their order",
		XName: "games", Points: points}); ok {
		d.Curve = c
	}
	d.addCharts(lengths)
}

// addCharts draws how games ended and how long they were.
func (d *document) addCharts(lengths []chart.Bar) {
	for len(lengths) > 1 && lengths[len(lengths)-1].Count == 0 {
		lengths = lengths[:len(lengths)-1]
	}
	note := ""
	if d.Games > 0 {
		note = fmt.Sprintf("in moves, the opening's included; %.1f on average", float64(d.Plies)/2/float64(d.Games))
	}
	if c, ok := chart.NewBarChart(chart.Bars{Title: "Lengths", Note: note, Unit: "games", Bars: lengths}); ok {
		d.Charts = append(d.Charts, c)
	}
	ends := chart.Bars{Title: "Endings", Note: "why the games ended", Unit: "games"}
	for end, n := range d.Endings {
		ends.Bars = append(ends.Bars, chart.Bar{Name: endWords(end), Count: n})
	}
	slices.SortFunc(ends.Bars, func(a, b chart.Bar) int {
		if a.Count != b.Count {
			return int(b.Count - a.Count)
		}
		return strings.Compare(a.Name, b.Name)
	})
	if l, ok := chart.NewBarList(ends); ok {
		d.Charts = append(d.Charts, l)
	}
	results := chart.Bars{Title: "Results by colour", Note: "of all games", Unit: "games",
		Bars: []chart.Bar{{Name: "White wins", Count: int64(d.WhiteWins)},
			{Name: "draws", Count: int64(d.Games - d.WhiteWins - d.BlackWins)},
			{Name: "Black wins", Count: int64(d.BlackWins)}}}
	if l, ok := chart.NewBarList(results); ok {
		d.Charts = append(d.Charts, l)
	}
}

// faultTable makes the table of faults; none without any.
func (d *document) faultTable() {
	var kinds []FaultKind
	for _, kind := range FaultKinds {
		if d.Faults[kind] > 0 {
			kinds = append(kinds, kind)
			d.Kinds = append(d.Kinds, kind.Words())
		}
	}
	for _, p := range d.Players {
		d.Wrong = d.Wrong || p.IllegalFirst > 0
		row := faulty{Name: p.Name, Moves: p.Moves, Wrong: p.IllegalFirst}
		for _, kind := range kinds {
			row.Counts = append(row.Counts, p.Faults[kind])
		}
		d.Faulty = append(d.Faulty, row)
	}
}

// boards adds where the last games ended, the newest first.
func (r *run) boards(d *document) error {
	for number := r.stop - 1; number >= 0 && len(d.Boards) < shownBoards; number-- {
		if r.outcomes[number] == nil {
			continue
		}
		g, err := r.folder.journal.game(number)
		if err != nil {
			return err
		}
		p := g.Start
		for _, ply := range g.Plies {
			p.Play(ply.Move)
		}
		b := lastBoard{Board: chart.NewBoardFrom(&p, board.White), Game: number + 1,
			White: r.Entrants[g.Players[board.White]].Name, Black: r.Entrants[g.Players[board.Black]].Name,
			Result: g.Result.String(), End: endWords(g.End), Length: (len(g.Plies) + 1) / 2}
		if g.Fault != nil {
			b.End = r.Entrants[g.Fault.Player].Name + ": " + g.Fault.Kind.Words()
		}
		if n := len(g.Plies); n > 0 {
			b.Board.Arrow("target", g.Plies[n-1].Move)
		}
		d.Boards = append(d.Boards, b)
	}
	return nil
}

// openingName returns the group of an opening: White's first move, so that there are few groups however many openings.
func openingName(r *Record) string {
	switch {
	case r.Start != board.StartPosition():
		return "other positions"
	case r.Book == 0 || len(r.Plies) == 0:
		return "start position"
	}
	return "1. " + r.Start.SAN(r.Plies[0].Move)
}

// Tested says how the sequential test stands, in words.
func (d *document) Tested() string {
	return map[string]string{"accepted": "the higher bound is accepted", "rejected": "the lower bound is accepted",
		"undecided": "undecided"}[d.SPRT.Decision]
}

// LLRText is the log-likelihood ratio of the test with its bounds.
func (d *document) LLRText() string {
	if !d.LLR.Known() {
		return "?"
	}
	return fmt.Sprintf("%.2f (bounds %.2f and %.2f)", float64(*d.LLR), d.SPRT.Limits[0], d.SPRT.Limits[1])
}

// RatingText is a rating with its interval.
func (a against) RatingText() string { return ratingText(a.Rating) }

// roundText is a rating without an interval.
func roundText(n Number) string {
	if !n.Known() {
		return "?"
	}
	return fmt.Sprintf("%.0f", float64(n))
}

func ratingText(x *RatingResult) string {
	if x == nil || !x.Rating.Known() {
		return "?"
	}
	if !x.Low.Known() || !x.High.Known() || x.Low == x.High {
		return fmt.Sprintf("%.1f", math.Round(10*float64(x.Rating))/10)
	}
	return fmt.Sprintf("%.1f (%.1f to %.1f)", float64(x.Rating), float64(x.Low), float64(x.High))
}
