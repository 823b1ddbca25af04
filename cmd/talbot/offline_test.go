package main

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"talbot/internal/testkit"
	"talbot/network/backend"
)

// TestOffline: what loads ONNX Runtime or XLA looks up no name and leaves no file outside its folders. The commands run
// in a network namespace of their own, whose only name server counts what it is asked. Versions of ONNX Runtime before
// 1.32 have no telemetry; ONNXRUNTIME_LIBRARY names a newer one.
func TestOffline(t *testing.T) {
	t.Parallel()
	const inside = "TALBOT_TEST_OFFLINE"
	found := backend.Discover()
	if found.Runtime == "" {
		t.Skip("NOT TESTED: ONNX Runtime was not found (talbot setup onnx)")
	}
	dir := t.TempDir()
	if os.Getenv(inside) == "" {
		resolver := filepath.Join(dir, "resolv.conf")
		testkit.WriteFile(t, resolver, "nameserver 127.0.0.1\n")
		enter := []string{"-rnm", "sh", "-c",
			`ip link set lo up && mount --bind "$0" /etc/resolv.conf && exec "$@"`, resolver}
		if out, err := exec.Command("unshare", append(enter, "true")...).CombinedOutput(); err != nil {
			t.Skipf("NOT TESTED: no network namespace: %v %s", err, out)
		}
		self := exec.Command("unshare", append(enter, os.Args[0], "-test.run=^TestOffline$", "-test.v")...)
		self.Env = append(os.Environ(), inside+"=1")
		out, err := self.CombinedOutput()
		if t.Logf("%s", out); err != nil {
			t.Fatal(err)
		}
		return
	}
	server, err := net.ListenPacket("udp", "127.0.0.1:53")
	testkit.OK(t, err)
	defer server.Close()
	var asked atomic.Int64
	go func() {
		for {
			if _, _, err := server.ReadFrom(make([]byte, 512)); err != nil {
				return
			}
			asked.Add(1)
		}
	}()
	_ = exec.Command("getent", "hosts", "example.com").Run()
	if asked.Swap(0) == 0 {
		t.Fatal("the name server is asked nothing")
	}

	home, temp := filepath.Join(dir, "home"), filepath.Join(dir, "tmp")
	testkit.OK(t, os.Mkdir(home, 0o777))
	testkit.OK(t, os.Mkdir(temp, 0o777))
	testkit.WriteGames(t, filepath.Join(dir, "games.pgn"), 30, 1)
	commands := map[string][]string{
		"onnx": {
			"doctor",
			"ingest ../games.pgn --split 50,25,25 --out lines",
			"eval --run net: --data lines",
			"compare net: net: --data lines",
			"predict lines --run net: --out predicted",
			"selfplay --run net: --games 1 --nodes 4 --max-plies 20 --out own",
			"match net:,nodes=2 net:,nodes=4 --games 2 --out match",
			"bench --batch 1 --seconds 2s", // telemetry that is on begins to look up names after 9 s,
			"uci",
		},
		"xla:cpu": {
			"ingest ../games.pgn --out lines",
			"train --data lines --run run --from net: --steps 2 --batch 8",
			"uci",
		},
	}
	if len(found.Plugins) == 0 {
		t.Log("NOT TESTED: XLA's plugin was not found (talbot setup xla-cpu)")
		delete(commands, "xla:cpu")
	}
	for name, lines := range commands {
		work := filepath.Join(dir, name)
		testkit.OK(t, os.Mkdir(work, 0o777))
		for _, line := range lines {
			command := strings.ReplaceAll(line, "nodes=", "backend="+name+",nodes=")
			if !strings.HasPrefix(line, "doctor") && !strings.HasPrefix(line, "ingest") && command == line {
				command += " --backend " + name
			}
			cmd := exec.Command(os.Args[0], strings.Fields(command)...)
			cmd.Dir, cmd.Stdin = work, bytes.NewBufferString("isready\ngo nodes 4\n")
			cmd.Env = append(os.Environ(), asCommand+"=1", "HOME="+home, "TMPDIR="+temp, "XDG_CACHE_HOME=", "CI=",
				"XDG_DATA_HOME="+filepath.Dir(filepath.Dir(backend.PluginDir())), "ONNXRUNTIME_LIBRARY="+found.Runtime)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", command, err, out)
			}
			if n := asked.Swap(0); n > 0 {
				t.Errorf("%s: the name server was asked %d times", command, n)
			}
			for _, pattern := range []string{temp + "/*", home + "/[^.]*", home + "/.*/*"} {
				files, err := filepath.Glob(pattern)
				testkit.OK(t, err)
				for _, f := range files {
					if filepath.Base(f) != "talbot" {
						t.Errorf("%s: left %s", command, f)
					}
				}
			}
		}
	}
}
