package dataset

// AddLine counts a kept line, its labels included. GamesRead is not touched.
func (c *Counts) AddLine(l *Line) {
	c.GamesKept++
	c.Positions += int64(len(l.Moves) + 1)
	c.Samples += int64(l.SampleCount())
	for _, column := range l.Labels {
		c.AddLabels(column.Labels)
	}
}

// AddLabels counts labels by status.
func (c *Counts) AddLabels(labels []Label) {
	for i := range labels {
		switch labels[i].Status {
		case Labelled:
			c.Labelled++
		case Terminal:
			c.Terminal++
		case Failed:
			c.Failed++
		}
	}
}

// Subtract takes kept lines out again and counts them as rejected for that reason; SamplesDropped is not touched.
func (c *Counts) Subtract(d *Counts, reason Reason) {
	c.GamesKept -= d.GamesKept
	c.Positions -= d.Positions
	c.Samples -= d.Samples
	c.Labelled -= d.Labelled
	c.Terminal -= d.Terminal
	c.Failed -= d.Failed
	if d.GamesKept > 0 {
		c.Rejects[reason] += d.GamesKept
	}
}
