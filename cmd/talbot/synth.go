package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/internal/humanize"
	"talbot/internal/output"
	"talbot/pipeline/endgames"
	"talbot/synth"
)

type synthOptions struct {
	datasetOptions
	count        int64
	pieces       string
	pieceWeights string
	material     string
	materialFile string
	balance      int
	past         synth.Past
	seed         uint64
	split        string
}

func newSynth() *cobra.Command {
	o := synthOptions{past: synth.DefaultPast}
	cmd := &cobra.Command{
		Use:   "synth-endgames --count N --out DIR",
		Short: "Generate random legal endgames with history",
		Long: `Synth-endgames generates random legal positions. It draws the number of pieces first,
then the pieces one by one with their weights, then the squares and the side to move.
This position is the sample. Its past of four plies is found by taking back legal moves,
captures and promotions among them; these moves are marked as reconstructed. No endgame
occurs twice, not even with colours swapped, and none is mate, stalemate or dead.
Rejected draws are counted by reason.

--material draws whole materials in place of single pieces: a list such as
KRPvKR,KQvKR:2 (the second twice as often), or "all", which is every material of at most
two rooks, bishops and knights and one queen a side, all equally often. Each occurs in
both colours. With --pieces the number of pieces is still drawn first. A material that
runs out of positions (king and pawn against king has about 330,000) is reported at the
end, and the others with as many pieces take its share.

The same seed gives the same bytes with any number of workers.`,
		Example: `  talbot synth-endgames --count 10000 --pieces 3-7 --seed 1 --out endgames
  talbot synth-endgames --count 10000 --pieces 4:1,5:2 --balance 3 --out even
  talbot synth-endgames --count 10000 --material KRPvKR,KRPPvKRP:2 --out rooks`,
		SuggestFor: []string{"endgames", "generate", "synth"},
		Args:       noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := o.config(cmd)
			if err != nil {
				return err
			}
			return runSynth(cmd.Context(), o, config)
		},
	}
	o.add(cmd, "number of workers (default: all cores)")
	f := cmd.Flags()
	f.Int64VarP(&o.count, "count", "n", 0, "number of endgames (required)")
	f.StringVar(&o.pieces, "pieces", "3-7",
		"number of pieces including kings: a range such as 3-5, or a list with weights such as 3:1,4:2,5-7:4")
	f.StringVar(&o.pieceWeights, "piece-weights", synth.DefaultConfig().Types.String(),
		"weights for drawing the pieces")
	f.StringVar(&o.material, "material", "",
		"materials to draw, such as KRPvKR,KQvKR:2 (the second twice as often), or all")
	f.StringVar(&o.materialFile, "material-file", "",
		"file with one material a line, such as KRPvKR:2; # begins a comment")
	f.IntVar(&o.balance, "balance", 0,
		"maximum difference of material in pawns, with knight and bishop 3, rook 5 and queen 9 (default: no limit)")
	f.Float64Var(&o.past.Captures, "capture-weight", o.past.Captures,
		"weight of a capture in the history; other moves have 1")
	f.Float64Var(&o.past.Promotions, "promotion-weight", o.past.Promotions,
		"weight of a promotion in the history; other moves have 1")
	f.IntVar(&o.past.MostPieces, "history-max-pieces", o.past.MostPieces, "maximum number of pieces in the history")
	f.Uint64Var(&o.seed, "seed", 0, "random seed")
	f.StringVar(&o.split, "split", dataset.DefaultSplits.String(), "percentages of endgames in train, val and test")
	section(f, "Output", "out", "skip-done", "replace", "count", "split", "seed", "json", "strict", "workers")
	section(f, "Material", "pieces", "piece-weights", "material", "material-file", "balance")
	section(f, "History", "capture-weight", "promotion-weight", "history-max-pieces")
	completeFolder(cmd, "out")
	return cmd
}

