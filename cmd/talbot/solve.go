package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/inspect/solve"
	"talbot/internal/cli"
	"talbot/internal/flags"
	"talbot/internal/humanize"
	"talbot/internal/output"
	"talbot/internal/plain"
	"talbot/play/engine"
	"talbot/play/match"
	"talbot/stockfish"
)

type solveOptions struct {
	solve.Input
	nodes    []int64
	movetime time.Duration
	count    int
	seed     uint64
	misses   string
	workers  int
	json     bool
	force    bool
}

func newSolve() *cobra.Command {
	o := solveOptions{count: 1000, seed: 1}
	cmd := &cobra.Command{
		Use:   "solve PLAYER PUZZLES",
		Short: "Have a player solve puzzles, by rating and theme",
		Long: `Solve has a player solve puzzles: a file of Lichess puzzles, an EPD suite with best moves
(bm) or moves to avoid (am), or a dataset that was made of them. A player is one of those
of ` + "`talbot match`" + `, with the same settings: net:, run:RUN, cmd:ENGINE or random:.

A puzzle is solved if all its moves are found, one after the other as in a game; the
replies are the puzzle's. As on Lichess, any move that gives mate is right. A player with
several --nodes solves each puzzle once with each number.

Without --count it is 1,000 puzzles, drawn from all of the input. The rating is that of
somebody who would solve the same share, on the scale of the puzzles' own ratings, which is
not that of games. If you trained on puzzles, solve a dataset with --split test. See
docs/12-play.md.`,
		Example: `  talbot solve net: puzzles.csv --nodes 400
  talbot solve net: puzzles.csv --nodes 100,400,1600 --count 300
  talbot solve cmd:stockfish puzzles.csv --nodes 100 --misses misses.csv
  talbot solve run:run1,searcher=policy puzzles --json`,
		SuggestFor: []string{"puzzles", "tactic", "epd"},
		Args:       operands(2, 2, "a player and puzzles"),
		RunE:       func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	f := flags.Of(cmd)
	f.Section("Player")
	flags.List(f, &o.nodes, "nodes", "100,400,1600", parseNodes,
		"nodes for each move: one `NUMBER` or several, separated by commas (default: 400)")
	flags.Above(f, &o.movetime, "movetime", 0, "time for each move, in place of nodes")
	f.AtMostOne("nodes", "movetime")
	addWorkers(f, &o.workers, "puzzles to solve at the same time (default: one for each physical core)")
	f.Section("Puzzles")
	flags.AtLeast(f, &o.count, "count,n", 0, "number of puzzles to draw (0 = all)")
	addSeed(f, &o.seed, "seed for drawing puzzles and for random choices of the player")
	addSplitFilter(f, &o.Splits, "only puzzles in these `SPLITS` of a dataset, separated by commas: train, val, test")
	f.Section("Output")
	f.String(&o.misses, "misses", "write the puzzles that were not solved to this CSV `FILE`")
	addForce(f, &o.force)
	addJSON(f, &o.json)
	return cmd
}

func parseNodes(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is not a whole number above 0", text)
	}
	return n, nil
}

// solveResult is what `talbot solve --json` prints.
type solveResult struct {
	Player  string          `json:"player"`
	Puzzles int64           `json:"puzzles"` // of the input
	Rejects int64           `json:"rejects"` // lines of the input that could not be read
	Seed    uint64          `json:"seed"`
	Results []solve.Figures `json:"results"` // by limit
}

// limits returns the limits of the player.
func (o *solveOptions) limits(f *pflag.FlagSet, s match.Spec) (all []match.Limits, err error) {
	switch {
	case s.Limits != (match.Limits{}):
		if f.Changed("nodes") || f.Changed("movetime") {
			return nil, usage(fmt.Errorf("player %q has a limit of its own", s.Text),
				"leave out --nodes and --movetime")
		}
		if s.Limits.Control != (match.TimeControl{}) {
			return nil, usage(fmt.Errorf("player %q: a puzzle has no clock", s.Text),
				"give nodes=100, depth=5 or movetime=100ms in place of tc=")
		}
		return []match.Limits{s.Limits}, s.Limits.Check()
	case o.movetime != 0:
		return []match.Limits{{MoveTime: o.movetime}}, nil
	case s.Kind != "random" && engine.NeedsLimit(s) || s.Kind == "run":
		if o.nodes == nil {
			o.nodes = []int64{400}
		}
		for _, n := range o.nodes {
			all = append(all, match.Limits{Nodes: n})
		}
		return all, nil
	}
	return []match.Limits{{}}, nil
}

