"""Writes golden.jsonl.gz, the known answers for the talbotbot encoding, with python-chess.

Regenerate, in this folder:

    python3 -m venv venv && venv/bin/pip install chess==1.11.2
    venv/bin/python oracle.py golden.jsonl.gz

It shares nothing with the Go code: the rules are python-chess's, and the encoding is written here a second time from
its description. One JSON object a line: start (FEN), moves (UCI, from there to the position), planes (68 strings of
16 hex digits, bit i = square i, a1 = 0), legal ({uci: index} of every legal move).
"""

import gzip
import json
import random
import sys

import chess

SEED = 20261120
POSITIONS = 160
ALL = (1 << 64) - 1
PIECES = [chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN, chess.KING]
COMPASS = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
KNIGHT = [(2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1)]

STARTS = [
    chess.STARTING_FEN,
    "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 20",
    "r3k2r/p6p/8/8/8/8/P6P/R3K2R b Kq - 12 30",
    "4k2r/8/8/8/8/8/8/R3K3 w Qk - 0 9",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/PPPP1k2/8/8/8/8/2K1pppp/8 w - - 0 50",
    "8/PPPP1k2/8/8/8/8/2K1pppp/8 b - - 0 50",
    "n1n1k3/PPP5/8/8/4K3/8/5ppp/6N1 b - - 0 1",
    "n1n1k3/1P6/8/8/8/8/6p1/4KN1N w - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",  # e2e4, g2g4: en passant that exposes the king
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",  # en passant square of a pinned pair
    "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2",
    "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 2",
    "4k3/3p1p2/8/4P1P1/4p1p1/8/3P1P2/4K3 b - - 0 2",
    "4k3/3p1p2/8/4P1P1/4p1p1/8/3P1P2/4K3 w - - 0 2",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 40 60",
    "8/8/4k3/8/8/3QK3/8/8 w - - 0 1",
]


def mirrored(bitboard):
    """Rank 1 changes places with rank 8."""
    return int.from_bytes(bitboard.to_bytes(8, "little"), "big")


def seen(board, colour):
    """The twelve piece planes of a board as the player of that colour sees it."""
    planes = [board.pieces_mask(p, c) for c in (colour, not colour) for p in PIECES]
    return planes if colour == chess.WHITE else [mirrored(b) for b in planes]


def same(a, b):
    """Equal for the repetition rule: board, side, castling rights, legal en passant captures."""
    return a.epd(en_passant="legal") == b.epd(en_passant="legal")


def encode(past):
    """The 68 planes of past[-1], where past holds every board from the start of the line."""
    board = past[-1]
    me = board.turn
    planes = seen(board, me)
    for colour in (me, not me):
        planes.append(ALL if board.has_kingside_castling_rights(colour) else 0)
        planes.append(ALL if board.has_queenside_castling_rights(colour) else 0)
    planes.append(ALL if me == chess.BLACK else 0)
    target = 0
    if board.has_legal_en_passant():
        target = 1 << board.ep_square
        if me == chess.BLACK:
            target = mirrored(target)
    planes.append(target)
    before = sum(same(board, b) for b in past[:-1])
    planes += [ALL if before >= 1 else 0, ALL if before >= 2 else 0]
    for ago in range(1, 5):
        planes += seen(past[-1 - ago], me) if ago < len(past) else [0] * 12
    assert len(planes) == 68
    return planes


def index(board, move):
    """The number of a move among 64 x 73."""
    a, b = move.from_square, move.to_square
    if board.turn == chess.BLACK:
        a, b = chess.square_mirror(a), chess.square_mirror(b)
    rank = chess.square_rank(b) - chess.square_rank(a)
    file = chess.square_file(b) - chess.square_file(a)
    if move.promotion in (chess.KNIGHT, chess.BISHOP, chess.ROOK):
        piece = [chess.KNIGHT, chess.BISHOP, chess.ROOK].index(move.promotion)
        plane = 64 + 3 * piece + file + 1
    elif (rank, file) in KNIGHT:
        plane = 56 + KNIGHT.index((rank, file))
    else:
        name = "N" * (rank > 0) + "S" * (rank < 0) + "E" * (file > 0) + "W" * (file < 0)
        plane = 7 * COMPASS.index(name) + chess.square_distance(a, b) - 1
    return a * 73 + plane


