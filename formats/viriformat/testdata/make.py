"""Makes standard.vf from the published layout with python-chess, and a table of what is in it.

pip install python-chess==1.999; python make.py
"""

import random
import struct

import chess

random.seed(3)
PROMOTED = {chess.KNIGHT: 0, chess.BISHOP: 1, chess.ROOK: 2, chess.QUEEN: 3}


def header(board, result):
    occupied, nibbles = 0, []
    for square in chess.SQUARES:
        piece = board.piece_at(square)
        if piece is None:
            continue
        occupied |= 1 << square
        kind = piece.piece_type - 1
        if piece.piece_type == chess.ROOK and board.castling_rights & chess.BB_SQUARES[square]:
            kind = 6
        nibbles.append(kind | (0 if piece.color else 8))
    nibbles += [0] * (32 - len(nibbles))
    packed = bytes(nibbles[2 * i] | nibbles[2 * i + 1] << 4 for i in range(16))
    ep = 64 if board.ep_square is None else board.ep_square
    return struct.pack("<Q16sBBHhBB", occupied, packed, ep | (0 if board.turn else 128), board.halfmove_clock,
                       board.fullmove_number, 0, result, 0)


def word(board, move):
    to, kind, promoted = move.to_square, 0, 0
    if board.is_castling(move):
        kind = 2
        rank = chess.square_rank(move.from_square)
        to = chess.square(7 if to > move.from_square else 0, rank)
    elif board.is_en_passant(move):
        kind = 1
    elif move.promotion:
        kind, promoted = 3, PROMOTED[move.promotion]
    return move.from_square | to << 6 | promoted << 12 | kind << 14


starts = [chess.STARTING_FEN, "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b Kq - 3 9",
          "4k3/P6p/8/2pP4/8/8/6p1/4K2R w K c6 0 20"]
with open("standard.vf", "wb") as out, open("standard.tsv", "w") as table:
    for game in range(12):
        board, result = chess.Board(starts[game % 3]), random.choice([0, 1, 2])
        out.write(header(board, result))
        for _ in range(random.randint(20, 60)):
            moves = list(board.legal_moves)
            if not moves:
                break
            rare = [m for m in moves if board.is_castling(m) or board.is_en_passant(m) or m.promotion]
            move = random.choice(rare or moves)
            score = random.choice([random.randint(-900, 900), 32300, -32301])
            out.write(struct.pack("<Hh", word(board, move), score))
            table.write(f"{game + 1}\t{board.fen(en_passant='legal')}\t{move.uci()}\t{score}\t{result}\n")
            board.push(move)
        out.write(bytes(4))
