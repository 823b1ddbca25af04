// Package humanize writes numbers for people: counts with their noun, shares, rates, sizes and times.
package humanize

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Thousands writes a count with a comma between groups of three digits.
func Thousands(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Count writes a number with its noun, given in the singular: 1 game, 1,234 games, 2 copies.
func Count(n int64, one string) string {
	if n != 1 {
		one = plural(one)
	}
	return Thousands(n) + " " + one
}

func plural(one string) string {
	last := len(one) - 1
	switch {
	case last > 0 && one[last] == 'y' && !strings.ContainsRune("aeiou", rune(one[last-1])):
		return one[:last] + "ies"
	case strings.HasSuffix(one, "x"), strings.HasSuffix(one, "s"), strings.HasSuffix(one, "ch"):
		return one + "es"
	}
	return one + "s"
}

// Singular returns the noun of which many is the plural.
func Singular(many string) string {
	for _, one := range []string{strings.TrimSuffix(many, "ies") + "y", strings.TrimSuffix(many, "es"),
		strings.TrimSuffix(many, "s")} {
		if plural(one) == many {
			return one
		}
	}
	return many
}

// Reasons writes counts by reason, in alphabetical order: "player 549, short 1,234"; "none" if there are none.
func Reasons[K ~string](counts map[K]int64) string {
	if len(counts) == 0 {
		return "none"
	}
	var all []string
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, string(reason)+" "+Thousands(counts[reason]))
	}
	return strings.Join(all, ", ")
}

// Percent writes a share (0 to 1) with one decimal, and with more below 1 %.
func Percent(share float64) string {
	switch share *= 100; {
	case share > 0 && share < 0.0001:
		return "< 0.0001 %"
	case share > 0 && share < 1:
		return fmt.Sprintf("%.*f %%", min(1-int(math.Floor(math.Log10(share))), 4), share)
	}
	return fmt.Sprintf("%.1f %%", share)
}

// Rate writes a number per second: 0.4/s, 1,234/s, 54.6 M/s.
func Rate(x float64) string {
	switch {
	case x >= 1e9:
		return fmt.Sprintf("%.1f G/s", x/1e9)
	case x >= 1e6:
		return fmt.Sprintf("%.1f M/s", x/1e6)
	case x >= 10:
		return Thousands(int64(x)) + "/s"
	}
	return fmt.Sprintf("%.1f/s", x)
}

// Size writes a number of bytes: 512 B, 12.3 kB, 54.6 MB.
func Size(bytes float64) string {
	for _, unit := range []struct {
		bytes float64
		name  string
	}{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if bytes >= unit.bytes {
			return fmt.Sprintf("%.1f %s", bytes/unit.bytes, unit.name)
		}
	}
	return fmt.Sprintf("%.0f B", bytes)
}

// Duration writes a time to the second, from an hour on to the minute, from two days on to the hour: 3m20s, 1h5m, 3d4h.
func Duration(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d < time.Hour:
		return d.String()
	case d < 48*time.Hour:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	hours := int64(d.Round(time.Hour) / time.Hour)
	return fmt.Sprintf("%dd%dh", hours/24, hours%24)
}

// About writes an estimated time with two or three digits: 350ms, 2.4s, 12s, 3m20s, 42m, 5h20m.
func About(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < 10*time.Minute:
		return d.Round(time.Second).String()
	case d < time.Hour:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	return Duration(d)
}

// Shape writes the sizes of an array's axes, such as "112×8×8"; that of a number is "1".
func Shape(axes []int) string {
	if len(axes) == 0 {
		return "1"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(axes), " ", "×"), "[]")
}
