package export

import (
	"fmt"
	"strings"

	"talbot/dataset"
	"talbot/internal/durable"
)

// Format is a file format that samples are written in.
type Format struct {
	Name  string
	About string // for whom it is, in a few words
	// Needs are what every sample must have: those without are left out.
	Needs []Fact
	// Lacks are what the format cannot hold: samples that have it are written without.
	Lacks []Fact
	// Encoded says that a sample is written as a recipe encodes it, and so that the request has an encoder.
	Encoded bool

	// begin begins a file. The writer belongs to one goroutine.
	begin func(out *durable.AtomicFile, r *Request) (writer, error)
}

// writer writes the samples of a file. It may also have the method endLine.
type writer interface {
	// sample writes a sample, which has what the format needs and is not kept. Those of a line come one after another,
	// by ascending ply.
	sample(s *Sample) error
	// end writes what stands at the end of the file, which is not committed yet.
	end() error
}

// lineWriter is a [writer] that writes whole lines.
type lineWriter interface {
	// endLine is called after the last sample of each line of which there was one.
	endLine() error
}

// formats lists all of them, in the order in which help names them. A new one is a file and a line here.
var formats = []*Format{parquetFormat, npyFormat, binpackFormat, textFormat, bulletFormat, leelaFormat,
	polyglotFormat}

// Formats returns all formats.
func Formats() []*Format { return formats }

// FormatNames returns their names.
func FormatNames() (names []string) {
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// ParseFormat finds a format by its name; the error lists all names.
func ParseFormat(name string) (*Format, error) {
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
	}
	return nil, fmt.Errorf("format must be one of %s: %q", strings.Join(FormatNames(), ", "), name)
}

// Sample is a sample with what formats write of it.
type Sample struct {
	*dataset.Walker // stands at it
	Split           dataset.Split
	Input           string          // name of the file that the line was read from; may be empty
	Counted         dataset.Counted // the labels that count
}

// Label returns the label that counts for moves; false unless an engine or a source gave one with a score.
func (s *Sample) Label() (l *dataset.Label, ok bool) {
	l = &s.Counted.Moves
	return l, l.Status == dataset.Labelled && len(l.Lines) > 0
}

// Fact is something that a sample may have.
type Fact struct {
	Name  string // in counts: "multipv"
	About string // for people, as in “the format cannot hold …”
	Has   func(s *Sample) bool
}

// What samples may have, for formats to name.
var (
	Result = Fact{"result", "the result of the game",
		func(s *Sample) bool { return s.Line().Result != dataset.ResultUnknown }}
	Score = Fact{"score", "a score", func(s *Sample) bool { _, ok := s.Label(); return ok }}

	Headers = Fact{"headers", "headers of games (players, ratings, event)", func(s *Sample) bool {
		l := s.Line()
		return l.WhiteElo > 0 || l.BlackElo > 0 || len(l.Tags) > 0
	}}
	Clocks = Fact{"clocks", "the time that players had left", func(s *Sample) bool {
		_, before := s.Line().ClockBefore(s.Ply())
		_, after := s.Line().ClockAfter(s.Ply())
		return before || after
	}}
	Policies = Fact{"policies", "policies of several moves", func(s *Sample) bool {
		l := s.Line()
		return l.Policies != nil && len(l.Policies[s.Walker.Sample()]) > 1
	}}
	MultiPV = Fact{"multipv", "searched lines besides the best", func(s *Sample) bool {
		l, ok := s.Label()
		return ok && len(l.Lines) > 1
	}}
	Variations = Fact{"variations", "variations after their first move", func(s *Sample) bool {
		l, ok := s.Label()
		return ok && len(l.Lines[0].PV) > 1
	}}
	Chances = Fact{"wdl", "chances of win, draw and loss", func(s *Sample) bool {
		l, ok := s.Label()
		return ok && l.Lines[0].WDL != dataset.WDL{}
	}}
	Effort = Fact{"effort", "depths and nodes of searches", func(s *Sample) bool {
		l, ok := s.Label()
		return ok && (l.Lines[0].Depth > 0 || l.Lines[0].Nodes > 0)
	}}
	Mates = Fact{"mates", "mates in a number of moves", func(s *Sample) bool {
		l, ok := s.Label()
		if !ok {
			return false
		}
		_, mate := l.Lines[0].Score.Mate()
		return mate
	}}
	Tables = Fact{"tables", "results of endgame tables", func(s *Sample) bool {
		return s.Counted.ValueColumn != s.Counted.Column
	}}
	OtherLabels = Fact{"other_labels", "labels of other fingerprints", func(s *Sample) bool {
		said := 0
		for _, c := range s.Line().Labels {
			if c.Labels[s.Walker.Sample()].Status == dataset.Labelled {
				said++
			}
		}
		return said > 1
	}}
	Predictions = Fact{"predictions", "predictions of networks",
		func(s *Sample) bool { return len(s.Line().Predictions) > 0 }}
	Reconstructed = Fact{"reconstructed", "which moves of a history were reconstructed",
		func(s *Sample) bool { return s.Line().Reconstructed > 0 }}
	History = Fact{"history", "the moves before a position", func(s *Sample) bool { return s.Ply() > 0 }}
)
