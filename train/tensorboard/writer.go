// Package tensorboard writes scalars as event files, which TensorBoard shows.
//
// Numbers with a name, a step and a time are appended to a file. The package starts no goroutines; a
// [Writer] is not safe for concurrent use.
//
// # Format
//
// An event file is a TFRecord file: records, one after the other, without a header. All integers are little-endian.
//
//	offset  bytes  what
//	0       8      L, the length of the data
//	8       4      masked CRC-32C of the 8 bytes before
//	12      L      the data: one Event message of TensorFlow's event.proto
//	12 + L  4      masked CRC-32C of the data
//
// The mask is ((crc >> 15) | (crc << 17)) + 0xa282ead8. A reader takes a torn last record for the end of the file.
//
// The first event carries the file version, the second reports that a session starts: TensorBoard then drops the points
// of earlier files of the folder from that step on, so that a resumed run shows no step twice.
package tensorboard

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Scalar is a named number. The names of charts may have parts, as "loss/policy".
type Scalar struct {
	Tag   string
	Value float64 // stored as float32
}

// Writer appends events to one file.
type Writer struct{ f *os.File }

// Create begins a file in dir, which is made if need be, for a process whose first step is at or after firstStep. Its
// name holds the time, for TensorBoard reads the files of a folder in the order of their names.
func Create(dir string, firstStep int64, now time.Time) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("events.out.tfevents.%010d.%09d.talbot", now.Unix(), now.Nanosecond())
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	version := protowire.AppendString(protowire.AppendTag(nil, 3, protowire.BytesType), "brain.Event:2")
	start := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 1) // SessionLog.START
	session := protowire.AppendBytes(protowire.AppendTag(nil, 7, protowire.BytesType), start)
	both := append(record(event(now, 0, version)), record(event(now, firstStep, session))...)
	if _, err := f.Write(both); err != nil {
		f.Close()
		return nil, err
	}
	return &Writer{f}, nil
}

// Add writes the scalars of a step with one system call.
func (w *Writer) Add(step int64, now time.Time, scalars []Scalar) error {
	var summary []byte
	for _, s := range scalars {
		value := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), s.Tag)
		value = protowire.AppendTag(value, 2, protowire.Fixed32Type)
		value = protowire.AppendFixed32(value, math.Float32bits(float32(s.Value)))
		summary = protowire.AppendBytes(protowire.AppendTag(summary, 1, protowire.BytesType), value)
	}
	what := protowire.AppendBytes(protowire.AppendTag(nil, 5, protowire.BytesType), summary)
	_, err := w.f.Write(record(event(now, step, what)))
	return err
}

// Close closes the file.
func (w *Writer) Close() error { return w.f.Close() }

// event is an Event message: wall time, step, and what happened, which is an encoded field.
func event(now time.Time, step int64, what []byte) []byte {
	seconds := float64(now.UnixNano()) / 1e9
	m := protowire.AppendFixed64(protowire.AppendTag(nil, 1, protowire.Fixed64Type), math.Float64bits(seconds))
	m = protowire.AppendVarint(protowire.AppendTag(m, 2, protowire.VarintType), uint64(step))
	return append(m, what...)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func masked(data []byte) uint32 {
	crc := crc32.Checksum(data, castagnoli)
	return (crc>>15 | crc<<17) + 0xa282ead8
}

// record frames an event.
func record(data []byte) []byte {
	r := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	r = binary.LittleEndian.AppendUint32(r, masked(r))
	r = append(r, data...)
	return binary.LittleEndian.AppendUint32(r, masked(data))
}
