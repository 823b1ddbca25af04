package pipeline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"talbot/dataset"
	"talbot/fleet"
	"talbot/internal/output"
	"talbot/pipeline/label"
	"talbot/stockfish"
)

// sharing has a labelling share its work.
func sharing(r *label.Request, share fleet.Share) {
	r.Start = func(ctx context.Context, c stockfish.Config, workers int) (label.Searcher, error) {
		return fleet.NewPool(ctx, c, workers, share)
	}
}

// readJoin waits for a join file.
func readJoin(t testing.TB, path string) fleet.Join {
	t.Helper()
	for range 3000 {
		if text, err := os.ReadFile(path); err == nil {
			j, err := fleet.ParseJoin(string(text))
			if err != nil {
				t.Fatal(err)
			}
			return j
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("no join file")
	return fleet.Join{}
}

// TestFleet: with workers elsewhere the bytes are those of one machine, whatever the scope, and a finished folder has
// nothing of the workers.
func TestFleet(t *testing.T) {
	Small(t)
	defer os.Unsetenv(Child)
	dir := t.TempDir()
	Openings(t, filepath.Join(dir, "g.pgn"), 60, 1)
	in := Ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn"))
	for _, scope := range []stockfish.HashScope{stockfish.PositionScope, stockfish.LineScope} {
		t.Run(scope.String(), func(t *testing.T) {
			if scope == stockfish.LineScope {
				t.Setenv(HasMemory, "1")
			}
			dir := t.TempDir()
			alone := Job{Inputs: []string{in}, Out: filepath.Join(dir, "alone"), Workers: 1, Scope: scope}.Label()
			Labelled(t, alone)
			shared := alone
			shared.Out = filepath.Join(dir, "shared")
			file := filepath.Join(dir, "join")
			sharing(&shared, fleet.Share{Listen: "127.0.0.1:0", JoinFile: file, Log: t.Logf})
			ended := make(chan error, 2)
			for i := range 2 {
				go func() {
					ended <- fleet.WorkerConfig{Join: readJoin(t, file), Count: 2,
						KeyFile: filepath.Join(dir, fmt.Sprint("key", i)), Name: fmt.Sprint("w", i), Log: t.Logf,
						Engine: shared.Engine.Path}.Run(t.Context())
				}()
			}
			sum := Labelled(t, shared)
			if sum.Remote == 0 || sum.Remote > sum.Labelled || sum.Disagreed != 0 {
				t.Errorf("%+v", sum)
			}
			for range 2 {
				if err := <-ended; err != nil {
					t.Error(err)
				}
			}
			Same(t, alone.Out, shared.Out)
		})
	}
}

// Work is a worker that a test kills.
func (j Job) Work(ctx context.Context) error {
	os.Setenv(Child, "engine") // inherited by the engines
	os.Setenv(Lie, j.Lie)
	path, err := os.Executable()
	if err != nil {
		return err
	}
	for {
		text, err := os.ReadFile(j.Share.JoinFile)
		if err != nil {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		join, err := fleet.ParseJoin(string(text))
		if err != nil {
			return err
		}
		return fleet.WorkerConfig{Join: join, Cluster: j.Share.Cluster, Count: j.Workers,
			KeyFile: j.Key, Name: j.Key, Engine: path, Log: func(format string, values ...any) {
				fmt.Fprintf(os.Stderr, "worker %d: "+format+"\n", append([]any{os.Getpid()}, values...)...)
			}}.Run(ctx)
	}
}

// killable is a child process that is started again whenever it is killed.
type killable struct {
	t   *testing.T
	job Job
	cmd *exec.Cmd
	end chan error
}

func (k *killable) start() {
	k.t.Helper()
	text, err := json.Marshal(k.job)
	if err != nil {
		k.t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		k.t.Fatal(err)
	}
	k.cmd = exec.Command(self)
	k.cmd.Env = append(os.Environ(), Child+"="+string(text))
	var said bytes.Buffer
	k.cmd.Stderr = &said
	if err := k.cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	k.end = make(chan error, 1)
	go func(cmd *exec.Cmd, end chan<- error) {
		err := cmd.Wait()
		if err != nil && !strings.Contains(err.Error(), "killed") {
			err = fmt.Errorf("%w: %s", err, said.String())
		}
		end <- err
	}(k.cmd, k.end)
}

// kill ends the process as kill -9 does, and waits until it is gone.
func (k *killable) kill() {
	_ = k.cmd.Process.Kill() // it may just have ended
	<-k.end
}

// freePort returns an address of this machine that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// disturbance is how a labelling with workers is disturbed.
type disturbance struct {
	seeds, workers, workerKills, kills, games, ms int
	batch                                         int // positions at most
	cluster                                       fleet.Cluster
}

// TestFleetKilled kills workers and coordinators at random. The bytes are those of an undisturbed labelling, and few
// searches are repeated. With TALBOT_FULL=1 it is repeated with 20 seeds and more of everything.
func TestFleetKilled(t *testing.T) {
	d := disturbance{seeds: 1, workers: 3, workerKills: 8, kills: 2, games: 60, ms: 8, batch: 20}
	if os.Getenv("TALBOT_FULL") != "" {
		d = disturbance{seeds: 20, workers: 8, workerKills: 40, kills: 5, games: 300, ms: 20, batch: 3}
	}
	d.run(t)
}

// TestFleetCluster: the same where a NATS server elsewhere carries the messages.
func TestFleetCluster(t *testing.T) {
	s, err := server.NewServer(&server.Options{ServerName: "elsewhere", Host: "127.0.0.1", Port: server.RANDOM_PORT,
		NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir(), Username: "user", Password: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.Shutdown()
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server does not start")
	}
	d := disturbance{seeds: 1, workers: 2, workerKills: 4, kills: 1, games: 30, ms: 8, batch: 20}
	d.cluster.URL = fmt.Sprintf("nats://user:secret@%s", s.Addr())
	d.run(t)
}

func (d disturbance) run(t *testing.T) {
	Small(t)
	defer os.Unsetenv(Child)
	dir := t.TempDir()
	count := Searches(t)
	Openings(t, filepath.Join(dir, "g.pgn"), d.games, 1)
	in := Ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn"))
	Labelled(t, Job{Inputs: []string{in}, Out: filepath.Join(dir, "alone"), Workers: 2}.Label())
	distinct := count()
	os.Unsetenv(Child)
	t.Setenv(SearchTimeVar, fmt.Sprint(d.ms))
	for seed := range d.seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 17))
		out := filepath.Join(dir, fmt.Sprint("out", seed))
		share := fleet.Share{Listen: freePort(t), JoinFile: filepath.Join(dir, fmt.Sprint("join", seed)),
			Cluster: d.cluster, Lease: time.Second, BatchTime: time.Duration(d.batch*d.ms) * time.Millisecond}
		c := &killable{t: t, job: Job{Verb: "coordinator", Inputs: []string{in}, Out: out, Workers: 1, Share: share}}
		c.start()
		var all []*killable
		for i := range d.workers {
			w := &killable{t: t, job: Job{Verb: "worker", Workers: 1, Share: share,
				Key: filepath.Join(dir, fmt.Sprint("key", i))}}
			w.start()
			all = append(all, w)
		}
		killedWorkers, killed := d.disturb(t, rng, c, all)
		for i, w := range all {
			select {
			case err := <-w.end:
				if err != nil {
					t.Errorf("worker %d: %v", i, err)
				}
			case <-time.After(20 * time.Second): // it came when all was over
				w.kill()
			}
		}
		Same(t, filepath.Join(dir, "alone"), out)
		searched := count()
		if most := distinct + d.batch*(killedWorkers+(d.workers+1)*killed) + distinct/50; searched > most {
			t.Errorf("seed %d: %d searches of %d positions, more than %d", seed, searched, distinct, most)
		}
		t.Logf("seed %d: %d kills of workers, %d of the coordinator: %d searches of %d positions", seed, killedWorkers,
			killed, searched, distinct)
		if killedWorkers < d.workerKills/2 || killed < 1 {
			t.Errorf("seed %d: only %d and %d kills", seed, killedWorkers, killed)
		}
	}
}

// disturb kills until the coordinator has ended by itself.
func (d disturbance) disturb(t *testing.T, rng *rand.Rand, c *killable, all []*killable) (killedWorkers, killed int) {
	t.Helper()
	for {
		select {
		case err := <-c.end:
			if err != nil {
				t.Fatal(err)
			}
			return killedWorkers, killed
		case <-time.After(time.Duration(50+rng.IntN(150)) * time.Millisecond):
		}
		switch {
		case killed < d.kills && killedWorkers >= (killed+1)*d.workerKills/(d.kills+1):
			c.kill()
			c.start()
			killed++
		case killedWorkers < d.workerKills:
			w := all[rng.IntN(len(all))]
			w.kill()
			w.start()
			killedWorkers++
		}
	}
}

// engineScript is the engine of the tests as another program: another build.
func engineScript(t *testing.T, name, settings string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	text := fmt.Sprintf("#!/bin/sh\n%s=engine %s exec %q\n", Child, settings, self)
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFleetBuilds: a worker with another build of the engine is refused, and both builds are named; with AllowBuilds it
// is taken in if its labels agree, which the manifest records.
func TestFleetBuilds(t *testing.T) {
	output.SmallShards(t, 400)
	defer os.Unsetenv(Child)
	dir := t.TempDir()
	Openings(t, filepath.Join(dir, "g.pgn"), 30, 1)
	in := Ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn"))
	alone := Job{Inputs: []string{in}, Out: filepath.Join(dir, "alone"), Workers: 1}.Label()
	Labelled(t, alone)
	t.Setenv(SearchTimeVar, "10")
	honest, lying := engineScript(t, "honest", ""), engineScript(t, "lying", Lie+"=1")
	for _, allow := range []bool{false, true} {
		r := alone
		r.Out = filepath.Join(dir, fmt.Sprint("out", allow))
		file := filepath.Join(dir, fmt.Sprint("join", allow))
		sharing(&r, fleet.Share{Listen: "127.0.0.1:0", JoinFile: file, AllowBuilds: allow, Log: t.Logf,
			BatchTime: 100 * time.Millisecond})
		work := func(engine string) error {
			return fleet.WorkerConfig{Join: readJoin(t, file), Count: 2, Name: engine, Log: t.Logf,
				KeyFile: filepath.Join(dir, "key"), Engine: engine}.Run(t.Context())
		}
		refused, ended := make(chan error, 1), make(chan error, 1)
		go func() {
			refused <- work(lying)
			ended <- work(honest)
		}()
		sum := Labelled(t, r)
		err := <-refused
		if err == nil {
			t.Fatal("a worker with other labels is taken in")
		}
		build, _ := stockfish.HashFile(lying)
		if allow && !strings.Contains(err.Error(), "other labels") ||
			!strings.Contains(err.Error(), build) || !strings.Contains(err.Error(), "coordinator") {
			t.Error(err)
		}
		m, errManifest := dataset.ReadManifest(r.Out)
		if errManifest != nil {
			t.Fatal(errManifest)
		}
		flag := ""
		for _, f := range m.Flags {
			if f.Name == "other-builds" {
				flag = f.Value
			}
		}
		err = <-ended
		build, _ = stockfish.HashFile(honest)
		if !allow && (!errors.Is(err, fleet.ErrRefused) || sum.Remote > 0 || flag != "") ||
			allow && (err != nil || sum.Remote == 0 || flag != build) {
			t.Errorf("allow %v: %v, %d labels, other builds %q", allow, err, sum.Remote, flag)
		}
		EqualScores(t, "another build", Scores(t, r.Out), Scores(t, alone.Out))
	}
}

// TestFleetLiar: a worker whose engine gives wrong scores now and then is found out by the second searches, and nothing
// of it stays.
func TestFleetLiar(t *testing.T) {
	output.SmallShards(t, 400)
	defer os.Unsetenv(Child)
	dir := t.TempDir()
	Openings(t, filepath.Join(dir, "g.pgn"), 50, 1)
	in := Ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn"))
	r := Job{Inputs: []string{in}, Out: filepath.Join(dir, "alone"), Workers: 1}.Label()
	Labelled(t, r)
	os.Unsetenv(Child)
	t.Setenv(SearchTimeVar, "8")
	r.Out = filepath.Join(dir, "out")
	share := fleet.Share{Listen: "127.0.0.1:0", JoinFile: filepath.Join(dir, "join"), CheckShare: 0.3,
		BatchTime: 100 * time.Millisecond, Log: t.Logf}
	sharing(&r, share)
	share.Log = nil
	lying := &killable{t: t, job: Job{Verb: "worker", Workers: 2, Share: share, Key: filepath.Join(dir, "liar"),
		Lie: "7"}}
	lying.start()
	os.Setenv(Child, "engine")
	ended := make(chan error, 1)
	go func() {
		ended <- fleet.WorkerConfig{Join: readJoin(t, share.JoinFile), Count: 1, Log: t.Logf,
			KeyFile: filepath.Join(dir, "honest"), Engine: r.Engine.Path}.Run(t.Context())
	}()
	warned := 0
	r.Warn = func(err error) { warned++; t.Log(err) }
	sum := Labelled(t, r)
	if err := <-lying.end; err == nil || !strings.Contains(err.Error(), "banned") {
		t.Errorf("the liar: %v", err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the honest one: %v", err)
	}
	if sum.Disagreed != 1 || warned != 1 || sum.Checked < 10 {
		t.Errorf("%+v", sum)
	}
	Same(t, filepath.Join(dir, "alone"), r.Out)
}
