package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/internal/humanize"
	"talbot/pipeline/endgames"
	"talbot/synth"
)

type synthOptions struct {
	makeOptions
	endgames.Request
	material, materialFile string
	balance                int
}

func newSynth() *cobra.Command {
	o := synthOptions{Request: endgames.Request{Config: synth.DefaultConfig()}}
	c := &o.Config
	cmd := &cobra.Command{
		Use:   "synth-endgames --count N --out DIR",
		Short: "Generate random legal endgames with history",
		Long: `Synth-endgames generates random legal positions: it draws the number of pieces,
then the pieces one by one by their weights, then the squares and the side to move. This
position is the sample. Its history of four plies is found by taking back legal moves. No
endgame occurs twice, and none is checkmate, stalemate or dead.

--material draws whole materials instead of single pieces: those of a list such as
KRPvKR,KQvKR:2, or "all" those with at most two rooks, two bishops, two knights and one
queen a side.

The same seed gives the same bytes with any number of workers. See docs/2-inputs.md,
section 7.`,
		Example: `  talbot synth-endgames --count 10000 --pieces 3-7 --seed 1 --out endgames
  talbot synth-endgames --count 10000 --pieces 4:1,5:2 --balance 3 --out even
  talbot synth-endgames --count 10000 --material KRPvKR,KRPPvKRP:2 --out rooks`,
		SuggestFor: []string{"endgames", "generate", "synth"},
		Args:       noArgs,
		RunE:       func(cmd *cobra.Command, _ []string) error { return o.draw(cmd) },
	}
	f := flags.Of(cmd)
	o.add(f, &o.Job)
	flags.AtLeast(f, &o.Count, "count,n", 1, "number of endgames (required)")
	f.Required("count")
	addSplits(f, &o.Splits, "endgames")
	addSeed(f, &c.Seed, "random seed")
	o.addStrict(f)
	addWorkers(f, &o.Workers, "number of workers (default: all cores)")
	f.Section("Material")
	flags.Parse(f, &c.Pieces, "pieces", "3-7", "3-7 or --pieces 3:1,4:2,5-7:4", synth.ParsePieces,
		"number of pieces including kings: a range such as 3-5, or a list with weights such as 3:1,4:2,5-7:4")
	flags.Parse(f, &c.Types, "piece-weights", c.Types.String(), "P5R2B2N2Q1", synth.ParseTypes,
		"weights for drawing the pieces")
	f.String(&o.material, "material", "materials to draw, such as KRPvKR,KQvKR:2 (the second twice as often), or all")
	f.String(&o.materialFile, "material-file", "file with one material a line, such as KRPvKR:2; # begins a comment")
	f.AtMostOne("material", "material-file", "piece-weights")
	flags.AtLeast(f, &o.balance, "balance", 0,
		"maximum difference of material in pawns (knight and bishop 3, rook 5, queen 9; default: no limit)")
	f.Section("History")
	flags.AtLeast(f, &c.Past.Captures, "capture-weight", 0, "weight of a capture in the history; other moves have 1")
	flags.AtLeast(f, &c.Past.Promotions, "promotion-weight", 0,
		"weight of a promotion in the history; other moves have 1")
	flags.Number(f, &c.Past.MostPieces, "history-max-pieces", "maximum number of pieces in the history")
	return cmd
}

// check completes the configuration of what is drawn.
func (o *synthOptions) check(f *pflag.FlagSet) error {
	c := &o.Config
	if f.Changed("balance") {
		c.Balance = o.balance
	}
	if err := o.materials(); err != nil {
		return err
	}
	if c.Materials != nil && !f.Changed("pieces") && o.material != "all" {
		c.Pieces = synth.PieceWeights{} // as the materials have it
	}
	if _, err := synth.NewDrawer(*c); errors.Is(err, synth.ErrNoMaterial) {
		return fault.Usage(err, "choose other --pieces, --material, --piece-weights or --balance")
	} else if err != nil {
		return fault.Usage(err, "see --capture-weight, --promotion-weight and --history-max-pieces")
	}
	return nil
}

// materials reads --material or --material-file.
func (o *synthOptions) materials() (err error) {
	c := &o.Config
	switch {
	case o.material == "all":
		c.Materials = synth.AllMaterials(c.Pieces)
	case o.material != "":
		if c.Materials, err = synth.ParseMaterials(o.material); err != nil {
			return fault.Usage(err, "for example --material KRPvKR,KQvKR:2, or --material all")
		}
	case o.materialFile != "":
		text, err := os.ReadFile(o.materialFile)
		if err != nil {
			return err
		}
		if c.Materials, err = synth.ParseMaterials(string(text)); err != nil {
			return fault.Usage(fmt.Errorf("%q: %w", o.materialFile, err),
				"each line has a material and perhaps its weight, for example KRPvKR:2")
		}
	}
	return nil
}

func (o *synthOptions) draw(cmd *cobra.Command) error {
	if err := o.check(cmd.Flags()); err != nil {
		return err
	}
	return o.run(cmd.Context(), func(ctx context.Context) (made, error) {
		sum, err := o.Request.Run(ctx)
		if err != nil {
			return made{}, err
		}
		missing := o.Count - sum.GamesKept
		if len(sum.Exhausted) > 0 {
			cli.Warnf("%s ran out of positions; others took the rest of their share",
				strings.Join(sum.Exhausted, ", "))
		}
		if missing > 0 {
			cli.Warnf("%s fewer than requested: these materials have no more positions",
				humanize.Count(missing, "endgame"))
		}
		return made{&sum, missing, func() { nextLabel(o.Out) }}, nil
	})
}
