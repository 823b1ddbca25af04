package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/fleet"
	"talbot/pipeline/label"
	"talbot/stockfish"
)

// shareOptions are the flags of a labelling that others take part in.
type shareOptions struct {
	listen        string
	advertise     string
	joinFile      string
	statusListen  string
	allowBuilds   bool
	allowMovetime bool
	clusterOptions
}

func (o *shareOptions) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "",
		"let workers on other machines take part, and listen on this `ADDRESS`, such as :7777")
	f.StringVar(&o.joinFile, "join-file", "", "file to write what workers need to join (readable by you only)")
	f.StringVar(&o.advertise, "advertise", "",
		"host name for workers (default: that of --listen, or the address of this machine)")
	f.StringVar(&o.statusListen, "status-listen", "",
		"serve the status over HTTP on this loopback `ADDRESS`, also for Prometheus")
	f.BoolVar(&o.allowBuilds, "allow-builds", false,
		"accept workers with another build of the engine if eight test positions agree")
	f.BoolVar(&o.allowMovetime, "allow-movetime", false,
		"let workers take part with --movetime, though each machine searches to its own depth")
	o.addCluster(f)
	section(f, "Other machines", "listen", "join-file", "advertise", "nats", "creds", "status-listen", "allow-builds",
		"allow-movetime")
}

// apply checks the flags and has a request share its work.
func (o *shareOptions) apply(cmd *cobra.Command, r *label.Request, engine *stockfish.Config) error {
	f := cmd.Flags()
	cluster, err := o.cluster()
	switch {
	case err != nil:
		return err
	case cluster.URL != "" && (o.listen != "" || o.advertise != ""):
		return usage(errors.New("--nats takes the place of --listen and --advertise"), "leave one of them out")
	case cluster.URL != "":
		say("label: note: %s\n", cluster.Weaker())
	case o.listen == "":
		for _, name := range []string{"join-file", "advertise", "status-listen", "allow-builds", "allow-movetime"} {
			if f.Changed(name) {
				return usage(errors.New("--"+name+" needs --listen or --nats"),
					"for example --listen :7777 --join-file join")
			}
		}
		return nil
	}
	switch {
	case o.joinFile == "":
		return usage(errors.New("--listen and --nats need --join-file"), "for example --listen :7777 --join-file join")
	case inFolder(o.joinFile, r.Out):
		return usage(errors.New("--join-file is in the folder of --out, which has only the dataset"),
			"choose another place, for example --join-file join")
	case engine.Limit.Time() > 0 && !o.allowMovetime:
		return usage(errors.New("labels of --movetime depend on the machine that makes them"),
			"use --nodes or --depth; `talbot label DIR --calibrate` measures how many nodes --movetime is worth. "+
				"--allow-movetime lets machines differ")
	}
	if engine.Limit.Time() > 0 {
		r.Flags = append(r.Flags, dataset.Tag{Name: "allow-movetime", Value: "true"})
	}
	if o.allowBuilds {
		r.Flags = append(r.Flags, dataset.Tag{Name: "allow-builds", Value: "true"})
	}
	share := fleet.Share{Listen: o.listen, Advertise: o.advertise, Cluster: cluster, JoinFile: o.joinFile,
		AllowBuilds: o.allowBuilds, StatusListen: o.statusListen,
		Log: func(format string, values ...any) { tell("label: "+format+"\n", values...) }}
	r.Start = func(ctx context.Context, c stockfish.Config, workers int) (label.Searcher, error) {
		pool, err := fleet.NewPool(ctx, c, workers, share)
		if err != nil {
			return nil, err
		}
		return pool, nil
	}
	return nil
}

// inFolder reports whether a path leads into a folder, by the names alone.
func inFolder(path, dir string) bool {
	a, errA := filepath.Abs(path)
	b, errB := filepath.Abs(dir)
	if errA != nil || errB != nil {
		return false
	}
	rel, err := filepath.Rel(b, a)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
