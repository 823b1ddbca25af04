package fleet

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"talbot/internal/fault"
)

// The settings of the server, as far as they bound what strangers can do.
const (
	maxConnections  = 4096
	maxSubs         = 8 << 10 // of a connection
	maxControlLine  = 1 << 10
	maxPending      = 16 << 20 // bytes that wait for a client that does not read
	maxMemory       = 512 << 20
	pingInterval    = 5 * time.Second
	maxPings        = 2
	authTimeout     = 5 // seconds, also of the TLS handshake
	writeDeadline   = 5 * time.Second
	serverStartTime = 20 * time.Second
)

// Subjects. A worker is known by its key, and one process of it by its instance.
const (
	subjectRoot  = "talbot.w."     // talbot.w.KEY.INSTANCE.VERB: requests of a worker
	inboxRoot    = "_I."           // _I.KEY.INSTANCE.>: what a worker gets
	subjectJobs  = "talbot.job."   // talbot.job.NUMBER
	subjectFiled = "talbot.filed." // talbot.filed.NUMBER: the queue has the job
	verbJoin     = "join"          // a hello; the reply to one without proof is the welcome
	verbNext     = "next"          // a request for one more job, which comes to the inbox
	verbHold     = "hold"          // jobs that are held; the reply says which are still wanted, a code each
	verbAnswer   = "answer"        // an answer, or why there is none
	verbLeave    = "leave"         // the worker ends
	verbStatus   = "status"        // how far the work is; needs no join
	instanceSize = 8               // hex digits
	serverName   = "talbot"        //
)

// gate is the server with its access control: which clients are admitted, and what they may do.
type gate struct {
	srv         *server.Server
	store       string
	ownPassword string // the password of the process itself
	token       string
	admitted    func(key string) bool // false for keys that are banned

	refused atomic.Int64 // connections
}

// openGate starts a server that keeps what it must in the folder store. Without listen no port opens.
func openGate(s seed, store, listen string, admitted func(string) bool) (*gate, error) {
	var inside [16]byte
	if _, err := rand.Read(inside[:]); err != nil {
		return nil, err
	}
	token := s.token()
	g := &gate{store: store, ownPassword: hex.EncodeToString(inside[:]), token: hex.EncodeToString(token[:]),
		admitted: admitted}
	o := &server.Options{
		ServerName: serverName, NoSigs: true, NoLog: true, DontListen: listen == "",
		JetStream: true, StoreDir: store, JetStreamMaxMemory: maxMemory, JetStreamMaxStore: 1 << 20,
		PingInterval: pingInterval, MaxPingsOut: maxPings, MaxConn: maxConnections, MaxSubs: maxSubs,
		MaxControlLine: maxControlLine, MaxPayload: maxPayload, MaxPending: maxPending, WriteDeadline: writeDeadline,
		AuthTimeout: authTimeout, TLSTimeout: authTimeout, AlwaysEnableNonce: true, CustomClientAuthentication: g,
	}
	if listen != "" {
		// The server ends the process if it cannot listen, so that is tried first.
		try, err := net.Listen("tcp", listen)
		if err != nil {
			return nil, fmt.Errorf("listening for workers: %w", err)
		}
		try.Close()
		address := try.Addr().(*net.TCPAddr)
		o.Host, o.Port, o.TLSHandshakeFirst = address.IP.String(), address.Port, true
		if strings.HasSuffix(listen, ":0") {
			o.Port = server.RANDOM_PORT
		}
		if o.TLSConfig, err = serverTLS(s.private()); err != nil {
			return nil, err
		}
	}
	if err := os.RemoveAll(store); err != nil {
		return nil, err
	}
	var err error
	if g.srv, err = server.NewServer(o); err != nil {
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	g.srv.Start()
	if !g.srv.ReadyForConnections(serverStartTime) {
		g.close()
		return nil, errors.New("starting the server: it is not ready in time")
	}
	return g, nil
}

// port is the one that is listened on; 0 without.
func (g *gate) port() int {
	if a, ok := g.srv.Addr().(*net.TCPAddr); ok && a != nil {
		return a.Port
	}
	return 0
}

// options are those of the connection of the process itself.
func (g *gate) options() []nats.Option {
	return []nats.Option{nats.InProcessServer(g.srv), nats.UserInfo("coordinator", g.ownPassword),
		nats.ReconnectBufSize(-1), nats.MaxReconnects(-1), nats.ReconnectWait(50 * time.Millisecond)}
}

// Check admits clients that have the token and sign the nonce with the key that they name. The server calls it.
func (g *gate) Check(c server.ClientAuthentication) bool {
	ok := g.check(c)
	if !ok {
		g.refused.Add(1)
	}
	return ok
}

func (g *gate) check(c server.ClientAuthentication) bool {
	o := c.GetOpts()
	if o.Username != "" || o.Password != "" {
		return c.GetTLSConnectionState() == nil && o.Username == "coordinator" &&
			equalSecrets(o.Password, g.ownPassword)
	}
	if c.GetTLSConnectionState() == nil || !equalSecrets(o.Token, g.token) {
		return false
	}
	signature, err := base64.RawURLEncoding.DecodeString(o.Sig)
	if err != nil || !nkeys.IsValidPublicUserKey(o.Nkey) {
		return false
	}
	key, err := nkeys.FromPublicKey(o.Nkey)
	if err != nil || key.Verify(c.GetNonce(), signature) != nil || !g.admitted(o.Nkey) {
		return false
	}
	c.RegisterUser(&server.User{Username: o.Nkey, Permissions: &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{subjectRoot + o.Nkey + ".*.*"}},
		Subscribe: &server.SubjectPermission{Allow: []string{inboxRoot + o.Nkey + ".>"}},
	}})
	return true
}

