package fleet

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"talbot/internal/fault"
)

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

// connect opens the coordinator's connection; again is called after a lost connection is restored, dropped when a
// message is lost because there are too many.
func (k Cluster) connect(again func(), dropped nats.ErrHandler) (*nats.Conn, error) {
	nc, err := nats.Connect(k.URL, append(k.options(), nats.Name("talbot coordinator"), nats.ErrorHandler(dropped),
		nats.ReconnectHandler(func(*nats.Conn) { again() }))...)
	if err != nil {
		return nil, fmt.Errorf("connecting to the NATS cluster: %w", err)
	}
	return nc, nil
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
