package leela

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"talbot/internal/fault"
	"talbot/network/checkpoint"
	"talbot/network/model"
)

// File is the content of a network file.
type File struct {
	Licence  string
	Training Training
	Settings model.Leela
	Tensors  []checkpoint.Tensor // under the names of [model.Leela.Params]
	Sum      string              // SHA-256 of the file that was read, in hex
}

// Training is what a file tells of how its network was trained; 0 where it does not.
type Training struct {
	Steps                                         uint32
	LearningRate, ValueLoss, PolicyLoss, Accuracy float32
	Params                                        string // of lc0's, as text
}

// ErrDamaged marks a file whose content contradicts itself, or that is no network of lc0's.
var ErrDamaged = fault.New(fault.ExitDamaged, "damaged network file", "download or export it again")

// ErrUnsupported marks a file with a form of network that talbot does not have.
var ErrUnsupported = errors.New("unsupported network")

// Numbers of the protocol: the first field of a file and what it is.
const (
	magic = 0x1c0

	netMagic, netLicence, netVersion, netFormat, netTraining, netWeights, netONNX = 1, 2, 3, 4, 5, 10, 11
)

// Forms of the parts of a network, as in the message NetworkFormat.
const (
	networkONNX = 5

	policyClassical, policyConvolution, policyAttention = 1, 2, 3
	valueNumber, valueChances                           = 1, 2
	movesLeftNone, movesLeftV1                          = 0, 1
	embeddingNone, embeddingMap, embeddingDense         = 0, 1, 2
)

// most is how many bytes the content of a file may have: networks of 2026 have less than a sixth.
const most = 2 << 30

// IsFile reports whether a file begins as networks of lc0 do, or has a name of theirs.
func IsFile(path string) bool {
	if strings.HasSuffix(path, ".pb.gz") || strings.HasSuffix(path, ".pb") {
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 5)
	n, _ := io.ReadFull(f, head)
	return bytes.HasPrefix(head[:n], gzipHead) || bytes.Equal(head[:n], plainHead)
}

// ReadFile is [Read] of a file.
func ReadFile(path string) (*File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	sum := sha256.New()
	f, err := Read(io.TeeReader(in, sum))
	if err == nil {
		_, err = io.Copy(sum, in) // what follows the network
	}
	if err != nil {
		return nil, err
	}
	f.Sum = hex.EncodeToString(sum.Sum(nil))
	return f, nil
}

// How files begin.
var (
	gzipHead  = []byte{0x1f, 0x8b}
	plainHead = []byte{0x0d, 0xc0, 0x01, 0, 0} // the magic number
)

// Read reads a file, which may be compressed with gzip. Errors name the field that is wrong.
func Read(r io.Reader) (*File, error) {
	content, err := unpack(r)
	if err != nil {
		return nil, err
	}
	m, err := parse(content)
	if err != nil && bytes.HasPrefix(content, plainHead) {
		return nil, fmt.Errorf("%w: it is cut off or changed: %w", ErrDamaged, err)
	}
	if err != nil || m.numbers[netMagic] != magic {
		return nil, fmt.Errorf("%w: it is not a network of lc0's", ErrDamaged)
	}
	if m.has(netONNX) && !m.has(netWeights) {
		return nil, fmt.Errorf("%w: it holds a network in ONNX, not weights (network format 5)", ErrUnsupported)
	}
	f := &File{Licence: string(m.one(netLicence))}
	if err := f.readTraining(m.one(netTraining)); err != nil {
		return nil, err
	}
	format, err := parseFormat(m.one(netFormat))
	if err != nil {
		return nil, err
	}
	weights, err := parse(m.one(netWeights))
	if err != nil {
		return nil, fmt.Errorf("%w: weights: %w", ErrDamaged, err)
	}
	w := &weightsReader{m: weights, at: "weights"}
	if f.Settings, err = w.settings(format); err != nil {
		return nil, err
	}
	if err := f.Settings.Validate(); err != nil {
		return nil, fmt.Errorf("%w: by the sizes of its tensors %w", ErrDamaged, err)
	}
	f.Settings.ValueWeight, f.Settings.MovesLeftWeight = 1, 1
	layout(w, f.Settings)
	if w.err != nil {
		return nil, w.err
	}
	f.Tensors = w.tensors
	return f, nil
}

// unpack returns what is in a file, without gzip.
func unpack(r io.Reader) ([]byte, error) {
	in := bufio.NewReader(r)
	r = in
	if head, _ := in.Peek(2); bytes.Equal(head, gzipHead) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		r = z
	}
	content, err := io.ReadAll(io.LimitReader(r, most+1))
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	switch {
	case corrupt, errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%w: it is cut off or changed: %w", ErrDamaged, err)
	case err != nil:
		return nil, err
	case len(content) > most:
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrDamaged, most)
	}
	return content, nil
}

func (f *File) readTraining(b []byte) error {
	m, err := parse(b)
	if err != nil {
		return fmt.Errorf("%w: training_params: %w", ErrDamaged, err)
	}
	f.Training = Training{uint32(m.numbers[1]), m.float(2), m.float(3), m.float(4), m.float(5), string(m.one(6))}
	return nil
}

// Write writes the file, without gzip.
func (f *File) Write(w io.Writer) error {
	b := protowire.AppendTag(nil, netMagic, protowire.Fixed32Type)
	b = protowire.AppendFixed32(b, magic)
	b = appendBytes(b, netLicence, []byte(f.Licence))
	minor := uint64(21) // what Maia's files ask for
	if f.Settings.Blocks == 0 {
		minor = 30
	}
	b = appendBytes(b, netVersion, appendNumber(appendNumber(appendNumber(nil, 1, 0), 2, minor), 3, 0))
	network, err := appendFormat(nil, f.Settings)
	if err != nil {
		return err
	}
	b = appendBytes(b, netFormat, appendBytes(appendNumber(nil, 1, linear16), 2, network))
	t := appendNumber(nil, 1, uint64(f.Training.Steps))
	for i, x := range []float32{f.Training.LearningRate, f.Training.ValueLoss, f.Training.PolicyLoss,
		f.Training.Accuracy} {
		t = appendFloat(t, protowire.Number(2+i), x)
	}
	b = appendBytes(b, netTraining, appendBytes(t, 6, []byte(f.Training.Params)))
	weights := &weightsWriter{tensors: map[string]checkpoint.Tensor{}, at: "weights"}
	for _, t := range f.Tensors {
		weights.tensors[t.Name] = t
	}
	layout(weights, f.Settings)
	if weights.err != nil {
		return weights.err
	}
	_, err = w.Write(appendBytes(b, netWeights, weights.b))
	return err
}
