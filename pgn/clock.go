package pgn

import (
	"bytes"
	"strconv"

	"talbot/dataset"
)

// noteClock reads the clock in a comment after the move at a ply. The first one of a move counts.
func (p *Parser) noteClock(ply int, text []byte) {
	if len(p.clocks) > ply {
		return
	}
	tenths, ok := clockOf(text)
	if !ok {
		return
	}
	for len(p.clocks) < ply {
		p.clocks = append(p.clocks, dataset.NoClock)
	}
	p.clocks = append(p.clocks, tenths)
}

// lineClocks returns the clocks of a line of n moves, nil if there are none.
func (p *Parser) lineClocks(n int) []int32 {
	if len(p.clocks) == 0 {
		return nil
	}
	clocks := make([]int32, n)
	for ply := copy(clocks, p.clocks); ply < n; ply++ {
		clocks[ply] = dataset.NoClock
	}
	return clocks
}

// clockOf returns the tenths of a second of a “[%clk 1:02:03]” or “[%clk 0:00:09.8]” in a comment.
func clockOf(text []byte) (tenths int32, ok bool) {
	value, ok := command(text, "clk")
	if !ok {
		return 0, false
	}
	value, fraction, _ := bytes.Cut(value, []byte("."))
	total, parts := int64(0), 0
	for more := true; more; parts++ {
		var part []byte
		part, value, more = bytes.Cut(value, []byte(":"))
		n, err := strconv.ParseUint(string(bytes.TrimSpace(part)), 10, 16)
		if err != nil {
			return 0, false
		}
		total = 60*total + int64(n)
	}
	total *= 10
	if len(fraction) > 0 {
		if fraction[0] < '0' || fraction[0] > '9' {
			return 0, false
		}
		total += int64(fraction[0] - '0')
	}
	return int32(total), parts >= 2 && parts <= 3 && total <= dataset.MaxClock
}
