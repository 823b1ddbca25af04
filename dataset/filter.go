package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The reasons of filters.
const (
	LowElo       Reason = "low_elo"      // rated below --min-elo
	HighElo      Reason = "high_elo"     // rated above --max-elo
	UnknownElo   Reason = "unknown_elo"  // a rating that is asked for is not known
	Bot          Reason = "bot"          // a player with the title BOT
	TimeControl  Reason = "time_control" // another time control, or none known
	OtherResult  Reason = "result"       // another result
	Termination  Reason = "termination"  // another termination, or none known
	Short        Reason = "short"        // fewer plies than asked for
	OtherPlayer  Reason = "player"       // not a game of the player
	NoWinner     Reason = "no_winner"    // neither side won, or not the player
	OtherDate    Reason = "date"         // before or after the dates asked for
	UnknownDate  Reason = "unknown_date" // a date that is not known well enough to say
	OtherSource  Reason = "source"       // no tactic
	NoSamples    Reason = "no_samples"   // sampling left none of its samples
	maxTagPlayer        = 256
)

// FilterReasons lists the reasons of [Filter] and [Sampling].
var FilterReasons = [...]Reason{
	LowElo, HighElo, UnknownElo, Bot, TimeControl, OtherResult, Termination, Short, OtherPlayer, NoWinner, OtherDate,
	UnknownDate, OtherSource, NoSamples,
}

// Filter says which lines are kept. The zero value keeps all. Except for Tactics it applies to games only: other
// lines pass.
type Filter struct {
	MinElo, MaxElo int  // 0: no limit
	EitherElo      bool // one player in the limits is enough; else both must be
	// KeepUnknownElo keeps a game whose unknown ratings decide; DropUnknownElo drops every game with an unknown rating
	// without limits too.
	KeepUnknownElo, DropUnknownElo bool

	NoBots       bool
	TimeControls []string      // classes (see [TimeControlClass]) or values of the tag, in lower case; empty: any
	MinBaseTime  time.Duration // on the clock at the start; 0: any
	Results      []Result      // empty: any
	Terminations []string      // values of the tag, in lower case; empty: any
	MinPlies     int
	Player       string // words and initials that the name of one player must have; empty: anyone
	WonOnly      bool   // only games that were won, by Player if there is one
	Since, Until Date   // zero: any
	Tactics      bool   // lines of [SourcePuzzle] alone
}

// Check returns an error if the filter contradicts itself. It names the flags of the commands.
func (f *Filter) Check() error {
	switch {
	case f.MinElo < 0 || f.MaxElo < 0 || f.MaxElo > 0 && f.MaxElo < f.MinElo:
		return fmt.Errorf("ratings from %d to %d: both must be 0 or more, the lower one first", f.MinElo, f.MaxElo)
	case f.EitherElo && f.MinElo == 0 && f.MaxElo == 0:
		return fmt.Errorf("--elo-of needs --min-elo or --max-elo")
	case f.KeepUnknownElo && f.DropUnknownElo:
		return fmt.Errorf("unknown ratings cannot be both kept and dropped")
	case f.MinBaseTime < 0 || f.MinPlies < 0:
		return fmt.Errorf("the number of a filter must not be negative")
	case f.Until != Date{} && f.Until.before(f.Since):
		return fmt.Errorf("first date %v is after the last date %v", f.Since, f.Until)
	}
	return nil
}

