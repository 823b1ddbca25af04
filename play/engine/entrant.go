package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"talbot/network/backend"
	"talbot/play/match"
	"talbot/play/mcts"
	"talbot/stockfish"
)

// Parameters of a player of a match, beside those of [mcts.Settings].
const (
	searcherParam = "searcher"
	backendParam  = "backend"
	overheadParam = "overhead"
	threadsParam  = "threads"
	engineParam   = "engine"
	likelyParam   = "probability"
)

const maxThreads = 1024

// ownOverhead is the overhead of a move in a match: the player is in the same process.
const ownOverhead = 10 * time.Millisecond

// NeedsLimit reports whether a player needs a limit for its moves, as far as that is known before its network is: with
// the searcher [AutoSearcher] the network decides.
func NeedsLimit(spec match.Spec) bool {
	searcher := AutoSearcher
	for _, t := range spec.Params {
		if t.Name == searcherParam {
			searcher = t.Value
		}
	}
	m, err := mcts.MethodOf(searcher)
	return spec.Kind == "cmd" || spec.Kind == "run" && searcher != AutoSearcher && (err != nil || !m.NoSearch)
}

// entrant is a player of a match before any game.
type entrant struct {
	shared   *Shared
	config   Config
	setup    Setup
	overhead time.Duration
}

// Entrant makes a player of a match from a trained network, with the parameters searcher=, backend=, threads=,
// overhead=, elo= and those of [mcts.Settings]. The network is shared and loaded here.
//
// With limits of nodes or depth a game depends on its seed and the network alone, whatever else is played at the same
// time: see package predict.
func (s *Shared) Entrant(spec match.Spec) (match.Entrant, error) {
	about, err := Describe(spec.Path)
	if err != nil {
		return match.Entrant{}, err
	}
	c := entrant{shared: s, config: Config{Path: spec.Path, Backend: "auto", Threads: 1},
		setup: Setup{Searcher: AutoSearcher, Options: about.Options}, overhead: ownOverhead}
	if err := c.read(spec); err != nil {
		return match.Entrant{}, fmt.Errorf("%w: %w", match.ErrSetting, err)
	}
	n, err := s.Open(c.config)
	if err != nil {
		return match.Entrant{}, err
	}
	// What does not fit is found before any game.
	p := c.player(0)
	if err := p.Prepare(context.Background(), c.setup); err != nil {
		return match.Entrant{}, err
	}
	if err := checkEffects(spec, n, p.Searcher()); err != nil {
		return match.Entrant{}, fmt.Errorf("%w: %w", match.ErrSetting, err)
	}
	name := strings.TrimSuffix(filepath.Base(filepath.Clean(spec.Path)), ":") // net: is "net"
	if c.setup.Searcher != AutoSearcher {
		name += " " + c.setup.Searcher
	}
	method, err := mcts.MethodOf(p.Searcher())
	if err != nil {
		return match.Entrant{}, err
	}
	build := "" // of the engine that values moves
	if method.Engine {
		path, err := stockfish.Find(c.config.Engine)
		if err == nil {
			build, err = stockfish.HashFile(path)
		}
		if err != nil {
			return match.Entrant{}, err
		}
	}
	return match.Entrant{Name: name, Identity: c.identity(n, method, build),
		Instant: method.NoSearch,
		New: func(seat int, _ *match.EngineLog) (match.Player, error) {
			return &matchPlayer{entrant: &c, player: c.player(seat)}, nil
		}}, nil
}

// read takes over the parameters.
func (c *entrant) read(spec match.Spec) error {
	for _, t := range spec.Params {
		switch t.Name {
		case searcherParam:
			if c.setup.Searcher = t.Value; t.Value != AutoSearcher && !slices.Contains(mcts.Names(), t.Value) {
				return fmt.Errorf("searcher %q must be %s or one of %s", t.Value, AutoSearcher,
					strings.Join(mcts.Names(), ", "))
			}
		case backendParam:
			c.config.Backend = t.Value
		case engineParam:
			c.config.Engine = t.Value
		case likelyParam:
			c.config.Probability = t.Value
		case threadsParam:
			n, err := strconv.Atoi(t.Value)
			if err != nil || n < 1 || n > maxThreads {
				return fmt.Errorf("threads %q must be a whole number from 1 to %d", t.Value, maxThreads)
			}
			c.config.Threads = n
		case overheadParam:
			d, err := time.ParseDuration(t.Value)
			if err != nil || d < 0 {
				return fmt.Errorf("overhead %q must be a time with a unit, such as 10ms", t.Value)
			}
			c.overhead = d
		default:
			s := setting(t.Name)
			if s == nil {
				return unknown(t.Name)
			}
			if err := s.Set(&c.setup.Options, t.Value); err != nil {
				return fmt.Errorf("%s %w", s.Key, err)
			}
		}
	}
	c.config.Batch = c.setup.NetworkBatch()
	return nil
}

