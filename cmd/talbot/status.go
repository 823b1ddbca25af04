package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"talbot/fleet"
	"talbot/internal/flags"
	"talbot/internal/humanize"
)

type statusOptions struct {
	connectOptions
	json bool
}

func newStatus() *cobra.Command {
	var o statusOptions
	cmd := &cobra.Command{
		Use:   "status --join-file FILE",
		Short: "Show the progress of a labelling and its workers",
		Long: `Status asks a labelling that runs with --listen how far it is: the workers, their rates,
the jobs that they have and those that they lost, what was refused, and the time left. It
needs the file that --join-file wrote there. Worker 0 is the labelling's own engines. See
docs/13-many-machines.md, section 6.`,
		Example: `  talbot status --join-file join
  talbot status --join-file join --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := flags.Of(cmd)
	o.connectOptions.add(f)
	addJSON(f, &o.json)
	return cmd
}

func (o *statusOptions) run(ctx context.Context) error {
	join, key, err := o.connection()
	if err != nil {
		return err
	}
	s, err := fleet.AskStatus(ctx, join, o.cluster, key)
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(s)
	}
	printStatus(s)
	return nil
}

func printStatus(s fleet.Status) {
	n := humanize.Thousands
	printf("%s with %s", humanize.Count(s.Positions, "position"), humanize.Rate(s.PositionsPerSecond))
	if s.SecondsLeft != nil {
		printf(", %s left", humanize.Duration(time.Duration(*s.SecondsLeft*float64(time.Second))))
	}
	printf("\n%s open, %s of them with workers, %s done; %s refused; %s banned\n", humanize.Count(int64(s.Open), "job"),
		n(int64(s.Held)), n(s.Done), humanize.Count(s.Refused, "request"), humanize.Count(int64(s.Banned), "worker"))
	if s.Idle != "" {
		printf("idle: %s\n", s.Idle)
	}
	printf("\n%7s %-24s %7s %13s %10s %6s %6s\n", "worker", "name", "engines", "positions", "per second", "jobs",
		"lost")
	for _, w := range s.Workers {
		printf("%7d %-24.24s %7d %13s %10.1f %6d %6d\n", w.Number, w.Name, w.Slots, n(w.Positions),
			w.PositionsPerSecond, w.Held, w.Lost)
	}
}
