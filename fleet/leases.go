package fleet

import (
	"encoding/json"
	"time"
)

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

// endLeases takes the jobs from workers that have been silent for too long.
func (c *coordinator) endLeases() {
	delivered, known := c.delivered()
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
		case !known || o.sequence > delivered:
		case o.delivered.IsZero():
			o.delivered = now
		case now.Sub(o.delivered) > c.cfg.Lease:
			c.lose(o, false, "no worker claimed it")
		}
	}
}

// delivered is the sequence in the stream up to which jobs were handed out. It is only looked up if there are jobs that
// no worker claims.
func (c *coordinator) delivered() (sequence uint64, known bool) {
	c.mu.Lock()
	any := false
	for _, o := range c.offers {
		any = any || o.holder == nil && o.sequence > 0
	}
	c.mu.Unlock()
	if !any {
		return 0, false
	}
	m, err := c.nc.Request("$JS.API.CONSUMER.INFO."+streamName+"."+consumerName, nil, time.Second)
	if err != nil {
		return 0, false
	}
	var info struct {
		Delivered struct {
			Stream uint64 `json:"stream_seq"`
		} `json:"delivered"`
	}
	if json.Unmarshal(m.Data, &info) != nil {
		return 0, false
	}
	return info.Delivered.Stream, true
}
