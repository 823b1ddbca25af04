package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"talbot/evaluate"
	"talbot/internal/chart"
	"talbot/internal/humanize"
	"talbot/internal/table"
	"talbot/network/run"
)

// addTo adds what the evaluation has to show, but for its misses.
func (e *Eval) addTo(p *table.Page) {
	s := table.Section{Title: "Calibration", Layout: table.Grid}
	e.addCalibrations(&s)
	if t := e.sensitivity(); t != nil {
		s.Add(t)
	}
	p.Add(s)
	e.addGroups(p)
	e.addStyle(p)
	e.addBands(p)
	e.addCandidates(p)
	e.addEndgames(p)
	e.addPuzzles(p)
}

// addCalibrations adds the charts of calibration that have something to show.
func (e *Eval) addCalibrations(s *table.Section) {
	draw := func(c chart.Calibration, bins []evaluate.Bin) {
		for _, b := range bins {
			c.Bins = append(c.Bins, chart.Bin(b))
		}
		s.Draw(chart.NewCalibrationChart(c), len(bins) > 0)
	}
	draw(chart.Calibration{Title: "Calibration of the value", XName: "the network's value", YName: e.words("label"),
		Note: e.words("mean label at each predicted value, with one standard deviation; the dashed line is perfect"),
		Low:  -1, Spread: true}, e.Calibration)
	draw(chart.Calibration{Title: "Calibration of the policy", XName: "probability of the first move",
		Note:  "how often the likeliest move is the target, by its probability; the dashed line is perfect",
		YName: "share right"}, e.Confidence)
}

// sensitivity says how much the answers change when the network sees the same positions without their past, or with
// colours swapped, and how exact the labels are; nil if none of it was measured.
func (e *Eval) sensitivity() *table.Table {
	t := &table.Table{Title: "Sensitivity"}
	if h := e.History; h != nil {
		g := e.newGroup(t.Title, "the same positions without their past", slices.DeleteFunc(e.columns(),
			func(m *evaluate.Measure) bool { return m.Needs.Others }))
		g.add("with the past", h.With, h.WithIntervals)
		g.add("without it", h.Without, h.WithoutIntervals)
		g.Foot = []string{"A network that is much worse without its past has learned to rely on it."}
		t = g.Table
	}
	if s := e.Symmetry; s != nil {
		var parts []string
		if s.ValueGap != nil {
			parts = append(parts, fmt.Sprintf("values change by %.3f on average", *s.ValueGap))
		}
		if s.PolicyGap != nil {
			parts = append(parts, share(s.PolicyGap)+" of the probability goes to other moves")
		}
		if s.SameMove != nil {
			parts = append(parts, share(s.SameMove)+" play the same move")
		}
		t.Foot = append(t.Foot, fmt.Sprintf("Colours swapped, %s: %s. Nothing else that the network reads is changed.",
			humanize.Count(s.Samples, "sample"), strings.Join(parts, ", ")))
	}
	if n := e.Noise; n != nil {
		t.Foot = append(t.Foot, fmt.Sprintf("Noise of the labels: %s differs from %s by a mean squared error of %.4f "+
			"(%.4f … %.4f, %s). A perfect network would have this error; this one has %s on the %s with such labels.",
			n.Labels, n.Truth, n.MSE, n.Interval[0], n.Interval[1], humanize.Count(n.Compared, "label"),
			number(n.ValueMSE, 4), humanize.Count(n.Samples, "sample")))
	}
	if len(t.Foot) == 0 {
		return nil
	}
	return t
}

// signed writes a value with its sign.
func signed(x float64, decimals int) string {
	return strings.Replace(fmt.Sprintf("%+.*f", decimals, x), "-", "−", 1)
}

