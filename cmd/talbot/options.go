package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/flags"
	"talbot/network/backend"
	"talbot/network/recipe"
)

// Flags that several commands have.

func addJSON(f *flags.Set, to *bool) { f.Bool(to, "json", "print the result as one JSON object") }

// addForce adds --force to a command that writes a file.
func addForce(f *flags.Set, to *bool) {
	f.Bool(to, "force", "overwrite an existing file (never one of a dataset or run)")
}

// addWorkers adds --workers; 0 is the default that usage names.
func addWorkers(f *flags.Set, to *int, usage string) {
	flags.Within(f, to, "workers,w", 1, maxWorkers, usage)
}

// maxWorkers is the most workers of a command: more cores than machines have, and fewer processes than they bear.
const maxWorkers = 1024

func addSeed(f *flags.Set, to *uint64, usage string) { flags.Number(f, to, "seed", usage) }

// addSplits adds --split of a command that makes a dataset.
func addSplits(f *flags.Set, to *dataset.Splits, of string) {
	*to = dataset.DefaultSplits
	flags.Parse(f, to, "split", to.String(), "90,5,5", dataset.ParseSplits,
		"percentages of "+of+" in train, val and test")
}

// addSplitFilter adds --split of a command that selects samples.
func addSplitFilter(f *flags.Set, to *[]dataset.Split, usage string) {
	flags.List(f, to, "split", "train,val", dataset.ParseSplit, usage)
	f.Words("split", "train", "val", "test")
}

func addEngine(f *flags.Set, to *string, usage string) {
	*to = "stockfish"
	f.String(to, "engine", usage+": a path, or a name to look up")
}

func addSyzygy(f *flags.Set, to *string, usage string) {
	f.String(to, "syzygy", usage+", separated as in PATH")
	completeFolder(f.Command(), "syzygy")
}

func addCheckTables(f *flags.Set, again *bool) {
	f.Bool(again, "check-tables", "check all files of --syzygy for damage, even large ones that were checked before")
	f.Needs([]string{"check-tables"}, "syzygy")
}

// addLabel adds --label of a command that reads the labels that training learns from.
func addLabel(f *flags.Set, to *string) {
	f.String(to, "label", "fingerprint of the labels to use (default: the last label of each sample, with the value "+
		"from endgame tables if there is one)")
}

// The backends that train networks, and those that only evaluate them.
var (
	backends  = []string{"auto", "go", "xla:cpu", "xla:cuda", "xla:/"}
	answering = append([]string{"onnx", "onnx:int8"}, backends...)
)

// addBackend adds --backend for one of those known.
func addBackend(f *flags.Set, to *string, known []string) {
	*to = "auto"
	addBackendFlag(f, to, known, "compute backend: "+backendNames(known))
}

// addBackendFlag adds --backend with a default and a usage of its own.
func addBackendFlag(f *flags.Set, to *string, known []string, usage string) {
	flags.Parse(f, to, "backend", *to, "go", func(text string) (string, error) {
		switch {
		case slices.Contains(known, text), strings.HasPrefix(text, "xla:/"), backend.IsKind(text):
			return text, nil
		case slices.Contains(answering, text):
			return "", fmt.Errorf("%s plays and evaluates networks, but it cannot train them", text)
		}
		return "", fmt.Errorf("unknown backend %q: use %s; `talbot doctor` lists the available ones", text,
			backendNames(known))
	}, usage)
	f.Words("backend", known...)
}

func backendNames(known []string) string {
	names := "auto, go, "
	if slices.Contains(known, "onnx") {
		names += "onnx, onnx:int8, "
	}
	return names + "xla:cpu, xla:cuda or xla:/absolute/path/plugin.so"
}

// policyTargets and valueTargets are the words of targets; some continue after a colon.
var (
	policyTargets = []string{"played", "multipv:"}
	valueTargets  = []string{"recipe", "tanh", "wdl", "winprob", "result", "result:"}
)

// addTargets adds the flags of what samples teach. The texts are kept: a run takes them as they are.
func addTargets(f *flags.Set, policy, value *string, policyUsage, valueUsage string) {
	flags.Parse(f, policy, "policy-target", *policy, "multipv:0.1", checked(encode.ParsePolicyTarget), policyUsage)
	f.Words("policy-target", policyTargets...)
	flags.Parse(f, value, "value-target", *value, "wdl", checked(encode.ParseValueTarget), valueUsage)
	f.Words("value-target", valueTargets...)
}

// checked returns a function that takes what another one reads, as text.
func checked[T any](read func(string) (T, error)) func(string) (string, error) {
	return func(text string) (string, error) {
		_, err := read(text)
		return text, err
	}
}

// pointer returns a function that reads a value of a flag that may be left out.
func pointer[T any](read func(string) (T, error)) func(string) (*T, error) {
	return func(text string) (*T, error) {
		x, err := read(text)
		return &x, err
	}
}

func addRecipe(f *flags.Set, to *string, usage string) {
	*to = "talbotbot"
	flags.Parse(f, to, "recipe", *to, "lynx", checked(recipe.ByName), usage)
	f.Words("recipe", recipe.Names()...)
}

// wholeNumber reads a whole number above 0.
func wholeNumber[T int | int64](text string) (T, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || int64(T(n)) != n {
		return 0, fmt.Errorf("%q is not a whole number above 0", text)
	}
	return T(n), nil
}

// addPart adds --part.
func addPart(f *flags.Set, to *dataset.Part, of string) {
	flags.Parse(f, to, "part", "", "1/4", dataset.ParsePart,
		"only one part of the "+of+", such as 1/4 (see talbot join)")
}

// addFraction adds --fraction of the samples.
func addFraction(f *flags.Set, to *dataset.Fraction, what string) {
	*to = 1
	flags.Parse(f, to, "fraction", "1", "0.1", parseShare[dataset.Fraction],
		"share of the samples to "+what+", spread over all games")
}

// parseShare reads a share of the samples: 0.001 or 0.1%.
func parseShare[T ~float64](s string) (T, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v <= 1) {
		return 0, fmt.Errorf("share %q must be above 0 and at most 1 (or 100%%)", s)
	}
	return T(v), nil
}
