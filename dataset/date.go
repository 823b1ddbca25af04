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
		_, err := time.Parse(form, dateSeparators.Replace(s))
		return err == nil
	})
	first, last, ok := dateRange(s)
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

// Dates returns the first and the last day that the date of a game can be, by its tag Date, or by UTCDate where that
// says it more closely. ok is false without a year.
func (l *Line) Dates() (first, last Date, ok bool) {
	first, last, ok = dateRange(l.Tag("Date"))
	from, to, utc := dateRange(l.Tag("UTCDate"))
	if !utc || ok && (from.before(first) || last.before(to)) {
		return first, last, ok
	}
	return from, to, true
}

var dateSeparators = strings.NewReplacer(".", "-", "/", "-")

// dateRange returns the first and the last day that a date can be: “1960.03.15”, “1960-03-15 19:01:53”, “1960.03.??”,
// “1960.??.??” or “1960”, and with the year last “15.03.1960” or “03/15/1960”; of “05.03.1960” either number may be the
// day. The year has four digits. A month or day that is no number, or none of the calendar, counts as unknown.
func dateRange(text string) (first, last Date, ok bool) {
	text, _, _ = strings.Cut(text, " ")
	text, _, _ = strings.Cut(text, "T")
	parts := append(strings.Split(dateSeparators.Replace(text), "-"), "", "")
	var n [3]int
	for i := range n {
		if v, err := strconv.ParseUint(parts[i], 10, 14); err == nil {
			n[i] = int(v)
		}
	}
	if len(parts[0]) == 4 && n[0] > 0 {
		first, last = daysOf(n[0], n[1], n[2])
		return first, last, true
	}
	if len(parts[2]) != 4 || n[2] == 0 {
		return first, last, false
	}
	first, last = daysOf(n[2], n[1], n[0]) // the day first
	from, to := daysOf(n[2], n[0], n[1])
	if n[0] <= 12 && (n[1] > 12 || from.before(first)) {
		first = from
	}
	if n[0] <= 12 && (n[1] > 12 || last.before(to)) {
		last = to
	}
	return first, last, true
}

// daysOf returns the first and the last day of a year, a month or a day; 0 is not known.
func daysOf(year, month, day int) (first, last Date) {
	if month < 1 || month > 12 {
		return Date{year, 1, 1}, Date{year, 12, 31}
	}
	days := time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	if day < 1 || day > days {
		return Date{year, month, 1}, Date{year, month, days}
	}
	return Date{year, month, day}, Date{year, month, day}
}
