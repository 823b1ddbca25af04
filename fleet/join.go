package fleet

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"talbot/internal/fault"
)

const (
	joinScheme = "talbot"
	tokenBytes = 16
	maxJoin    = 1 << 10 // bytes of a join string
)

// Join is all that a worker needs to take part; every process that has it may join.
type Join struct {
	Address string            // host:port
	Token   [tokenBytes]byte  // that the worker shows
	Pin     [sha256.Size]byte // SHA-256 of the coordinator's public key, as SubjectPublicKeyInfo in DER
}

// String is the join string: talbot://HOST:PORT/TOKEN#PIN, with both in hex.
func (j Join) String() string {
	return fmt.Sprintf("%s://%s/%x#%x", joinScheme, j.Address, j.Token, j.Pin)
}

// ErrJoin: a text is not a join string.
var ErrJoin = fault.New(fault.ExitUsage, "not a join string (talbot://HOST:PORT/TOKEN#PIN)",
	"copy the file that `talbot label --listen ... --join-file FILE` wrote")

// ParseJoin reads a join string, white space around it allowed. Its error is [ErrJoin] and never quotes the token.
func ParseJoin(text string) (Join, error) {
	var j Join
	text = strings.TrimSpace(text)
	if len(text) > maxJoin {
		return j, fmt.Errorf("%w: it has %d bytes", ErrJoin, len(text))
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != joinScheme || u.User != nil || u.RawQuery != "" || u.Opaque != "" {
		return j, ErrJoin
	}
	host, port, err := net.SplitHostPort(u.Host)
	if err != nil || host == "" || port == "" || strings.ContainsAny(host, "/#") {
		return j, fmt.Errorf("%w: its address is not HOST:PORT", ErrJoin)
	}
	j.Address = u.Host
	if !unhex(j.Token[:], strings.TrimPrefix(u.Path, "/")) {
		return j, fmt.Errorf("%w: its token is not %d hex digits", ErrJoin, 2*tokenBytes)
	}
	if !unhex(j.Pin[:], u.Fragment) {
		return j, fmt.Errorf("%w: its pin is not %d hex digits", ErrJoin, 2*sha256.Size)
	}
	return j, nil
}

// unhex fills dst from as many lower-case hex digits.
func unhex(dst []byte, digits string) bool {
	b, err := hex.DecodeString(digits)
	if err != nil || len(b) != len(dst) || strings.ToLower(digits) != digits {
		return false
	}
	copy(dst, b)
	return true
}

// pinOf is the pin of a public key.
func pinOf(key ed25519.PublicKey) (pin [sha256.Size]byte, err error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return pin, err
	}
	return sha256.Sum256(der), nil
}

// ownAddress is the first address of this machine that others may reach.
func ownAddress() string {
	addresses, err := net.InterfaceAddrs()
	if err == nil {
		for _, a := range addresses {
			if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && n.IP.To4() != nil {
				return n.IP.String()
			}
		}
	}
	if name, err := os.Hostname(); err == nil {
		return name
	}
	return "localhost"
}
