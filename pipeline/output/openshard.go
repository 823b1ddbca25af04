package output

import (
	"sync/atomic"

	"talbot/shards"
)

// openShard is a shard that several goroutines read. It is closed when the last of them lets go.
type openShard struct {
	reader *shards.Reader
	users  atomic.Int64
}

// newOpenShard returns a shard with one user.
func newOpenShard(r *shards.Reader) *openShard {
	s := &openShard{reader: r}
	s.users.Store(1)
	return s
}

func (s *openShard) hold() { s.users.Add(1) }

func (s *openShard) release() error {
	if s.users.Add(-1) == 0 {
		return s.reader.Close()
	}
	return nil
}
