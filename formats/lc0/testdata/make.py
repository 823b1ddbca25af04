"""Makes chunks.tar, game.gz and table.tsv from lc0's published layout with python-chess, not from the reader.

pip install python-chess==1.999; python make.py
"""

import gzip
import io
import math
import random
import struct
import tarfile

import chess

random.seed(7)

MOVES = []
for a in chess.SQUARES:
    empty = chess.Board(None)
    reach = chess.SquareSet()
    for kind in (chess.QUEEN, chess.KNIGHT):
        empty.set_piece_at(a, chess.Piece(kind, True))
        reach |= empty.attacks(a)
    MOVES += [chess.square_name(a) + chess.square_name(b) for b in reach]
for a in range(8):
    for b in range(max(a - 1, 0), min(a + 1, 7) + 1):
        MOVES += [f"{'abcdefgh'[a]}7{'abcdefgh'[b]}8{kind}" for kind in "qrb"]
assert len(MOVES) == 1858 and MOVES[0] == "a1b1" and MOVES[1791] == "h8g8" and MOVES[1857] == "h7h8b"
NUMBER = {move: i for i, move in enumerate(MOVES)}


def turned(square, turn, transform):
    file, rank = chess.square_file(square), chess.square_rank(square)
    if turn == chess.BLACK:
        rank = 7 - rank
    if transform & 1:
        file = 7 - file
    if transform & 2:
        rank = 7 - rank
    if transform & 4:
        file, rank = 7 - rank, 7 - file
    return file, rank


def number(board, move, transform, rook=True):
    to = move.to_square
    if board.is_castling(move) and rook:
        to = chess.square(7 if to > move.from_square else 0, chess.square_rank(to))
    text = ""
    for square in (move.from_square, to):
        file, rank = turned(square, board.turn, transform)
        text += "abcdefgh"[file] + "12345678"[rank]
    if move.promotion and move.promotion != chess.KNIGHT:
        text += chess.piece_symbol(move.promotion)
    return NUMBER[text]


def plane(squares, turn, transform):
    rows = [0] * 8
    for square in squares:
        file, rank = turned(square, turn, transform)
        rows[rank] |= 128 >> file
    return bytes(rows)


def planes(boards, transform):
    turn, out = boards[-1].turn, b""
    past = list(reversed(boards))[:8]
    if boards[0].fen() != chess.STARTING_FEN:  # lc0 repeats a start that is no game's, its last pawn move undone
        before = boards[0].copy()
        if before.ep_square is not None:
            step = 8 if before.turn else -8
            before.set_piece_at(before.ep_square + step, before.remove_piece_at(before.ep_square - step))
        past += [before] * (8 - len(past))
    for board in past:
        for color in (turn, not turn):
            for kind in chess.PIECE_TYPES:
                out += plane(board.pieces(kind, color), turn, transform)
        out += bytes([255 if board.is_repetition(2) else 0]) * 8
    return out.ljust(104 * 8, b"\0")


def record(version, form, boards, visits, played, best, q, d, result, flags, own_squares):
    board = boards[-1]
    transform = 0
    canonical = form not in (1, 2)
    if canonical and not board.castling_rights:
        transform = random.randrange(2) if board.pawns else random.randrange(8)
    shares = [0.0 if version == 3 else -1.0] * 1858
    total = sum(visits.values())
    for move, n in visits.items():
        shares[number(board, move, transform, not own_squares)] = n / total
    castling = b""
    for color in (board.turn, not board.turn):
        for king, right in ((False, board.has_queenside_castling_rights(color)),
                            (True, board.has_kingside_castling_rights(color))):
            bit = 1 if form == 1 else (128 if king else 1)
            if right and form != 1:
                rooks = [s for s in chess.SquareSet(board.castling_rights) if
                         board.color_at(s) == color and (s > board.king(color)) == king]
                bit = 1 << chess.square_file(rooks[0])
            castling += bytes([bit if right else 0])
    stm = 0 if board.turn else 1
    info = 0
    if canonical:
        stm = 0
        if board.ep_square is not None:
            file = chess.square_file(board.ep_square)
            stm = 1 << (7 - file if transform & 1 else file)
        info = transform | (0 if board.turn else 128)
    mine = result if board.turn else -result
    out = struct.pack("<I", version)
    if version >= 5:
        out += struct.pack("<I", form)
    out += struct.pack("<1858f", *shares) + planes(boards, transform) + castling
    out += struct.pack("<BBBb", stm, board.halfmove_clock, info | flags, 0 if version == 6 else mine)
    if version >= 4:
        out += struct.pack("<4f", random.uniform(-.1, .1), q, random.random() / 2, d)
    if version >= 5:
        out += struct.pack("<3f", 80, 81, 82)
    if version == 6:
        out += struct.pack("<2f3f3f", mine, 1 if mine == 0 else 0, q / 2, d / 2, 9, math.nan, math.nan, math.nan)
        out += struct.pack("<IHHff", total, number(board, played, transform, not own_squares),
                           number(board, best, transform, not own_squares), .5, 0)
    assert len(out) == {3: 8276, 4: 8292, 5: 8308, 6: 8356}[version]
    return out