// addStyle adds how aggressive the network's moves are.
func (e *Eval) addStyle(p *table.Page) {
	r := e.Report.Style
	if r == nil {
		return
	}
	t := &table.Table{Columns: table.Columns("", "offers material", "gives check", "advances on king")}
	row := func(name string, apart bool, of func(t *evaluate.Trait) *evaluate.Estimate) {
		cells := table.Row(name)
		for _, trait := range []*evaluate.Trait{&r.Offers, &r.Checks, &r.Advances} {
			x := of(trait)
			if x == nil {
				return
			}
			write := func(x float64) string {
				if apart {
					return signed(100*x, 1)
				}
				return fmt.Sprintf("%.1f", 100*x)
			}
			cells = append(cells, table.Cell{Text: write(x.Mean),
				Small: write(x.Interval[0]) + " … " + write(x.Interval[1])})
		}
		t.Add(cells...)
	}
	row("the network", false, func(t *evaluate.Trait) *evaluate.Estimate { return &t.Network })
	row("the moves played", false, func(t *evaluate.Trait) *evaluate.Estimate { return &t.Played })
	row("before fine-tuning", false, func(t *evaluate.Trait) *evaluate.Estimate { return t.Before })
	row("above those played", true, func(t *evaluate.Trait) *evaluate.Estimate { return &t.AbovePlayed })
	row("above before", true, func(t *evaluate.Trait) *evaluate.Estimate { return t.AboveBefore })
	t.Title, t.Note = "Style of the first choices", fmt.Sprintf("in %% of %s, with 95 %% intervals",
		humanize.Count(r.Samples, "sample"))
	p.Add(table.Section{Title: "Style", Note: "The network's likeliest moves beside those that were played, and " +
		"what the network chose before it was fine-tuned, if it was. Offers material: loses two pawns or more where " +
		"it lands, with the best captures of both sides. Advances on the king: a piece or pawn comes nearer to " +
		"the opponent's king, to at most three of its steps.", Blocks: []table.Block{t}})
}

// addBands adds the figures by the rating of the player to move.
func (e *Eval) addBands(p *table.Page) {
	if e.Bands == nil || !e.Capabilities.Prior {
		return
	}
	t := &table.Table{Title: "By the rating of the player to move", Note: "over the legal moves; lowest and highest " +
		"are what a network that predicts all shares exactly would reach",
		Columns: table.Columns("", "samples", "moves", "cross-entropy", "lowest", "first move", "", "highest")}
	t.Columns[6].Drawn = true
	given := &table.Table{Title: "Given another rating", Class: "matrix", Note: "rows: the rating of the player; " +
		"columns: the rating that the network was given. Cross-entropy given the player's own rating, and how much " +
		"more given another. Red: the other rating is better, and the interval excludes zero",
		Columns: table.Columns("")}
	largest := 1e-9
	for i := range e.Bands {
		b := &e.Bands[i]
		t.Add(append(table.Row(b.Name(), humanize.Thousands(b.Count("samples")), humanize.Thousands(b.Moves),
			number(b.Of("policy_ce_legal"), 3), number(b.Of("policy_entropy"), 3), share(b.Of("top1"))),
			table.Bar(run.OrZero(b.Of("top1")), 0), table.Cell{Text: share(b.Of("top1_best"))})...)
		given.Columns = append(given.Columns, table.Column{Title: b.Name()})
		for _, x := range b.GivenRatings {
			largest = max(largest, math.Abs(x.More))
		}
	}
	s := table.Section{Title: "Ratings", Layout: table.Stack, Blocks: []table.Block{t}}
	best := 0
	for i := range e.Bands {
		b := &e.Bands[i]
		if b.GivenRatings == nil {
			continue
		}
		row, own := table.Row(b.Name()), true
		for _, x := range b.GivenRatings {
			c := table.Cell{Text: number(&x.CE, 3), Strong: true, Hover: "first move right in " + share(&x.Top1)}
			if x.Elo != b.Elo {
				own = own && x.More > 0
				c = table.Cell{Text: signed(x.More, 3), Small: fmt.Sprintf("±%.3f", x.MoreInterval[1]-x.More),
					Tint:  50 * math.Abs(x.More) / largest,
					Hover: fmt.Sprintf("cross-entropy %.4f; first move right in %s", x.CE, share(&x.Top1))}
				if x.MoreInterval[1] < 0 {
					c.Tint = -c.Tint
				}
			}
			row = append(row, c)
		}
		if given.Add(row...); own {
			best++
		}
	}
	if n := len(given.Rows); n > 0 {
		given.Foot = []string{fmt.Sprintf("In %d of %s the network is best when given the band's own rating.", best,
			humanize.Count(int64(n), "band"))}
		s.Add(given)
	}
	p.Add(s)
}

