package engine

import (
	"slices"
	"testing"
)

func TestWithUsual(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		usual int
		want  []int
	}{
		{[]int{1, 4, 16}, 8, []int{1, 4, 8, 16}},
		{[]int{1, 8, 16}, 8, []int{1, 8, 16}},
		{[]int{1, 4}, 8, []int{1, 4, 8}},
		{[]int{16}, 8, []int{8, 16}},
		{[]int{8}, 8, []int{8}},
	} {
		if got := withUsual(c.sizes, c.usual); !slices.Equal(got, c.want) {
			t.Errorf("%v with %d: %v", c.sizes, c.usual, got)
		}
	}
}
