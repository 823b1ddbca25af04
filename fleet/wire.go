package fleet

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// protocol is the version of the messages between worker and coordinator. Both sides must have the same.
const protocol = 1

// Bounds of messages, in bytes unless noted.
const (
	maxPayload  = 1 << 20
	maxMessage  = maxPayload - 64<<10 // of a job's query, its payload and an answer, together
	maxReason   = 512
	maxLease    = 3600_000 // ms
	maxHello    = 16 << 10
	maxHeld     = 4096 // jobs of one worker
	maxSlots    = 4096 // of one worker
	ticketBytes = 16
)

// ticket proves that a query came from the coordinator that gets the answer.
type ticket [ticketBytes]byte

// job is one as it lies in the stream:
//
//	number uvarint, ticket [16], query (uvarint length), payload (the rest)
type job struct {
	number  uint64
	ticket  ticket
	query   []byte
	payload []byte
}

func (j *job) append(b []byte) []byte {
	b = binary.AppendUvarint(b, j.number)
	b = append(b, j.ticket[:]...)
	b = binary.AppendUvarint(b, uint64(len(j.query)))
	b = append(b, j.query...)
	return append(b, j.payload...)
}

func decodeJob(b []byte) (j job, err error) {
	r := reader{Rest: b}
	j.number, j.ticket = r.Uvarint(math.MaxUint64), readTicket(&r)
	j.query = r.Bytes(r.Uvarint(maxMessage))
	j.payload = r.Rest
	return j, r.Err()
}

// jobResult is a worker's answer, as a job with the answer for its payload.
type jobResult = job

// heldJob is a job that a worker claims to hold.
type heldJob struct {
	number uint64
	ticket ticket
}

// appendHeldJobs writes a list: uvarint count, then number uvarint and ticket [16] of each.
func appendHeldJobs(b []byte, list []heldJob) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, h := range list {
		b = binary.AppendUvarint(b, h.number)
		b = append(b, h.ticket[:]...)
	}
	return b
}

func decodeHeldJobs(b []byte) (list []heldJob, err error) {
	r := reader{Rest: b}
	for range r.Uvarint(maxHeld) {
		if r.Bad {
			break
		}
		list = append(list, heldJob{r.Uvarint(math.MaxUint64), readTicket(&r)})
	}
	return list, r.End()
}

// returnedJob is a job that a worker returns: number uvarint, ticket [16], blame u8 (1: it went wrong, 0: the worker
// only stops), and why as text.
type returnedJob struct {
	heldJob
	blame  bool
	reason string
}

func (k *returnedJob) append(b []byte) []byte {
	b = binary.AppendUvarint(b, k.number)
	b = append(b, k.ticket[:]...)
	if k.blame {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	return append(b, clip(k.reason, maxReason)...)
}

func decodeReturnedJob(b []byte) (k returnedJob, err error) {
	r := reader{Rest: b}
	k.number, k.ticket = r.Uvarint(math.MaxUint64), readTicket(&r)
	flag := r.Byte()
	k.blame, k.reason = flag == 1, string(r.Rest)
	if flag > 1 || len(r.Rest) > maxReason || !utf8.Valid(r.Rest) {
		r.Bad = true
	}
	return k, r.Err()
}

// hello introduces a worker.
type hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`         // of talbot; only shown
	Name     string `json:"name"`            // of the machine; only shown
	Slots    int    `json:"slots"`           // jobs that it does at a time
	Token    string `json:"token,omitempty"` // with a cluster, which does not know it
}

func decodeHello(b []byte) (h hello, err error) {
	if err := decodeJSON(b, maxHello, &h); err != nil {
		return h, err
	}
	if h.Slots < 1 || h.Slots > maxSlots || len(h.Version) > 64 || len(h.Name) > 256 {
		return h, fmt.Errorf("%w: %d slots, or a name is too long", errMessage, h.Slots)
	}
	return h, nil
}

// welcome is the reply to a hello: the lease in milliseconds as uvarint, and the terms.
type welcome struct {
	lease time.Duration
	text  []byte
}

func (w welcome) append(b []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(max(w.lease.Milliseconds(), 1))), w.text...)
}

func decodeWelcome(b []byte) (w welcome, err error) {
	r := reader{Rest: b}
	ms := max(r.Uvarint(maxLease), 1)
	return welcome{time.Duration(ms) * time.Millisecond, r.Rest}, r.Err()
}

// code begins every reply of the coordinator.
type code byte

const (
	codeDone     code = iota // the request is done; the reply follows
	codeGone                 // the job is not wanted any more
	codeRefused              // the reason follows; asking again does not help
	codeStranger             // the worker has to join first, as after a restart of the coordinator
	codeFinished             // there are no more jobs, and there will be none
	codeBusy                 // ask again a little later
	codes
)

func reply(c code, text []byte) []byte { return append([]byte{byte(c)}, text...) }

func decodeReply(b []byte) (code, []byte, error) {
	if len(b) == 0 || b[0] >= byte(codes) {
		return 0, nil, fmt.Errorf("%w: a reply of %d bytes", errMessage, len(b))
	}
	return code(b[0]), b[1:], nil
}

func readTicket(r *reader) (t ticket) {
	copy(t[:], r.Bytes(ticketBytes))
	return t
}

// errMessage says that a message is not of the form it should have.
var errMessage = errors.New("malformed message")

// reader takes values off the front of Rest. After the first one that is missing, or beyond its limit, Bad is set and
// all others are zero.
type reader struct {
	Rest []byte
	Bad  bool
}

// Uvarint takes a number of at most limit.
func (r *reader) Uvarint(limit uint64) uint64 {
	v, n := binary.Uvarint(r.Rest)
	if n <= 0 || v > limit {
		r.Bad, r.Rest = true, nil
		return 0
	}
	r.Rest = r.Rest[n:]
	return v
}

// Bytes takes n bytes, which are part of the message.
func (r *reader) Bytes(n uint64) []byte {
	if n > uint64(len(r.Rest)) {
		r.Bad, r.Rest = true, nil
		return nil
	}
	part := r.Rest[:n:n]
	r.Rest = r.Rest[n:]
	return part
}

// Byte takes one byte.
func (r *reader) Byte() byte {
	if b := r.Bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// Text takes valid UTF-8 of at most limit bytes, whose length stands before it (uvarint).
func (r *reader) Text(limit uint64) string {
	b := r.Bytes(r.Uvarint(limit))
	if !utf8.Valid(b) {
		r.Bad, r.Rest = true, nil
		return ""
	}
	return string(b)
}

// appendText writes what reader.text reads.
func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// Err is [errMessage] if a value was missing.
func (r *reader) Err() error {
	if r.Bad {
		return errMessage
	}
	return nil
}

// End is [errMessage] if a value was missing or something is left.
func (r *reader) End() error {
	if r.Bad || len(r.Rest) > 0 {
		return errMessage
	}
	return nil
}

// decodeJSON reads one object of at most limit bytes that has no members but those of v.
func decodeJSON(b []byte, limit int, v any) error {
	if len(b) > limit {
		return fmt.Errorf("%w: %d bytes", errMessage, len(b))
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%w: %w", errMessage, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("%w: text after the object", errMessage)
	}
	return nil
}

// clip cuts a text to at most n bytes of valid UTF-8.
func clip(s string, n int) string {
	s = strings.ToValidUTF8(s[:min(len(s), n)], "?")
	return s[:min(len(s), n)]
}