// Flags returns what is on, as manifests have it; what follows from another flag, as WonOnly does, is not among it.
// clock-rule and date-rule tell how tags are read from how earlier versions read them.
func (f *Filter) Flags() Flags {
	results := make([]string, len(f.Results))
	for i, r := range f.Results {
		results[i] = r.String()
	}
	var flags Flags
	flags.Add(f.MinElo != 0, "min-elo", strconv.Itoa(f.MinElo))
	flags.Add(f.MaxElo != 0, "max-elo", strconv.Itoa(f.MaxElo))
	flags.Add(f.EitherElo, "elo-of", "either")
	flags.Add(f.KeepUnknownElo, "unknown-elo", "keep")
	flags.Add(f.DropUnknownElo, "unknown-elo", "drop")
	flags.Add(f.NoBots, "no-bots", "true")
	flags.Add(len(f.TimeControls) > 0, "time-control", strings.Join(f.TimeControls, ","))
	flags.Add(f.MinBaseTime > 0, "min-base-time", strconv.FormatFloat(f.MinBaseTime.Seconds(), 'f', -1, 64))
	flags.Add(len(f.TimeControls) > 0 || f.MinBaseTime > 0, "clock-rule", "decimals")
	flags.Add(len(results) > 0, "result", strings.Join(results, ","))
	flags.Add(len(f.Terminations) > 0, "termination", strings.Join(f.Terminations, ","))
	flags.Add(f.MinPlies != 0, "min-plies", strconv.Itoa(f.MinPlies))
	flags.Add(f.Player != "", "player", f.Player)
	flags.Add(f.Since != Date{}, "since", f.Since.String())
	flags.Add(f.Until != Date{}, "until", f.Until.String())
	flags.Add(f.dated(), "date-rule", "any-order")
	flags.Add(f.Tactics, "only-tactics", "true")
	return flags
}

// Head decides by source, ratings and tags. It returns "" or why the line is left out.
func (f *Filter) Head(l *Line) Reason {
	if f.Tactics && l.Source != SourcePuzzle {
		return OtherSource
	}
	if l.Source != SourceGame {
		return ""
	}
	if r := f.elo(l.WhiteElo, l.BlackElo); r != "" {
		return r
	}
	if f.NoBots && (l.Tag("WhiteTitle") == "BOT" || l.Tag("BlackTitle") == "BOT") {
		return Bot
	}
	if len(f.TimeControls) > 0 || f.MinBaseTime > 0 {
		if white, black := l.TimeControls(); !f.timeControl(white) || !f.timeControl(black) {
			return TimeControl
		}
	}
	if len(f.Terminations) > 0 && !slices.Contains(f.Terminations, strings.ToLower(l.Tag("Termination"))) {
		return Termination
	}
	if f.Player != "" {
		if white, black := f.PlayerSides(l); !white && !black {
			return OtherPlayer
		}
	}
	return f.date(l)
}

// Whole decides by the result and the moves, after [Filter.Head].
func (f *Filter) Whole(l *Line) Reason {
	if l.Source != SourceGame {
		return ""
	}
	if len(f.Results) > 0 && !slices.Contains(f.Results, l.Result) {
		return OtherResult
	}
	if f.WonOnly {
		white, black := f.PlayerSides(l)
		if !(white && l.Result == WhiteWins || black && l.Result == BlackWins) {
			return NoWinner
		}
	}
	if len(l.Moves) < f.MinPlies {
		return Short
	}
	return ""
}

// PlayerSides says which sides of the game the player had: both if no player is asked for.
func (f *Filter) PlayerSides(l *Line) (white, black bool) {
	if f.Player == "" {
		return true, true
	}
	return nameHas(l.Tag("White"), f.Player), nameHas(l.Tag("Black"), f.Player)
}

// nameHas reports whether all words of want occur in the name, whatever their order and case; a single letter stands
// for any word that begins with it. “Mikhail Tal” is in “Tal, Mikhail N.”, “Tal M” in that and in “Hein-Tal Mihail”,
// and “Tal” not in “Talbot”. Without words nothing is in a name.
func nameHas(name, want string) bool {
	words, wanted := nameWords(name), nameWords(want)
	for _, w := range wanted {
		initial := utf8.RuneCountInString(w) == 1
		if !slices.ContainsFunc(words, func(word string) bool {
			return word == w || initial && strings.HasPrefix(word, w)
		}) {
			return false
		}
	}
	return len(wanted) > 0
}

func nameWords(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name[:min(len(name), maxTagPlayer)]), func(r rune) bool {
		return strings.ContainsRune(" ,.;-_()\t", r)
	})
}

func (f *Filter) elo(white, black int) Reason {
	if f.MinElo == 0 && f.MaxElo == 0 {
		if f.DropUnknownElo && (white == 0 || black == 0) {
			return UnknownElo
		}
		return ""
	}
	reason, known := Reason(""), 0
	for _, elo := range [...]int{white, black} {
		switch {
		case elo == 0:
			continue
		case elo < f.MinElo:
			reason = LowElo
		case f.MaxElo > 0 && elo > f.MaxElo:
			reason = HighElo
		case f.EitherElo:
			return ""
		}
		known++
	}
	switch {
	case reason != "" && (!f.EitherElo || known == 2):
		return reason
	case known < 2 && !f.KeepUnknownElo:
		return UnknownElo
	}
	return ""
}

