package stats

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"talbot/dataset"
	"talbot/internal/chart"
)

// Dates are those of the games, by [dataset.Line.Dates].
type Dates struct {
	Games   int64  `json:"games"`   // with a year at least
	Unknown int64  `json:"unknown"` // the other games
	First   string `json:"first"`   // as far as it is known: "1921", "2021-10" or "2021-10-01"; empty without any
	Last    string `json:"last"`
	// Months counts games by year and month as far as known: "1921", "2021-10". “05.03.2015” is of "2015": either
	// number may be its month.
	Months map[string]int64 `json:"months"`
}

// day is a date as year·10000 + month·100 + day, with zeros for what is not known; 0 if that is all of it. Years have
// four digits.
type day int

// dayOf is the date of a game; 0 if its year is not known.
func dayOf(l *dataset.Line) day {
	first, last, _ := l.Dates()
	d := day(first.Year * 10000)
	if first.Month == last.Month {
		d += day(first.Month * 100)
		if first.Day == last.Day {
			d += day(first.Day)
		}
	}
	return d
}

// String writes the known parts of a date.
func (d day) String() string {
	year, month, date := d/10000, d/100%100, d%100
	switch {
	case month == 0:
		return fmt.Sprintf("%04d", year)
	case date == 0:
		return fmt.Sprintf("%04d-%02d", year, month)
	}
	return fmt.Sprintf("%04d-%02d-%02d", year, month, date)
}

// dates sums up games by day; 0 are those without a date.
func dates(days map[day]int64) Dates {
	all := Dates{Unknown: days[0], Months: map[string]int64{}}
	for _, d := range slices.Sorted(maps.Keys(days)) {
		if d == 0 {
			continue
		}
		if all.Games == 0 {
			all.First = d.String()
		}
		all.Last = d.String()
		all.Games += days[d]
		all.Months[(d / 100 * 100).String()] += days[d]
	}
	return all
}

// bars are the games by month where there are few, else by year, decade or century, without gaps. unit says which.
func (d *Dates) bars() (bars []chart.Bar, unit string) {
	if d.Games == 0 {
		return nil, ""
	}
	onlyYear := func(date string) bool { return len(date) == 4 }
	first, last := monthOf(d.First), monthOf(d.Last)
	step, unit := 12, "year" // step is in months
	switch span := last - first; {
	case span > 0 && span < 36 && !slices.ContainsFunc(slices.Collect(maps.Keys(d.Months)), onlyYear):
		step, unit = 1, "month"
	case last/12-first/12 >= 700:
		step, unit = 1200, "century"
	case last/12-first/12 >= 70:
		step, unit = 120, "decade"
	}
	counts := map[int]int64{}
	for date, n := range d.Months {
		counts[monthOf(date)/step] += n
	}
	for k := first / step; k <= last/step; k++ {
		name := strconv.Itoa(k * step / 12)
		if step == 1 {
			name = fmt.Sprintf("%04d-%02d", k/12, k%12+1)
		}
		bars = append(bars, chart.Bar{Name: name, Count: counts[k]})
	}
	return bars, unit
}

// monthOf numbers the month of a date, January where only the year is known.
func monthOf(date string) int {
	year, _ := strconv.Atoi(date[:4])
	month := 1
	if len(date) > 4 {
		month, _ = strconv.Atoi(date[5:7])
	}
	return 12*year + month - 1
}

// The names of time controls that have no class.
const (
	noClock      = "none" // the tag says "-": unlimited, or days for a move
	unknownClock = "unknown"
)

// clockOf is the class of a game's time control, unknown where the sides' differ.
func clockOf(l *dataset.Line) string {
	class := func(tag string) string {
		if base, increment, ok := dataset.ParseTimeControl(tag); ok {
			return dataset.TimeControlClass(base, increment)
		}
		if tag == "-" {
			return noClock
		}
		return unknownClock
	}
	white, black := l.TimeControls()
	if class(white) != class(black) {
		return unknownClock
	}
	return class(white)
}
