package engine

import (
	"encoding/json"
	"fmt"

	"talbot/internal/humanize"
	"talbot/network/builtin"
	"talbot/network/checkpoint"
	"talbot/network/run"
)

// ShippedNetwork describes the network that comes with talbot.
type ShippedNetwork struct {
	Name   string          `json:"name"`   // recipe, size and the beginning of the checksum
	SHA256 string          `json:"sha256"` // the checksum: see package checkpoint
	About  json.RawMessage `json:"about"`  // a [run.ExportMetadata], with the card
	card   *run.Card
}

// Shipped returns the network that comes with talbot.
func Shipped() (s ShippedNetwork, err error) {
	file, err := builtin.Read()
	if err != nil {
		return s, err
	}
	d, err := run.Describe(file, builtin.Name)
	if err == nil && d.Card == nil {
		err = fmt.Errorf("%q: %w: it has no card", builtin.Name, checkpoint.ErrDamaged)
	}
	if err != nil {
		return s, err
	}
	quick, err := Describe(builtin.Name)
	return ShippedNetwork{Name: quick.Name, SHA256: file.Sum, About: file.Meta, card: d.Card}, err
}

// String returns the card in a line.
func (s ShippedNetwork) String() string {
	hours, positions := 0.0, int64(0)
	for _, p := range s.card.Training {
		hours += p.Hours
		positions += (p.To - p.From) * int64(p.Batch)
	}
	return fmt.Sprintf("%s, %s, trained for %.1f h on %s, %s", s.Name,
		humanize.Count(int64(s.card.Parameters), "parameter"), hours, humanize.Count(positions, "position"),
		s.card.Licence)
}
