"""Writes exchange.txt: what moves win or lose on the square that they reach, by python-chess and a plain search of all
legal captures there, in any order, without bounds: python3 testdata/exchange.py > testdata/exchange.txt"""
import random

import chess

WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0}


def exchange(board, move):
    won = 0
    if board.is_en_passant(move):
        won = WORTH[chess.PAWN]
    elif board.is_capture(move):
        won = WORTH[board.piece_type_at(move.to_square)]
    if move.promotion:
        won += WORTH[move.promotion] - WORTH[chess.PAWN]
    board.push(move)
    best = 0
    for answer in list(board.legal_moves):
        taken = answer.to_square
        if board.is_en_passant(answer):
            taken = chess.square(chess.square_file(answer.to_square), chess.square_rank(answer.from_square))
        if taken == move.to_square:
            best = max(best, exchange(board, answer))
    board.pop()
    return won - best


MADE = [  # pins, x-rays, promotions, en passant, kings that may not capture, and many attackers
    "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
    "4k3/4r3/8/4p3/3P4/8/4R3/4K3 w - - 0 1",
    "3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1",
    "k2r4/2P5/8/8/8/8/3Q4/3RK3 w - - 0 1",
    "4k3/8/8/8/2p5/8/1P6/4K3 w - - 0 1",
    "4k3/8/8/b7/1rp5/8/1P6/R3K3 w - - 0 1",
    "6k1/5ppp/8/8/8/8/5q2/5RK1 w - - 0 1",
    "8/3k4/8/3p4/4K3/8/8/3R4 w - - 0 1",
    "3r2k1/3r4/1b1q1n2/2p1p3/3P4/1N3N2/1B1Q4/3R2K1 w - - 0 1",
    "q2rr2k/3q1b2/1bn2n2/2p1p3/3p4/2P1PN2/1B1N1B2/Q2RR2K w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
]


def main():
    rng = random.Random(1)
    positions = [chess.Board(fen) for fen in MADE]
    while len(positions) < 260:
        board = chess.Board()
        for _ in range(rng.randrange(8, 90)):
            moves = list(board.legal_moves)
            if not moves:
                break
            takes = [m for m in moves if board.is_capture(m)]
            board.push(rng.choice(takes if takes and rng.random() < 0.1 else moves))
        positions.append(board)
    for board in positions:
        moves = sorted(board.legal_moves, key=str)
        values = [f"{m}={exchange(board, m)}" for m in moves]
        if moves:
            print(board.fen(en_passant="legal") + ";" + " ".join(values))


main()
