package flags

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"talbot/internal/fault"
)

// value is the value of a flag that is checked when it is read.
type value struct {
	kind string // what pflag calls its type
	text string // as it is shown
	// read takes a text over, and returns how the value is shown then.
	read func(text string) (shown string, err error)
}

func (v *value) String() string { return v.text }

func (v *value) Type() string { return v.kind }

func (v *value) Set(text string) error {
	shown, err := v.read(text)
	if err == nil {
		v.text = shown
	}
	return err
}

// value declares a flag.
func (s *Set) value(v *value, name, usage string) {
	s.add(name, func(name, short string) { s.cmd.Flags().VarP(v, name, short, usage) })
}

// number is what a flag with bounds can be.
type number interface {
	~int | ~int64 | ~uint64 | ~float64
}

// Number declares a flag that takes any number, or a time.
func Number[T number](s *Set, to *T, name, usage string) {
	addNumber(s, to, name, usage, func(T) bool { return true }, "")
}

// AtLeast declares a flag that takes a number from low on.
func AtLeast[T number](s *Set, to *T, name string, low T, usage string) {
	bounds := fmt.Sprintf("must be at least %v", low)
	if low == 0 {
		bounds = "must not be negative"
	}
	addNumber(s, to, name, usage, func(x T) bool { return x >= low }, bounds)
}

// Above declares a flag that takes a number above low.
func Above[T number](s *Set, to *T, name string, low T, usage string) {
	addNumber(s, to, name, usage, func(x T) bool { return x > low }, fmt.Sprintf("must be above %v", low))
}

// Within declares a flag that takes a number from low to high.
func Within[T number](s *Set, to *T, name string, low, high T, usage string) {
	addNumber(s, to, name, usage, func(x T) bool { return x >= low && x <= high },
		fmt.Sprintf("must be from %v to %v", low, high))
}

// addNumber declares a number with bounds, which are stated in words.
func addNumber[T number](s *Set, to *T, name, usage string, within func(T) bool, bounds string) {
	long, _, _ := strings.Cut(name, ",")
	kind, form := kindOf[T]()
	s.value(&value{kind, fmt.Sprint(*to), func(text string) (string, error) {
		x, err := parseNumber[T](kind, strings.TrimSpace(text))
		switch {
		case errors.Is(err, strconv.ErrRange):
			err = fmt.Errorf("--%s %q is too large or too small", long, text)
		case err != nil || x != x:
			err = fmt.Errorf("--%s %q is not %s", long, text, form)
		case !within(x):
			err = fmt.Errorf("--%s %s: %v", long, bounds, x)
		default:
			*to = x
		}
		return fmt.Sprint(x), fault.Usage(err, s.remedy(long))
	}}, name, usage)
}

// kindOf returns what pflag calls a type of numbers, and what its values look like.
func kindOf[T number]() (kind, form string) {
	switch any(T(0)).(type) {
	case time.Duration:
		return "duration", "a time with a unit, such as 20ms, 30s or 3m"
	case float64:
		return "float64", "a number"
	case uint64:
		return "uint64", "a whole number from 0"
	}
	return "int", "a whole number"
}

func parseNumber[T number](kind, text string) (T, error) {
	switch kind {
	case "duration":
		d, err := time.ParseDuration(text)
		return T(d), err
	case "float64":
		x, err := strconv.ParseFloat(text, 64)
		return T(x), err
	case "uint64":
		n, err := strconv.ParseUint(text, 0, 64)
		return T(n), err
	}
	n, err := strconv.ParseInt(text, 0, 64)
	return T(n), err
}

// remedy returns what to do about the value of a flag.
func (s *Set) remedy(name string) string {
	f := s.cmd.Flags().Lookup(name)
	switch {
	case len(f.Annotations[requireKey]) > 0:
		return example(s.cmd, name)
	case f.DefValue != "" && f.DefValue != "0" && f.DefValue != "0s":
		return "leave it out for the default, " + f.DefValue
	}
	return "leave it out to use the default"
}

// Choice declares a flag that takes one of some words.
func Choice[T ~string](s *Set, to *T, name, usage string, words ...T) {
	var all []string
	for _, w := range words {
		all = append(all, string(w))
	}
	s.value(&value{"string", string(*to), func(text string) (string, error) {
		if !slices.Contains(all, text) {
			return "", fault.Usage(fmt.Errorf("unknown --%s %q", name, text),
				fault.DidYouMean("use "+Listed(all, "or"), fault.Nearest(text, all), "--"+name+" "))
		}
		*to = T(text)
		return text, nil
	}}, name, usage)
	s.Words(name, all...)
}

// Parse declares a flag whose value is read by a function. Its default is shown as text, "" for none. An example shows
// what a value looks like.
func Parse[T any](s *Set, to *T, name, text, example string, read func(string) (T, error), usage string) {
	s.value(&value{"string", text, func(text string) (string, error) {
		x, err := read(text)
		if err != nil {
			return "", s.refused(name, text, example, err)
		}
		*to = x
		return text, nil
	}}, name, usage)
}

// List declares a flag that takes values separated by commas, each read by a function. It is a slice to pflag, so it
// may be repeated, and the shell completes each value.
func List[T any](s *Set, to *[]T, name, example string, read func(string) (T, error), usage string) {
	v := &value{kind: "stringSlice", text: "[]"}
	v.read = func(text string) (string, error) {
		all := *to
		for part := range strings.SplitSeq(text, ",") {
			x, err := read(strings.TrimSpace(part))
			if err != nil {
				return "", s.refused(name, part, example, err)
			}
			all = append(all, x)
		}
		*to = all
		return "[" + strings.TrimPrefix(strings.Trim(v.text, "[]")+","+text, ",") + "]", nil
	}
	s.value(v, name, usage)
}

// refused is the error of a value that a function did not take.
func (s *Set) refused(name, given, example string, err error) error {
	name, _, _ = strings.Cut(name, ",")
	remedy := ""
	word := fault.Nearest(given, s.cmd.Flags().Lookup(name).Annotations[wordsKey])
	if word != "" && !(strings.HasSuffix(word, ":") && strings.HasPrefix(given, word)) { // what follows is wrong
		remedy = fault.DidYouMean("", word, "--"+name+" ")
	} else if example != "" {
		remedy = "for example --" + name + " " + example
	}
	return fault.Usage(fmt.Errorf("--%s: %w", name, err), remedy)
}
