package tensorboard

import (
	"encoding/hex"
	"testing"
)

// The framing of a record.
func TestRecord(t *testing.T) {
	// RFC 3720, B.4: the CRC-32C of 32 zero bytes is 8a9136aa; masked by hand: rotated right by 15 bits it is 6d551522,
	// and a282ead8 more is 0fd7fffa.
	if got, want := masked(make([]byte, 32)), uint32(0x0fd7fffa); got != want {
		t.Errorf("masked checksum %08x, want %08x", got, want)
	}
	got := record([]byte("abc"))
	if len(got) != 8+4+3+4 || hex.EncodeToString(got[:8]) != "0300000000000000" || string(got[12:15]) != "abc" {
		t.Errorf("record %x", got)
	}
}
