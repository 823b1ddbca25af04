"""Known answers for the encoding of the recipe tahl, with python-chess.

Regenerate the file, in this folder:

    python3 -m venv venv && venv/bin/pip install chess==1.11.2
    venv/bin/python tahl_oracle.py tahl.jsonl.gz

It shares nothing with the Go code: the rules are python-chess's, and the encoding is written here a second time from
its description. The positions are those of golden.jsonl.gz and a few in which castling is possible on one wing. One JSON
object a line: start (FEN), moves (UCI, from there to the position), packed (9 strings of 16 hex digits, bit i = square i,
a1 = 0), planes (28), changes ({uci: what each legal move changes, sorted}), and played and after: a legal move with the
12 layers of the board behind it.

With "-" instead of a file it answers: each line on standard input is a FEN, the moves from there and plies, divided by
"|". Each ply gives such an object, without start and moves, on standard output; changes are there for every EVERYth of
them only, a second argument.
"""

import gzip
import json
import random
import sys

import chess

from oracle import ALL, PIECES, mirrored, seen

SEED = 20261122
ORDER = [chess.PAWN, chess.ROOK, chess.KNIGHT, chess.BISHOP, chess.QUEEN, chess.KING]

# Castling through, out of and into check, over pieces, and with one right of two.
CASTLING = [
    "r3k2r/8/8/8/4R3/8/8/4K3 b kq - 0 1",
    "r3k2r/8/8/5R2/8/8/8/4K3 b kq - 0 1",
    "r3k2r/8/8/6R1/8/8/8/4K3 b kq - 0 1",
    "r3k2r/8/8/1R5R/8/8/8/4K3 b kq - 0 1",
    "r3k2r/8/8/2R5/8/8/8/4K3 w kq - 0 1",
    "r3k2r/8/8/3R4/8/8/8/4K3 w kq - 0 1",
    "rn2k1nr/8/8/8/8/8/8/R2QKB1R w KQkq - 0 1",
    "4k3/8/8/8/8/5n2/8/R3K2R w KQ - 0 1",
    "4k3/8/8/8/8/8/6p1/R3K2R w KQ - 0 1",
    "4k3/8/8/8/8/8/2p5/R3K2R w KQ - 0 1",
    "4k3/8/8/8/8/8/1p6/R3K2R w KQ - 0 1",
    "r3k2r/1P4P1/8/8/8/8/8/4K3 w kq - 0 1",
    "r3k2r/6P1/8/8/8/8/8/4K3 b kq - 0 1",
    "r3k2r/8/8/8/8/8/3q4/R3K2R w KQkq - 0 1",
]


def castling(board, colour):
    """The rights of a side, and whether it could castle if it were to move: king side first."""
    turned = board.copy(stack=False)
    turned.turn, turned.ep_square = colour, None
    now = [turned.is_kingside_castling(m) for m in turned.generate_castling_moves()]
    return [board.has_kingside_castling_rights(colour), board.has_queenside_castling_rights(colour),
            any(now), not all(now)]


def encode(board):
    """The 28 planes and the packed words."""
    me = board.turn
    turn = (lambda b: b) if me == chess.WHITE else mirrored
    planes = [turn(board.pieces_mask(p, c)) for c in (me, not me) for p in ORDER]
    rights = castling(board, me) + castling(board, not me)
    planes += [ALL if yes else 0 for yes in rights]
    target = pawns = 0
    for move in board.generate_legal_ep():
        target |= 1 << move.to_square
        pawns |= 1 << move.from_square
    target, pawns = turn(target), turn(pawns)
    planes += [target, pawns, 0, 0]
    past = []
    for ago in range(1, 5):
        squares = 0
        if ago <= len(board.move_stack):
            move = board.move_stack[-ago]
            squares = 1 << move.from_square | 1 << move.to_square
        past.append(turn(squares))
    words = [0] * 4
    for square, piece in board.piece_map().items():
        one = turn(1 << square)
        for i in range(3):
            if 1 + PIECES.index(piece.piece_type) >> i & 1:
                words[i] |= one
        if piece.color != me:
            words[3] |= one
    flags = sum(yes << i for i, yes in enumerate(rights)) | target | pawns
    return planes + past, words + past + [flags]


def changes(board):
    """What each legal move changes, from the layers before and after it."""
    me = board.turn
    before = seen(board, me)
    found = {}
    for move in board.legal_moves:
        board.push(move)
        after = seen(board, me)
        board.pop()
        found[move.uci()] = sorted(2 * (64 * layer + square) + (before[layer] >> square & 1)
                                   for layer in range(12) if before[layer] != after[layer]
                                   for square in chess.scan_forward(before[layer] ^ after[layer]))
    return found


def describe(board, every):
    planes, words = encode(board)
    assert len(planes) == 28 and len(words) == 9
    row = {"packed": ["%016x" % w for w in words], "planes": ["%016x" % p for p in planes]}
    if every:
        row["changes"] = changes(board)
    return row


def answer(every):
    count = 0
    for line in sys.stdin:
        fen, moves, plies = line.rstrip("\n").split("|")
        board, plies = chess.Board(fen), set(map(int, plies.split()))
        for ply, uci in enumerate(moves.split() + [None]):
            if ply in plies:
                print(json.dumps(describe(board, count % every == 0), separators=(",", ":")))
                count += 1
            if uci:
                board.push(chess.Move.from_uci(uci))


def main(path):
    rng = random.Random(SEED)
    count = {}
    lines = [(fen, []) for fen in CASTLING]
    with gzip.open("golden.jsonl.gz", "rt") as file:
        lines += [(row["start"], row["moves"]) for row in map(json.loads, file)]
    with open(path, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as out:
        for fen, moves in lines:
            board = chess.Board(fen)
            assert board.is_valid(), (fen, board.status())
            for uci in moves:
                board.push_uci(uci)
            row = {"start": fen, "moves": moves, **describe(board, True), "played": None, "after": None}
            if row["changes"]:
                move, me = rng.choice(list(board.legal_moves)), board.turn
                board.push(move)
                row["played"], row["after"] = move.uci(), ["%016x" % b for b in seen(board, me)]
                board.pop()
            out.write((json.dumps(row, separators=(",", ":")) + "\n").encode())
            for i, plane in enumerate(row["planes"]):
                count[i] = count.get(i, 0) + (int(plane, 16) != 0)
            for list_ in row["changes"].values():
                name = f"{len(list_)} changes"
                count[name] = count.get(name, 0) + 1
            name = "white" if board.turn else "black"
            count[name] = count.get(name, 0) + 1
    print(len(lines), "positions:", count, file=sys.stderr)
    assert all(n >= 4 for name, n in count.items() if name not in (22, 23)), "a case is too rare"


if __name__ == "__main__":
    answer(int(sys.argv[2])) if sys.argv[1] == "-" else main(sys.argv[1])
