package label_test

import (
	"bytes"
	"context"
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
	"talbot/internal/testkit"
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
			j := testkit.Value(fleet.ParseJoin(string(text)))(t)
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
	output.SmallShards(t, 1500)
	in := someGames(t, 60)
	for _, scope := range []stockfish.HashScope{stockfish.PositionScope, stockfish.LineScope} {
		t.Run(scope.String(), func(t *testing.T) {
			if scope == stockfish.LineScope {
				t.Setenv(testkit.HasMemory, "1")
			}
			dir := t.TempDir()
			alone := job{In: in, Out: filepath.Join(dir, "alone"), Workers: 1, Scope: scope}.request(t)
			labelled(t, alone)
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
			sum := labelled(t, shared)
			if sum.Remote == 0 || sum.Remote > sum.Labelled || sum.Disagreed != 0 {
				t.Errorf("%+v", sum)
			}
			for range 2 {
				if err := <-ended; err != nil {
					t.Error(err)
				}
			}
			testkit.Same(t, alone.Out, shared.Out)
		})
	}
}

// work is a worker that a test kills.
func (j job) work(ctx context.Context, engine string) error {
	if err := os.Setenv(testkit.Lie, j.Lie); err != nil {
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
			KeyFile: j.Key, Name: j.Key, Engine: engine, Log: func(format string, values ...any) {
				fmt.Fprintf(os.Stderr, "worker %d: "+format+"\n", append([]any{os.Getpid()}, values...)...)
			}}.Run(ctx)
	}
}

// killable is a child process that is started again whenever it is killed.
type killable struct {
	t   *testing.T
	job job
	cmd *exec.Cmd
	end chan error
}

func (k *killable) start() {
	k.t.Helper()
	k.cmd = testkit.Child(k.t, k.job)
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
	l := testkit.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
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
	if testkit.Full() {
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
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	count := testkit.Searches(t)
	in := someGames(t, d.games)
	labelled(t, job{In: in, Out: filepath.Join(dir, "alone"), Workers: 2}.request(t))
	distinct := count()
	t.Setenv(testkit.SearchTime, fmt.Sprint(d.ms))
	for seed := range d.seeds {
		rng := rand.New(rand.NewPCG(uint64(seed), 17))
		out := filepath.Join(dir, fmt.Sprint("out", seed))
		share := fleet.Share{Listen: freePort(t), JoinFile: filepath.Join(dir, fmt.Sprint("join", seed)),
			Cluster: d.cluster, Lease: time.Second, BatchTime: time.Duration(d.batch*d.ms) * time.Millisecond}
		c := &killable{t: t, job: job{In: in, Out: out, Workers: 1, Share: share}}
		c.start()
		var all []*killable
		for i := range d.workers {
			w := &killable{t: t, job: job{Worker: true, Workers: 1, Share: share,
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
		testkit.Same(t, filepath.Join(dir, "alone"), out)
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

// TestFleetBuilds: a worker with another build of the engine is refused, and both builds are named; with AllowBuilds it
// is taken in if its labels agree, which the manifest records.
func TestFleetBuilds(t *testing.T) {
	output.SmallShards(t, 400)
	dir := t.TempDir()
	in := someGames(t, 30)
	alone := job{In: in, Out: filepath.Join(dir, "alone"), Workers: 1}.request(t)
	labelled(t, alone)
	t.Setenv(testkit.SearchTime, "10")
	honest, lying := testkit.EngineScript(t, "honest", ""), testkit.EngineScript(t, "lying", testkit.Lie+"=1")
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
		sum := labelled(t, r)
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
		equalScores(t, "another build", scores(t, r.Out), scores(t, alone.Out))
	}
}

// TestFleetLiar: a worker whose engine gives wrong scores now and then is found out by the second searches, and nothing
// of it stays.
func TestFleetLiar(t *testing.T) {
	output.SmallShards(t, 400)
	dir := t.TempDir()
	in := someGames(t, 50)
	r := job{In: in, Out: filepath.Join(dir, "alone"), Workers: 1}.request(t)
	labelled(t, r)
	t.Setenv(testkit.SearchTime, "8")
	r.Out = filepath.Join(dir, "out")
	share := fleet.Share{Listen: "127.0.0.1:0", JoinFile: filepath.Join(dir, "join"), CheckShare: 0.3,
		BatchTime: 100 * time.Millisecond, Log: t.Logf}
	sharing(&r, share)
	share.Log = nil
	lying := &killable{t: t, job: job{Worker: true, Workers: 2, Share: share, Key: filepath.Join(dir, "liar"),
		Lie: "7"}}
	lying.start()
	ended := make(chan error, 1)
	go func() {
		ended <- fleet.WorkerConfig{Join: readJoin(t, share.JoinFile), Count: 1, Log: t.Logf,
			KeyFile: filepath.Join(dir, "honest"), Engine: r.Engine.Path}.Run(t.Context())
	}()
	warned := 0
	r.Warn = func(err error) { warned++; t.Log(err) }
	sum := labelled(t, r)
	if err := <-lying.end; err == nil || !strings.Contains(err.Error(), "banned") {
		t.Errorf("the liar: %v", err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the honest one: %v", err)
	}
	if sum.Disagreed != 1 || warned != 1 || sum.Checked < 10 {
		t.Errorf("%+v", sum)
	}
	testkit.Same(t, filepath.Join(dir, "alone"), r.Out)
}