func (o *solveOptions) run(cmd *cobra.Command, args []string) error {
	spec, err := match.ParsePlayer(args[0])
	if err != nil {
		return usage(err, "for example net: or cmd:stockfish")
	}
	if err := checkSettings(spec); err != nil {
		return err
	}
	limits, err := o.limits(cmd.Flags(), spec)
	if err != nil {
		return err
	}
	in := o.Input
	in.Path = args[1]
	if o.misses != "" {
		to := outputFile{flag: "--misses", path: o.misses, force: o.force, inputs: args[1:]}
		if o.misses, err = to.check(); err != nil {
			return err
		}
	}
	ctx, stop := cli.Stops(cmd.Context())
	defer stop()
	var networks engine.Shared
	defer networks.Close()
	e, err := match.Enter(ctx, spec, limits[0], networks.Entrant)
	if err != nil {
		return cli.Repeatable(err)
	}
	if e.Instant {
		limits = limits[:1]
	}
	puzzles, all, err := solve.Choose(ctx, &in, o.count, o.seed)
	if err != nil {
		return cli.Repeatable(err)
	}
	if o.workers == 0 {
		o.workers = stockfish.DefaultWorkers()
	}
	show, end := cli.ShowProgress()
	r := solve.Request{Puzzles: puzzles, Limits: limits, Seed: o.seed, Workers: o.workers, Progress: show,
		New: func(seat int) (match.Player, error) { return e.New(seat, match.NewEngineLog(io.Discard, false)) }}
	answers, err := r.Run(ctx)
	end()
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	result := solveResult{Player: e.Name, Puzzles: all, Rejects: in.Rejects, Seed: o.seed}
	for i, l := range limits {
		result.Results = append(result.Results, solve.Summarise(puzzles, answers[i], l))
	}
	if err == nil && o.misses != "" {
		if err := writeMisses(o.misses, &r, answers); err != nil {
			return err
		}
	}
	if o.json {
		return errors.Join(printJSON(result), cli.Repeatable(err))
	}
	return errors.Join(printSolved(cli.Stdout, &result), cli.Repeatable(err))
}

// printSolved prints a column for each limit, a row for all, for each band of ratings and for the frequent themes.
func printSolved(out io.Writer, r *solveResult) error {
	first := &r.Results[0]
	plain.Fprintf(out, "%s: %s of %s", plain.Escape(r.Player), humanize.Thousands(first.Puzzles),
		humanize.Count(r.Puzzles, "puzzle"))
	if r.Rejects > 0 {
		plain.Fprintf(out, ", %s could not be read", humanize.Count(r.Rejects, "line"))
	}
	fmt.Fprint(out, "\n\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\tpuzzles")
	for i := range r.Results {
		name := r.Results[i].Limit
		if name == "" {
			name = "solved"
		}
		fmt.Fprintf(w, "\t%s\t", name)
	}
	fmt.Fprint(w, "\t\n")
	row := func(name string, of func(*solve.Figures) []solve.Share) {
		var cells []string
		puzzles := int64(0)
		for i := range r.Results {
			list := of(&r.Results[i])
			k := slices.IndexFunc(list, func(s solve.Share) bool { return s.Name == name })
			if k < 0 || list[k].Puzzles == 0 { // interrupted before
				cells = append(cells, "-", "")
				continue
			}
			s := &list[k]
			puzzles = max(puzzles, s.Puzzles)
			cells = append(cells, fmt.Sprintf("%.1f %%", 100*float64(s.Solved)/float64(s.Puzzles)),
				fmt.Sprintf("%.0f…%.0f", 100*s.Interval[0], 100*s.Interval[1]))
		}
		plain.Fprintf(w, "%s\t%s\t", plain.Escape(name), humanize.Thousands(puzzles))
		fmt.Fprint(w, strings.Join(cells, "\t"), "\t\n")
	}
	row("all", func(f *solve.Figures) []solve.Share { return []solve.Share{f.Share} })
	for _, b := range first.Bands {
		row(b.Name, func(f *solve.Figures) []solve.Share { return f.Bands })
	}
	for _, t := range first.Themes[:min(len(first.Themes), shownThemes)] {
		row(t.Name, func(f *solve.Figures) []solve.Share { return f.Themes })
	}
	if slices.ContainsFunc(r.Results, func(f solve.Figures) bool { return f.Rating != nil }) {
		fmt.Fprint(w, "rating\t")
		for i := range r.Results {
			if e := r.Results[i].Rating; e != nil {
				fmt.Fprintf(w, "\t%.0f\t%.0f…%.0f", e.Elo, e.Low, e.High)
			} else {
				fmt.Fprint(w, "\t-\t")
			}
		}
		fmt.Fprint(w, "\t\n")
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for i := range r.Results {
		if n := r.Results[i].Faults; n > 0 {
			plain.Fprintf(out, "%s: %s of the player, such as illegal moves\n", r.Results[i].Limit,
				humanize.Count(n, "fault"))
		}
	}
	fmt.Fprintln(out, "\nranges are 95 % intervals")
	return nil
}

// shownThemes is how many themes are printed; --json has all.
const shownThemes = 14

// writeMisses writes the puzzles that were not solved.
func writeMisses(path string, r *solve.Request, answers [][]solve.Answer) error {
	var table bytes.Buffer
	w := csv.NewWriter(&table)
	_ = w.Write([]string{"number", "puzzle", "rating", "limit", "fen", "best", "played", "fault"})
	for l, list := range answers {
		for i, a := range list {
			if !a.Asked || a.Solved {
				continue
			}
			p := r.Puzzles[i]
			step, at := &p.Steps[a.Step], p.Start
			for _, m := range p.Moves[:step.Ply] {
				at.Play(m)
			}
			played, fault := a.Move.String(), ""
			if a.Fault != nil {
				played, fault = "", a.Fault.Error()
			}
			best := make([]string, 0, len(step.Best))
			for _, m := range step.Best {
				best = append(best, m.String())
			}
			for _, m := range step.Avoid {
				best = append(best, "not "+m.String())
			}
			_ = w.Write([]string{strconv.FormatInt(p.Number, 10), p.Name, strconv.Itoa(p.Rating),
				r.Limits[l].String(), at.FEN(), strings.Join(best, " "), played, fault})
		}
	}
	if w.Flush(); w.Error() != nil {
		return w.Error()
	}
	return output.WriteFile(path, table.Bytes())
}
