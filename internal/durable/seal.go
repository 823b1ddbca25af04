package durable

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"talbot/internal/fault"
)

var (
	// ErrChanged says that a sealed file is not what was written.
	ErrChanged = errors.New("content or checksum changed after it was written")
	// ErrVersion marks a file that is whole, but of a version that this program does not know.
	ErrVersion = fault.New(fault.ExitFailed, "made by a newer talbot",
		"it was written by a newer talbot; use that version")
)

const (
	sealStart = ",\n  \"checksum\": \""
	sealEnd   = "\"\n}\n"
	sealSize  = 2 * sha256.Size
)

// JSON are the options of package [jsonv2] for what files and checksums have: the JSON of encoding/json, in which lists
// and maps are never null and signs of HTML are not escaped.
var JSON = jsonv2.JoinOptions(json.DefaultOptionsV1(), jsontext.EscapeForHTML(false),
	jsonv2.FormatNilSliceAsNull(false), jsonv2.FormatNilMapAsNull(false))

// Seal returns v, a struct or map with at least one member and none named "checksum", as the bytes of a file: a JSON
// object with two spaces a level, and a last member "checksum", the SHA-256 of the file without those 64 digits.
func Seal(v any) ([]byte, error) {
	whole, err := jsonv2.Marshal(v, JSON, jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
	text, ok := bytes.CutSuffix(whole, []byte("\n}"))
	if !ok {
		return nil, fmt.Errorf("cannot seal %.20q: not an object with members", whole)
	}
	text = append(text, sealStart...)
	sum := sealOf(text)
	text = append(text, sum...)
	return append(text, sealEnd...), nil
}

// Intact reports whether data ends with the right checksum.
func Intact(data []byte) bool {
	at := sealAt(data)
	return at >= 0 && sealOf(data[:at]) == string(data[at:at+sealSize])
}

// sealAt returns where the digits of the checksum are, −1 if the file has none.
func sealAt(data []byte) int {
	at := len(data) - len(sealEnd) - sealSize
	if at < len(sealStart) || !bytes.HasSuffix(data, []byte(sealEnd)) ||
		!bytes.HasSuffix(data[:at], []byte(sealStart)) {
		return -1
	}
	return at
}

// sealOf returns the checksum of a file that begins with text, in hex.
func sealOf(text []byte) string {
	h := sha256.New()
	h.Write(text)
	h.Write([]byte(sealEnd))
	return hex.EncodeToString(h.Sum(nil))
}

// Unseal reads into v what [Seal] wrote. A file without the right checksum is [ErrChanged]; members that v lacks are an
// error.
func Unseal(data []byte, v any) error {
	if !Intact(data) {
		return ErrChanged
	}
	d := json.NewDecoder(bytes.NewReader(append(bytes.Clone(data[:sealAt(data)-len(sealStart)]), "\n}\n"...)))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("text after the JSON object")
	}
	return nil
}

// UnsealVersion is [Unseal] for files with a member "version". A file without a right checksum is [ErrChanged], and a
// whole one of another version [ErrVersion].
func UnsealVersion(data []byte, version int, v any) error {
	if !Intact(data) {
		return ErrChanged
	}
	var has struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &has); err != nil {
		return err
	}
	if has.Version != version {
		return fmt.Errorf("%w: the file has version %d, this program reads version %d", ErrVersion, has.Version,
			version)
	}
	return Unseal(data, v)
}

// WriteSealed writes v as [Seal] does into the file of that path, which has the old content or the new one whatever
// happens.
func WriteSealed(path string, v any) error {
	data, err := Seal(v)
	if err != nil {
		return err
	}
	return WriteFile(path, data)
}

// ReadSealed reads into v what [WriteSealed] wrote, of a version, in at most limit bytes. Without a file it leaves v as
// it is. A file that cannot be what was written is [ErrChanged], [ErrNotRegular] or [ErrTooLong].
func ReadSealed(path string, limit int64, version int, v any) error {
	data, err := ReadFile(path, limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = UnsealVersion(data, version, v)
	if err != nil && !errors.Is(err, ErrVersion) && !errors.Is(err, ErrChanged) {
		err = fmt.Errorf("%w: %w", ErrChanged, err)
	}
	return err
}
