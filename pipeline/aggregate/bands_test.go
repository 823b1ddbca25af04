package aggregate

import (
	"strconv"
	"strings"
	"testing"
)

func TestBands(t *testing.T) {
	for elo, want := range map[int]int{1: 0, 1499: 0, 1500: 1, 1999: 1, 2000: 2, 2499: 2, 2500: 3, 9999: 3} {
		if got, ok := DefaultBands.of(elo); got != want || !ok {
			t.Errorf("%d is in band %d", elo, got)
		}
	}
	if _, ok := DefaultBands.of(0); ok {
		t.Error("an unknown rating is in a band")
	}
	if got, ok := Bands(nil).of(0); got != 0 || !ok {
		t.Error("an unknown rating is in no band")
	}
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
			if own, _ := b.of(band.Elo); own != i {
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
