package fleet

import (
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// member returns the member that asks; nil if it has not joined. c.mu is held.
func (c *coordinator) member(key, instance string) *member {
	m := c.members[key+"."+instance]
	if m != nil {
		m.heard = c.cfg.now()
	}
	return m
}

func (c *coordinator) reply(m *nats.Msg, code code, text []byte) {
	_ = m.Respond(reply(code, text)) // if it is lost, the worker asks again
}

// refuse answers an invalid request.
func (c *coordinator) refuse(m *nats.Msg, err error) {
	c.refused.Add(1)
	c.reply(m, codeRefused, []byte(clip(err.Error(), maxRefusal)))
}

// onJoin sends the terms to a worker that introduces itself, and takes it in once it comes with a proof of its engine.
func (c *coordinator) onJoin(m *nats.Msg, key, instance string) {
	h, err := decodeJSON[hello](m.Data, maxHello)
	if err == nil {
		err = h.check()
	}
	if token := c.seed.token(); err == nil && c.gate == nil && !equalSecrets(h.Token, hex.EncodeToString(token[:])) {
		err = errors.New("the token is wrong")
	}
	if reason := c.roster.banned(key); err == nil && reason != "" {
		err = errors.New("the worker is banned: " + reason)
	}
	worker := 0
	if err == nil && h.Proof != nil {
		if err = c.cfg.prove(h.Proof); err == nil {
			worker, err = c.roster.of(key, h.Name)
		}
	}
	if err != nil {
		c.refuse(m, err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.finished:
		c.reply(m, codeFinished, nil)
		return
	case h.Proof == nil:
		c.reply(m, codeDone, encodeJSON(welcome{c.cfg.Lease, c.cfg.terms}))
		return
	}
	id := key + "." + instance
	if old := c.members[id]; old != nil {
		c.remove(id, old, false, "it joined again")
	}
	taken := map[int]bool{}
	for _, other := range c.members {
		if other.key == key {
			taken[other.process] = true
		}
	}
	if len(taken) >= maxInstances || len(c.members) >= maxMembers {
		c.refuse(m, fmt.Errorf("there are %d processes of this worker and %d in all", len(taken), len(c.members)))
		return
	}
	process := 1
	for taken[process] {
		process++
	}
	c.members[id] = &member{key: key, instance: instance, worker: worker, process: process, name: h.Name,
		version: h.Version, slots: h.Slots, heard: c.cfg.now(), held: map[uint64]*offer{}}
	c.recount()
	c.reply(m, codeDone, nil)
}

// nextText is the request for one job, as the queue wants it.
var nextText = encodeJSON(map[string]any{"batch": 1, "expires": nextExpires, "idle_heartbeat": nextBeat})

// onNext hands a worker's request for a job to the queue, which answers to the worker's inbox. Workers may not ask the
// queue themselves: a worker that could might take jobs without end.
func (c *coordinator) onNext(m *nats.Msg, key, instance string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	member := c.member(key, instance)
	switch {
	case c.finished:
		c.reply(m, codeFinished, nil)
		return
	case member == nil:
		c.reply(m, codeStranger, nil)
		return
	}
	now := c.cfg.now()
	for len(member.openRequests) > 0 && now.Sub(member.openRequests[0]) > nextExpires {
		member.openRequests = member.openRequests[1:]
	}
	if len(member.openRequests) >= 4*member.slots+8 || len(member.held) >= 2*member.slots+4 {
		c.reply(m, codeBusy, nil)
		return
	}
	member.openRequests = append(member.openRequests, now)
	_ = c.nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT."+streamName+"."+consumerName, m.Reply, nextText)
}

// hold records that a member has a job, unless another one has it.
func (m *member) hold(o *offer, now time.Time) {
	if o.holder == nil {
		o.holder, o.renewed = m, now // it was delivered just now, or will soon be renewed
		m.held[o.number] = o
		if len(m.openRequests) > 0 {
			m.openRequests = m.openRequests[1:]
		}
	}
	if o.holder == m {
		o.heard = now
	}
}

// onHold records that a worker has jobs. The reply says for each whether it is still wanted.
func (c *coordinator) onHold(m *nats.Msg, key, instance string) {
	list, err := decodeJSON[[]heldJob](m.Data, maxHeld)
	if err != nil {
		c.refuse(m, err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	member := c.member(key, instance)
	if member == nil {
		c.reply(m, codeStranger, nil)
		return
	}
	now := c.cfg.now()
	codes := make([]byte, len(list))
	for i, h := range list {
		o := c.offers[h.Number]
		if o == nil || o.ticket != h.Ticket || o.holder != nil && o.holder != member {
			codes[i] = byte(codeGone)
			continue
		}
		member.hold(o, now)
		if o.sequence > 0 && now.Sub(o.renewed) > c.cfg.Lease/2 {
			// The queue's lease is renewed too; it checks only the sequence in the stream.
			o.renewed = now
			_ = c.nc.Publish(fmt.Sprintf("$JS.ACK.%s.%s.1.%d.%d.0.0", streamName, consumerName, o.sequence, o.sequence),
				[]byte("+WPI"))
		}
	}
	if c.finished {
		c.reply(m, codeFinished, nil)
		return
	}
	c.reply(m, codeDone, codes)
}

// onAnswer hands an answer on to the reader of coordinator.answers, and waits until it is taken. An answer whose job
// is not offered any more goes the same way: the ticket proves that it was wanted. A job without an answer is lost.
func (c *coordinator) onAnswer(m *nats.Msg, key, instance string) {
	a, err := decodeJSON[job](m.Data, maxPayload)
	if err == nil && a.Ticket != ticketOf(c.ticket, a.Query) {
		err = errors.New("this was never asked for")
	}
	if err != nil {
		c.refuse(m, err)
		return
	}
	if d := c.accept(m, &a, key, instance); d != nil {
		select {
		case c.answers <- d:
		case <-c.ended.Done():
		}
	}
}

// accept takes an answer over; nil if it is none.
func (c *coordinator) accept(m *nats.Msg, a *job, key, instance string) *delivery {
	c.mu.Lock()
	defer c.mu.Unlock()
	member := c.member(key, instance)
	if member == nil {
		c.reply(m, codeStranger, nil)
		return nil
	}
	d := &delivery{worker: member.worker, query: a.Query, answer: a.Payload}
	o := c.offers[a.Number]
	if o != nil && o.ticket == a.Ticket {
		d.number = a.Number
		member.hold(o, c.cfg.now()) // it may wait here
	}
	if a.Failed != "" {
		if d.number != 0 && o.holder == member {
			c.lose(o, true, clip(a.Failed, maxReason))
		}
		c.reply(m, codeDone, nil)
		return nil
	}
	d.reply = func(err error) {
		if err != nil {
			c.refuse(m, err)
			return
		}
		if d.number != 0 {
			c.mu.Lock()
			member.done++
			c.mu.Unlock()
			c.done.Add(1)
		}
		c.reply(m, codeDone, nil)
	}
	return d
}

// onLeave ends a worker's process, whose jobs go to others at once.
func (c *coordinator) onLeave(m *nats.Msg, key, instance string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if member := c.members[key+"."+instance]; member != nil {
		c.remove(key+"."+instance, member, false, "the worker stopped")
	}
	c.reply(m, codeDone, nil)
}

// onStatus tells how far the work has come to everyone who has the token.
func (c *coordinator) onStatus(m *nats.Msg, _, _ string) {
	if text := encodeJSON(c.Status()); len(text) < maxPayload {
		c.reply(m, codeDone, text)
	} else {
		c.refuse(m, errors.New("the status is too long"))
	}
}