// addCandidates compares a network that chooses among candidates with simpler choices.
func (e *Eval) addCandidates(p *table.Page) {
	r := e.Candidates
	if r == nil {
		return
	}
	t := &table.Table{Title: "Among the candidates", Note: humanize.Count(r.Samples, "sample"),
		Columns: table.Columns("", "cross-entropy", "more than the network")}
	t.Add(table.Row("the network", number(&r.Network, 4))...)
	row := func(name string, b evaluate.Baseline) {
		c := table.Cell{Text: signed(b.More, 3), Class: class(b.Verdict()), Word: string(b.Verdict()),
			Small: signed(b.MoreInterval[0], 3) + " to " + signed(b.MoreInterval[1], 3)}
		if v := b.Verdict(); v == evaluate.Better || v == evaluate.Worse {
			c.Word = "the network is " + c.Word
		}
		t.Add(append(table.Row(name, number(&b.CE, 4)), c)...)
	}
	row("the prior alone", r.Prior)
	if r.Values != nil {
		row(fmt.Sprintf("the values alone, temperature %.3f of %s", r.Temperature,
			humanize.Count(r.Fitted, "val sample")), *r.Values)
	}
	t.Add(table.Row("uniform over the candidates", number(&r.Uniform, 4))...)
	t.Add(table.Row("entropy of the targets, the lowest possible", number(&r.Floor, 4))...)
	p.Add(table.Section{Title: "Candidates", Note: "Which of the candidate moves was played: cross-entropy of the " +
		"network and of simple baselines, and how much higher theirs is.", Blocks: []table.Block{t}})
}

// worstMaterials is the number of materials shown.
const worstMaterials = 12

// addEndgames adds how the network stands to endgame tables: the verdicts of the value, and tables by pieces and
// material.
func (e *Eval) addEndgames(p *table.Page) {
	r := e.Report.Endgames
	if r == nil {
		return
	}
	s := table.Section{Title: "Endgames", Layout: table.Stack}
	s.Note = fmt.Sprintf("%s whose result is in endgame tables. ", humanize.Count(r.Samples, "position"))
	if r.Moves.Positions > 0 {
		s.Note += "Kept: the likeliest legal move keeps a win won, or a draw drawn; the mark on the bar is a move " +
			"drawn at random. Lost positions have nothing to keep. Worse stands where a random move does better, " +
			"beyond the 95 % interval."
	} else {
		s.Note += "The bar: the value's verdict is right."
	}
	verdicts := &table.Table{Title: "Verdicts", Class: "matrix", Note: "what the value says about positions that " +
		"the tables call won, drawn or lost (above 0.5 is a win, below −0.5 a loss)",
		Columns: table.Columns("", "says won", "says drawn", "says lost")}
	for _, result := range []int{2, 1, 0} {
		count := r.Verdicts[result][0] + r.Verdicts[result][1] + r.Verdicts[result][2]
		row := []table.Cell{{Text: [...]string{"lost", "drawn", "won"}[result], Small: humanize.Thousands(count)}}
		for _, said := range []int{2, 1, 0} {
			n := r.Verdicts[result][said]
			x := float64(n) / float64(max(count, 1))
			c := table.Cell{Text: share(&x), Small: humanize.Thousands(n), Strong: true, Tint: 50 * x}
			if said != result {
				c.Tint = -c.Tint
			}
			row = append(row, c)
		}
		verdicts.Add(row...)
	}
	s.Add(verdicts)
	pieces := e.endgameTable("By pieces", "on the board, kings included")
	addEndgame(pieces, "all", &r.EndgameFigures)
	if r.Unseen != nil {
		addEndgame(pieces, "unseen", r.Unseen)
	}
	for _, name := range ordered(r.ByPieces) {
		f := r.ByPieces[name]
		addEndgame(pieces, name, &f)
	}
	if r.Moves.Positions == 0 {
		pieces.Foot = []string{"With --syzygy DIR moves are judged too."}
	}
	s.Add(pieces)
	worst := e.endgameTable("The worst materials", fmt.Sprintf("the stronger side first, whoever moves; of at least "+
		"%d "+
		"positions", evaluate.FewestEndgames))
	for _, name := range r.Worst(worstMaterials) {
		f := r.ByMaterial[name]
		addEndgame(worst, name, &f)
	}
	if len(worst.Rows) > 1 {
		s.Add(worst)
	}
	p.Add(s)
}