// TimeControls returns what the tag TimeControl says, for both sides, or those of each side where it says nothing.
func (l *Line) TimeControls() (white, black string) {
	both := l.Tag("TimeControl")
	white, black = l.Tag("WhiteTimeControl"), l.Tag("BlackTimeControl")
	if both != "" && both != "?" || white == "" && black == "" {
		return both, both
	}
	return white, black
}

// TimeControl returns the time control of a game as text.
func (l *Line) TimeControl() string {
	white, black := l.TimeControls()
	if white == black {
		return white
	}
	return cmp.Or(white, "?") + " against " + cmp.Or(black, "?")
}

// timeControl reports whether the value of a TimeControl tag is asked for.
func (f *Filter) timeControl(value string) bool {
	base, increment, ok := ParseTimeControl(value)
	if f.MinBaseTime > 0 && (!ok || base < f.MinBaseTime) {
		return false
	}
	if len(f.TimeControls) == 0 || slices.Contains(f.TimeControls, strings.ToLower(value)) {
		return true
	}
	return ok && slices.Contains(f.TimeControls, TimeControlClass(base, increment))
}

// ParseTimeControl reads the value of a TimeControl tag: “300”, “180+2”, “8.0+0.08”, “40/7200:3600” (its first period)
// or “*60”. ok is false for “-”, “?” and whatever is no time.
func ParseTimeControl(value string) (base, increment time.Duration, ok bool) {
	value, _, _ = strings.Cut(value, ":")
	if moves, period, found := strings.Cut(value, "/"); found {
		if _, err := strconv.ParseUint(moves, 10, 32); err != nil {
			return 0, 0, false
		}
		value = period
	}
	first, second, plus := strings.Cut(strings.TrimPrefix(value, "*"), "+")
	if base, ok = ParseSeconds(first); ok && plus {
		increment, ok = ParseSeconds(second)
	}
	return base, increment, ok
}

// ParseSeconds reads digits, perhaps with a decimal point, as seconds, up to ten years; it rounds to milliseconds.
func ParseSeconds(s string) (time.Duration, bool) {
	x, err := strconv.ParseFloat(s, 64)
	if strings.Trim(s, "0123456789.") != "" || err != nil || x > 10*366*86400 {
		return 0, false
	}
	return time.Duration(x*1000+0.5) * time.Millisecond, true
}

// TimeControlClasses are the classes of [TimeControlClass], the fastest first.
var TimeControlClasses = []string{"ultrabullet", "bullet", "blitz", "rapid", "classical"}

// KnownTimeControl reports whether a value of [Filter.TimeControls] can be met: a class, or what a tag has, “-” and “?”
// included.
func KnownTimeControl(value string) bool {
	_, _, ok := ParseTimeControl(value)
	return ok || value == "-" || value == "?" || slices.Contains(TimeControlClasses, value)
}

// TimeControlClass returns the class of a time control as Lichess has it, by base + 40 × increment in seconds:
// "ultrabullet" below 30, "bullet" below 180, "blitz" below 480, "rapid" below 1500, else "classical".
func TimeControlClass(base, increment time.Duration) string {
	switch t := base + 40*increment; {
	case t < 30*time.Second:
		return "ultrabullet"
	case t < 180*time.Second:
		return "bullet"
	case t < 480*time.Second:
		return "blitz"
	case t < 1500*time.Second:
		return "rapid"
	}
	return "classical"
}

// dated reports whether dates decide.
func (f *Filter) dated() bool { return f.Since != (Date{}) || f.Until != (Date{}) }

func (f *Filter) date(l *Line) Reason {
	if !f.dated() {
		return ""
	}
	first, last, ok := l.Dates()
	switch {
	case !ok:
		return UnknownDate
	case f.Since != (Date{}) && last.before(f.Since), f.Until != (Date{}) && f.Until.before(first):
		return OtherDate
	case f.Since != (Date{}) && first.before(f.Since), f.Until != (Date{}) && f.Until.before(last):
		return UnknownDate
	}
	return ""
}