func equalSecrets(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// cut ends all connections of a key.
func (g *gate) cut(key string) {
	open, err := g.srv.Connz(&server.ConnzOptions{Username: true, Limit: maxConnections})
	if err != nil {
		return // the server ends
	}
	for _, c := range open.Conns {
		if c.AuthorizedUser == key {
			_ = g.srv.DisconnectClientByID(c.Cid) // it may be gone
		}
	}
}

// close ends the server and removes its store.
func (g *gate) close() {
	g.srv.Shutdown()
	g.srv.WaitForShutdown()
	_ = os.RemoveAll(g.store) // made again next time
}

// parseSubject takes the subject of a worker's request apart.
func parseSubject(subject string) (key, instance, verb string, ok bool) {
	rest, ok := strings.CutPrefix(subject, subjectRoot)
	parts := strings.Split(rest, ".")
	if !ok || len(parts) != 3 || len(parts[1]) != instanceSize || !nkeys.IsValidPublicUserKey(parts[0]) {
		return "", "", "", false
	}
	return parts[0], parts[1], parts[2], true
}

// Cluster is a NATS server or cluster with JetStream that carries the messages in place of the coordinator's own
// server. Its account is for one coordinator at a time. Rights beyond the account are not needed.
//
// Some guarantees of the own server are then up to the cluster: who may connect, encryption, and that no one else reads
// or sends messages of others. See [Cluster.Weaker].
type Cluster struct {
	URL   string // nats://HOST:PORT or tls://HOST:PORT, several separated by commas
	Creds string // file with credentials; empty: those in the URL, or none
}

// Weaker describes the guarantees that a cluster does not give.
func (Cluster) Weaker() string {
	return "with --nats, whoever has the credentials can read the positions and labels, and can answer in the name " +
		"of another worker; a banned worker is ignored, but not cut off; the key of the labelling is not checked"
}

// options returns the options of a connection.
func (k Cluster) options() []nats.Option {
	o := []nats.Option{nats.Timeout(dialTimeout), nats.PingInterval(pingInterval), nats.MaxPingsOutstanding(maxPings),
		nats.ReconnectBufSize(-1), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait)}
	if k.Creds != "" {
		o = append(o, nats.UserCredentials(k.Creds))
	}
	return o
}

// ErrInUse says that another coordinator uses the account of a cluster.
var ErrInUse = fault.New(fault.ExitFailed, "another labelling uses this account of the NATS cluster",
	"wait for it, or use another account")

const ownerKey = "talbot-coordinator"

// queue makes the stream of jobs and its consumer, empty.
func (c *coordinator) queue(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	pin, err := c.Join()
	if err != nil {
		return err
	}
	owner := fmt.Sprintf("%x", pin.Pin[:8])
	switch old, err := c.js.Stream(ctx, streamName); {
	case err == nil && old.CachedInfo().Config.Metadata[ownerKey] != owner:
		return ErrInUse
	case err == nil:
		if err := c.js.DeleteStream(ctx, streamName); err != nil {
			return fmt.Errorf("making the queue: %w", err)
		}
	case !errors.Is(err, jetstream.ErrStreamNotFound):
		return fmt.Errorf("making the queue: %w", err)
	}
	if _, err := c.js.CreateStream(ctx, jetstream.StreamConfig{Name: streamName, Subjects: []string{subjectJobs + "*"},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage, MaxMsgsPerSubject: 1,
		Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgSize: maxPayload,
		Metadata: map[string]string{ownerKey: owner}}); err != nil {
		return fmt.Errorf("making the queue: %w", err)
	}
	// The coordinator's lease counts; that of the queue, which goes by the wall clock, ends later.
	if _, err := c.js.CreateConsumer(ctx, streamName, jetstream.ConsumerConfig{Durable: consumerName,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: 2 * c.cfg.Lease, MaxDeliver: -1, MaxAckPending: 1 << 20,
		MaxWaiting: 1 << 16, MaxRequestBatch: 1, MemoryStorage: true}); err != nil {
		return fmt.Errorf("making the queue: %w", err)
	}
	return nil
}

// renew creates the queue again if a restarted cluster has lost it, as it was in memory. Open jobs are offered again.
func (c *coordinator) renew() {
	ctx, cancel := context.WithTimeout(c.ended, apiTimeout)
	defer cancel()
	if _, err := c.js.Stream(ctx, streamName); !errors.Is(err, jetstream.ErrStreamNotFound) {
		return
	}
	if c.queue(ctx) != nil {
		return // the next loss of the connection, or the end of the leases, tries again
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.offers {
		if o.holder == nil {
			o.sequence = 0 // of the old stream
			c.lose(o, false, "the cluster lost its queue")
		}
	}
}
