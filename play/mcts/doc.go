// Package mcts chooses moves with a neural network that it knows only as an [Evaluator].
//
// A [Searcher] is given a game and limits and returns a move with what led to it. The package starts no goroutine and
// reads no clock but to say how long a batch took. [New] makes a searcher by its name, [Settings] are their parameters.
//
// # puct
//
// The search of AlphaZero (Silver et al., Science 362, 2018), as Leela Chess Zero has developed it. A visit goes down
// from the root, at each position to the move with the greatest
//
//	Q + c · P · √N / (1 + n)      c = CPuct + CPuctFactor · ln((N + CPuctBase) / CPuctBase)
//
// where N and n are the visits of the position and of the move, those that wait for the network included, P is the
// prior (the network's probability to the power of 1/PolicyTemperature, renormalised) and Q is the mean value of the
// move's visits for its player. A move without a visit has the mean value of its position less f · √(prior mass of
// the visited moves). Networks that say how many plies are left of a game have moves preferred, where the result is all
// but certain, that win sooner or lose later: see [Settings]. A new position is valued by the network; the value is
// added on the whole way, with the sign of each player.
//
// Batches. Descents continue until as many positions as fit wait for the network. A descent that ends where another
// waits has met it: it counts among those that wait, so that the next one goes elsewhere, until the batch is done,
// and then as if it had not been. MaxCollisions bounds these; the next one ends the batch. Visits that need no network
// are added at once. Batches grow with the visits that there are and those to come: see batch.go.
//
// Proofs. Each position has bounds of its result. Checkmate, stalemate, insufficient material, the fiftieth move
// without a capture or pawn move, and a third occurrence have their value; so does what endgame tables know, with the
// halfmove clock as it is. Bounds go up as in Winands, Björnsson and Saito, "Monte-Carlo Tree Search Solver" (2008),
// with draws as in Cazenave and Saffidine, "Score Bounded Monte-Carlo Tree Search" (2010). A position that is proven
// counts with its value for all its visits, and a move that loses for certain is never chosen. The distance to mate
// is that of the mate which was proven, the shortest among the moves looked at; it may not be the shortest there is.
// A search ends when its root is proven. With MateInOne each position is searched for a mate in one when it gets its
// moves.
//
// Looks. With Look the priors of a position are weighed, before their first use, by what its moves win or lose of
// material at once: see look.go.
//
// Repetition. A position that occurred before on the way from the root counts as a draw. When the tree is kept for
// the next move and the first occurrence is no longer in it, the draw is taken back, with its visits and all proofs
// built on it. An occurrence before the root counts only when it makes three.
//
// # Other searchers
//
// gumbel is the search of Gumbel AlphaZero (Danihelka et al., "Policy improvement by planning with Gumbel", ICLR 2022),
// as DeepMind's mctx has it, for searches of few visits. Sequential halving shares the visits among the root's moves:
// it begins with the ConsideredMoves of the greatest noise + log-prior + σ(q), and drops the worse half again and
// again. The last of the most visited ones by that sum is played. Without noise that is a search like others; with
// GumbelNoise 1 the moves are drawn without replacement from the priors. Below the root a visit goes where the improved
// policy, softmax(log-prior + σ(q)), is least served. Each search starts afresh; a plan needs a limit of nodes, or a
// clock that says how many there are. Proofs and repetitions are those of puct.
//
// talbotbot is the search of Talbotbot v1.5: c = 5 and no growth, moves without a visit first, by prior; a move below
// which all waits for the network is passed over and nothing else is changed by what waits; no proofs. The game's
// end, and the third occurrence and the fifty moves as draws, are all it knows for certain. The move with most visits
// is played.
//
// napoleon is that of Napoleon: the bound of a move is ±((1−e)·v + e·w) + ln(1+N)/(1+n), v being the network's value,
// w the mean result of random playouts, both White's, e the Exploration. A position gets all its moves at once; one
// playout starts at the best of them. The move with the greatest ±((1−e)·v + e·w) is played; one that is forced, at
// once.
//
// policy plays the move with the greatest prior and value that with the greatest value after it; both ask the network
// once and obey no limits but SearchMoves.
//
// rollouts draws a move with a probability proportional to share · (1 − (vmax − v)/2)^(0.3·√rating), where v is the
// mean of the simulations through it, before the first the engine's value, both for its player, vmax the largest of
// these, and rating that of the player. A simulation ends at the first position that none has reached before.
//
// # Reports
//
// Nodes are visits. Values are means of visits; proven ones are certain. Chances of win, draw and loss are the mean of
// the network's, if it gives them; from a value v alone they are s², 2s(1−s) and (1−s)² with s = (1+v)/2, as if two
// halves of the game were each won with the expected score. A line begins with its move and continues with the best
// move by the same order: proven wins, then visits, then values, proven losses last. It ends where the game does.
//
// With a Temperature T the move is drawn with a probability in proportion to (visits)^(1/T): never a proven loss where
// there are other moves, nor anything but a proven win.
//
// # Learning from a search
//
// A [Report] of a searcher that grows a tree has what a network can learn: the weight of each move ([Line.Target]),
// the search's estimate of the position, and that of the network alone. RootNoise mixes Dirichlet noise into the
// priors of puct's root, as AlphaZero does in its games with itself; each of n legal moves has the parameter
// RootNoiseTotal/n.
//
// # Memory
//
// A position takes 40 bytes, a legal move of a position that was expanded 8, all in pieces of 128 KiB; a
// visit allocates nothing but a piece, now and then. A kept answer takes 112 bytes, also when it is needed. Hash bounds
// all pieces and all of the cache, which gets a quarter at most. When nothing is left, positions with few visits give
// up what is below them, a quarter of all or more at a time, and keep their visits and the mean of these: see prune.go.
// Limits of Depth and Mate end the search then.
//
// Answers are kept under a key of the position, of as many earlier positions as the evaluator depends on, and of the
// occurrences before. With PositionCache the key is the position alone: more is found, and answers may be those for
// another past.
//
// # Repeating a search
//
// The same game, settings and limits on nodes give the same search, if the evaluator's answers repeat. Batches of
// other sizes are another search. What is drawn at random depends on Seed, position and number of the move alone.
package mcts
