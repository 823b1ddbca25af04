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


def may_capture(board, side, piece, square, occupied):
    """Whether a piece that may be pinned captures on a square: it does so on the line of its pin, and once the pinner left."""
    king = board.king(side)
    for kinds, rays in ((chess.BISHOP, chess.QUEEN), chess.BB_DIAG_ATTACKS), ((chess.ROOK, chess.QUEEN), None):
        for pinner in board.pieces(kinds[0], not side) | board.pieces(kinds[1], not side):
            straight = chess.square_file(pinner) == chess.square_file(king) or chess.square_rank(pinner) == chess.square_rank(king)
            diagonal = abs(chess.square_file(pinner) - chess.square_file(king)) == abs(
                chess.square_rank(pinner) - chess.square_rank(king))
            if not (diagonal if rays else straight) or not occupied & chess.BB_SQUARES[pinner]:
                continue
            between = chess.SquareSet(chess.between(king, pinner))
            if list(between & board.occupied) == [piece] and square != pinner and square not in between:
                return False
    return True


def exchange(board, square, pins=False, side=None, there=None, occupied=None):
    """What the other side wins by capturing the piece on a square, from the list of all captures there in their order."""
    if side is None:
        side, there, occupied = not board.color_at(square), board.piece_type_at(square), board.occupied
    frame = lambda s: s if board.turn else chess.square_mirror(s)
    wins = []
    while True:
        able = [s for s in board.attackers(side, square, occupied) if occupied & chess.BB_SQUARES[s]
                and not (pins and not may_capture(board, side, s, square, occupied))]
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


def threats(board):
    planes = [chess.SquareSet() for _ in range(8)]
    for i, color in enumerate((board.turn, not board.turn)):
        king, target = board.king(color), board.king(not color)
        for square in chess.SquareSet(board.occupied_co[color]) - chess.SquareSet([king]):
            kind = board.piece_type_at(square)
            if kind != chess.PAWN:
                for to in checks(board, color, square, True):
                    there, occupied = board.piece_type_at(to), board.occupied & ~chess.BB_SQUARES[square] | chess.BB_SQUARES[to]
                    if (WORTH[there] if there else 0) >= exchange(board, to, True, not color, kind, occupied):
                        planes[i].add(to)
        for square in chess.SquareSet(board.occupied_co[color]):
            for slider in board.pieces(chess.BISHOP, color) | board.pieces(chess.ROOK, color) | board.pieces(chess.QUEEN, color):
                if list(chess.SquareSet(chess.between(slider, target)) & board.occupied) == [square]:
                    bare = chess.Board(None)
                    bare.set_piece_at(slider, board.piece_at(slider))
                    if target in bare.attacks(slider):
                        planes[2 + i].add(square)
        gone = board.copy(stack=False)
        gone.remove_piece_at(king)
        for to in chess.SquareSet(chess.BB_KING_ATTACKS[king]) - chess.SquareSet(board.occupied_co[color]):
            if not gone.is_attacked_by(not color, to):
                planes[4 + i].add(to)
        for defender in chess.SquareSet(board.occupied_co[color]) - chess.SquareSet([king]):
            needed = 0
            for square in chess.SquareSet(board.occupied_co[color]) - chess.SquareSet([king, defender]):
                if square in board.attacks(defender) and board.is_attacked_by(not color, square):
                    held = exchange(board, square, True)
                    without = exchange(board, square, True, not color, board.piece_type_at(square),
                                       board.occupied & ~chess.BB_SQUARES[defender])
                    needed += held == 0 and without > 0
            if needed >= 2:
                planes[6 + i].add(defender)
    return planes


def checks(board, color, square, pins):
    """The squares on which a piece attacks the other king after its move there; a pinned one moves along its line."""
    kind, king = board.piece_type_at(square), board.king(not color)
    for to in board.attacks(square) - chess.SquareSet(board.occupied_co[color]):
        if pins and not may_capture(board, color, square, to, board.occupied):
            continue
        after = board.copy(stack=False)
        # a check by what is left open behind the piece is not its own
        after.set_piece_at(to, chess.Piece(kind, color))
        if to != king and king in after.attacks(to):
            yield to


def tactics(board, pins=False):
    planes = [chess.SquareSet() for _ in range(9)]
    for i, color in enumerate((board.turn, not board.turn)):
        for square in chess.SquareSet(board.occupied_co[not color]):
            won = exchange(board, square, pins)
            if won > 0:
                planes[i].add(square)
            if won > 1:
                planes[2 + i].add(square)
        for square in chess.SquareSet(board.occupied_co[color]):
            if board.is_pinned(color, square) and board.piece_type_at(square) != chess.KING:
                planes[4].add(square)
        for kind in (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN):
            for square in board.pieces(kind, color):
                for to in checks(board, color, square, pins):
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
        words = {"attacks": planes}
        for name, more in ("tactics", tactics(board)), ("pins", tactics(board, True)), ("threats", threats(board)):
            words[name] = [int(squares if board.turn else squares.mirror()) for squares in more]
        words = {name: ["%016x" % p for p in planes] for name, planes in words.items()}
        out.write((json.dumps(words, separators=(",", ":")) + "\n").encode())
