package loader

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"talbot/internal/durable"
	"talbot/network/run"
)

// SurveyName is the file of a run that keeps the survey of its data: the SHA-256 of what follows, then what was found
// as encoding/gob writes it. It may be deleted.
const SurveyName = "survey.bin"

// surveyVersion is to be raised when a survey of the same data comes out different, or has checked more.
const surveyVersion = 8

// surveyKey names what a survey depends on: the datasets, the options and what is asked for.
func (d *Data) surveyKey(limit, batch int) string {
	h := sha256.New()
	o := d.Options
	value := o.Targets.Value.Formula(d.encoder)
	fmt.Fprintf(h, "%d %#v %d %q %q %q %d %v %d %d\n", surveyVersion, d.encoder, d.layout.Words, o.Label, value,
		o.Targets.Policy, o.MaxCopies, o.MinClock, limit, batch)
	for _, s := range d.Sets {
		fmt.Fprintln(h, s.Hash, s.Weight)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// SurveyOf returns the survey that was kept in a run's folder, or makes one as [Data.Survey] does if it is missing or
// one that is damaged or of other datasets or options. One that is no file is [run.ErrDamaged].
func (d *Data) SurveyOf(ctx context.Context, dir string, limit, batch int, done func(blocks, of int)) (*Survey, error) {
	s := d.newSurvey(limit, batch)
	found, ok, err := readSurvey(dir)
	if err != nil {
		return nil, err
	}
	if !ok || found.Key != s.Key {
		return d.Survey(ctx, limit, batch, done)
	}
	s.surveyed, s.kept = found, true
	return s, s.share()
}

// readSurvey reads what is kept in a run's folder; ok reports that it is whole. One that is no file is
// [run.ErrDamaged].
func readSurvey(dir string) (f surveyed, ok bool, err error) {
	data, err := durable.ReadFile(filepath.Join(dir, SurveyName), math.MaxInt64-1)
	if errors.Is(err, durable.ErrNotRegular) {
		return f, false, fmt.Errorf("%w: %w", run.ErrDamaged, err)
	}
	if err != nil {
		return f, false, nil
	}
	const size = sha256.Size
	if len(data) < size || sha256.Sum256(data[size:]) != [size]byte(data) {
		return f, false, nil
	}
	return f, gob.NewDecoder(bytes.NewReader(data[size:])).Decode(&f) == nil, nil
}

// Keep writes the survey to a run's folder for [Data.SurveyOf], unless it is from there. Only the holder of the run's
// [run.Claim] may.
func (s *Survey) Keep(dir string) error {
	if s.kept {
		return nil
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(s.surveyed); err != nil {
		return err
	}
	sum := sha256.Sum256(b.Bytes())
	return durable.WriteFile(filepath.Join(dir, SurveyName), append(sum[:], b.Bytes()...))
}

// KeptTrain returns how many train samples the data of a run has, by the survey that is kept in its folder.
func KeptTrain(dir string) (samples int64, ok bool) {
	f, ok, _ := readSurvey(dir)
	return f.Train(), ok
}
