package label

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"talbot/dataset"
	"talbot/stockfish"
)

// sequence labels one shard after another in a single call of the pool, so that no engine waits while a shard is ended
// and the next one is scanned. When all lines of a shard are with the pool those of the next one follow; it was scanned
// meanwhile by another goroutine. At most two shards are under way: the present one, which is written, and the next,
// whose labels wait in memory and in its journal.
type sequence struct {
	*labeller
	ctx         context.Context
	present     *labelling
	next        *labelling // nil until it is scanned
	scanning    *shardScan // nil: there is no other shard, or it is the next one already
	noMoreLines bool       // no more lines go to the pool
	err         error      // of making jobs
	unanswered  int        // searches that the pool has not answered
	ending      chan error // the present shard is being ended; nil: it is not
	// journals are those that are open.
	journals []*journal
}

// shardScan is a shard that is being scanned.
type shardScan struct {
	labelling *labelling
	done      chan struct{}
	err       error // once done is closed
}

// shardBits is where the number of the shard is in the index of a job.
const shardBits = 40

// sequence labels the shards from number i on, as many as can be chained. It ends early where the next shard waits for
// a search that failed in the present one: scanned again, it makes that search itself.
func (l *labeller) sequence(ctx context.Context, i int) (err error) {
	looks, stop := context.WithCancel(ctx)
	s := &sequence{labeller: l, ctx: looks}
	defer func() {
		stop()
		if s.scanning != nil {
			<-s.scanning.done
		}
		if s.ending != nil {
			s.noMoreLines = true
			if e := s.startNext(<-s.ending); e != nil {
				err = errors.Join(err, e)
			}
		}
		for _, j := range s.journals {
			err = errors.Join(err, j.Close())
		}
	}()
	if s.present, err = s.openShard(i); err != nil {
		return err
	}
	if err := s.present.scan(looks, nil); err != nil {
		return err
	}
	if err := s.scanAhead(); err != nil {
		return err
	}
	err = l.pool.Label(ctx, s.jobs, s.result)
	if s.err != nil {
		return s.err
	}
	if err == nil {
		err = s.write(math.MaxInt)
	}
	return err
}

// openShard opens the journal of a shard, whose labels count.
func (s *sequence) openShard(i int) (*labelling, error) {
	l := &labelling{labeller: s.labeller, shard: i, journalled: map[int64]searchResult{},
		open:        map[int64]*pendingLine{},
		unpredicted: map[int64]bool{}, donated: slices.Clip(s.labeller.finishedShards),
		infos: slices.Clip(s.out.Manifest().Shards)}
	samples := s.in.Manifest.Shards[i].Samples
	var err error
	l.journal, err = openJournal(s.out.Path(journalName(i)), s.journalIdentity(i),
		func(sample int64, m searchResult) bool {
			ours := sample >= 0 && sample < samples && len(m.labels) == len(s.columns)
			if ours && !s.isBanned(m.origin) {
				l.journalled[sample] = m
			}
			return ours
		}, s.warn)
	if err != nil {
		return nil, err
	}
	s.journals = append(s.journals, l.journal)
	return l, nil
}

// scanAhead begins to scan the shard after the present one, if there is one.
func (s *sequence) scanAhead() error {
	i := s.present.shard + 1
	if s.noMoreLines || i == len(s.in.Shards) {
		return nil
	}
	l, err := s.openShard(i)
	if err != nil {
		return err
	}
	s.scanning = &shardScan{labelling: l, done: make(chan struct{})}
	go func(n *shardScan, before *labelling) {
		n.err = n.labelling.scan(s.ctx, before)
		close(n.done)
	}(s.scanning, s.present)
	return nil
}

// adoptNext waits until a shard is scanned, and makes it the next one: it has what the present one has searched so far,
// and gets what that one searches from now on.
func (s *sequence) adoptNext() error {
	n := s.scanning
	<-n.done
	s.scanning = nil
	if n.err != nil {
		return n.err
	}
	if err := n.labelling.takeOver(s.present); err != nil {
		return err
	}
	s.next = n.labelling
	return nil
}

// jobs yields the jobs for the pool: the lines of one shard after another. A job without positions says that no line is
// ready yet.
func (s *sequence) jobs(yield func(stockfish.Job) bool) {
	give := func(j stockfish.Job) bool {
		s.unanswered += len(j.Plies)
		return yield(j)
	}
	for l := s.present; l != nil; {
		var more bool
		if more, s.err = l.jobs(s.ctx, s.advance, give); !more || s.err != nil {
			return
		}
		for s.mustWait(l) {
			if !yield(stockfish.Job{}) {
				return
			}
		}
		if l, s.err = s.following(l); s.err != nil {
			return
		}
	}
}

