package shards

import (
	"encoding/binary"
	"slices"

	"talbot/dataset"
)

// The units of a line's clocks.
const (
	noClocks = iota
	clockSeconds
	clockTenths
)

// clockColumns are the clocks of a block's lines.
type clockColumns struct {
	units []byte // a byte for each line
	left  []byte // signed varint for each move of a line with clocks
}

// add appends the clocks of a line. For each move it writes 0 if the time left is not known, otherwise by how much, in
// the line's unit, it is less than it was after the last known move of that side, at first 0, counted away from 0: …,
// −2 is 1 more, −1 is the same, 1 is 1 less, ….
func (c *clockColumns) add(l *dataset.Line) {
	unit := clockUnit(l.Clocks)
	if c.units = append(c.units, byte(unit)); unit == noClocks {
		return
	}
	var last [2]int64
	for ply, tenths := range l.Clocks {
		if tenths == dataset.NoClock {
			c.left = append(c.left, 0)
			continue
		}
		now := int64(tenths)
		if unit == clockSeconds {
			now /= 10
		}
		spent := last[ply%2] - now
		if spent <= 0 {
			spent--
		}
		c.left = binary.AppendVarint(c.left, spent)
		last[ply%2] = now
	}
}

// clockUnit returns the largest unit that has all clocks of a line.
func clockUnit(clocks []int32) int {
	unit := noClocks
	for _, tenths := range clocks {
		switch {
		case tenths == dataset.NoClock:
		case tenths%10 != 0:
			return clockTenths
		default:
			unit = clockSeconds
		}
	}
	return unit
}

// clocks reads the clocks of the lines of a block.
func (b *rawBlock) clocks(lines []dataset.Line) {
	units := b.fixed(colClockUnit, len(lines), 1)
	total := 0
	for i, unit := range units {
		if unit > clockTenths {
			b.fail(colClockUnit, "line %d: %d", i, unit)
		}
		if unit != noClocks {
			total += len(lines[i].Moves)
		}
	}
	if !room[int32](b, total) {
		return
	}
	left, arena := b.varints(colClockLeft), make([]int32, total)
	for i, unit := range units {
		if unit == noClocks {
			continue
		}
		n := len(lines[i].Moves)
		lines[i].Clocks, arena = arena[:n:n], arena[n:]
		var last [2]int64
		for ply := range lines[i].Clocks {
			spent := left.int()
			if spent == 0 {
				lines[i].Clocks[ply] = dataset.NoClock
				continue
			}
			if spent < 0 {
				spent++
			}
			if spent < -dataset.MaxClock || spent > dataset.MaxClock {
				b.fail(colClockLeft, "line %d, ply %d: %d more or less", i, ply, spent)
			}
			now := last[ply%2] - spent
			last[ply%2] = now
			if unit == clockSeconds {
				now *= 10
			}
			if now < 0 || now > dataset.MaxClock {
				b.fail(colClockLeft, "line %d, ply %d: clock of %d tenths", i, ply, now)
				return
			}
			lines[i].Clocks[ply] = int32(now)
		}
		if !slices.ContainsFunc(lines[i].Clocks, func(c int32) bool { return c != dataset.NoClock }) {
			b.fail(colClockUnit, "line %d has no clock", i)
		}
	}
	if !left.end() {
		b.fail(colClockLeft, "not a number for each move of a line with clocks")
	}
}
