package fleet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"talbot/internal/testkit"
)

// identity is somebody of a cluster with operators, accounts and users: the pair of keys, and its public one.
type identity struct {
	nkeys.KeyPair
	public string
}

func newIdentity(t *testing.T, prefix nkeys.PrefixByte) identity {
	t.Helper()
	pair := testkit.Value(nkeys.CreatePair(prefix))(t)
	public := testkit.Value(pair.PublicKey())(t)
	return identity{pair, public}
}

// claims are those of an account or user, by who stands for it.
func claims(t *testing.T, c jwt.Claims, by identity) string {
	t.Helper()
	text := testkit.Value(c.Encode(by))(t)
	return text
}

// credentials writes the file of a user of an account, who may publish and subscribe only to those subjects if there
// are any.
func credentials(t *testing.T, account identity, publish, subscribe []string) string {
	t.Helper()
	user := newIdentity(t, nkeys.PrefixByteUser)
	c := jwt.NewUserClaims(user.public)
	c.Permissions.Pub.Allow, c.Permissions.Sub.Allow = publish, subscribe
	seed := testkit.Value(user.Seed())(t)
	text := testkit.Value(jwt.FormatUserConfig(claims(t, c, account), seed))(t)
	path := filepath.Join(t.TempDir(), "creds")
	testkit.OK(t, os.WriteFile(path, text, 0o600))
	return path
}

// A cluster whose users come with credentials, as nsc makes them, does as well as the own server. The coordinator has
// no rights beyond its account, a worker only those that the documentation names.
func TestCredentials(t *testing.T) {
	operator, account := newIdentity(t, nkeys.PrefixByteOperator), newIdentity(t, nkeys.PrefixByteAccount)
	system, stranger := newIdentity(t, nkeys.PrefixByteAccount), newIdentity(t, nkeys.PrefixByteAccount)
	trusted := jwt.NewOperatorClaims(operator.public)
	claims(t, trusted, operator)
	resolver := &server.MemAccResolver{}
	for _, a := range []identity{account, system} {
		c := jwt.NewAccountClaims(a.public)
		if a == account {
			c.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: 64 << 20, Streams: 1, Consumer: 1}
		}
		testkit.OK(t, resolver.Store(a.public, claims(t, c, operator)))
	}
	s, err := server.NewServer(&server.Options{ServerName: "elsewhere", Host: "127.0.0.1", Port: server.RANDOM_PORT,
		NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir(), SystemAccount: system.public,
		TrustedOperators: []*jwt.OperatorClaims{trusted}, AccountResolver: resolver})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.Shutdown()
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server does not start")
	}
	url := fmt.Sprintf("nats://%s", s.Addr())
	cluster := Cluster{URL: url, Creds: credentials(t, account, nil, nil)}
	open := func(dir string, k Cluster) (*coordinator, error) {
		return openCoordinator(t.Context(), coordinatorConfig{Dir: dir, terms: []byte("hello"), prove: proveEcho,
			Share: Share{Lease: time.Second, Cluster: k}})
	}
	if _, err := open(t.TempDir(), Cluster{URL: url, Creds: credentials(t, stranger, nil, nil)}); !errors.Is(err,
		nats.ErrAuthorization) {
		t.Errorf("credentials of an account that is not there: %v", err)
	}
	if _, err := open(t.TempDir(), Cluster{URL: url}); !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("no credentials: %v", err)
	}
	dir := t.TempDir()
	c := testkit.Value(open(dir, cluster))(t)
	defer c.close()
	if _, err := open(t.TempDir(), cluster); !errors.Is(err, ErrInUse) {
		t.Errorf("another coordinator in the same account: %v", err)
	}
	worker := func(join Join) error {
		return WorkerConfig{Join: join, KeyFile: filepath.Join(t.TempDir(), "key"), engines: &echo{},
			Count: 2, Cluster: Cluster{URL: url, Creds: credentials(t, account, []string{"talbot.w.>"},
				[]string{"_I.>"})}, Log: t.Logf}.Run(t.Context())
	}
	wrong := joinOf(t, c)
	wrong.Token[0] ^= 1
	if err := worker(wrong); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "token") {
		t.Errorf("a wrong token: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- worker(joinOf(t, c)) }()
	serve(t, c, questions(100))
	is, err := AskStatus(t.Context(), joinOf(t, c), cluster, filepath.Join(t.TempDir(), "key"))
	if err != nil || is.Done != 100 || len(is.Workers) != 1 {
		t.Errorf("%+v, %v", is, err)
	}
	c.Finish()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
