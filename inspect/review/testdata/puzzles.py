"""Checks a review's puzzles.csv with python-chess and a long search by Stockfish.

    python3 puzzles.py puzzles.csv [NODES [COUNT [ENGINE]]]

Every position in which the solver is to move is searched again with 2,000,000 nodes (NODES) and two moves, from the
puzzle's own FEN, with an empty hash. It agrees if exactly one move wins, and the puzzle has that move:
the best one is worth 2 pawns or more, and the second less than 2 pawns, or less than a mate in one where that is the
best, and not more than winning chances of 0.6. It is sharp if the rule of Lichess's generator holds: chances that are
0.7 apart on the scale from -1 to 1. COUNT puzzles are drawn, all by default.

By the rules of chess alone it checks that all moves are legal, that mates are mates, their lengths, endgames, and that
nothing follows a solution's end. Exit status 1: something of that is wrong.
"""
import csv
import math
import random
import sys

import chess
import chess.engine


def chances(score):
    n = score.mate()
    if n is not None:
        return 1 if n > 0 else -1
    return 2 / (1 + math.exp(-0.00368208 * score.score())) - 1


def judge(best, second):
    """Whether one move wins, and whether it does so by the generator's rule."""
    if second is None:
        return True, True
    if best == chess.engine.Mate(1):
        fine = second < best and chances(second) <= 0.6
        return fine, fine
    two = chess.engine.Cp(200)
    return best >= two > second, best >= two and chances(best) > chances(second) + 0.7


def wrong(row, board, moves):
    """What contradicts the rules of chess; None if nothing does."""
    themes = row["Themes"].split()
    for move in moves:
        if move not in board.legal_moves:
            return "illegal " + move.uci()
        board.push(move)
        if len(board.move_stack) == 1:
            pieces = sum(len(board.pieces(t, c)) for t in (2, 3, 4, 5) for c in chess.COLORS)
            if (pieces <= 6) != ("endgame" in themes):
                return "endgame"
    solved = len(moves) // 2
    length = {1: "oneMove", 2: "short", 3: "long"}.get(solved, "veryLong")
    if len(moves) % 2 or length not in themes:
        return "length"
    if board.is_checkmate() != ("mate" in themes) or board.is_checkmate() != ("mateIn%d" % min(solved, 5) in themes):
        return "mate"
    return None


def main(path, nodes=2_000_000, count=0, engine="/usr/games/stockfish"):
    rows = list(csv.DictReader(open(path)))
    if count:
        rows = random.Random(1).sample(rows, min(count, len(rows)))
    faults = agree = sharp = positions = 0
    with chess.engine.SimpleEngine.popen_uci(engine) as stockfish:
        for row in rows:
            board = chess.Board(row["FEN"])
            moves = [chess.Move.from_uci(m) for m in row["Moves"].split()]
            if fault := wrong(row, board.copy(), moves):
                print(row["PuzzleId"], fault)
                faults += 1
                continue
            one = rule = True
            for ply, move in enumerate(moves):
                if ply % 2:
                    positions += 1
                    lines = stockfish.analyse(board, chess.engine.Limit(nodes=nodes), multipv=2, game=object())
                    scores = [line["score"].relative for line in lines] + [None]
                    verdict = judge(*scores[:2])
                    same = lines[0]["pv"][0] == move
                    if not (same and verdict[0]):
                        print(row["PuzzleId"], board.fen(), move, [str(line["score"].relative) for line in lines],
                              [line["pv"][0].uci() for line in lines], flush=True)
                    one, rule = one and same and verdict[0], rule and same and verdict[1]
                board.push(move)
            agree, sharp = agree + one, sharp + rule
    print(f"{len(rows)} puzzles, {positions} positions: exactly one move wins in {agree} "
          f"({100 * agree / max(1, len(rows)):.1f} %), by the generator's rule {sharp} "
          f"({100 * sharp / max(1, len(rows)):.1f} %); against the rules of chess: {faults}")
    return faults > 0


if __name__ == "__main__":
    args = sys.argv[1:]
    sys.exit(main(args[0], *[int(a.replace("_", "")) for a in args[1:3]], *args[3:]))
