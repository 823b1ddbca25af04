package dataset

// ResultRule says which source a game's result is taken from where they contradict each other: the Result tag, the
// result after the moves, and mate or stalemate on the board. A source that says nothing contradicts none.
type ResultRule uint8

// The rules.
const (
	TagResult      ResultRule = iota // the tag's, or else the one after the moves
	MovetextResult                   // the one after the moves, or else the tag's
	BoardResult                      // that of a mate or stalemate, or else as TagResult
	DropConflicts                    // none: the game is rejected as [ResultConflict]
)

// resultRules are the names of the rules on the command line and in manifests.
var resultRules = [...]string{"tag", "movetext", "board", "drop"}

// String returns "tag", "movetext", "board" or "drop".
func (r ResultRule) String() string { return resultRules[r&3] }

// ParseResultRule reads what String returns.
func ParseResultRule(s string) (ResultRule, error) {
	return parseName[ResultRule]("rule", s, resultRules[:])
}
