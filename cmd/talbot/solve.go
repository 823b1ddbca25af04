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

	"talbot/dataset"
	"talbot/inspect/solve"
	"talbot/internal/humanize"
	"talbot/internal/output"
	"talbot/internal/plain"
	"talbot/play/engine"
	"talbot/play/match"
	"talbot/stockfish"
)

type solveOptions struct {
	nodes    string
	movetime time.Duration
	count    int
	seed     uint64
	splits   []string
	misses   string
	force    bool
	workers  int
	json     bool
}

func newSolve() *cobra.Command {
	var o solveOptions
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
somebody who would solve as many, on the scale of the puzzles' own ratings: Lichess's
puzzle ratings are not those of its games.

--misses writes the puzzles that were not solved, with the move that was wrong. If you
trained on puzzles, solve a dataset with --split test.`,
		Example: `  talbot solve net: puzzles.csv --nodes 400
  talbot solve net: puzzles.csv --nodes 100,400,1600 --count 300
  talbot solve cmd:stockfish puzzles.csv --nodes 100 --misses misses.csv
  talbot solve run:run1,searcher=policy puzzles --json`,
		SuggestFor: []string{"puzzles", "tactic", "epd"},
		Args:       operands(2, 2, "a player and puzzles"),
		RunE:       func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.nodes, "nodes", "400", "nodes for each move: one `NUMBER` or several, separated by commas")
	f.DurationVar(&o.movetime, "movetime", 0, "time for each move, in place of nodes")
	f.IntVarP(&o.count, "count", "n", 1000, "number of puzzles to draw (0 = all)")
	f.Uint64Var(&o.seed, "seed", 1, "seed for drawing puzzles and for random choices of the player")
	f.StringSliceVar(&o.splits, "split", nil,
		"only puzzles in these `SPLITS` of a dataset, separated by commas: train, val, test")
	f.IntVarP(&o.workers, "workers", "w", 0, "puzzles to solve at the same time (default: one for each physical core)")
	f.StringVar(&o.misses, "misses", "", "write the puzzles that were not solved to this CSV `FILE`")
	addForce(f, &o.force)
	f.BoolVar(&o.json, "json", false, "print the result as one JSON object")
	section(f, "Player", "nodes", "movetime", "workers")
	section(f, "Puzzles", "count", "seed", "split")
	section(f, "Output", "misses", "force", "json")
	values(cmd, "split", "train", "val", "test")
	return cmd
}

// solveResult is what `talbot solve --json` prints.
type solveResult struct {
	Player  string          `json:"player"`
	Puzzles int64           `json:"puzzles"` // of the input
	Rejects int64           `json:"rejects"` // lines of the input that could not be read
	Seed    uint64          `json:"seed"`
	Results []solve.Figures `json:"results"` // by limit
}

// limits reads the limits of the player.
func (o *solveOptions) limits(cmd *cobra.Command, s match.Spec) (all []match.Limits, err error) {
	switch {
	case s.Limits != (match.Limits{}):
		if cmd.Flags().Changed("nodes") || o.movetime != 0 {
			return nil, usage(fmt.Errorf("player %q has a limit of its own", s.Text),
				"leave out --nodes and --movetime")
		}
		if s.Limits.Control != (match.TimeControl{}) {
			return nil, usage(fmt.Errorf("player %q: a puzzle has no clock", s.Text),
				"give nodes=100, depth=5 or movetime=100ms in place of tc=")
		}
		return []match.Limits{s.Limits}, s.Limits.Check()
	case o.movetime != 0 && cmd.Flags().Changed("nodes"):
		return nil, usage(errors.New("--nodes and --movetime cannot be used together"), "use one of them")
	case o.movetime != 0:
		all = []match.Limits{{MoveTime: o.movetime}}
	case s.Kind != "random" && engine.NeedsLimit(s) || s.Kind == "run":
		for text := range strings.SplitSeq(o.nodes, ",") {
			n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
			if err != nil {
				return nil, usage(fmt.Errorf("--nodes %q: %q is not a whole number", o.nodes, text),
					"for example --nodes 100,400,1600")
			}
			all = append(all, match.Limits{Nodes: n})
		}
	default:
		return []match.Limits{{}}, nil
	}
	for _, l := range all {
		if err := l.Check(); err != nil {
			return nil, usage(err, "for example --nodes 100,400,1600 or --movetime 100ms")
		}
	}
	return all, nil
}

func (o *solveOptions) run(cmd *cobra.Command, args []string) error {
	spec, err := match.ParsePlayer(args[0])
	if err != nil {
		return usage(err, "for example net: or cmd:stockfish")
	}
	if err := checkSettings(spec); err != nil {
		return err
	}
	limits, err := o.limits(cmd, spec)
	if err != nil {
		return err
	}
	if o.count < 0 {
		return usage(fmt.Errorf("--count must not be below 0: %d", o.count), "for example --count 1000; 0 is all")
	}
	in := solve.Input{Path: args[1]}
	for _, name := range o.splits {
		split, err := dataset.ParseSplit(name)
		if err != nil {
			return usage(err, "for example --split test")
		}
		in.Splits = append(in.Splits, split)
	}
	if o.misses != "" {
		to := outputFile{flag: "--misses", path: o.misses, force: o.force, inputs: args[1:]}
		if o.misses, err = to.check(); err != nil {
			return err
		}
	}
	ctx, stop := stops(cmd.Context())
	defer stop()
	var networks engine.Shared
	defer networks.Close()
	e, err := match.Enter(ctx, spec, limits[0], networks.Entrant)
	if err != nil {
		return repeatable(err)
	}
	if e.Instant {
		limits = limits[:1]
	}
	puzzles, all, err := solve.Choose(ctx, &in, o.count, o.seed)
	if err != nil {
		return repeatable(err)
	}
	if !cmd.Flags().Changed("workers") {
		o.workers = stockfish.DefaultWorkers()
	}
	show, end := showProgress()
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
		return errors.Join(printJSON(result), repeatable(err))
	}
	return errors.Join(printSolved(stdout, &result), repeatable(err))
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
