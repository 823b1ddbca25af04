"""Writes lynx.jsonl.gz: for each position of tahl.jsonl.gz the planes that the recipe lynx adds, computed by python-chess.

    pip install chess==1.11.2; python3 lynx_oracle.py

A row has as "attacks" the squares that own pawns, knights, bishops, rooks, queens and kings attack, and those that the
opponent's do; as "tactics" the opponent's pieces that a capture wins and own ones, those that win more than a pawn, pinned
pieces, squares to give check on, and squares attacked through a piece. All are words in the mover's frame: bit 8·rank + file, for Black with the ranks mirrored.
"""
import gzip
import json

import chess

WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 100}


def exchange(board, square):
    """What the other side wins by capturing the piece on a square, from the list of all captures there in their order."""
    side, there, occupied = not board.color_at(square), board.piece_type_at(square), board.occupied
    frame = lambda s: s if board.turn else chess.square_mirror(s)
    wins = []
    while True:
        able = [s for s in board.attackers(side, square, occupied) if occupied & chess.BB_SQUARES[s]]
        if not able:
            break
        first = min(able, key=lambda s: (WORTH[board.piece_type_at(s)], board.piece_type_at(s), frame(s)))
        occupied &= ~chess.BB_SQUARES[first]
        if board.piece_type_at(first) == chess.KING and any(
                occupied & chess.BB_SQUARES[s] for s in board.attackers(not side, square, occupied)):
            break
        wins.append(WORTH[there])
        side, there = not side, board.piece_type_at(first)
    best = 0
    for win in reversed(wins):
        best = max(0, win - best)
    return best


def tactics(board):
    planes = [chess.SquareSet() for _ in range(9)]
    for i, color in enumerate((board.turn, not board.turn)):
        for square in chess.SquareSet(board.occupied_co[not color]):
            won = exchange(board, square)
            if won > 0:
                planes[i].add(square)
            if won > 1:
                planes[2 + i].add(square)
        for square in chess.SquareSet(board.occupied_co[color]):
            if board.is_pinned(color, square) and board.piece_type_at(square) != chess.KING:
                planes[4].add(square)
        for kind in (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN):
            for square in board.pieces(kind, color):
                for to in board.attacks(square) - chess.SquareSet(board.occupied_co[color]):
                    after = board.copy(stack=False)
                    # a check by what is left open behind the piece is not its own
                    after.set_piece_at(to, chess.Piece(kind, color))
                    if to != board.king(not color) and board.king(not color) in after.attacks(to):
                        planes[5 + i].add(to)
        for kind in (chess.BISHOP, chess.ROOK, chess.QUEEN):
            for square in board.pieces(kind, color):
                for to in chess.SQUARES:
                    between = chess.SquareSet(chess.between(square, to)) & board.occupied
                    lined = chess.BB_RANK_ATTACKS[square][0] | chess.BB_FILE_ATTACKS[square][0], chess.BB_DIAG_ATTACKS[square][0]
                    on = {chess.ROOK: lined[0], chess.BISHOP: lined[1], chess.QUEEN: lined[0] | lined[1]}[kind]
                    if on & chess.BB_SQUARES[to] and len(between) == 1:
                        planes[7 + i].add(to)
    return planes


with gzip.open("tahl.jsonl.gz", "rt") as file, open("lynx.jsonl.gz", "wb") as raw, \
        gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as out:
    for row in map(json.loads, file):
        board = chess.Board(row["start"])
        for uci in row["moves"]:
            board.push_uci(uci)
        planes = []
        for color in (board.turn, not board.turn):
            for kind in chess.PIECE_TYPES:
                squares = chess.SquareSet()
                for square in board.pieces(kind, color):
                    squares |= board.attacks(square)
                planes.append(int(squares if board.turn else squares.mirror()))
        more = [int(squares if board.turn else squares.mirror()) for squares in tactics(board)]
        words = {"attacks": ["%016x" % p for p in planes], "tactics": ["%016x" % p for p in more]}
        out.write((json.dumps(words, separators=(",", ":")) + "\n").encode())
