package main

import (
	"context"

	"github.com/spf13/cobra"

	"talbot/fleet"
	"talbot/internal/flags"
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
		Long: `Status shows the progress of a labelling that runs with --listen: workers,
their rates, jobs in progress and lost, what was refused, and the time left. It needs
the file that --join-file wrote there. Worker 0 is the labelling's own engines. See
docs/13-many-machines.md.`,
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
	return report(o.json, &s)
}