def choose(rng, board):
    """A random move that likes what is rare: castling, en passant, promotion, double steps, going back."""
    moves = list(board.legal_moves)
    rare = [m for m in moves if board.is_castling(m) or board.is_en_passant(m) or m.promotion]
    if rare and rng.random() < 0.4:
        return rng.choice(rare)
    steps = [m for m in moves if board.piece_type_at(m.from_square) == chess.PAWN
             and abs(m.to_square - m.from_square) == 16]
    if steps and rng.random() < 0.2:
        return rng.choice(steps)
    if len(board.move_stack) >= 2 and rng.random() < 0.45:
        last = board.move_stack[-2]
        back = chess.Move(last.to_square, last.from_square)
        if back in moves:
            return back
    return rng.choice(moves)


def line(rng, fen, plies):
    board = chess.Board(fen)
    assert board.is_valid(), (fen, board.status())
    past = [board.copy()]
    for _ in range(plies):
        if not any(board.legal_moves):
            break
        board.push(choose(rng, board))
        past.append(board.copy())
    return past


def cases(past):
    """What the last position is an example of."""
    board = past[-1]
    planes = encode(past)
    legal = list(board.legal_moves)
    return {
        "white": board.turn, "black": not board.turn,
        "ep legal": planes[17], "ep illegal": board.ep_square is not None and not planes[17],
        "seen once": planes[18] and not planes[19], "seen twice": planes[19],
        "promotion": any(m.promotion for m in legal),
        "castling K": any(board.is_kingside_castling(m) for m in legal),
        "castling Q": any(board.is_queenside_castling(m) for m in legal),
        "some rights": 0 < sum(map(bool, planes[12:16])) < 4,
        "no past": len(past) == 1, "mate or draw": not legal,
    }


def shuffled(fen, cycle, plies):
    board = chess.Board(fen)
    past = [board.copy()]
    for i in range(plies):
        board.push_uci(cycle[i % len(cycle)])
        past.append(board.copy())
    return past


def main(path):
    rng = random.Random(SEED)
    knights = ["g1f3", "g8f6", "f3g1", "f6g8"]
    lines = [shuffled(chess.STARTING_FEN, knights, n) for n in (3, 4, 5, 8, 9, 12)]
    # The right to castle is lost on the way: the board comes back, the position does not.
    lines += [shuffled("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", ["h1g1", "h8g8", "g1h1", "g8h8"], n) for n in (4, 8)]
    # So is the right to take en passant.
    lines += [shuffled("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", ["e1d1", "e8d8", "d1e1", "d8e8"], n) for n in (4, 8, 12)]
    lines += [shuffled("3r2k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 40 60", ["d1d2", "d8d7", "d2d1", "d7d8"], n) for n in (4, 7, 8)]
    lines += [line(rng, fen, 0) for fen in STARTS]
    wanted = ["any", "ep legal", "promotion", "castling K", "castling Q", "seen once", "seen twice", "mate or draw"]
    while len(lines) < POSITIONS:
        case = wanted[len(lines) % len(wanted)]
        for _ in range(300):  # until the case occurs
            fen = STARTS[0] if rng.random() < 0.4 else rng.choice(STARTS)
            past = line(rng, fen, rng.choice([1, 2, 3, 5, 8, 13, 21, 34, 55, 89]))
            if case == "any" or cases(past)[case]:
                break
        lines.append(past)

    count = {}
    with open(path, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as out:
        for past in lines:
            board = past[-1]
            planes = encode(past)
            legal = {m.uci(): index(board, m) for m in board.legal_moves}
            assert len(set(legal.values())) == len(legal)
            row = {
                "start": past[0].fen(en_passant="fen"),
                "moves": [m.uci() for m in board.move_stack],
                "planes": ["%016x" % p for p in planes],
                "legal": dict(sorted(legal.items())),
            }
            out.write((json.dumps(row, separators=(",", ":")) + "\n").encode())
            for name, yes in cases(past).items():
                count[name] = count.get(name, 0) + bool(yes)
    print(len(lines), "positions:", count, file=sys.stderr)
    assert min(count.values()) >= 5, "a case is too rare"


if __name__ == "__main__":
    main(sys.argv[1])

