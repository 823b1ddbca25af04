package fleet

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
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
	maxHello    = 16 << 10
	maxHeld     = 512 << 10 // of a list of jobs
	maxSlots    = 4096      // of one worker
	ticketBytes = 16
)

// ticket proves that a query came from the coordinator that gets the answer. It is hex in JSON.
type ticket [ticketBytes]byte

// MarshalText implements [encoding.TextMarshaler].
func (t ticket) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, t[:]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (t *ticket) UnmarshalText(text []byte) error {
	if !unhex(t[:], string(text)) {
		return errMessage
	}
	return nil
}

// job is one as it lies in the stream, or a worker's answer, whose payload are the labels:
//
//	number uvarint, ticket [16], query (uvarint length), payload (the rest)
type job struct {
	heldJob
	query, payload []byte
}

func (j *job) append(b []byte) []byte {
	b = binary.AppendUvarint(b, j.Number)
	b = append(b, j.Ticket[:]...)
	b = binary.AppendUvarint(b, uint64(len(j.query)))
	b = append(b, j.query...)
	return append(b, j.payload...)
}

func decodeJob(b []byte) (j job, err error) {
	r := reader{Rest: b}
	j.Number = r.Uvarint(math.MaxUint64)
	copy(j.Ticket[:], r.Bytes(ticketBytes))
	j.query = r.Bytes(r.Uvarint(maxMessage))
	j.payload = r.Rest
	return j, r.Err()
}

// heldJob is a job that a worker claims to hold.
type heldJob struct {
	Number uint64 `json:"number"`
	Ticket ticket `json:"ticket"`
}

// returnedJob is a job that a worker returns because it went wrong.
type returnedJob struct {
	heldJob
	Reason string `json:"reason"`
}

// hello introduces a worker.
type hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`         // of talbot; only shown
	Name     string `json:"name"`            // of the machine; only shown
	Slots    int    `json:"slots"`           // jobs that it does at a time
	Token    string `json:"token,omitempty"` // with a cluster, which does not know it
}

func (h *hello) check() error {
	switch {
	case h.Slots < 1 || h.Slots > maxSlots || len(h.Version) > 64 || len(h.Name) > 256:
		return fmt.Errorf("%w: %d slots, or a name is too long", errMessage, h.Slots)
	case h.Protocol != protocol:
		return fmt.Errorf("the worker speaks protocol %d, the coordinator %d: use the same version of talbot",
			h.Protocol, protocol)
	}
	return nil
}

// welcome is the reply to a hello.
type welcome struct {
	Lease time.Duration `json:"lease"`
	Terms []byte        `json:"terms"`
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

// appendText writes what reader.Text reads.
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

// encodeJSON writes a message of ours, which always can be.
func encodeJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// decodeJSON reads one value of at most limit bytes that has no members but those of T.
func decodeJSON[T any](b []byte, limit int) (v T, err error) {
	if len(b) > limit {
		return v, fmt.Errorf("%w: %d bytes", errMessage, len(b))
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, fmt.Errorf("%w: %w", errMessage, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return v, fmt.Errorf("%w: text after the value", errMessage)
	}
	return v, nil
}

// clip cuts a text to at most n bytes of valid UTF-8.
func clip(s string, n int) string {
	s = strings.ToValidUTF8(s[:min(len(s), n)], "?")
	return s[:min(len(s), n)]
}
