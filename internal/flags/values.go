package flags

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// value is the value of a flag that is checked when it is read.
type value[T any] struct {
	to   *T
	kind string
	text string
	read func(text string) (T, string, error)
}

func (v *value[T]) String() string { return v.text }

func (v *value[T]) Type() string { return v.kind }

func (v *value[T]) Set(text string) error {
	x, shown, err := v.read(text)
	if err != nil {
		return err
	}
	*v.to, v.text = x, shown
	return nil
}

// add declares a flag. Its default is shown as text.
func add[T any](s *Set, v *value[T], name, usage string) {
	name, short, _ := strings.Cut(name, ",")
	s.cmd.Flags().VarP(v, name, short, usage)
	s.place(name)
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
	v := &value[T]{to: to, kind: kind, text: fmt.Sprint(*to)}
	v.read = func(text string) (T, string, error) {
		x, err := parseNumber[T](text)
		switch {
		case err != nil && strings.Contains(err.Error(), strconv.ErrRange.Error()):
			return x, "", &Error{Text: fmt.Sprintf("--%s %q is too large or too small", long, text), Err: err,
				Remedy: s.remedy(long)}
		case err != nil:
			return x, "", &Error{Text: fmt.Sprintf("--%s %q is not %s", long, text, form), Err: err,
				Remedy: s.remedy(long)}
		case !within(x):
			return x, "", &Error{Text: fmt.Sprintf("--%s %s: %v", long, bounds, x), Remedy: s.remedy(long)}
		}
		return x, fmt.Sprint(x), nil
	}
	add(s, v, name, usage)
}

// kindOf returns what pflag calls a type of numbers, and what its values look like.
func kindOf[T number]() (kind, form string) {
	switch t := reflect.TypeFor[T](); {
	case t == reflect.TypeFor[time.Duration]():
		return "duration", "a time with a unit, such as 20ms, 30s or 3m"
	case t.Kind() == reflect.Float64:
		return "float64", "a number"
	case t.Kind() == reflect.Uint64:
		return "uint64", "a whole number from 0"
	default:
		return t.Kind().String(), "a whole number"
	}
}

func parseNumber[T number](text string) (T, error) {
	text = strings.TrimSpace(text)
	switch kind, _ := kindOf[T](); kind {
	case "duration":
		d, err := time.ParseDuration(text)
		return T(d), err
	case "float64":
		x, err := strconv.ParseFloat(text, 64)
		if err == nil && x != x {
			err = strconv.ErrSyntax
		}
		return T(x), err
	case "uint64":
		n, err := strconv.ParseUint(text, 0, 64)
		return T(n), err
	default:
		n, err := strconv.ParseInt(text, 0, 64)
		return T(n), err
	}
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
	v := &value[T]{to: to, kind: "string", text: string(*to)}
	v.read = func(text string) (T, string, error) {
		if !slices.Contains(all, text) {
			return "", "", &Error{Text: fmt.Sprintf("unknown --%s %q", name, text), Flag: name, Given: text, Words: all,
				Remedy: "use " + Listed(all, "or")}
		}
		return T(text), text, nil
	}
	add(s, v, name, usage)
	s.Words(name, all...)
}

// Parse declares a flag whose value is read by a function. Its default is shown as text, "" for none. An example shows
// what a value looks like.
func Parse[T any](s *Set, to *T, name, text, example string, read func(string) (T, error), usage string) {
	long, _, _ := strings.Cut(name, ",")
	v := &value[T]{to: to, kind: "string", text: text}
	v.read = func(text string) (T, string, error) {
		x, err := read(text)
		if err != nil {
			return x, "", s.refused(long, text, example, err)
		}
		return x, text, nil
	}
	add(s, v, name, usage)
}

// refused is the error of a value that a function did not take.
func (s *Set) refused(name, given, example string, err error) error {
	e := &Error{Text: fmt.Sprintf("--%s: %v", name, err), Err: err, Flag: name, Given: given,
		Words: s.cmd.Flags().Lookup(name).Annotations[WordsKey]}
	if example != "" {
		e.Remedy = "for example --" + name + " " + example
	}
	return e
}

// list is the value of a flag that takes several, separated by commas.
type list[T any] struct{ value[[]T] }

// Type returns what has pflag's slices take several flags, and the shell complete each.
func (l *list[T]) Type() string { return "stringSlice" }

// List declares a flag that takes values separated by commas, each read by a function.
func List[T any](s *Set, to *[]T, name, example string, read func(string) (T, error), usage string) {
	l := &list[T]{value[[]T]{to: to, text: "[]"}}
	l.read = func(text string) (all []T, shown string, err error) {
		for part := range strings.SplitSeq(text, ",") {
			x, err := read(strings.TrimSpace(part))
			if err != nil {
				return nil, "", s.refused(name, part, example, err)
			}
			all = append(all, x)
		}
		return append(*to, all...), "[" + strings.TrimPrefix(strings.Trim(l.text, "[]")+","+text, ",") + "]", nil
	}
	s.cmd.Flags().Var(l, name, usage)
	s.place(name)
}

var _ pflag.Value = (*list[int])(nil)
