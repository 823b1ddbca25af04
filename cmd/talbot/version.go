package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"talbot/internal/cli"
	"talbot/internal/flags"
	"talbot/network/backend"
	"talbot/network/ort"
	"talbot/play/engine"
)

// version is the version that datasets and runs are stamped with.
const version = "0.1.0"

// build is what this program was built from.
type build struct {
	Version  string   `json:"version"` // with -dev if it is not that of a release
	Commit   string   `json:"commit"`  // "" if the build does not know it
	Modified bool     `json:"modified"`
	Go       string   `json:"go"`
	OS       string   `json:"os"`
	Arch     string   `json:"arch"`
	Backends []string `json:"backends"` // built in; talbot doctor finds what they need
	SIMD     bool     `json:"simd"`     // the Go backend uses vector instructions
}

func thisBuild() build {
	b := build{Version: version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Backends: []string{"go"}, SIMD: backend.SIMD}
	if backend.XLA {
		b.Backends = append(b.Backends, "xla")
	}
	if ort.Compiled {
		b.Backends = append(b.Backends, "onnx")
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version != "v"+version { // the tag of a commit without changes
		b.Version += "-dev"
	}
	if ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	return b
}

// String is the build in one line.
func (b build) String() string {
	return fmt.Sprintf("%s (commit %s), %s, %s/%s, backends %s", b.Version, b.commit(), b.Go, b.OS, b.Arch,
		b.backends())
}

func (b build) commit() string {
	switch {
	case b.Commit == "":
		return "unknown"
	case b.Modified:
		return fmt.Sprintf("%.12s with changes", b.Commit)
	}
	return fmt.Sprintf("%.12s", b.Commit)
}

func (b build) backends() string {
	all := strings.Join(b.Backends, ", ")
	if !b.SIMD {
		all += " (go without vector instructions)"
	}
	return all
}

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the version, commit and backends",
		Long: `Version shows the version of talbot, the commit and Go version it was built from,
the platform, the built-in backends, and the network that comes with talbot. A version
that ends with -dev is not that of a release. --json has the network's whole card: how it
was trained, on what, and its figures. ` + "`talbot doctor`" + ` checks this machine.`,
		Example: `  talbot version
  talbot version --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			network, err := engine.Shipped()
			if err != nil {
				return err
			}
			if asJSON {
				return cli.PrintJSON(struct {
					build
					Network engine.ShippedNetwork `json:"network"`
				}{b, network})
			}
			cli.Printf("talbot %s\ncommit    %s\ngo        %s\nplatform  %s/%s\nbackends  %s\nnetwork   %s\n",
				b.Version,
				b.commit(), b.Go, b.OS, b.Arch, b.backends(), network)
			return nil
		},
	}
	addJSON(flags.Of(cmd), &asJSON)
	return cmd
}
