package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"talbot/dataset"
	"talbot/fleet"
	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/pipeline/label"
	"talbot/stockfish"
)

// shareOptions are the flags of a labelling that workers on other machines take part in.
type shareOptions struct {
	fleet.Share
	allowMovetime bool
}

func (o *shareOptions) add(f *flags.Set) {
	f.Section("Other machines")
	f.String(&o.Listen, "listen",
		"let workers on other machines take part, and listen on this `ADDRESS`, such as :7777")
	f.String(&o.JoinFile, "join-file", "file to write, which workers need to join (readable only by you)")
	f.String(&o.Advertise, "advertise",
		"host name for workers (default: that of --listen, or the address of this machine)")
	addCluster(f, &o.Cluster)
	f.String(&o.StatusListen, "status-listen",
		"serve the status over HTTP on this loopback `ADDRESS`, also for Prometheus")
	f.Bool(&o.AllowBuilds, "allow-builds",
		"accept workers with another build of the engine if eight test positions agree")
	f.Bool(&o.allowMovetime, "allow-movetime",
		"let workers take part with --movetime, though each machine searches to its own depth")
	f.Needs([]string{"listen", "nats"}, "join-file")
	f.Needs([]string{"join-file", "status-listen", "allow-builds", "allow-movetime"}, "listen", "nats")
	f.Needs([]string{"advertise"}, "listen")
	f.AtMostOne("listen", "nats")
}

// addCluster adds the flags for a NATS cluster.
func addCluster(f *flags.Set, c *fleet.Cluster) {
	f.String(&c.URL, "nats", "use the NATS cluster at this `URL` to carry the messages")
	f.String(&c.Creds, "creds", "file with the credentials for --nats")
	f.Needs([]string{"creds"}, "nats")
}

// apply has a request share its work, if the flags ask for that.
func (o *shareOptions) apply(r *label.Request) error {
	switch {
	case o.Cluster.URL != "":
		cli.Say("label: note: %s\n", o.Cluster.Weaker())
	case o.Listen == "":
		return nil
	}
	switch {
	case inFolder(o.JoinFile, r.Out):
		return fault.Usage(errors.New("--join-file is in the folder of --out, which has only the dataset"),
			"choose another place, for example --join-file join")
	case r.Engine.Limit.Time() > 0 && !o.allowMovetime:
		return fault.Usage(errors.New("labels of --movetime depend on the machine that makes them"),
			"use --nodes or --depth; `talbot label DIR --calibrate` measures how many nodes --movetime is worth. "+
				"--allow-movetime lets machines differ")
	}
	if r.Engine.Limit.Time() > 0 {
		r.Flags = append(r.Flags, dataset.Tag{Name: "allow-movetime", Value: "true"})
	}
	if o.AllowBuilds {
		r.Flags = append(r.Flags, dataset.Tag{Name: "allow-builds", Value: "true"})
	}
	o.Log = func(format string, values ...any) { cli.Note("label: "+format+"\n", values...) }
	r.Start = func(ctx context.Context, c stockfish.Config, workers int) (label.Searcher, error) {
		pool, err := fleet.NewPool(ctx, c, workers, o.Share)
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
