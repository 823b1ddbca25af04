package pipeline

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"talbot/internal/chart"
)

// Thousands writes a count with a comma between groups of three digits.
func Thousands(n int64) string {
	return chart.Thousands(n)
}

// Count writes how many there are of something, which is named in the singular: 1 game, 1,234 games, 2 copies.
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

// singular returns the noun whose plural [plural] makes.
func singular(many string) string {
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

// Rate writes how many there are in a second: 0.4/s, 1,234/s, 54.6 M/s.
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