def game(n, version, form, fen, plies, table, chess960=False, drop=False, own_squares=False):
    board = chess.Board(fen, chess960=chess960)
    boards, rows, data = [], [], b""
    result = random.choice([1, 0, -1])
    for ply in range(plies):
        legal = list(board.legal_moves)
        if not legal:
            break
        visits = {move: random.choice([0, 0, 1, 2, 5, 40]) for move in legal}
        visits[random.choice(legal)] = 100
        best = max(visits, key=lambda m: visits[m])
        rare = [m for m in legal if board.is_castling(m) or board.is_en_passant(m) or m.promotion]
        played = random.choice(rare or legal)
        q = random.choice([random.uniform(-1, 1), 1, -1, 0])
        d = random.uniform(0, 1 - abs(q))
        flags = 64 if drop and ply == 3 else 0
        boards.append(board.copy())
        data += record(version, form, boards, visits, played, best, q, d, result, flags, own_squares)
        total = sum(visits.values())
        policy = " ".join(f"{m.uci()}:{v / total:.5f}" for m, v in sorted(visits.items(), key=lambda x: x[0].uci()) if v)
        if not flags:
            rows.append([n, ply, board.fen(en_passant="legal"), played.uci(), best.uci() if version == 6 else "-",
                         f"{q:.6f}" if version > 3 else "-", f"{d:.6f}" if version > 3 else "-", result, policy])
        board.push(played)
    if version < 6:
        rows[-1][3] = "-"
    if table is not None:
        for row in rows:
            table.write("\t".join(map(str, row)) + "\n")
    return data


START = chess.STARTING_FEN
CASTLE = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b KQkq - 3 1"
PAWNS = "4k3/P6p/8/8/3pP3/8/6p1/4K2R b K e3 0 1"
BARE = "8/3k4/8/8/5q2/8/1K2R3/8 w - - 5 1"
DFRC = "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w BGbg - 0 1"

with open("table.tsv", "w") as table:
    games = [
        game(1, 6, 1, START, 20, table),
        game(2, 3, 1, CASTLE, 10, table),
        game(3, 4, 1, PAWNS, 12, table, own_squares=True),
        game(4, 5, 3, BARE, 10, table),
        game(5, 6, 5, PAWNS, 14, table, drop=True),
        game(6, 6, 132, CASTLE, 14, table),
        game(7, 6, 2, DFRC, 3, None, chess960=True),
        game(8, 5, 2, CASTLE, 9, table),
        game(9, 6, 133, BARE, 12, table),
    ]
with tarfile.open("chunks.tar", "w", format=tarfile.GNU_FORMAT) as tar:
    folder = tarfile.TarInfo("training-run1-test00-20260101-0000")
    folder.type = tarfile.DIRTYPE
    tar.addfile(folder)
    for i, data in enumerate(games):
        packed = gzip.compress(data, mtime=0)
        info = tarfile.TarInfo(f"{folder.name}/training.{i + 1}.gz")
        info.size = len(packed)
        tar.addfile(info, io.BytesIO(packed))
with open("game.gz", "wb") as out:
    out.write(gzip.compress(games[0], mtime=0))
