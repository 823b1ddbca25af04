package fleet

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// protocol is the version of the messages between worker and coordinator. Both sides must have the same.
const protocol = 1

// Bounds of messages, in bytes unless noted.
const (
	maxPayload = 1 << 20
	maxJob     = maxPayload - 64<<10
	maxReason  = 512
	maxHello   = 512 << 10
	maxRefusal = 8 << 10   // of the text of one
	maxHeld    = 512 << 10 // of a list of jobs
	maxSlots   = 4096      // of one worker
)

// digest is a hash, or a proof with a secret. It is hex in JSON.
type digest [16]byte

// MarshalText implements [encoding.TextMarshaler].
func (d digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *digest) UnmarshalText(text []byte) error {
	if !unhex(d[:], string(text)) {
		return errMessage
	}
	return nil
}

// job is one as it lies in the stream, or a worker's answer, whose payload are the labels.
type job struct {
	heldJob
	Query   []byte `json:"query"`
	Payload []byte `json:"payload"`
	Failed  string `json:"failed,omitempty"` // why there is no answer
}

// heldJob is a job that a worker claims to hold.
type heldJob struct {
	Number uint64 `json:"number"`
	Ticket digest `json:"ticket"` // proves that the query came from the coordinator that gets the answer
}

// hello introduces a worker.
type hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`         // of talbot; only shown
	Name     string `json:"name"`            // of the machine; only shown
	Slots    int    `json:"slots"`           // jobs that it does at a time
	Token    string `json:"token,omitempty"` // with a cluster, which does not know it
	Proof    []byte `json:"proof,omitempty"` // of its engine; without one the worker asks for the terms
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

// welcome is the reply to a hello without a proof.
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
