package fleet

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// offer is a job that is offered.
type offer struct {
	number   uint64
	sequence uint64    // in the stream; 0 until the queue has acknowledged it
	offered  time.Time // monotonic, as all that follow
	renewed  time.Time // when the lease was last renewed in the queue
	ticket   digest
	holder   *member   // nil while no worker claims it
	heard    time.Time // of the holder
}

// lostJob is a job that no worker holds any more; it is no longer offered.
type lostJob struct {
	number uint64
	worker int    // that had it; 0 if not known
	blame  bool   // it may be the job's fault: the worker fell silent while doing it, or reported an error
	reason string // as the worker put it
}

// Offer puts a job into the queue without waiting for the acknowledgement: a job that the queue does not take is lost.
// An answer returns the query unchanged; payload is what a worker needs besides.
func (c *coordinator) Offer(query, payload []byte) (number uint64, err error) {
	o := &offer{ticket: ticketOf(c.ticket, query), offered: c.cfg.now()}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.number++
	o.number = c.number
	text := encodeJSON(job{heldJob{o.number, o.ticket}, query, payload, ""})
	if len(text) > maxJob {
		return 0, fmt.Errorf("a job of %d bytes is too large", len(text))
	}
	id := strconv.FormatUint(o.number, 10)
	if err := c.nc.PublishRequest(subjectJobs+id, subjectFiled+id, text); err != nil {
		return 0, fmt.Errorf("offering a job: %w", err)
	}
	c.offers[o.number] = o
	return o.number, nil
}

// onStored handles the queue's acknowledgement of a stored job.
func (c *coordinator) onStored(m *nats.Msg) {
	number, err := strconv.ParseUint(strings.TrimPrefix(m.Subject, subjectFiled), 10, 64)
	var ack struct {
		Sequence uint64 `json:"seq"`
	}
	if err != nil {
		return
	}
	_ = json.Unmarshal(m.Data, &ack) // errors, also that of a missing stream, come without a sequence
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.offers[number]
	switch {
	case o == nil && ack.Sequence > 0:
		c.erase(ack.Sequence) // retracted meanwhile
	case o != nil && ack.Sequence > 0:
		o.sequence = ack.Sequence
	case o != nil: // not lost at once, or it would be offered again at once
		o.offered = c.cfg.now().Add(time.Second - c.cfg.Lease)
	}
}

// Retract takes a job back: it is answered, or not wanted any more.
func (c *coordinator) Retract(number uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := c.offers[number]; o != nil {
		c.drop(o)
	}
}

// drop forgets an offer; c.mu is held.
func (c *coordinator) drop(o *offer) {
	delete(c.offers, o.number)
	if o.holder != nil {
		delete(o.holder.held, o.number)
	}
	if o.sequence > 0 {
		c.erase(o.sequence)
	}
}

// erase takes a job out of the stream, and with it out of what the consumer waits for.
func (c *coordinator) erase(sequence uint64) {
	text := fmt.Sprintf(`{"seq":%d,"no_erase":true}`, sequence)
	// If this is lost the job is stale when it comes.
	_ = c.nc.Publish("$JS.API.STREAM.MSG.DELETE."+streamName, []byte(text))
}

// lose records the loss of an offer; c.mu is held.
func (c *coordinator) lose(o *offer, blame bool, reason string) {
	l := lostJob{number: o.number, blame: blame, reason: reason}
	if o.holder != nil {
		l.worker = o.holder.worker
		o.holder.lost++
	}
	c.drop(o)
	c.lost = append(c.lost, l)
	c.change()
}

// LostJobs returns the jobs that were lost since the last call.
func (c *coordinator) LostJobs() []lostJob {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.lost
	c.lost = nil
	return list
}

// watch finds jobs whose holders have fallen silent, by the monotonic clock.
func (c *coordinator) watch() {
	tick := time.NewTicker(max(min(c.cfg.Lease/8, 500*time.Millisecond), time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-c.ended.Done():
			return
		case <-tick.C:
			c.endLeases()
		}
	}
}

// endLeases takes the jobs from workers that have been silent for too long. The queue itself hands out again what no
// worker claims.
func (c *coordinator) endLeases() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.cfg.now()
	for id, m := range c.members {
		if now.Sub(m.heard) > 3*c.cfg.Lease {
			c.remove(id, m, true, "the worker fell silent")
		}
	}
	for _, o := range c.offers {
		switch {
		case o.holder != nil:
			if now.Sub(o.heard) > c.cfg.Lease {
				c.lose(o, true, "the worker fell silent")
			}
		case o.sequence == 0:
			if now.Sub(o.offered) > c.cfg.Lease {
				c.lose(o, false, "the queue never took it")
			}
		}
	}
}