// setting is the search setting that a parameter sets; nil if it sets none. Players of matches have no endgame tables.
func setting(param string) *mcts.Setting {
	s, ok := mcts.SettingByName(param)
	if !ok || s.Key != param || s.Name == "SyzygyProbeLimit" {
		return nil
	}
	return s
}

// checkEffects refuses parameters without an effect: a match would silently compare two equal players.
func checkEffects(spec match.Spec, n *Network, searcher string) error {
	method, err := mcts.MethodOf(searcher)
	if err != nil {
		return err
	}
	for _, t := range spec.Params {
		s := setting(t.Name)
		switch {
		case (t.Name == engineParam || t.Name == likelyParam) && !method.Engine:
			return fmt.Errorf("%s has no effect with the searcher %s, only with rollouts", t.Name, searcher)
		case s == nil:
		case !s.AppliesTo(searcher):
			return fmt.Errorf("%s has no effect with the searcher %s, only with %s", t.Name, searcher, s.Searchers())
		case s.Name == "Rating" || s.Name == "OpponentRating":
			if !method.Engine && !n.Encoder().Layout().Ratings {
				return fmt.Errorf("%s has no effect: the network does not read ratings", t.Name)
			}
		}
	}
	return nil
}

// CheckParameters refuses parameters of a player that no network has, by their names alone.
func CheckParameters(s match.Spec) error {
	all := Parameters()
	for _, t := range s.Params {
		if !slices.Contains(all, t.Name) {
			return fmt.Errorf("%w: %w", match.ErrSetting, unknown(t.Name))
		}
	}
	return nil
}

func unknown(name string) error {
	return fmt.Errorf("%q is unknown; a network has %s", name, strings.Join(Parameters(), ", "))
}

// Parameters are the names of all parameters.
func Parameters() []string {
	all := []string{searcherParam, backendParam, threadsParam, overheadParam, engineParam, likelyParam}
	for i := range mcts.Settings {
		if key := mcts.Settings[i].Key; setting(key) != nil {
			all = append(all, key)
		}
	}
	return all
}

func (c *entrant) player(seat int) *Player {
	return NewPlayer(func(int) (PlayerNetwork, error) { return c.shared.use(c.config, seat) })
}

// identity is all that decides how the network plays.
func (c *entrant) identity(n *Network, method mcts.Method, build string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "network %s of %s on %s batches %v searcher %s overhead %s", n.Sum, n.Config.Recipe, n.Backend,
		n.Batches(), method.Name, c.overhead)
	if n.opened.OnRuntime() && c.config.Threads > 1 { // sums may be rounded otherwise
		fmt.Fprintf(&b, " threads %d", c.config.Threads)
	}
	if n.opened.Int8() && backend.VNNI() { // weights have a bit less otherwise
		b.WriteString(" vnni")
	}
	if n.likely != nil {
		fmt.Fprintf(&b, " probability %s", n.likely.Sum)
	}
	if method.Engine {
		fmt.Fprintf(&b, " engine %s", build)
	}
	for i := range mcts.Settings {
		if s := &mcts.Settings[i]; s.AppliesTo(method.Name) {
			fmt.Fprintf(&b, " %s=%s", s.Key, s.Get(&c.setup.Options))
		}
	}
	return b.String()
}

// matchPlayer plays one game at a time: a [match.Player].
type matchPlayer struct {
	*entrant
	player *Player
}

// NewGame forgets earlier games. What is drawn at random depends on the seed, and on that of the player's settings.
func (c *matchPlayer) NewGame(ctx context.Context, seed uint64) error {
	setup := c.setup
	setup.Seed ^= seed
	if err := c.player.Prepare(ctx, setup); err != nil {
		return err
	}
	c.player.Clear()
	return nil
}

// Move searches. An error of the network ends the match.
func (c *matchPlayer) Move(ctx context.Context, r *match.MoveRequest) (match.Ply, error) {
	begun := time.Now()
	t := NewTimeManager(c.player.Batch())
	switch turn := r.Game.Position().Turn(); {
	case r.MoveTime > 0:
		t.Begin(begun, MoveTimeBudget(r.MoveTime, c.overhead))
	case r.Clock != nil && r.Clock.Left[turn] > 0:
		t.Begin(begun, Clock{Left: r.Clock.Left[turn], Increment: r.Clock.Increment[turn],
			MovesToGo: r.Clock.MovesToGo}.Budget(c.overhead))
	}
	c.player.Position(&r.Start, r.Moves)
	report, err := c.player.Search(ctx, mcts.Limits{Nodes: r.Nodes, Depth: r.Depth}, t, nil)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return match.Ply{}, err
	}
	best := &report.Lines[0]
	return match.Ply{Move: best.PV[0], Score: c.player.Score(best), Scored: c.player.Scored(report, best),
		Depth: report.Depth, Nodes: report.Nodes, Illegal: report.FallbackMove}, nil
}

// Close leaves the network to the others.
func (c *matchPlayer) Close() error {
	c.player.Close()
	return nil
}
