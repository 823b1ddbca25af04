package fleet

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// protocol is the version of all that is said between worker and coordinator. Both sides must have the same.
const protocol = 1

// Bounds on what goes over the wire, in bytes unless said otherwise.
const (
	maxPayload  = 1 << 20
	MaxMessage  = maxPayload - 64<<10 // of what a job asks, its payload and an answer, together
	maxKind     = 32
	maxReason   = 512
	maxHello    = 16 << 10
	maxHeld     = 4096 // jobs of one worker
	maxSlots    = 4096 // of one worker
	ticketBytes = 16
)

// ticket proves that a question was asked by the coordinator that gets the answer.
type ticket [ticketBytes]byte

// errWire says that a message is not of the form it should have.
var errWire = errors.New("malformed message")

// job is one as it lies in the stream:
//
//	number uvarint, ticket [16], kind (u8 length), asked (uvarint length), payload (the rest)
type job struct {
	number  uint64
	ticket  ticket
	kind    string
	asked   []byte
	payload []byte
}

func (j *job) append(b []byte) []byte {
	b = binary.AppendUvarint(b, j.number)
	b = append(b, j.ticket[:]...)
	b = append(b, byte(len(j.kind)))
	b = append(b, j.kind...)
	b = binary.AppendUvarint(b, uint64(len(j.asked)))
	b = append(b, j.asked...)
	return append(b, j.payload...)
}

func decodeJob(b []byte) (j job, err error) {
	r := reader{b: b}
	j.number, j.ticket = r.uvarint(), r.ticket()
	j.kind = string(r.take(uint64(r.byte()), maxKind))
	j.asked = r.take(r.uvarint(), MaxMessage)
	j.payload = r.b
	return j, r.end(false)
}

// answer is a worker's answer: number uvarint, ticket [16], kind (u8 length), asked (uvarint length), the rest is the
// answer.
type answer = job

// held is a job that a worker says it has.
type held struct {
	number uint64
	ticket ticket
}

// appendHeld writes a list: uvarint count, then number uvarint and ticket [16] of each.
func appendHeld(b []byte, list []held) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, h := range list {
		b = binary.AppendUvarint(b, h.number)
		b = append(b, h.ticket[:]...)
	}
	return b
}

func decodeHeld(b []byte) (list []held, err error) {
	r := reader{b: b}
	n := r.uvarint()
	if n > maxHeld {
		return nil, fmt.Errorf("%w: %d jobs held", errWire, n)
	}
	for range n {
		if r.bad {
			break
		}
		list = append(list, held{r.uvarint(), r.ticket()})
	}
	return list, r.end(true)
}

// back is a job that a worker gives back: number uvarint, ticket [16], blame u8 (1: it went wrong, 0: the worker only
// stops), and why as text.
type back struct {
	held
	blame  bool
	reason string
}

func (k *back) append(b []byte) []byte {
	b = binary.AppendUvarint(b, k.number)
	b = append(b, k.ticket[:]...)
	if k.blame {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	return append(b, clip(k.reason, maxReason)...)
}

func decodeBack(b []byte) (k back, err error) {
	r := reader{b: b}
	k.number, k.ticket = r.uvarint(), r.ticket()
	flag := r.byte()
	k.blame, k.reason = flag == 1, string(r.b)
	if flag > 1 || len(r.b) > maxReason || !utf8.Valid(r.b) {
		r.bad = true
	}
	return k, r.end(false)
}

// hello is how a worker introduces itself.
type hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"` // of talbot; only shown
	Name     string `json:"name"`    // of the machine; only shown
	Kind     string `json:"kind"`    // of the jobs that it does
	Slots    int    `json:"slots"`   // jobs that it does at a time
}

func decodeHello(b []byte) (h hello, err error) {
	if err := strictJSON(b, maxHello, &h); err != nil {
		return h, err
	}
	if h.Slots < 1 || h.Slots > maxSlots || len(h.Kind) > maxKind || len(h.Version) > 64 || len(h.Name) > 256 {
		return h, fmt.Errorf("%w: %d slots, or a name is too long", errWire, h.Slots)
	}
	return h, nil
}

// welcome is the reply to a hello: the lease in milliseconds as uvarint, and what the kind has to say.
type welcome struct {
	lease time.Duration
	text  []byte
}

func (w welcome) append(b []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(max(w.lease.Milliseconds(), 1))), w.text...)
}

func decodeWelcome(b []byte) (w welcome, err error) {
	r := reader{b: b}
	ms := r.uvarint()
	if ms < 1 || ms > 3600_000 {
		return w, fmt.Errorf("%w: a lease of %d ms", errWire, ms)
	}
	return welcome{time.Duration(ms) * time.Millisecond, r.b}, r.end(false)
}

// strictJSON reads one object of at most limit bytes that has no members but those of v.
func strictJSON(b []byte, limit int, v any) error {
	if len(b) > limit {
		return fmt.Errorf("%w: %d bytes", errWire, len(b))
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%w: %w", errWire, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("%w: text after the object", errWire)
	}
	return nil
}

// code begins every reply of the coordinator.
type code byte

const (
	codeDone     code = iota // what was asked for is done; what follows is the reply
	codeGone                 // the job is not wanted any more
	codeRefused              // what follows says why; asking again does not help
	codeStranger             // the worker has to join first, as after a restart of the coordinator
	codeFinished             // there are no more jobs, and there will be none
	codeBusy                 // ask again a little later
	codeProve                // what follows is a challenge
	codes
)

func reply(c code, text []byte) []byte { return append([]byte{byte(c)}, text...) }

func decodeReply(b []byte) (code, []byte, error) {
	if len(b) == 0 || b[0] >= byte(codes) {
		return 0, nil, fmt.Errorf("%w: a reply of %d bytes", errWire, len(b))
	}
	return code(b[0]), b[1:], nil
}

// reader takes values off a message; bad is set once it is not what it should be.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) byte() byte {
	if b := r.take(1, 1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// take takes n bytes of at most limit; they are part of the message.
func (r *reader) take(n, limit uint64) []byte {
	if n > limit || n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return nil
	}
	part := r.b[:n:n]
	r.b = r.b[n:]
	return part
}

func (r *reader) ticket() (t ticket) {
	copy(t[:], r.take(ticketBytes, ticketBytes))
	return t
}

// end is the error of a message that was not what it should be, or, if it must be used up, has something behind it.
func (r *reader) end(used bool) error {
	if r.bad || used && len(r.b) > 0 {
		return errWire
	}
	return nil
}

// clip cuts a text to at most n bytes of valid UTF-8.
func clip(s string, n int) string {
	s = strings.ToValidUTF8(s[:min(len(s), n)], "?")
	return s[:min(len(s), n)]
}
