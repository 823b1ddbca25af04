package evaluate

import (
	"cmp"
	"math"
	"slices"
)

// worst is how many misses are kept.
const worst = 50

// Miss is a sample whose target the network finds improbable.
type Miss struct {
	FEN    string            `json:"fen"`
	Source string            `json:"source"`
	Game   string            `json:"game"`
	Link   string            `json:"link,omitempty"` // [Origin.Link]
	Ply    int               `json:"ply"`
	Rating int               `json:"rating"` // 0 = unknown
	Target MoveProbability   `json:"target"` // the move of the highest weight
	Moves  []MoveProbability `json:"moves"`  // the network's first three
	Value  *float64          `json:"value"`  // the network's, from the side to move; nil if it gives none
	Label  *float64          `json:"label"`  // the value it should be; nil without a label
}

// MoveProbability is a legal move and its probability among the legal moves.
type MoveProbability struct {
	UCI         string  `json:"uci"`
	SAN         string  `json:"san"`
	Probability float64 `json:"probability"`
}

// misses are the samples of the highest cross-entropy over the legal moves, the worst first; of each line and each
// position the worst alone.
type misses struct{ list []miss }

type miss struct {
	Miss
	loss float64
	line int64
	key  uint64
}

// offer keeps a sample that belongs to the worst.
func (m *misses) offer(q *assessment, valued bool) {
	at := q.sample.Origin
	if !q.hasPolicy() || len(m.list) == worst && q.entropy <= m.list[worst-1].loss {
		return
	}
	new := miss{loss: q.entropy, line: at.Line, key: at.Position.Key()}
	alike := func(old miss) bool { return old.line == new.line || old.key == new.key }
	if i := slices.IndexFunc(m.list, alike); i >= 0 && m.list[i].loss >= new.loss {
		return
	}
	m.list = slices.DeleteFunc(m.list, alike)
	new.Miss = missed(q, valued)
	place, _ := slices.BinarySearchFunc(m.list, new.loss, func(old miss, loss float64) int {
		if old.loss >= loss {
			return -1
		}
		return 1
	})
	m.list = slices.Insert(m.list, place, new)
	m.list = m.list[:min(len(m.list), worst)]
}

// missed describes a sample and the network's answer to it.
func missed(q *assessment, valued bool) Miss {
	s, prior, p := q.sample, q.answer.Prior, &q.sample.Origin.Position
	considered := func(i int) MoveProbability {
		return MoveProbability{s.Legal[i].String(), p.SAN(s.Legal[i]), math.Exp(float64(prior[i]))}
	}
	order := make([]int, len(s.Legal))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(prior[b], prior[a]) })
	target := slices.MaxFunc(s.Policy, func(a, b Target) int { return cmp.Compare(a.Weight, b.Weight) })
	m := Miss{FEN: p.FEN(), Source: s.Source, Game: s.Origin.Game, Link: s.Origin.Link, Ply: s.Origin.Ply,
		Rating: s.Origin.Rating, Target: considered(target.Move)}
	for _, i := range order[:min(3, len(order))] {
		m.Moves = append(m.Moves, considered(i))
	}
	if valued {
		m.Value = &q.value
	}
	if q.labelled {
		m.Label = &q.label
	}
	return m
}

func (m *misses) sorted() []Miss {
	list := []Miss{}
	for _, miss := range m.list {
		list = append(list, miss.Miss)
	}
	return list
}
