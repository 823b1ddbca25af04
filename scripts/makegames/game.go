package main

import (
	"fmt"
	"math"
	"strconv"

	"talbot/board"
	"talbot/internal/splitmix"
	"talbot/play/game"
)

// The shares of games that are copies of earlier ones, and beginnings of earlier ones.
const (
	copies   = 0.02
	prefixes = 0.01
)

// How games share their beginnings. A move after the opening is the favourite of its position with probability
// follow(ply), else the second with the same probability, and so on.
const (
	popularity = 0.97 // opening n is played in proportion to n^-popularity
	begin      = 0.98 // follow at the end of an opening
	decay      = 8.0  // plies in which it falls to 1/e of that
	least      = 0.02 // but not below
)

func follow(ply int) float64 { return max(least, begin*math.Exp(-float64(ply-openingPlies)/decay)) }

const openingPlies = 8

// model says what games are like. It is only read.
type model struct {
	seed     uint64
	openings []game.Opening
	popular  []float64 // cumulative
	follow   [600]float64
}

func newModel(seed uint64, openings []game.Opening) *model {
	m := &model{seed: seed, openings: openings}
	sum := 0.0
	for i := range openings {
		sum += math.Pow(float64(i+1), -popularity)
		m.popular = append(m.popular, sum)
	}
	for ply := range m.follow {
		m.follow[ply] = follow(ply)
	}
	return m
}

// random is a sequence of numbers for one purpose of one game.
type random uint64

func (m *model) random(number int64, purpose uint64) random {
	return random(splitmix.Mix(m.seed ^ splitmix.Mix(uint64(number)<<3|purpose)))
}

func (r *random) next() uint64 {
	*r += splitmix.Gamma
	return splitmix.Finalise(uint64(*r))
}

// float is in [0, 1).
func (r *random) float() float64 { return float64(r.next()>>11) / (1 << 53) }

// below is in 0 … n−1.
func (r *random) below(n int) int { return int(r.float() * float64(n)) }

// The purposes of random numbers.
const (
	forKind uint64 = iota
	forMoves
	forTags
)

// origin returns the game whose moves a game has, and the share of them that it has.
func (m *model) origin(number int64) (from int64, share float64) {
	share = 1
	for number > 0 {
		r := m.random(number, forKind)
		kind := r.float()
		if kind >= copies+prefixes {
			break
		}
		number = int64(r.float() * float64(number))
		if kind >= copies {
			share *= 0.5 + 0.45*r.float()
		}
	}
	return number, share
}

// maker makes games one by one.
type maker struct {
	text  []byte
	sans  []byte
	ends  []int // of each move in sans
	moves []board.Move
	order []uint64

	result string // of the last game
}

// block makes the games from one number on.
func (k *maker) block(m *model, first int64) made {
	var b made
	b.text = make([]byte, 0, block*700)
	for number := first; number < first+block; number++ {
		plies := k.game(m, number)
		b.text = append(b.text, k.text...)
		b.ends, b.positions = append(b.ends, len(b.text)), append(b.positions, int64(plies)+1)
	}
	return b
}

// game makes a game, in text, and returns how many plies it has.
func (k *maker) game(m *model, number int64) (plies int) {
	from, share := m.origin(number)
	result := k.play(m, from)
	plies = len(k.ends)
	if n := int(share * float64(plies)); n < plies {
		plies, result = max(n, min(plies, openingPlies)), ""
	}
	k.tags(m, number, result)
	begin, column := 0, 0
	for i, end := range k.ends[:plies] {
		if i%2 == 0 {
			k.text = strconv.AppendInt(k.text, int64(i/2+1), 10)
			k.text = append(k.text, '.')
		}
		k.text = append(k.text, k.sans[begin:end]...)
		if column += end - begin + 3; column > 76 {
			k.text, column = append(k.text, '\n'), 0
		} else {
			k.text = append(k.text, ' ')
		}
		begin = end
	}
	k.text = append(append(k.text, k.result...), "\n\n"...)
	return plies
}

// play plays a game and returns its result by the rules, "" if there is none. Its moves are in sans.
func (k *maker) play(m *model, number int64) (result string) {
	r := m.random(number, forMoves)
	k.sans, k.ends = k.sans[:0], k.ends[:0]
	most := lengths.draw(&r)
	opening := &m.openings[pick(m.popular, r.float())]
	p := opening.Start
	add := func(move board.Move) {
		k.sans = append(k.sans, p.SAN(move)...)
		k.ends = append(k.ends, len(k.sans))
		p.Play(move)
	}
	for _, move := range opening.Moves[:min(most, len(opening.Moves))] {
		add(move)
	}
	for len(k.ends) < most {
		k.moves = p.LegalMoves(k.moves[:0])
		switch {
		case len(k.moves) > 0:
			add(k.choose(m, &p, &r))
		case p.InCheck() && p.Turn() == board.White:
			return "0-1"
		case p.InCheck():
			return "1-0"
		default:
			return "1/2-1/2"
		}
	}
	return ""
}

// choose draws one of the legal moves: each position has them in an order of its own, and the first ones are played
// more often.
func (k *maker) choose(m *model, p *board.Position, r *random) board.Move {
	rank, f := 0, m.follow[min(len(k.ends), len(m.follow)-1)]
	if u := r.float(); u >= f { // geometric
		rank = int(math.Log1p(-u) / math.Log1p(-f))
	}
	n := len(k.moves)
	if rank %= n; f == least { // who follows hardly anyone needs no order
		return k.moves[r.below(n)]
	}
	k.order = k.order[:0]
	for i, move := range k.moves {
		k.order = append(k.order, splitmix.Mix(p.Key()^uint64(move))&^0xff|uint64(i))
	}
	for i := range rank + 1 { // the rank smallest
		for j := i + 1; j < n; j++ {
			if k.order[j] < k.order[i] {
				k.order[i], k.order[j] = k.order[j], k.order[i]
			}
		}
	}
	return k.moves[k.order[rank]&0xff]
}

// tags begins the text of a game. Without a result by the rules, it is drawn.
func (k *maker) tags(m *model, number int64, result string) {
	r := m.random(number, forTags)
	if result == "" {
		result = results[pick(resultShares[:], r.float())]
	}
	event, white, black := r.zipf(events), r.zipf(players), r.zipf(players)
	elo := func() string {
		if r.float() < unrated {
			return ""
		}
		return strconv.Itoa(ratings.draw(&r))
	}
	k.text = fmt.Appendf(k.text[:0], "[Event \"Event %d open\"]\n[Site \"Site %d\"]\n[Date \"%d.%02d.%02d\"]\n"+
		"[Round \"%d\"]\n[White \"Player %d, A\"]\n[Black \"Player %d, B\"]\n[Result \"%s\"]\n[WhiteElo \"%s\"]\n"+
		"[BlackElo \"%s\"]\n[ECO \"%c%02d\"]\n\n", event, event%sites, years.draw(&r), 1+r.below(12), 1+r.below(28),
		1+r.below(11), white, black, result, elo(), elo(), 'A'+r.below(5), r.below(100))
	k.result = result
}