// mustWait reports whether the shard after l has to wait for results: all lines of l are with the pool, but l is not
// the present shard yet, or the next one is still being scanned.
func (s *sequence) mustWait(l *labelling) bool {
	if s.unanswered == 0 || l.shard+1 == len(s.in.Shards) {
		return false
	}
	if l != s.present {
		return true
	}
	if s.scanning == nil {
		return false
	}
	select {
	case <-s.scanning.done:
		return false
	default:
		return true
	}
}

// following returns the shard whose lines follow those of l; nil if none do for now.
func (s *sequence) following(l *labelling) (following *labelling, err error) {
	if l != s.present && s.unanswered == 0 {
		if err := s.write(math.MaxInt); err != nil {
			return nil, err
		}
	}
	if l == s.present {
		if s.scanning != nil {
			if err := s.adoptNext(); err != nil {
				return nil, err
			}
		}
		following = s.next
	}
	l.allQueued, s.noMoreLines = true, following == nil
	return following, s.advance()
}

// result takes one position's labels from the pool.
func (s *sequence) result(r stockfish.Result) error {
	if s.scanning != nil {
		select {
		case <-s.scanning.done:
			if s.ctx.Err() != nil {
				break // no further shard is wanted
			}
			if err := s.adoptNext(); err != nil {
				return err
			}
		default:
		}
	}
	s.unanswered--
	l := s.present
	if int(r.Index>>shardBits) != l.shard {
		l = s.next
	}
	id, m, err := l.record(r)
	if err != nil {
		return err
	}
	if l == s.present && s.next != nil && !m.failed() {
		s.next.ledger.share(id, m)
	}
	s.samples++
	s.report()
	return s.advance()
}

// writeAtOnce is how many lines are written for each result, even if a late one has made many ready: the next result
// waits meanwhile.
const writeAtOnce = 4

// advance writes some of the lines that are done, and ends shards that are complete.
func (s *sequence) advance() error { return s.write(writeAtOnce) }

// write writes lines that are done, at most that many of a shard, and ends shards that are complete. It waits for the
// end of a shard, which takes several writes to the disk, only if all lines are to be written.
func (s *sequence) write(most int) error {
	for s.present != nil {
		if s.ending != nil {
			select {
			case err := <-s.ending:
				if err := s.startNext(err); err != nil {
					return err
				}
			default:
				if most < math.MaxInt {
					return nil
				}
				if err := s.startNext(<-s.ending); err != nil {
					return err
				}
			}
			continue
		}
		if err := s.present.flush(most); err != nil {
			return err
		}
		if !s.present.allQueued || len(s.present.queue) > 0 {
			return nil
		}
		if err := s.end(); err != nil {
			return err
		}
	}
	return nil
}

// end starts a goroutine that ends the present shard: meanwhile nothing is written but the journal of the next shard.
func (s *sequence) end() error {
	l := s.present
	if s.out.Empty() { // a shard without lines
		return fmt.Errorf("shard %d of %q: %w: no lines", l.shard, s.In, dataset.ErrDamaged)
	}
	l.unpredictedLock.Lock()
	s.noCandidates += int64(len(l.unpredicted))
	l.unpredictedLock.Unlock()
	origins, id := s.out.Path(originsName(l.shard)), s.journalIdentity(l.shard)
	s.journals = slices.DeleteFunc(s.journals, func(j *journal) bool { return j == l.journal })
	s.ending = make(chan error, 1)
	go func(done chan<- error) {
		var err error
		if l.hasRemote {
			err = writeOrigins(origins, id, l.origins)
		}
		if err == nil {
			err = s.out.EndShard()
		}
		if err == nil {
			err = l.journal.Remove()
		} else {
			err = errors.Join(err, l.journal.Close())
		}
		done <- err
	}(s.ending)
	return nil
}

// startNext goes on to the next shard when the present one has ended.
func (s *sequence) startNext(err error) error {
	s.ending = nil
	l := s.present
	if err == nil {
		err = s.openFinished(s.out.Manifest().Shards[l.shard].File)
	}
	if err != nil {
		return err
	}
	if s.present, s.next = s.next, nil; s.present == nil {
		return nil
	}
	return s.scanAhead()
}
