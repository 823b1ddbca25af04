"""Known answers for the input, the moves and the targets of the recipe prior, with python-chess.

Regenerate the file, in this folder:

    python3 -m venv venv && venv/bin/pip install chess==1.11.2
    venv/bin/python prior_oracle.py prior.jsonl.gz

It shares nothing with the Go code: the rules are python-chess's, and the encoding is written here a second time from
its description. One JSON object a line: fen, elo (of the side to move, 0 = not known), packed (5 strings of 16 hex digits),
planes (0 to 16 as strings of 16 hex digits, bit i = square i, a1 = 0), rating (the number on all squares of plane 17),
legal (the number of each legal move). The moves and the positions are those of nosearch_oracle.py.

With "-" instead of a file it answers lines "FEN;ELO;UCI:COUNT UCI:COUNT …" on standard input, each with 40 bytes, the
packed words with the lowest byte first; 136 bytes, planes 0 to 16; 4 bytes, a float; 2 bytes, how many moves there are;
and 2 and 4 bytes for the number of each and its share of all counts, in the order of the numbers.
"""

import gzip
import json
import random
import struct
import sys

import chess

from nosearch_oracle import legal, oriented, played, special

SEED = 20261122
POSITIONS = 220
RATINGS = [0, 1, 400, 1250, 1499, 1500, 1501, 1623, 1750, 2250, 2750, 3300]
PIECES = [chess.KING, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN]
ALL = (1 << 64) - 1


def planes(mine):
    """Planes 0 to 16 of a position with White to move."""
    out = [mine.pieces_mask(kind, colour) for colour in (chess.WHITE, chess.BLACK) for kind in PIECES]
    for colour in (chess.WHITE, chess.BLACK):
        out.append(ALL * mine.has_kingside_castling_rights(colour))
        out.append(ALL * mine.has_queenside_castling_rights(colour))
    out.append(1 << mine.ep_square if mine.has_legal_en_passant() else 0)
    return out


def rating(elo):
    """The number of plane 17."""
    return (elo or 1500) / 1500 - 1


def packed(mine, elo):
    words = [0] * 5
    for square, piece in mine.piece_map().items():
        for i in range(3):
            words[i] |= (piece.piece_type >> i & 1) << square
        words[3] |= (piece.color == chess.BLACK) << square
    shown = planes(mine)
    words[4] = sum((shown[12 + i] & 1) << i for i in range(4)) | (elo or 1500) << 8 | shown[16]
    return words


def answer():
    for line in sys.stdin:
        fen, elo, moves = line.strip().split(";")
        board, elo = chess.Board(fen), int(elo)
        mine, numbers = oriented(board), legal(board)
        counts = {numbers[uci]: float(n) for uci, n in (m.split(":") for m in moves.split())}
        out = struct.pack("<5Q17QfH", *packed(mine, elo), *planes(mine), rating(elo), len(counts))
        for number in sorted(counts):
            out += struct.pack("<Hf", number, counts[number] / sum(counts.values()))
        sys.stdout.buffer.write(out)


def main(path):
    rng = random.Random(SEED)
    boards = [chess.Board(fen) for fen in special()]
    boards += [b.mirror() for b in boards]
    while len(boards) < POSITIONS:
        boards.append(played(rng))
    with open(path, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as out:
        for i, board in enumerate(boards):
            assert board.is_valid(), (board.fen(), board.status())
            mine, elo = oriented(board), RATINGS[i % len(RATINGS)]
            row = {"fen": board.fen(en_passant="fen"), "elo": elo, "packed": ["%016x" % w for w in packed(mine, elo)],
                   "planes": ["%016x" % w for w in planes(mine)], "rating": rating(elo), "legal": legal(board)}
            out.write((json.dumps(row, separators=(",", ":")) + "\n").encode())
    black = sum(b.turn == chess.BLACK for b in boards)
    on = [sum(planes(oriented(b))[i] > 0 for b in boards) for i in range(17)]
    print(len(boards), "positions,", black, "with Black to move; planes on", on, file=sys.stderr)
    assert black >= POSITIONS // 3 and len(boards) - black >= POSITIONS // 3 and all(on)


if __name__ == "__main__":
    answer() if sys.argv[1] == "-" else main(sys.argv[1])
