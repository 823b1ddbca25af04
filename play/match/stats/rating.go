package stats

import "math"

// Encounter is a player's score against one opponent: pairs of games, and games that are in no whole pair.
type Encounter struct {
	Pairs   Pentanomial
	Singles Trinomial
}

// Games returns the number of games.
func (e Encounter) Games() int64 { return 2*e.Pairs.Pairs() + e.Singles.Games() }

// Points returns the player's points.
func (e Encounter) Points() float64 {
	points := float64(e.Singles[1])/2 + float64(e.Singles[2])
	for i, n := range e.Pairs {
		points += float64(i) / 2 * float64(n)
	}
	return points
}

// squares returns the sum of squared distances of the results from what is expected a game, pairs as wholes.
func (e Encounter) squares(expected float64) (sum float64) {
	for i, n := range e.Pairs {
		d := float64(i)/2 - 2*expected
		sum += float64(n) * d * d
	}
	for i, n := range e.Singles {
		d := float64(i)/2 - expected
		sum += float64(n) * d * d
	}
	return sum
}

// Anchor is an opponent whose rating is known, and what the player scored against it.
type Anchor struct {
	Encounter
	Rating float64
	// Error is half the width of the 95 % interval of Rating itself; 0: it is exact by definition.
	Error float64
}

// Informative reports whether the player scored 10 to 90 % against the anchor. Outside of that the logistic curve is
// far from what real players do, and few games decide; see Mark Glickman and Albyn Jones, “Rating the chess rating
// system” (1999).
func (a Anchor) Informative() bool {
	share := a.Points() / float64(a.Games())
	return share >= 0.1 && share <= 0.9
}

// Rating is a player's rating on the scale of its anchors. Low and High are the limits of the 95 % interval of which
// half the width is the root of the sum of the squares of FromGames and FromAnchors: what the number of games and what
// the anchors' own errors contribute. More games do not make the second smaller.
type Rating struct {
	Rating, Low, High      float64
	FromGames, FromAnchors float64
}

// Rate returns the rating at which the results against the anchors are most likely. It is −Inf if the player lost all
// games and +Inf if it won them, with infinite limits, and NaN without games.
//
// The score against each anchor is expected on the logistic curve (see [EloOf]), and the true rating of an anchor is
// normal about the known one; both are fitted together. Draws, and pairs with the same opening, make results vary less
// or more than independent wins and losses would: the likelihood is scaled by how much they do (quasi-likelihood).
//
// Sources: Ralph Bradley and Milton Terry, “Rank analysis of incomplete block designs” (1952), for the likelihood;
// Robert Wedderburn, “Quasi-likelihood functions” (1974), for the scale.
func Rate(anchors []Anchor) Rating {
	games, points := int64(0), 0.0
	for _, a := range anchors {
		games += a.Games()
		points += a.Points()
	}
	switch infinite := math.Inf(1); {
	case games == 0:
		return Rating{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	case points == 0:
		return Rating{-infinite, -infinite, infinite, infinite, 0}
	case points == float64(games):
		return Rating{infinite, -infinite, infinite, infinite, 0}
	}
	f := fit{anchors: anchors, dispersion: 1}
	for range 4 { // the dispersion moves the rating only where anchors have errors, and hardly then
		f.rating = bisect(lowestRating, highestRating, f.slope)
		f.disperse()
	}
	return f.result()
}

// slopeUnit is the derivative of the logarithm of odds with respect to Elo.
const slopeUnit = math.Ln10 / 400

// fit is a rating being fitted.
type fit struct {
	anchors    []Anchor
	rating     float64
	dispersion float64 // the variance of results over that of independent wins and losses
}

// variance returns the variance of the known rating of an anchor.
func (a Anchor) variance() float64 { return (a.Error / z95) * (a.Error / z95) }

// truth returns the most likely true rating of an anchor if the player has that rating.
func (f *fit) truth(a Anchor, rating float64) float64 {
	if a.Error == 0 {
		return a.Rating
	}
	// The pull of the games is bounded by that of wins alone.
	most := a.variance() * slopeUnit * float64(a.Games()) / f.dispersion
	return bisect(a.Rating-most, a.Rating+most, func(r float64) float64 {
		return f.pull(a, rating, r) - (r-a.Rating)/a.variance()
	})
}

// pull is the derivative of the likelihood of the results against an anchor of that true rating, with respect to the
// anchor's.
func (f *fit) pull(a Anchor, rating, truth float64) float64 {
	return slopeUnit * (float64(a.Games())*ScoreOf(rating-truth) - a.Points()) / f.dispersion
}

// slope is the derivative of the whole likelihood with respect to the player's rating.
func (f *fit) slope(rating float64) (sum float64) {
	for _, a := range f.anchors {
		sum -= f.pull(a, rating, f.truth(a, rating))
	}
	return sum
}

// disperse measures the dispersion at the present rating.
func (f *fit) disperse() {
	squares, expected := 0.0, 0.0
	for _, a := range f.anchors {
		p := ScoreOf(f.rating - f.truth(a, f.rating))
		squares += a.squares(p)
		expected += float64(a.Games()) * p * (1 - p)
	}
	if squares > 1e-9*expected { // else the results have no spread at all, and say nothing about theirs
		f.dispersion = squares / expected
	}
}

func (f *fit) result() Rating {
	information := make([]float64, len(f.anchors)) // of each anchor's games
	total := 0.0
	for i, a := range f.anchors {
		p := ScoreOf(f.rating - f.truth(a, f.rating))
		information[i] = float64(a.Games()) * p * (1 - p) * slopeUnit * slopeUnit / f.dispersion
		if information[i] > 0 {
			total += 1 / (1/information[i] + a.variance())
		}
	}
	games, own := 0.0, 0.0
	for i, a := range f.anchors {
		if information[i] > 0 {
			weight := 1 / (1/information[i] + a.variance()) / total
			games += weight * weight / information[i]
			own += weight * weight * a.variance()
		}
	}
	d := z95 * math.Sqrt(games+own)
	return Rating{Rating: f.rating, Low: f.rating - d, High: f.rating + d, FromGames: z95 * math.Sqrt(games),
		FromAnchors: z95 * math.Sqrt(own)}
}

// Ratings are looked for between these.
const lowestRating, highestRating = -20_000, 20_000

// bisect returns where a falling function of a rating is 0, to a millionth.
func bisect(low, high float64, f func(float64) float64) float64 {
	for high-low > 1e-6 {
		if middle := (low + high) / 2; f(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}