// config turns the flags into what is drawn.
func (o *synthOptions) config(cmd *cobra.Command) (c synth.Config, err error) {
	changed := cmd.Flags().Changed
	if o.count <= 0 {
		return c, usage(fmt.Errorf("--count must be above 0: %d", o.count),
			"give the number of endgames, for example --count 10000")
	}
	c = synth.DefaultConfig()
	c.Seed, c.Past = o.seed, o.past
	if c.Pieces, err = synth.ParsePieces(o.pieces); err != nil {
		return c, usage(err, "for example --pieces 3-7 or --pieces 3:1,4:2,5-7:4")
	}
	if c.Types, err = synth.ParseTypes(o.pieceWeights); err != nil {
		return c, usage(err, "for example --piece-weights P5R2B2N2Q1")
	}
	if changed("balance") {
		if c.Balance = o.balance; c.Balance < 0 {
			return c, usage(fmt.Errorf("--balance must not be negative: %d", o.balance),
				"give a number of pawns, for example --balance 3")
		}
	}
	if err := o.materials(&c, changed); err != nil {
		return c, err
	}
	if _, err := synth.NewDrawer(c); errors.Is(err, synth.ErrNoMaterial) {
		return c, usage(err, "choose other --pieces, --material, --piece-weights or --balance")
	} else if err != nil {
		return c, usage(err, "see --capture-weight, --promotion-weight and --history-max-pieces")
	}
	return c, nil
}

// materials takes over --material and --material-file.
func (o *synthOptions) materials(c *synth.Config, changed func(string) bool) (err error) {
	named := 0
	for _, name := range []string{"material", "material-file", "piece-weights"} {
		if changed(name) {
			named++
		}
	}
	switch {
	case named > 1:
		return usage(errors.New("more than one of --material, --material-file and --piece-weights"),
			"use only one of them")
	case o.material == "all":
		c.Materials = synth.AllMaterials(c.Pieces)
		return nil
	case changed("material"):
		if c.Materials, err = synth.ParseMaterials(o.material); err != nil {
			return usage(err, "for example --material KRPvKR,KQvKR:2, or --material all")
		}
	case changed("material-file"):
		text, err := os.ReadFile(o.materialFile)
		if err != nil {
			return err
		}
		if c.Materials, err = synth.ParseMaterials(string(text)); err != nil {
			return usage(fmt.Errorf("%q: %w", o.materialFile, err),
				"each line has a material and perhaps its weight, for example KRPvKR:2")
		}
	default:
		return nil
	}
	if !changed("pieces") {
		c.Pieces = synth.PieceWeights{} // as the materials have it
	}
	return nil
}

func runSynth(ctx context.Context, o synthOptions, config synth.Config) error {
	if err := o.check(); err != nil {
		return err
	}
	splits, err := dataset.ParseSplits(o.split)
	if err != nil {
		return usage(err, "give three percentages that sum to 100, for example --split 90,5,5")
	}
	ctx, stop := interrupts(ctx)
	defer stop()
	show, end := showProgress()
	sum, err := endgames.Request{
		Count: o.count, Config: config, Out: o.out, Splits: splits, Workers: o.workers, Progress: show, Warn: warn,
		Existing:      o.existing(),
		ResumeCommand: invocation(),
	}.Run(ctx)
	end()
	if err != nil {
		return resumable(err)
	}
	missing := o.count - sum.GamesKept
	if len(sum.Exhausted) > 0 {
		sayKind("warning", "%s ran out of positions; others took the rest of their share",
			strings.Join(sum.Exhausted, ", "))
	}
	if missing > 0 {
		sayKind("warning", "%s fewer than requested: these materials have no more positions",
			humanize.Count(missing, "endgame"))
	}
	if !o.json {
		printDrawn(o.out, sum.Summary)
	} else if err := printJSON(sum); err != nil {
		return err
	}
	if err := skipped(o.datasetOptions, missing); err != nil {
		return err
	}
	nextLabel(o.out)
	return nil
}

// printDrawn prints what was drawn. What was drawn again is no loss: there are as many endgames as were asked for.
func printDrawn(out string, sum output.Summary) {
	summarise("%s: %s, %s, %s, %s, %.1f s\n", out, humanize.Count(sum.GamesKept, "endgame"),
		humanize.Count(sum.Positions, "position"), humanize.Count(sum.Samples, "sample"),
		humanize.Size(float64(sum.Bytes)), sum.Seconds)
	for _, r := range sortedReasons(sum.Rejects) {
		summarise("  redrawn because of %s: %s\n", r, humanize.Thousands(sum.Rejects[r]))
	}
}

func sortedReasons(m map[dataset.Reason]int64) []dataset.Reason {
	return slices.Sorted(maps.Keys(m))
}
