#!/usr/bin/env python3
"""Ask an engine through python-chess for the values of candidate moves, and compare. Samples come on stdin as JSON."""

import json
import sys

import chess
import chess.engine


def text(score):
    score = score.relative
    return "mate %d" % score.mate() if score.is_mate() else "cp %d" % score.score()


samples = json.load(sys.stdin)
engine = chess.engine.SimpleEngine.popen_uci(sys.argv[1])
engine.configure({"Hash": 16, "Threads": 1})
compared = 0
for s in samples:
    board = chess.Board(s["start"])
    for m in s["moves"]:
        board.push_uci(m)
    assert board.fen().split()[:2] == s["fen"].split()[:2]
    moves = [chess.Move.from_uci(m) for m in s["only"]]
    # a fresh game before each search; the engine itself goes through all depths
    seen = {}
    with engine.analysis(board, chess.engine.Limit(depth=4), multipv=len(moves), root_moves=moves, game=object()) as lines:
        for info in lines:
            if "score" in info and "pv" in info and not info.get("upperbound") and not info.get("lowerbound"):
                seen[info["depth"], info["pv"][0].uci()] = text(info["score"])
    for depth, scores in zip((2, 4), s["scores"]):
        for m, score in scores.items():
            assert seen[depth, m] == score, (s, depth, m, seen[depth, m])
            compared += 1
engine.quit()
print("%d values of %d samples are equal" % (compared, len(samples)))
