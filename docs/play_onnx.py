"""Usage: pip install onnxruntime chess; python3 play_onnx.py network.onnx FEN [MOVE ...]"""
import sys
import chess
import numpy as np
import onnxruntime

QUEEN = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]  # N, NE … NW, as (rank, file)
KNIGHT = [(2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1)]

def planes(board):  # the moves on the board's stack are the history
    x, past = np.zeros((68, 64), np.float32), board.copy()
    for first in (0, 20, 32, 44, 56):  # now, then 1, 2, 3 and 4 plies ago
        for square, piece in past.piece_map().items():
            x[first + 6 * (piece.color != board.turn) + piece.piece_type - 1, square] = 1
        past.pop() if past.move_stack else past.clear_board()
    for first, colour in (12, board.turn), (14, not board.turn):
        x[first], x[first + 1] = board.has_kingside_castling_rights(colour), board.has_queenside_castling_rights(colour)
    x[16], x[18], x[19] = board.turn == chess.BLACK, board.is_repetition(2), board.is_repetition(3)
    x[17, board.ep_square or 0] = board.has_legal_en_passant()
    return np.ascontiguousarray(x.reshape(68, 8, 8)[:, ::1 if board.turn == chess.WHITE else -1])  # Black: mirrored

def index(board, move):
    a, b = (s if board.turn == chess.WHITE else chess.square_mirror(s) for s in (move.from_square, move.to_square))
    step = rank, file = b // 8 - a // 8, b % 8 - a % 8
    if move.promotion not in (None, chess.QUEEN):
        return a * 73 + 64 + 3 * (move.promotion - chess.KNIGHT) + file + 1
    n = max(abs(rank), abs(file))
    return a * 73 + (56 + KNIGHT.index(step) if step in KNIGHT else QUEEN.index((rank // n, file // n)) * 7 + n - 1)

def choose(network, board):  # the likeliest legal move, its probability, and the value for the side to move
    logits, value = network.run(["logits", "value"], {"planes": planes(board)[None]})
    scores = {move: logits[0, index(board, move)] for move in board.legal_moves}
    best = max(scores, key=scores.get)
    return best, 1 / np.exp(np.array([*scores.values()]) - scores[best]).sum(), value[0]

if __name__ == "__main__":
    game = chess.Board(sys.argv[2])
    for move in sys.argv[3:]:
        game.push_uci(move)
    print("{} {:.4f} {:+.4f}".format(*choose(onnxruntime.InferenceSession(sys.argv[1]), game)))
