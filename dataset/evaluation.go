package dataset

import (
	"errors"
	"strconv"
	"strings"

	"talbot/board"
)

// View says from whose side a source counts its evaluations: who is ahead when the number is positive.
type View uint8

// The views.
const (
	WhiteView View = iota // positive: White is ahead
	MoverView             // positive: the side to move is ahead, as UCI engines say it
)

// String returns "white" or "mover".
func (v View) String() string { return [...]string{"white", "mover"}[v&1] }

// Unit says what a number without a mate mark means.
type Unit uint8

// The units.
const (
	CentipawnUnit Unit = iota // whole numbers, hundredths of a pawn
	PawnUnit                  // pawns, usually with decimals
)

// String returns "centipawns" or "pawns".
func (u Unit) String() string { return [...]string{"centipawns", "pawns"}[u&1] }

// MateUnit says what the number of a mate counts.
type MateUnit uint8

// The units of mates.
const (
	MateMoves MateUnit = iota // moves of the mating side, as UCI and Lichess count
	MatePlies                 // moves of both sides up to the mate, as cutechess and TCEC count
)

// Convention is how a source writes its evaluations.
type Convention struct {
	View View
	Unit Unit
	Mate MateUnit
}

// The conventions of known sources. Which position a text is about is not part of them: a Lichess “[%eval]” is about
// the position after the move it follows, a comment of TCEC or cutechess about the one before it.
var (
	LichessConvention   = Convention{WhiteView, PawnUnit, MateMoves}      // “0.35”, “#-3”
	TCECConvention      = Convention{WhiteView, PawnUnit, MatePlies}      // wv=“0.35”, “M5”, “-M3”
	CutechessConvention = Convention{MoverView, PawnUnit, MatePlies}      // “+0.35”, “+M5”, “-M4”
	KaggleConvention    = Convention{WhiteView, CentipawnUnit, MateMoves} // “-68”, “#+3”
	STSConvention       = Convention{MoverView, CentipawnUnit, MateMoves} // “1065”
)

var (
	errEval     = errors.New("not an evaluation")
	errDecimals = errors.New("decimals in an evaluation in centipawns")
)

// Parse reads one evaluation of a position in which turn is to move and returns it from that side's view. A mate is
// “#3”, “#+3”, “#-3”, “M3”, “+M3” or “-M3”; the sign of a mate in 0 names the mating side. The number after “#” counts
// moves everywhere, only that after “M” is in the convention's unit. Everything else is a decimal number with an
// optional sign; in centipawns it must be whole, as “68” or “68.0”. Numbers beyond ±[MaxCentipawns] saturate.
func (c Convention) Parse(text string, turn board.Color) (Score, error) {
	negative, mate := false, false
	s := text
	s, negative = cutSign(s)
	if rest, ok := strings.CutPrefix(s, "#"); ok {
		mate, s = true, rest
		c.Mate = MateMoves
		var minus bool
		s, minus = cutSign(s)
		negative = negative != minus
	} else if rest, ok := strings.CutPrefix(s, "M"); ok {
		mate, s = true, rest
	}
	n, err := parseHundredths(s)
	if err != nil {
		return 0, err
	}
	if c.View == WhiteView && turn == board.Black {
		negative = !negative
	}
	_, fraction, point := strings.Cut(s, ".")
	if mate {
		if point {
			return 0, errEval
		}
		return c.mate(n/100, negative), nil
	}
	if c.Unit == CentipawnUnit {
		if strings.Trim(fraction, "0") != "" {
			return 0, errDecimals
		}
		n /= 100
	}
	if negative {
		n = -n
	}
	return Centipawns(n), nil
}

// mate returns the score of a mate in n of the convention's units. Plies are rounded up to whole moves: the mating
// side's 2n − 1 and the mated side's 2n are both mate in n.
func (c Convention) mate(n int, negative bool) Score {
	if c.Mate == MatePlies {
		n = (n + 1) / 2
	}
	if negative || n == 0 { // no score says that the side to move has mated
		return MateIn(-n)
	}
	return MateIn(n)
}

func cutSign(s string) (rest string, negative bool) {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return s[1:], s[0] == '-'
	}
	return s, false
}

// parseHundredths reads an unsigned decimal number as hundredths, rounded half up, saturating far beyond any score.
func parseHundredths(s string) (n int, err error) {
	whole, fraction, _ := strings.Cut(s, ".")
	if whole == "" && fraction == "" || len(s) > 24 {
		return 0, errEval
	}
	for _, part := range [...]string{whole, fraction} {
		for i := range len(part) {
			if part[i] < '0' || part[i] > '9' {
				return 0, errEval
			}
		}
	}
	const most = 1_000_000
	if whole != "" {
		v, err := strconv.ParseUint(whole, 10, 64)
		if err != nil || v > most {
			v = most
		}
		n = 100 * int(v)
	}
	fraction += "000"
	n += 10*int(fraction[0]-'0') + int(fraction[1]-'0')
	if fraction[2] >= '5' {
		n++
	}
	return n, nil
}

// ImportedLimit is the limit in the fingerprint of evaluations that a source carried.
const ImportedLimit = "imported"

// ImportedFingerprint returns the fingerprint of evaluations that a source carried: a name such as "lichess eval" in
// place of the engine, and [ImportedLimit].
func ImportedFingerprint(name string) Fingerprint {
	return Fingerprint{Engine: name, Options: []Tag{}, Limit: ImportedLimit}
}

// IsImported reports whether the fingerprint is of evaluations that a source carried.
func (f *Fingerprint) IsImported() bool { return f.Limit == ImportedLimit }

// Imported are the evaluations of one origin for the samples of a line, before they have a fingerprint's index.
type Imported struct {
	Engine string  // of the fingerprint
	Labels []Label // one for each sample
}
