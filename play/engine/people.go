package engine

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"talbot/internal/fault"
	"talbot/network/run"
)

// People is a network of the moves that players of a rating play, such as Maia's.
type People struct {
	Path   string
	Rating int
}

// peopleName is the name of a file that ends in a rating.
var peopleName = regexp.MustCompile(`(?i)(?:^|\D)(\d{3,4})\.pb\.gz$`)

// PeopleRating returns the rating of the players whose moves the network of a file predicts, by the number at the end
// of its name, as in maia-1500.pb.gz: 500 or more in steps of 50. 0: the name has none.
func PeopleRating(path string) int {
	found := peopleName.FindStringSubmatch(filepath.Base(path))
	if found == nil {
		return 0
	}
	rating, _ := strconv.Atoi(found[1])
	if rating < 500 || rating%50 != 0 {
		return 0
	}
	return rating
}

// errNoPeople says what is looked for in a folder.
var errNoPeople = fault.New(fault.ExitUsage, "no networks of people with a rating in their names",
	"it needs files named as maia-1500.pb.gz; docs/24-leela.md says where Maia's are")

// FindPeople returns the networks at a path: those of a folder whose names have a rating, or the one of a file or run,
// whose rating is 0 if its name has none.
func FindPeople(path string) (list []People, err error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() || run.IsRun(path) {
		return []People{{path, PeopleRating(path)}}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if rating := PeopleRating(e.Name()); rating > 0 {
			list = append(list, People{filepath.Join(path, e.Name()), rating})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%q: %w", path, errNoPeople)
	}
	return list, nil
}

// Nearest returns what has the rating nearest to a given one; of two the lower. The list has one at least.
func Nearest[T any](list []T, rating int, of func(T) int) T {
	distance := func(x T) int { return max(of(x)-rating, rating-of(x)) }
	return slices.MinFunc(list, func(a, b T) int {
		return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(of(a), of(b)))
	})
}
