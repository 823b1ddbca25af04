package fleet

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
