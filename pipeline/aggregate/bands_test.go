package aggregate

import (
	"strconv"
	"strings"
	"testing"

	"talbot/dataset"
)

func TestBands(t *testing.T) {
	for text, want := range map[string]string{
		"1500,2000,2500": "1250 1750 2250 2750", // those of the recipe
		"none":           "0",
		"1800":           "1550 2050",
		"2, 3":           "1 2 3",
		"65534,65535":    "65533 65534 65535",
	} {
		b, err := ParseBands(text)
		if err != nil {
			t.Fatal(text, err)
		}
		var elos []string
		for i, band := range b.list() {
			elos = append(elos, strconv.Itoa(band.Elo))
			if own := dataset.BandOf(b.list(), band.Elo); own != i {
				t.Errorf("%s: the rating %d of band %d is in band %d", text, band.Elo, i, own)
			}
		}
		if got := strings.Join(elos, " "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		if again, err := ParseBands(b.String()); err != nil || again.String() != b.String() {
			t.Errorf("%s is read as %s: %v", b, again, err)
		}
	}
	for _, text := range []string{"", "x", "2000,1500", "1500,1500", "1", "0", "-5", "65536", "1500,",
		strings.Repeat("1,", 70) + "1"} {
		if _, err := ParseBands(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
