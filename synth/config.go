package synth

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"talbot/board"
)

// The range of piece counts, kings included.
const (
	MinPieces = 3
	MaxPieces = 7
)

// Config says what is drawn. Only Seed and Patience may be left zero; see [DefaultConfig].
type Config struct {
	Seed uint64
	// Pieces holds the weight of each number of pieces. All zero: that of its materials; there must be some then.
	Pieces PieceWeights
	// Types holds the weights of pawn to queen where pieces are drawn one by one: each by its weight, its colour by
	// coin, at most two rooks, bishops and knights and one queen a side.
	Types TypeWeights
	// Materials are what is drawn instead of pieces one by one, if there are any; colours are swapped by coin.
	Materials []WeightedMaterial
	// Balance is how many pawns (knight and bishop 3, rook 5, queen 9) the sides may differ by; negative: any number.
	Balance int
	Past    Past
	// Patience is how many positions of a class in a row may be known already, or be unusable, before the class counts
	// as exhausted; 0 means 10,000, with which less than one position in a thousand is left.
	Patience int
}

// PieceWeights holds a weight for each number of pieces.
type PieceWeights [MaxPieces + 1]float64

// TypeWeights holds a weight for each type of piece from pawn to queen.
type TypeWeights [board.King]float64

// WeightedMaterial is a material and its weight.
type WeightedMaterial struct {
	Material board.Material
	Weight   float64
}

// DefaultConfig draws three to seven pieces alike, and pieces with the weights of the Talbotbot reference.
func DefaultConfig() Config {
	c := Config{Types: TypeWeights{board.Pawn: 5, board.Knight: 2, board.Bishop: 2, board.Rook: 2, board.Queen: 1},
		Balance: -1, Past: DefaultPast}
	for n := MinPieces; n <= MaxPieces; n++ {
		c.Pieces[n] = 1
	}
	return c
}

// ParsePieces reads weights of piece counts: a count "5", a range "3-7", or a
// list of them, each with a weight or 1, as "3:1,4:2,5-7:4".
func ParsePieces(s string) (w PieceWeights, err error) {
	for part := range strings.SplitSeq(s, ",") {
		counts, weight, err := cutWeight(strings.TrimSpace(part))
		lo, hi, isRange := strings.Cut(counts, "-")
		if !isRange {
			hi = lo
		}
		fewest, err1 := strconv.Atoi(lo)
		most, err2 := strconv.Atoi(hi)
		if err := errors.Join(err, err1, err2); err != nil || fewest < MinPieces || most > MaxPieces || fewest > most {
			return w, fmt.Errorf("pieces %q: expected counts or ranges within %d-%d, perhaps with weights", s,
				MinPieces, MaxPieces)
		}
		for n := fewest; n <= most; n++ {
			w[n] += weight
		}
	}
	return w, nil
}

// String returns the weights as [ParsePieces] reads them.
func (w PieceWeights) String() string {
	var parts []string
	for n, weight := range w {
		if weight > 0 {
			parts = append(parts, fmt.Sprintf("%d:%v", n, weight))
		}
	}
	return strings.Join(parts, ",")
}

// cutWeight cuts "TEXT:WEIGHT"; without a weight it is 1.
func cutWeight(s string) (text string, weight float64, err error) {
	text, number, given := strings.Cut(s, ":")
	if !given {
		return text, 1, nil
	}
	weight, err = strconv.ParseFloat(number, 64)
	if err != nil || !(weight > 0) || weight > 1e9 {
		return text, 0, fmt.Errorf("weight %q must be a number above 0, at most 1e9", number)
	}
	return text, weight, nil
}

// ParseTypes reads weights of the types of pieces, as "P5 R2 B2 N2 Q1", with or
// without blanks and commas; a type that is not named is never drawn.
func ParseTypes(s string) (w TypeWeights, err error) {
	bad := fmt.Errorf("piece weights %q: expected letters of P, N, B, R and Q, each with a number, such as P5R2B2N2Q1",
		s)
	rest := strings.NewReplacer(" ", "", ",", "").Replace(s)
	if rest == "" {
		return w, bad
	}
	for rest != "" {
		pt := board.PieceType(strings.IndexByte(" PNBRQ", rest[0]))
		end := 1
		for end < len(rest) && (rest[end] >= '0' && rest[end] <= '9' || rest[end] == '.') {
			end++
		}
		weight, err := strconv.ParseFloat(rest[1:end], 64)
		if pt < board.Pawn || pt > board.Queen || w[pt] > 0 || err != nil || !(weight > 0) || math.IsInf(weight, 1) {
			return w, bad
		}
		w[pt] = weight
		rest = rest[end:]
	}
	return w, nil
}

// String returns the weights as [ParseTypes] reads them.
func (w TypeWeights) String() string {
	var b strings.Builder
	for pt, weight := range w {
		if weight > 0 {
			fmt.Fprintf(&b, "%c%v", " PNBRQ"[pt], weight)
		}
	}
	return b.String()
}

// ParseMaterials reads materials from a text: one or more a line, separated by blanks or commas, each with a weight or
// 1, as "KRPvKR:3"; what follows a # is a comment. Errors name the line.
func ParseMaterials(text string) (list []WeightedMaterial, err error) {
	line := 0
	seen := map[board.Material]bool{}
	for row := range strings.Lines(text) {
		line++
		row, _, _ = strings.Cut(row, "#")
		for _, word := range strings.FieldsFunc(row, func(r rune) bool { return r == ',' || r <= ' ' }) {
			name, weight, err := cutWeight(word)
			if err != nil {
				return nil, fmt.Errorf("line %d: material %q: %w", line, word, err)
			}
			m, err := board.ParseMaterial(name)
			switch {
			case err != nil:
				return nil, fmt.Errorf("line %d: %w", line, err)
			case m.Pieces() < MinPieces || m.Pieces() > MaxPieces:
				return nil, fmt.Errorf("line %d: material %q has %d pieces, expected %d to %d", line, name, m.Pieces(),
					MinPieces, MaxPieces)
			case !m.CanMate():
				return nil, fmt.Errorf("line %d: neither side can mate with material %q", line, name)
			case seen[m.Fold()]:
				return nil, fmt.Errorf("line %d: duplicate material %q", line, name)
			}
			seen[m.Fold()] = true
			list = append(list, WeightedMaterial{m, weight})
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no material given, such as KRPvKR")
	}
	return list, nil
}

// AllMaterials returns every material of the piece counts that have a weight and of the limits on a side (two rooks,
// bishops and knights, one queen), all with the weight 1, with which a mate is possible.
func AllMaterials(w PieceWeights) (list []WeightedMaterial) {
	types := TypeWeights{board.Pawn: 1, board.Knight: 1, board.Bishop: 1, board.Rook: 1, board.Queen: 1}
	for n, weight := range w {
		if weight == 0 {
			continue
		}
		for _, m := range oneByOne(types, n).values {
			if m.CanMate() && m == m.Fold() {
				list = append(list, WeightedMaterial{m, 1})
			}
		}
	}
	return list
}
