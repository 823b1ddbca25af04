package main

import (
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/spf13/cobra"

	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/studio"
)

type studioOptions struct{ listen, backend, engine string }

func newStudio() *cobra.Command {
	var o studioOptions
	cmd := &cobra.Command{
		Use:   "studio [DIR...]",
		Short: "Look at data and runs, play and review games in a browser",
		Long: `Studio serves local pages on every dataset, run and match below the given folders
(default: the current one): samples with filters, curves of runs as they train, and the
games of matches. You can also play against a network and see its evaluations, and have
your games reviewed. Open the address that it prints in a browser on the same machine.
Ctrl-C ends it.

Studio changes no data; reviews that you ask for become new folders below "reviews" in the
first folder. It follows no links out of the folders, contacts
no other machines, and lets in only a browser opened with the printed address. On another
machine, tunnel the port: ` + "`ssh -L 7878:127.0.0.1:7878 MACHINE`" + `. See
docs/20-studio.md.`,
		Example: `  talbot studio
  talbot studio data runs
  talbot studio --listen 127.0.0.1:8000`,
		SuggestFor: []string{"web", "serve", "browse", "gui"},
		Args:       operands(0, many, "folders"),
		RunE:       func(cmd *cobra.Command, args []string) error { return o.serve(cmd, args) },
	}
	f := flags.Of(cmd)
	o.listen = "127.0.0.1:7878"
	f.String(&o.listen, "listen", "listen on this `ADDRESS`, a host and a port")
	addBackend(f, &o.backend, answering)
	addEngine(f, &o.engine, "engine for the pages \"For people\" and \"Review\"")
	return cmd
}

func (o *studioOptions) serve(cmd *cobra.Command, dirs []string) error {
	host, port, err := net.SplitHostPort(o.listen)
	if err != nil {
		return fault.Usage(fmt.Errorf("--listen %q is not HOST:PORT", o.listen), "for example --listen 127.0.0.1:8000")
	}
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil {
			return err
		} else if !info.IsDir() {
			return fault.Usage(fmt.Errorf("%q is a file", dir), "give the folder that it is in")
		}
	}
	ip := net.ParseIP(host)
	local := host == "localhost" || ip != nil && ip.IsLoopback()
	on, err := net.Listen("tcp", o.listen)
	if err != nil && !cmd.Flags().Changed("listen") {
		on, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return fault.Hint(err, "choose another port, or 0 for a free one: --listen 127.0.0.1:0")
	}
	defer on.Close()
	options := studio.Options{Dirs: dirs, Backend: o.backend, Engine: o.engine}
	if !local {
		options.Listen = host
		cli.Warn(fmt.Errorf("--listen %s: whoever can read the network can read what passes, the key in the address "+
			"too; safer is --listen 127.0.0.1:%s and `ssh -L %s:127.0.0.1:%s MACHINE`", o.listen, port, port, port))
		if host == "" || ip != nil && ip.IsUnspecified() {
			return fault.Usage(errors.New("--listen needs the address that browsers will ask for"),
				"for example --listen 192.0.2.1:7878")
		}
	}
	s, err := studio.New(options)
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, stop := cli.Stops(cmd.Context())
	defer stop()
	cli.Printf("open %s\n", s.Address(on.Addr()))
	if err := cli.Stdout.Flush(); err != nil {
		return err
	}
	return s.Serve(ctx, on)
}
