package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"talbot/fleet"
	"talbot/internal/cli"
	"talbot/internal/durable"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/internal/humanize"
	"talbot/stockfish"
)

// connectOptions are the flags of commands that talk to a coordinator.
type connectOptions struct {
	joinFile string
	key      string
	cluster  fleet.Cluster
}

func (o *connectOptions) add(f *flags.Set) {
	f.String(&o.joinFile, "join-file", "file written by label --listen (default: standard input)")
	f.String(&o.key, "key", "file with this machine's key, made if missing (default: in your configuration folder)")
	addCluster(f, &o.cluster)
}

// maxJoinFile is more than any join string has, in bytes.
const maxJoinFile = 4 << 10

// copyJoin is the remedy for a file without a join string.
const copyJoin = "copy the file that `talbot label --listen ... --join-file FILE` wrote"

// join reads the join string.
func (o *connectOptions) join() (fleet.Join, error) {
	var text []byte
	var err error
	if o.joinFile != "" {
		text, err = durable.ReadFile(o.joinFile, maxJoinFile)
	} else {
		if term.IsTerminal(int(os.Stdin.Fd())) {
			return fleet.Join{}, fault.Usage(errors.New("--join-file is missing"),
				"give the file that `talbot label --listen ... --join-file FILE` wrote, here or on standard input")
		}
		text, err = bufio.NewReader(io.LimitReader(os.Stdin, maxJoinFile)).ReadBytes('\n')
		if err == io.EOF {
			err = nil
		}
	}
	if err != nil {
		return fleet.Join{}, fault.Hint(fmt.Errorf("reading the join string: %w", err), copyJoin)
	}
	j, err := fleet.ParseJoin(string(text))
	if err != nil {
		return j, fault.Usage(err, copyJoin)
	}
	if o.joinFile != "" {
		err = fleet.CheckSecret(o.joinFile)
	}
	return j, err
}

// connection returns the coordinator and this machine's key.
func (o *connectOptions) connection() (join fleet.Join, key string, err error) {
	if join, err = o.join(); err == nil {
		key, err = o.keyFile()
	}
	return join, key, err
}

// keyFile is the place of this machine's key.
func (o *connectOptions) keyFile() (string, error) {
	if o.key != "" {
		return o.key, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fault.Hint(err, "name a file with --key")
	}
	return filepath.Join(dir, "talbot", "worker-key"), nil
}

type workerOptions struct {
	connectOptions
	engine  string
	workers int
	name    string
}

func newWorker() *cobra.Command {
	var o workerOptions
	cmd := &cobra.Command{
		Use:   "worker --join-file FILE",
		Short: "Search positions for a labelling on another machine",
		Long: `Worker takes part in a labelling that runs elsewhere with --listen. It needs
talbot, the engine, and the file that --join-file wrote there, but no dataset. Keep the
file secret: whoever has it can join. Limit, options and hash come from the labelling. The
engine must be the same build, unless the labelling has --allow-builds.

Start and stop any number of workers at any time. If the labelling is not running, a
worker waits and reconnects when it is back. It ends with status 0 when the labelling is
finished. See docs/13-many-machines.md.`,
		Example: `  talbot worker --join-file join
  talbot worker --join-file join --workers 4 --engine /opt/stockfish17/stockfish`,
		SuggestFor: []string{"agent", "client", "slave"},
		Args:       noArgs,
		RunE:       func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := flags.Of(cmd)
	o.connectOptions.add(f)
	addEngine(f, &o.engine, "engine to use")
	addWorkers(f, &o.workers, "number of engines (default: one for each physical core)")
	f.String(&o.name, "name", "name of this machine in the status (default: its host name)")
	return cmd
}

func (o *workerOptions) run(ctx context.Context) error {
	join, key, err := o.connection()
	if err != nil {
		return err
	}
	path, err := stockfish.Find(o.engine)
	if err != nil {
		return err
	}
	if o.workers == 0 {
		o.workers = stockfish.DefaultWorkers()
	}
	warnWorkers(o.workers)
	if o.name == "" {
		o.name, _ = os.Hostname() // only shown
	}
	ended := fault.With(cli.ErrInterrupted, fault.ExitInterrupted, "start it again at any time")
	ctx, stop := cli.Interruption{Doing: "returning the work", End: func() error { return ended }}.Watch(ctx)
	defer stop()
	at := join.Address
	if o.cluster.URL != "" {
		at = "the NATS cluster"
	}
	cli.Note("worker: %s at %s\n", humanize.Count(int64(o.workers), "engine"), at)
	err = fleet.WorkerConfig{Join: join, Cluster: o.cluster, KeyFile: key, Engine: path, Count: o.workers,
		Name: o.name, Version: version,
		Log: func(format string, values ...any) { cli.Note("worker: "+format+"\n", values...) }}.Run(ctx)
	if errors.Is(err, context.Canceled) {
		return ended
	}
	return err
}
