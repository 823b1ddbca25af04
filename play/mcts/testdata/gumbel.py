"""Writes gumbel.json.gz: searches of mctx (DeepMind's, from PyPI) that the searcher gumbel must repeat.

    pip install mctx==0.0.71 chess==1.11.2; python gumbel.py > gumbel.json.gz

Values and priors are hashes of a position's FEN, so that the test computes the same. Priors are rounded as the tree
keeps them. A position that occurred before on the way from the root is a draw.
"""
import functools, gzip, json, math, struct, sys, zlib

import chess, jax, jax.numpy as jnp, mctx, numpy as np

A = 48  # moves, ordered by UCI


def rounded(p):
    bits = struct.unpack("<I", struct.pack("<f", p))[0]
    return struct.unpack("<f", struct.pack("<I", (bits + (1 << 13) >> 14) << 14))[0]


def network(board):
    fen = board.fen(en_passant="legal")
    value = (zlib.crc32(fen.encode()) % 2001 - 1000) / 1250
    moves = sorted(m.uci() for m in board.legal_moves)
    order = sorted(moves, key=lambda m: zlib.crc32((fen + m).encode()))
    weights = [10 + order.index(m) for m in moves]  # no two alike: ties are broken in another way
    logits = np.full(A, -1e9, np.float32)
    for i, w in enumerate(weights):
        logits[i] = math.log(rounded(w / sum(weights)))
    return value, logits, moves


states = []  # (board, keys on the way)


def key(board):
    return " ".join(board.fen(en_passant="legal").split()[:4])


def state(board, keys):
    states.append((board, keys))
    return len(states) - 1


def step(ids, actions):
    board, keys = states[int(ids[0])]
    moves = sorted(m.uci() for m in board.legal_moves)
    if board is None or int(actions[0]) >= len(moves):
        raise SystemExit("an illegal move was chosen")
    board = board.copy()
    board.push_uci(moves[int(actions[0])])
    assert not board.is_game_over()
    again = key(board) in keys
    value, logits, _ = network(board)
    return (np.array([state(board, keys | {key(board)})], np.int32), np.array([0 if again else value], np.float32),
            logits[None], np.array([0.0 if again else -1.0], np.float32))


def recurrent(params, rng, action, embedding):
    shapes = (jax.ShapeDtypeStruct((1,), jnp.int32), jax.ShapeDtypeStruct((1,), jnp.float32),
              jax.ShapeDtypeStruct((1, A), jnp.float32), jax.ShapeDtypeStruct((1,), jnp.float32))
    ids, value, logits, discount = jax.pure_callback(step, shapes, embedding, action)
    return mctx.RecurrentFnOutput(reward=jnp.zeros(1), discount=discount, prior_logits=logits, value=value), ids


cases = []
for n, fen in enumerate([chess.STARTING_FEN, "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
                         "8/5k2/8/8/8/8/PP3K2/8 b - - 0 1"]):
    for simulations, considered, noise, rescale, visit, scale in [
            (1, 16, 0, False, 50, 1), (2, 16, 1, False, 50, 1), (16, 16, 1, False, 50, 1), (31, 8, 1, False, 50, .5),
            (63, 16, 0, False, 50, 1), (63, 5, 1, True, 50, .1), (100, 16, 1, True, 20, .1), (40, 1, 1, False, 50, 1)]:
        states.clear()
        board = chess.Board(fen)
        value, logits, moves = network(board)
        # mctx's values are in [-1, 1] where they are not rescaled: half its scale is talbot's, whose q is in [0, 1].
        q = functools.partial(mctx.qtransform_completed_by_mix_value, value_scale=scale if rescale else scale / 2,
                              maxvisit_init=visit, rescale_values=rescale)
        out = mctx.gumbel_muzero_policy(
            params=(), rng_key=jax.random.PRNGKey(100 * n + simulations), recurrent_fn=recurrent,
            root=mctx.RootFnOutput(prior_logits=jnp.array(logits[None]), value=jnp.array([value], jnp.float32),
                                   embedding=jnp.array([state(board, {key(board)})], jnp.int32)),
            num_simulations=simulations, max_num_considered_actions=considered, gumbel_scale=float(noise),
            invalid_actions=jnp.array([[i >= len(moves) for i in range(A)]]), qtransform=q)
        tree = out.search_tree
        cases.append(dict(
            fen=fen, simulations=simulations, considered=considered, rescale=rescale, visit=visit, scale=scale,
            noise=dict(zip(moves, np.asarray(tree.extra_data.root_gumbel[0], float).tolist())),
            visits=dict(zip(moves, np.asarray(tree.summary().visit_counts[0]).tolist())),
            target=dict(zip(moves, np.asarray(out.action_weights[0], float).round(7).tolist())),
            move=moves[int(out.action[0])], value=float(tree.node_values[0, 0])))
table = []
for considered in range(1, 40):
    for plan in (1, 2, 7, 15, 31, 63, 127, 400):
        table.append([considered, plan] + list(mctx._src.seq_halving.get_sequence_of_considered_visits(considered, plan)))
text = json.dumps(dict(cases=cases, table=table)).encode()
sys.stdout.buffer.write(gzip.compress(text, mtime=0))
