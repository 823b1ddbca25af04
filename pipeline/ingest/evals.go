package ingest

import (
	"slices"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/binpack"
	"talbot/pgn"
)

// Evals counts the evaluations in the inputs of an ingest. Those in games that were rejected are not counted at all.
type Evals struct {
	Imported int64 `json:"imported"`  // are labels now
	NoSample int64 `json:"no_sample"` // of positions that are not samples, such as those after the last moves
	Unread   int64 `json:"unread"`    // in no known form, or a second one of the same position
	Book     int64 `json:"book"`      // TCEC's 0.00 after book moves
	Sentinel int64 `json:"sentinel"`  // placeholder numbers, such as TCEC's 99.99
	// in games that were left out as duplicates; of prefixes, those that had become labels
	Duplicate int64 `json:"duplicate"`
}

// total returns all of them.
func (e *Evals) total() int64 {
	return e.Imported + e.NoSample + e.Unread + e.Book + e.Sentinel + e.Duplicate
}

func (e *Evals) add(o Evals) {
	e.Imported += o.Imported
	e.NoSample += o.NoSample
	e.Unread += o.Unread
	e.Book += o.Book
	e.Sentinel += o.Sentinel
	e.Duplicate += o.Duplicate
}

// importEvals turns the evaluations in a game's comments into labels of its samples, by origin in the order of their
// first evaluation.
func importEvals(l *dataset.Line, notes *pgn.Notes) (all []dataset.Imported, count Evals) {
	count.Unread, count.Book, count.Sentinel = int64(notes.Unread), int64(notes.Book), int64(notes.Sentinels)
	if len(notes.Evals) == 0 {
		return nil, count
	}
	sample := make([]int, len(l.Moves)+1) // number of the ply's sample + 1
	plies := l.Samples.Plies(nil, len(l.Moves))
	for k, ply := range plies {
		sample[ply] = k + 1
	}
	for _, e := range notes.Evals {
		k := sample[e.Ply]
		if k == 0 {
			count.NoSample++
			continue
		}
		name := evalEngine(l, e)
		i := slices.IndexFunc(all, func(im dataset.Imported) bool { return im.Engine == name })
		if i < 0 {
			i = len(all)
			all = append(all, dataset.Imported{Engine: name, Labels: make([]dataset.Label, len(plies))})
		}
		label := &all[i].Labels[k-1]
		if label.Status != dataset.Missing {
			count.Unread++
			continue
		}
		// The searched move of TCEC and cutechess is the one that was played: the line has it.
		*label = dataset.Label{Status: dataset.Labelled,
			Lines: []dataset.Searched{{Score: e.Score, Depth: e.Depth, Nodes: e.Nodes}}}
		count.Imported++
	}
	return all, count
}

const cutechessOrigin = "cutechess "

// evalEngine names the origin of an evaluation: of TCEC and cutechess the player that moved, who searched.
func evalEngine(l *dataset.Line, e pgn.Evaluation) string {
	name := "TCEC "
	switch e.Kind {
	case pgn.LichessEval:
		return "lichess eval"
	case pgn.CutechessEval:
		name = cutechessOrigin
	}
	player := "White"
	if (l.Start.Turn() == board.White) != (e.Ply%2 == 0) {
		player = "Black"
	}
	if engine := l.Tag(player); engine != "" {
		return name + engine
	}
	return name + "eval"
}

// attach gives a line its imported labels, entering fingerprints into the manifest as they come.
func (g *ingester) attach(l *dataset.Line, all []dataset.Imported) {
	for _, im := range all {
		if len(im.Labels) == 0 {
			continue
		}
		i, ok := g.prints[im.Engine]
		if !ok {
			m := g.out.Manifest()
			i = len(m.Fingerprints)
			m.Fingerprints = append(m.Fingerprints, dataset.ImportedFingerprint(im.Engine))
			g.prints[im.Engine] = i
		}
		l.Labels = append(l.Labels, dataset.LabelColumn{Fingerprint: i, Labels: im.Labels})
	}
	slices.SortFunc(l.Labels, func(a, b dataset.LabelColumn) int { return a.Fingerprint - b.Fingerprint })
}

// Scores are those of training data that others publish, by what they say of themselves.
type Scores struct {
	Chains  int64           `json:"chains"`
	Missing binpack.Missing `json:"missing"`
	Unit    string          `json:"unit,omitempty"` // "several" if inputs differ
	Origin  string          `json:"origin,omitempty"`
}

// add counts a chain.
func (s *Scores) add(c *chainScores) {
	s.Chains++
	s.Missing.Add(c.missing)
	s.Unit, s.Origin = common(s.Unit, c.unit), common(s.Origin, c.origin)
}

// common returns what two parts have in common; "" is none yet.
func common(a, b string) string {
	if a == "" || a == b {
		return b
	}
	return "several"
}

// chainScores is what came with the line of a chain.
type chainScores struct {
	missing      binpack.Missing
	unit, origin string
}

// scoresOf returns it for the last line of a reader; nil if it has no chains.
func scoresOf(r Reader) *chainScores {
	c, ok := r.(*binpack.LineReader)
	if !ok {
		return nil
	}
	origin, unit := c.Origin()
	return &chainScores{c.Missing(), string(unit), origin}
}
