"""Known answers for the input of the recipe napoleon, with python-chess.

Regenerate the file, in this folder:

    python3 -m venv venv && venv/bin/pip install chess==1.11.2
    venv/bin/python napoleon_oracle.py napoleon.jsonl.gz

It shares nothing with the Go code: the rules are python-chess's, and the encoding is written here a second time from
its description. One JSON object a line: fen, packed (4 strings of 16 hex digits), numbers (34 x 64 whole numbers,
[plane][rank][file] from a1 in the frame of the side to move).

With "-" instead of a file it answers: each FEN on standard input, one a line, gives 32 bytes, the packed words with
the lowest byte first, and 2176 bytes, the numbers as signed bytes, on standard output.
"""

import gzip
import json
import random
import struct
import sys
from array import array

import chess

from nosearch_oracle import played

SEED = 20261122
POSITIONS = 140
TYPES = [chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN, chess.KING]

# The numbers at their limits: many queens, knights, bishops and rooks around a square, pieces that reach 27 squares.
STARTS = [
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "7k/6b1/8/2QQQ3/2Q1Q3/1NQQQN2/8/K7 w - - 0 1",
    "8/8/2N1N3/1N3N2/8/1N3N2/2N1N3/K6k w - - 0 1",
    "8/8/2n1n3/1n3n2/3Q4/1n3n2/2n1n3/K6k w - - 0 1",
    "7k/6p1/8/2B1B3/8/2B1B3/BBBBBB2/K7 w - - 0 1",
    "7k/8/8/3R4/2R1R3/3R4/6p1/K7 w - - 0 1",
    "7k/3r4/8/8/1r1R1r2/8/3r4/K7 w - - 0 1",
    "7k/8/8/3Q4/8/8/8/K7 w - - 0 1",
    "4k3/8/3b4/2p1p3/3P4/2P1P3/3B4/4K3 b - - 0 1",
    "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2",
    "8/PPPP1k2/8/8/8/8/2K1pppp/8 w - - 0 50",
    "8/8/8/8/8/8/8/K1k5 w - - 0 1",
    "k7/8/8/8/8/8/PPPPPPPP/RNBQKBNR b - - 0 1",
]


def seen(square, turn):
    """A square as the side to move names it."""
    return square if turn == chess.WHITE else chess.square_mirror(square)


def numbers(board):
    """The 34 x 64 numbers."""
    me = board.turn
    plane = [[0] * 64 for _ in range(34)]
    for square in chess.SQUARES:
        s = seen(square, me)
        piece = board.piece_at(square)
        if piece:
            sign, other = (1, 0) if piece.color == me else (-1, 6)
            k = TYPES.index(piece.piece_type)
            plane[other + k][s] = sign
            reach = board.attacks(square)
            plane[33][s] = len(reach)
            for target in reach:
                plane[12 + other + k][seen(target, me)] += sign
        plane[31][s] = len(board.attackers(me, square))
        plane[32][s] = -len(board.attackers(not me, square))
    for s in chess.SQUARES:
        for k in range(6):
            plane[24 + k][s] = plane[12 + k][s] + plane[18 + k][s]
        plane[30][s] = sum(plane[24 + k][s] for k in range(6))
        assert plane[31][s] == sum(plane[12 + k][s] for k in range(6))
        assert plane[32][s] == sum(plane[18 + k][s] for k in range(6))
        assert plane[30][s] == plane[31][s] + plane[32][s]
    return [x for p in plane for x in p]


def packed(board):
    """The four words: bits 0, 1, 2 of pawn 1 ... king 6, and the opponent's squares."""
    words = [0] * 4
    for square, piece in board.piece_map().items():
        bit = 1 << seen(square, board.turn)
        number = 1 + TYPES.index(piece.piece_type)
        for i in range(3):
            if number >> i & 1:
                words[i] |= bit
        if piece.color != board.turn:
            words[3] |= bit
    return words


def reachable(board, colour):
    """Whether a side has no more promoted pieces than pawns are missing."""
    light = len(board.pieces(chess.BISHOP, colour) & chess.BB_LIGHT_SQUARES)
    dark = len(board.pieces(chess.BISHOP, colour) & chess.BB_DARK_SQUARES)
    officers = [(light, 1), (dark, 1)]
    officers += [(len(board.pieces(t, colour)), n) for t, n in ((chess.KNIGHT, 2), (chess.ROOK, 2), (chess.QUEEN, 1))]
    return len(board.pieces(chess.PAWN, colour)) + sum(max(0, have - first) for have, first in officers) <= 8


def crowded(rng):
    """Pieces on random squares, promoted ones too, and either side to move."""
    while True:
        board = chess.Board(None)
        squares = rng.sample(chess.SQUARES, 64)
        for colour in chess.COLORS:
            board.set_piece_at(squares.pop(), chess.Piece(chess.KING, colour))
            pawns = rng.randint(0, 8)
            promoted = [rng.choice(TYPES[1:5]) for _ in range(rng.randint(0, 8 - pawns))]
            officers = [t for t, n in zip(TYPES[1:5], (2, 2, 2, 1)) for _ in range(rng.randint(0, n))]
            for kind in [chess.PAWN] * pawns + promoted + officers:
                where = next((s for s in squares if kind != chess.PAWN or 0 < chess.square_rank(s) < 7), None)
                if where is not None:
                    squares.remove(where)
                    board.set_piece_at(where, chess.Piece(kind, colour))
        board.turn = rng.choice(chess.COLORS)
        if board.is_valid() and all(reachable(board, c) for c in chess.COLORS):
            return board


def answer():
    for line in sys.stdin:
        board = chess.Board(line.strip())
        sys.stdout.buffer.write(struct.pack("<4Q", *packed(board)) + array("b", numbers(board)).tobytes())


def main(path):
    rng = random.Random(SEED)
    boards = [chess.Board(fen) for fen in STARTS]
    boards += [b.mirror() for b in boards]
    for board in [b.copy() for b in boards]:
        board.turn, board.ep_square = not board.turn, None
        if board.is_valid():
            boards.append(board)
    while len(boards) < POSITIONS:
        boards.append(crowded(rng) if len(boards) % 2 else played(rng, STARTS))
    low, high = [0] * 34, [0] * 34
    with open(path, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as out:
        for board in boards:
            assert board.is_valid(), (board.fen(), board.status())
            values = numbers(board)
            for plane in range(34):
                part = values[64 * plane:64 * plane + 64]
                low[plane], high[plane] = min(low[plane], *part), max(high[plane], *part)
            row = {"fen": board.fen(en_passant="fen"), "packed": ["%016x" % w for w in packed(board)],
                   "numbers": values}
            out.write((json.dumps(row, separators=(",", ":")) + "\n").encode())
    black = sum(b.turn == chess.BLACK for b in boards)
    print(len(boards), "positions,", black, "with Black to move; least", low, "greatest", high, file=sys.stderr)
    assert black >= POSITIONS // 3 and len(boards) - black >= POSITIONS // 3
    assert high[12:18] == [2, 8, 4, 4, 8, 1] and low[18:24] == [-2, -8, -4, -4, -8, -1], "a limit is not reached"
    assert high[33] == 27


if __name__ == "__main__":
    answer() if sys.argv[1] == "-" else main(sys.argv[1])
