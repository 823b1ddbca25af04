package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Date is a day of the calendar. The zero value is no date.
type Date struct{ Year, Month, Day int }

// ParseDate reads 1960-03-15 or 1960.03.15, a month as 1960-03 or a year as 1960: their first day, or their last
// one if end is set.
func ParseDate(s string, end bool) (Date, error) {
	// A filter needs a full date, unlike a PGN tag.
	given := slices.ContainsFunc([]string{"2006-1-2", "2006-1", "2006"}, func(form string) bool {
		_, err := time.Parse(form, strings.NewReplacer(".", "-", "/", "-").Replace(s))
		return err == nil
	})
	first, last, ok := dateRange(strings.ReplaceAll(s, "-", "."))
	if !ok || !given {
		return Date{}, fmt.Errorf("invalid date %q; expected 1960-03-15, 1960-03 or 1960", s)
	}
	if end {
		return last, nil
	}
	return first, nil
}

// String returns the date as 1960-03-15, or "" for no date.
func (d Date) String() string {
	if d == (Date{}) {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day)
}

func (d Date) before(o Date) bool { return d.String() < o.String() }

// dateRange returns the first and the last day that a date of PGN can be: “1960.03.15”, “1960.03.??”, “1960.??.??”
// or “1960”. A month or day that is no number, or none of the calendar, counts as unknown.
func dateRange(text string) (first, last Date, ok bool) {
	var n [3]int
	for i, part := range strings.FieldsFunc(text, func(r rune) bool { return r == '.' || r == '/' }) {
		v, err := strconv.Atoi(part)
		if i > 2 || err != nil || v < 1 {
			break
		}
		n[i] = v
	}
	year, month, day := n[0], n[1], n[2]
	if year < 1 || year > 9999 {
		return first, last, false
	}
	if month < 1 || month > 12 {
		return Date{year, 1, 1}, Date{year, 12, 31}, true
	}
	days := time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	if day < 1 || day > days {
		return Date{year, month, 1}, Date{year, month, days}, true
	}
	return Date{year, month, day}, Date{year, month, day}, true
}
