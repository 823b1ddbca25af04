// Package wire reads untrusted messages strictly: anything too long, cut short or followed by more is refused, and no
// message decides how much is allocated.
package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// ErrMessage says that a message is not of the form it should have.
var ErrMessage = errors.New("malformed message")

// Reader takes values off the front of Rest. After the first one that is not there, or beyond its limit, Bad is set and
// all others are zero.
type Reader struct {
	Rest []byte
	Bad  bool
}

// Uvarint takes a number of at most limit.
func (r *Reader) Uvarint(limit uint64) uint64 {
	v, n := binary.Uvarint(r.Rest)
	if n <= 0 || v > limit {
		r.Bad, r.Rest = true, nil
		return 0
	}
	r.Rest = r.Rest[n:]
	return v
}

// Bytes takes n bytes, which are part of the message.
func (r *Reader) Bytes(n uint64) []byte {
	if n > uint64(len(r.Rest)) {
		r.Bad, r.Rest = true, nil
		return nil
	}
	part := r.Rest[:n:n]
	r.Rest = r.Rest[n:]
	return part
}

// Byte takes one byte.
func (r *Reader) Byte() byte {
	if b := r.Bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// Text takes valid UTF-8 of at most limit bytes, whose length stands before it (uvarint).
func (r *Reader) Text(limit uint64) string {
	b := r.Bytes(r.Uvarint(limit))
	if !utf8.Valid(b) {
		r.Bad, r.Rest = true, nil
		return ""
	}
	return string(b)
}

// AppendText writes what [Reader.Text] reads.
func AppendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// Err is [ErrMessage] if a value was missing.
func (r *Reader) Err() error {
	if r.Bad {
		return ErrMessage
	}
	return nil
}

// End is [ErrMessage] if a value was missing or something is left.
func (r *Reader) End() error {
	if r.Bad || len(r.Rest) > 0 {
		return ErrMessage
	}
	return nil
}

// JSON reads one object of at most limit bytes that has no members but those of v.
func JSON(b []byte, limit int, v any) error {
	if len(b) > limit {
		return fmt.Errorf("%w: %d bytes", ErrMessage, len(b))
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%w: %w", ErrMessage, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("%w: text after the object", ErrMessage)
	}
	return nil
}

// Clip cuts a text to at most n bytes of valid UTF-8.
func Clip(s string, n int) string {
	s = strings.ToValidUTF8(s[:min(len(s), n)], "?")
	return s[:min(len(s), n)]
}
