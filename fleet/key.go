package fleet

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/nats-io/nkeys"

	"talbot/internal/durable"
	"talbot/internal/fault"
)

// seed is the secret from which all others of one side are derived. It is kept in a file of mode 0600, as 64 hex
// digits.
type seed [ed25519.SeedSize]byte

// maxKeyFile is more than any key has, in bytes.
const maxKeyFile = 1 << 10

// ErrReadable: other users may read a secret.
var ErrReadable = fault.New(fault.ExitFailed, "others may read the file",
	"whoever reads it can take part in your name: `chmod 600 FILE`, or begin with a new key if somebody may have")

// loadSeed reads the secret of that path, or makes it. A file that others may read is refused.
func loadSeed(path string) (s seed, err error) {
	for range 2 {
		text, err := durable.ReadFile(path, maxKeyFile)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err := newSeed(path); err != nil && !errors.Is(err, fs.ErrExist) {
				return s, fmt.Errorf("making the key %q: %w", path, err)
			}
			continue
		case err == nil && !unhex(s[:], strings.TrimSpace(string(text))):
			err = fmt.Errorf("it is not %d hex digits: %w", 2*len(s), durable.ErrChanged)
		}
		if err != nil {
			return s, fileError("key", path, newKey, err)
		}
		return s, CheckSecret(path)
	}
	return s, fmt.Errorf("the key %q is made and removed again and again by another program", path)
}

// newSeed writes a fresh secret, and leaves alone one that another process has just written.
func newSeed(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	var s seed
	_, _ = rand.Read(s[:]) // it never fails
	return writeSecret(path, hex.EncodeToString(s[:]), os.Link)
}

// writeSecret writes a line into a file of mode 0600 that place brings to its path.
func writeSecret(path, text string, place func(from, to string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp") // of mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return place(f.Name(), path)
}

// CheckSecret refuses a file with a secret that others may read, where modes say who may. The error is [ErrReadable].
func CheckSecret(path string) error {
	info, err := os.Stat(path)
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%q (mode %04o): %w", path, info.Mode().Perm(), ErrReadable)
	}
	return err
}

// derive makes another secret for a purpose.
func (s seed) derive(purpose string) [sha256.Size]byte {
	h := hmac.New(sha256.New, s[:])
	h.Write([]byte(purpose))
	return [sha256.Size]byte(h.Sum(nil))
}

// private is the key that the coordinator is known by.
func (s seed) private() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(s[:]) }

// token is the token of the join string.
func (s seed) token() [tokenBytes]byte {
	t := s.derive("talbot join token")
	return [tokenBytes]byte(t[:tokenBytes])
}

// user is the key that a worker is known by; its public half is the worker's name on the wire.
func (s seed) user() (nkeys.KeyPair, string, error) {
	pair, err := nkeys.FromRawSeed(nkeys.PrefixByteUser, s[:])
	if err != nil {
		return nil, "", err
	}
	public, err := pair.PublicKey()
	return pair, public, err
}

// ticketOf proves that the owner of the secret sent a query.
func ticketOf(secret [sha256.Size]byte, query []byte) digest {
	h := hmac.New(sha256.New, secret[:])
	h.Write(query)
	return digest(h.Sum(nil))
}

// serverTLS is the coordinator's side: its certificate holds only the key.
func serverTLS(key ed25519.PrivateKey) (*tls.Config, error) {
	about := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "talbot"},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS13,
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, nil
}

// ErrPin: the server at the address does not have the coordinator's key. Nothing was sent to it.
var ErrPin = fault.New(fault.ExitFailed, "the coordinator's key is not the one of the join string",
	"another labelling, or another program, answers at this address; copy the file of --join-file again")

// clientTLS is the worker's side. The pin takes the place of authorities and names.
func clientTLS(pin [sha256.Size]byte) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true,
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 {
				return ErrPin
			}
			is := sha256.Sum256(s.PeerCertificates[0].RawSubjectPublicKeyInfo)
			if subtle.ConstantTimeCompare(is[:], pin[:]) != 1 {
				return ErrPin
			}
			return nil
		}}
}

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
