"""Writes unmoves.txt, known numbers of retro-moves, with python-chess.

Regenerate, in this folder:

    python3 -m venv venv && venv/bin/pip install chess==1.11.2
    venv/bin/python unmoves.py > unmoves.txt

It shares nothing with the Go code: every board that differs from the position as a move could have made it differ is
set up, and counted if python-chess finds it legal and a move of it that leads to the position. A line is
`FEN;depth count`, where depth 2 counts pairs of retro-moves. python-chess calls more double checks impossible than
talbot does; such positions are legal here.
"""

import random

import chess

SEED = 20261121
# Positions with retro-moves of every kind.
SPECIAL = (
    "4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1",  # only the double push
    "8/8/3P4/8/8/k7/8/K7 b - - 0 1",  # en passant taken back
    "5rk1/8/8/8/8/8/8/4K3 w - - 0 1",  # castling taken back
    "2kr4/8/8/8/8/8/8/R3K3 w Q - 0 1",  # the other wing, with a right of the other side
    "Q6k/8/8/8/8/8/8/K7 b - - 0 1",  # a promotion, with and without capture
    "7k/8/8/8/8/8/5r2/R5K1 w - - 0 1",  # White is in check
    "R6k/6pp/8/8/8/8/8/K6B b - - 0 1",  # in check from afar: only the rook came, or what stood between
    "4k3/8/8/8/4r3/8/8/4K2B w - - 0 1",  # in check
    "8/8/8/1B6/8/8/4n3/k3K2R b K - 0 1",  # the pieces at home never moved
    "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1",
    "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 2",
    "QQQQQQQQ/8/8/7k/8/8/8/QK6 b - - 0 1",  # no pawn is missing any more
    "kbK5/pp6/1P6/8/8/8/8/R7 b - - 0 1",
)
VICTIMS = [None, chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN]


def fits(board, side):
    """No more promoted pieces than pawns are missing."""
    bishops = board.pieces(chess.BISHOP, side)
    light = len(bishops & chess.SquareSet(chess.BB_LIGHT_SQUARES))
    extra = max(len(board.pieces(chess.QUEEN, side)) - 1, 0) + max(light - 1, 0) + max(len(bishops) - light - 1, 0)
    extra += max(len(board.pieces(chess.ROOK, side)) - 2, 0) + max(len(board.pieces(chess.KNIGHT, side)) - 2, 0)
    return len(board.pieces(chess.PAWN, side)) + extra <= 8


def legal(board):
    return fits(board, True) and fits(board, False) and board.status() & ~chess.STATUS_IMPOSSIBLE_CHECK == chess.STATUS_VALID


def same(a, b):
    return (a.board_fen(), a.turn, a.castling_rights, a.ep_square if a.has_legal_en_passant() else None) == (
        b.board_fen(), b.turn, b.castling_rights, b.ep_square if b.has_legal_en_passant() else None)


def leads(before, move, q):
    if not legal(before) or move not in before.legal_moves:
        return False
    after = before.copy(stack=False)
    after.push(move)
    return same(after, q)


def before(q):
    """Yields the positions before q, each with the move."""
    us, them = not q.turn, q.turn
    blank = q.copy(stack=False)
    blank.turn, blank.ep_square = us, None
    for to in chess.SquareSet(q.occupied_co[us]):
        now = q.piece_type_at(to)
        for origin in chess.SquareSet(~q.occupied & chess.BB_ALL):
            for was in {now} | ({chess.PAWN} if now not in (chess.PAWN, chess.KING) else set()):
                for victim in VICTIMS:
                    p = blank.copy(stack=False)
                    p.remove_piece_at(to)
                    p.set_piece_at(origin, chess.Piece(was, us))
                    if victim:
                        p.set_piece_at(to, chess.Piece(victim, them))
                    move = chess.Move(origin, to, now if was != now else None)
                    if p.is_castling(move):
                        continue
                    if leads(p, move, q):
                        yield p, move
            if now == chess.PAWN and not q.piece_at(to ^ 8):
                p = blank.copy(stack=False)
                p.remove_piece_at(to)
                p.set_piece_at(origin, chess.Piece(chess.PAWN, us))
                p.set_piece_at(to ^ 8, chess.Piece(chess.PAWN, them))
                p.ep_square = to
                move = chess.Move(origin, to)
                if p.is_en_passant(move) and leads(p, move, q):
                    yield p, move
    home = 0 if us else 56
    for to, rook, corner in ((6, 5, 7), (2, 3, 0)):
        if q.piece_at(home + to) == chess.Piece(chess.KING, us) and q.piece_at(home + rook) == chess.Piece(chess.ROOK, us):
            p = blank.copy(stack=False)
            p.remove_piece_at(home + to)
            p.remove_piece_at(home + rook)
            if p.piece_at(home + 4) or p.piece_at(home + corner):
                continue
            p.set_piece_at(home + 4, chess.Piece(chess.KING, us))
            p.set_piece_at(home + corner, chess.Piece(chess.ROOK, us))
            p.castling_rights |= chess.BB_SQUARES[home + corner]
            if leads(p, chess.Move(home + 4, home + to), q):
                yield p, chess.Move(home + 4, home + to)


def count(q, depth):
    if depth == 0:
        return 1
    return sum(count(p, depth - 1) for p, _ in before(q))


def random_endgame(rng):
    while True:
        board = chess.Board(None)
        squares = rng.sample(range(64), rng.randint(3, 7))
        board.set_piece_at(squares[0], chess.Piece(chess.KING, True))
        board.set_piece_at(squares[1], chess.Piece(chess.KING, False))
        for s in squares[2:]:
            board.set_piece_at(s, chess.Piece(rng.randint(1, 5), rng.random() < 0.5))
        board.turn = rng.random() < 0.5
        if legal(board):
            return board


def main():
    rng = random.Random(SEED)
    for _ in range(120):
        q = random_endgame(rng)
        print(f"{q.fen()};1 {count(q, 1)}")
    for _ in range(40):
        q = chess.Board()
        for _ in range(rng.randint(2, 60)):
            moves = list(q.legal_moves)
            if not moves:
                break
            q.push(rng.choice(moves))
        print(f"{q.fen()};1 {count(q, 1)}")
    for fen in ("8/8/3P4/8/8/k7/8/K7 b - - 0 1", "5rk1/8/8/8/8/8/8/4K3 w - - 0 1", "Q6k/8/8/8/8/8/8/K7 b - - 0 1"):
        print(f"{fen};2 {count(chess.Board(fen), 2)}")
    for fen in SPECIAL:
        print(f"{fen};1 {count(chess.Board(fen), 1)}")


main()
