package fleet

import (
	"encoding/binary"
	"fmt"
	"math"
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
