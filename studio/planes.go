package studio

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// planeGroup are planes of one kind.
type planeGroup struct {
	Name   string
	Planes []planeView
}

// planeView is a plane of bits, laid out.
type planeView struct {
	Number int
	Name   string
	Path   string // of the squares that are set, a square being 1 wide; the mover's first rank is at the bottom
	Bits   int
}

// planeGroups lays out the planes of the recipe talbotbot, as inspect writes them, by its order in the design: own and
// other pieces, castling, the rest, and the pieces of four positions before.
func planeGroups(planes []string) (list []planeGroup) {
	men := []string{"pawns", "knights", "bishops", "rooks", "queens", "king"}
	groups := []struct {
		name  string
		names []string
	}{
		{"Own pieces", men}, {"The other side's", men},
		{"Rights and counts", []string{"own O-O", "own O-O-O", "their O-O", "their O-O-O", "Black to move",
			"en passant", "seen once", "seen twice"}},
	}
	for k := 1; k <= 4; k++ {
		names := []string{}
		for _, side := range []string{"own", "their"} {
			for _, name := range men {
				names = append(names, side+" "+name)
			}
		}
		groups = append(groups, struct {
			name  string
			names []string
		}{fmt.Sprintf("%d plies before", k), names})
	}
	number := 0
	for _, g := range groups {
		group := planeGroup{Name: g.name}
		for _, name := range g.names {
			if number >= len(planes) {
				return list
			}
			bits, err := strconv.ParseUint(planes[number], 16, 64)
			if err != nil {
				return list
			}
			group.Planes = append(group.Planes, newPlane(number, name, bits))
			number++
		}
		list = append(list, group)
	}
	return list
}

func newPlane(number int, name string, bits uint64) planeView {
	v := planeView{Number: number, Name: name}
	var path strings.Builder
	for s := range 64 {
		if bits>>s&1 == 1 {
			v.Bits++
			fmt.Fprintf(&path, "M%d %dh1v1h-1z", s%8, 7-s/8)
		}
	}
	v.Path = path.String()
	return v
}

func byPrior(moves []legalMove) {
	slices.SortStableFunc(moves, func(a, b legalMove) int {
		return cmp.Or(cmp.Compare(b.Prior, a.Prior), cmp.Compare(b.Target, a.Target), cmp.Compare(a.Index, b.Index))
	})
}

func byWeight(arrows []moveArrow) {
	slices.SortStableFunc(arrows, func(a, b moveArrow) int { return cmp.Compare(b.Share, a.Share) })
}
