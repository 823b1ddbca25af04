package pgn

import (
	"fmt"
	"testing"
)

// TestClocks reads the time left after each move, in any form that is found, and nothing else: %emt is the time that a
// move took.
func TestClocks(t *testing.T) {
	for text, want := range map[string]string{
		"1. e4 {[%clk 0:01:02]} e5 2. Nf3 {[%clk 1:00:00.5]} Nc6 {[%clk x]}": "[620 -1 36005 -1]",
		"1. e4 {[%clk\n0:01:02]} e5 {[%eval\r\n0.2] [%clk\r\n0:01:\r\n03]} " +
			"2. Nf3 {[%clk\t1:00:00\n]}": "[620 630 36000]",
		"1. e4 {[%emt 0:00:01]} e5 {[%clk 0:0:9.87] [%emt 1]}":                              "[-1 98]",
		"1. e4 {[%clk 1:02]} {[%clk 0:00:07]} e5 (1... c5 {[%clk 0:00:08]})":                "[620 -1]",
		"{[%clk 0:10:00]} 1. e4 {[%clkx 0:01:00]} e5 {[%clk 0:01:00":                        "",
		"1. e4 {[%clk 5]} e5 {[%clk 1:2:3:4]} 2. d4 {[%clk 65535:00:00]} d5 {[%clk -1:00]}": "[]",
	} {
		p := &Parser{ReadClocks: true}
		l, reject := p.Parse(Game{Text: []byte(text)})
		got := fmt.Sprint(l.Clocks)
		if reject != nil {
			got = ""
		}
		if got != want || len(l.Clocks) > 0 && len(l.Clocks) != len(l.Moves) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