// endgameTable returns a table without rows.
func (e *Eval) endgameTable(title, note string) *table.Table {
	t := &table.Table{Title: title, Note: note, Columns: table.Columns("", "positions", "value right", "")}
	if e.Report.Endgames.Moves.Positions > 0 {
		t.Columns = table.Columns("", "positions", "value right", "result kept", "", "win kept", "draw kept")
		t.Columns[4].Drawn = true
	} else {
		t.Columns[3].Drawn = true
	}
	return t
}

// addEndgame adds a row to a table of [Eval.endgameTable].
func addEndgame(t *table.Table, name string, f *evaluate.EndgameFigures) {
	row := append(table.Row(name, humanize.Thousands(f.Samples)), table.Cell{Text: share(f.ValueAccuracy),
		Hover: fmt.Sprintf("squared error %s; a win taken for a loss, or the reverse: %s", number(f.ValueMSE, 3),
			share(f.ValueOpposite))})
	if t.Columns[3].Drawn {
		t.Add(append(row, table.Bar(run.OrZero(f.ValueAccuracy), 0))...)
		return
	}
	bar := table.Bar(run.OrZero(f.Moves.Kept), 0)
	bar.Marks = append(bar.Marks, table.Mark{Class: "at", Left: 100 * run.OrZero(f.Moves.Random)})
	t.Add(append(row, kept(&f.Moves), bar, kept(&f.Won), kept(&f.Drawn))...)
}

// kept is how often the network's moves keep a result.
func kept(k *evaluate.Kept) table.Cell {
	c := table.Cell{Text: share(k.Kept)}
	if k.Random == nil {
		return c
	}
	c.Small = "random " + share(k.Random)
	c.Hover = humanize.Count(k.Positions, "position")
	if i := k.Interval; i != nil {
		c.Hover += fmt.Sprintf("; 95 %% interval %s to %s", share(&i[0]), share(&i[1]))
	}
	if k.Verdict() == evaluate.Worse {
		c.Class, c.Word = table.Worse, table.Worse
	}
	return c
}

// mostThemes is the number of themes shown: those with the most puzzles.
const mostThemes = 24

// addPuzzles adds tables of the puzzles by rating and by theme.
func (e *Eval) addPuzzles(p *table.Page) {
	r := e.Puzzles
	if r == nil {
		return
	}
	s := table.Section{Title: "Puzzles", Layout: table.Stack, Note: "The strong bar: the whole line solved; the " +
		"pale one: the first move right."}
	of := func(title, note string, names []string, scores map[string]evaluate.PuzzleScore,
		write func(string) string) *table.Table {
		t := &table.Table{Title: title, Note: note, Columns: table.Columns("", "puzzles", "first move", "", "whole "+
			"line")}
		t.Columns[3].Drawn = true
		for _, name := range names {
			x := scores[name]
			t.Add(table.Cell{Text: write(name)}, table.Cell{Text: humanize.Thousands(x.Puzzles)},
				table.Cell{Text: share(&x.FirstMove)}, table.Bar(x.WholeLine, x.FirstMove),
				table.Cell{Text: share(&x.WholeLine)})
		}
		return t
	}
	note := fmt.Sprintf("%s; any mate counts", humanize.Count(r.Puzzles, "puzzle"))
	if r.Mates > 0 {
		note += fmt.Sprintf("; mates in one found %s of %s", share(r.MateInOne), humanize.Thousands(r.Mates))
	}
	s.Add(of("Puzzles by rating", note, ordered(r.ByRating), r.ByRating, band))
	names := slices.SortedFunc(maps.Keys(r.ByTheme), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.ByTheme[b].Puzzles, r.ByTheme[a].Puzzles), cmp.Compare(a, b))
	})
	if len(names) > 0 {
		s.Add(table.PageOnly{Block: of("Puzzles by theme", "the most frequent themes",
			names[:min(len(names), mostThemes)], r.ByTheme, func(s string) string { return s })})
	}
	p.Add(s)
}
