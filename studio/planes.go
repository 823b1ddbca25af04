package studio

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"talbot/encode"
)

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
	namer, ok := e.(encode.Namer)
	if !ok {
		return nil
	}
	size, number := len(data)/max(1, input.Shape[0]), 0
	for _, g := range namer.NumberNames() {
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
