"""Plays with any network that talbot exported: python3 play_onnx.py network.onnx FEN [MOVE ...]

It prints the likeliest move, its probability among the legal ones, and the value for the side to move; "-" where the
network has none. The recipe and its settings are in the model's metadata. pip install onnxruntime chess
"""
import os
import sys
import chess
import numpy as np

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # read while ONNX Runtime starts, which reports to its maker else
import onnxruntime

ELO = 1500  # of the side to move, for the recipe prior
WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 100}

# What the recipes read. A position is seen by the side to move: as White, and for Black mirrored. A plane is a set of
# squares, a number for all of them, or 64 numbers.

def boards(game, most):  # the board now and those before it, the newest first
    past, seen = game.copy(), []
    while len(seen) < most:
        seen.append(past.copy(stack=False) if game.turn == chess.WHITE else past.mirror())
        if not past.move_stack:
            break
        past.pop()
    return seen

def men(board, order="PNBRQK"):
    kinds = [chess.Piece.from_symbol(letter).piece_type for letter in order]
    return [board.pieces_mask(kind, colour) for colour in (chess.WHITE, chess.BLACK) for kind in kinds]

def rights(board):
    return [float(has(colour)) for colour in (chess.WHITE, chess.BLACK)
            for has in (board.has_kingside_castling_rights, board.has_queenside_castling_rights)]

def passed(board):
    return chess.BB_SQUARES[board.ep_square] if board.has_legal_en_passant() else 0

def talbotbot(game, settings):
    now, *past = boards(game, 5)
    planes = men(now) + rights(now) + [float(game.turn == chess.BLACK), passed(now)]
    planes += [float(game.is_repetition(2)), float(game.is_repetition(3))] + [p for board in past for p in men(board)]
    return planes + [0] * (68 - len(planes))

def tahl(game, settings):
    now, = boards(game, 1)
    planes = men(now, "PRNBQK")
    for i, colour in enumerate((chess.WHITE, chess.BLACK)):
        turned = now.copy()
        turned.turn, turned.ep_square = colour, None
        kingside = [turned.is_kingside_castling(move) for move in turned.generate_castling_moves()]
        planes += rights(now)[2 * i:2 * i + 2] + [float(any(kingside)), float(not all(kingside))]
    captures = list(now.generate_legal_ep())
    planes += [passed(now), sum(chess.BB_SQUARES[move.from_square] for move in captures), 0, 0]
    for move in game.move_stack[:-5:-1]:
        squares = chess.BB_SQUARES[move.from_square] | chess.BB_SQUARES[move.to_square]
        planes.append(squares if game.turn == chess.WHITE else chess.flip_vertical(squares))
    return planes + [0] * (28 - len(planes))

def lynx(game, settings):
    now, = boards(game, 1)
    planes = tahl(game, settings)
    if settings["attacks"] == "true":
        for colour in (chess.WHITE, chess.BLACK):
            for kind in chess.PIECE_TYPES:
                planes.append(0)
                for s in now.pieces(kind, colour):
                    planes[-1] |= now.attacks_mask(s)
    return planes + tactics(now, settings["tactics"] == "true", settings.get("threats") == "true")

def tactics(now, tactical, threatening):
    planes, threats = [0] * 9, [0] * 8
    pins = {colour: [pin for pin in shields(now, now.king(colour), not colour) if pin[0] & now.occupied_co[colour]]
            for colour in chess.COLORS}
    counting = pins if threatening else {chess.WHITE: [], chess.BLACK: []}
    for i, colour in enumerate((chess.WHITE, chess.BLACK)):
        own, king = now.occupied_co[colour], now.king(not colour)
        for s in chess.scan_forward(now.occupied_co[not colour]):
            pawns = won(now, colour, s, WORTH[now.piece_type_at(s)], now.occupied, counting)
            planes[i] |= chess.BB_SQUARES[s] * (pawns > 0)
            planes[2 + i] |= chess.BB_SQUARES[s] * (pawns > 1)
        planes[4] |= sum(pin[0] for pin in pins[colour])
        for s in chess.scan_forward(own):
            kind = now.piece_type_at(s)
            if kind in (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN):  # squares to give check from
                other = now.copy()
                other.set_piece_at(king, chess.Piece(kind, colour))
                checks = other.attacks_mask(king) & now.attacks_mask(s) & ~own
                for piece, _, line in counting[colour]:
                    checks &= line if piece == chess.BB_SQUARES[s] else chess.BB_ALL
                planes[5 + i] |= checks
                for to in chess.scan_forward(checks):  # without losing more than was captured
                    after = now.occupied & ~chess.BB_SQUARES[s] | chess.BB_SQUARES[to]
                    if WORTH.get(now.piece_type_at(to), 0) >= won(now, not colour, to, WORTH[kind], after, counting):
                        threats[i] |= chess.BB_SQUARES[to]
            if kind in (chess.BISHOP, chess.ROOK, chess.QUEEN):  # squares that it attacks through one piece
                near, other = now.attacks_mask(s), now.copy()
                for first in chess.scan_forward(near & now.occupied):
                    other.remove_piece_at(first)
                planes[7 + i] |= other.attacks_mask(s) & ~near
        for piece, _, _ in shields(now, king, colour):  # checks that it can discover
            threats[2 + i] |= piece & own
        home = chess.BB_SQUARES[now.king(colour)]
        for s in chess.scan_forward(chess.BB_KING_ATTACKS[now.king(colour)] & ~own):  # where the king may go
            threats[4 + i] |= chess.BB_SQUARES[s] * (not now.attackers_mask(not colour, s, now.occupied ^ home))
        needed = 0
        for s in chess.scan_forward(own & ~home):  # what is attacked, and needs each of its defenders
            if not now.is_attacked_by(not colour, s):
                continue
            worth = WORTH[now.piece_type_at(s)]
            if won(now, not colour, s, worth, now.occupied, counting) == 0:
                for d in chess.scan_forward(now.attackers_mask(colour, s) & ~home):
                    without = now.occupied ^ chess.BB_SQUARES[d]
                    if won(now, not colour, s, worth, without, counting) > 0:
                        threats[6 + i] |= needed & chess.BB_SQUARES[d]
                        needed |= chess.BB_SQUARES[d]
    return planes * tactical + threats * threatening

def shields(now, king, colour):  # what stands alone between a king and a slider, the slider, and the line of both
    for s in chess.scan_forward(now.occupied_co[colour]):
        kind, line = now.piece_type_at(s), chess.between(king, s)
        straight = kind in (chess.ROOK, chess.QUEEN) and (chess.BB_RANK_ATTACKS[s][0] | chess.BB_FILE_ATTACKS[s][0])
        reach = straight | (kind in (chess.BISHOP, chess.QUEEN) and chess.BB_DIAG_ATTACKS[s][0])
        if reach & chess.BB_SQUARES[king] and chess.popcount(line & now.occupied) == 1:
            yield line & now.occupied, chess.BB_SQUARES[s], line | chess.BB_SQUARES[s]

def won(now, side, square, captured, occupied, pins):  # in pawns, if both go on capturing there as long as it pays
    able = now.attackers_mask(side, square, occupied) & occupied
    for piece, pinner, line in pins[side]:
        if pinner & occupied and not line & chess.BB_SQUARES[square]:
            able &= ~piece
    if not able:
        return 0
    first = min(chess.scan_forward(able), key=now.piece_type_at)
    occupied ^= chess.BB_SQUARES[first]
    kind = now.piece_type_at(first)
    if kind == chess.KING and now.attackers_mask(not side, square, occupied) & occupied:
        return 0
    return max(0, captured - won(now, not side, square, WORTH[kind], occupied, pins))

def prior(game, settings):
    now, = boards(game, 1)
    return men(now, "KQRBNP") + rights(now) + [passed(now), ELO / 1500 - 1 if settings["rating"] == "true" else 0.0]

def napoleon(game, settings):
    now, = boards(game, 1)
    stands, attacks = np.zeros((12, 64)), np.zeros((12, 64))
    attackers, reach = np.zeros((2, 64)), np.zeros(64)
    for s, piece in now.piece_map().items():
        sign, k = (1, 0) if piece.color == chess.WHITE else (-1, 6)
        stands[k + piece.piece_type - 1, s], reach[s] = sign, len(now.attacks(s))
        attacks[k + piece.piece_type - 1, list(now.attacks(s))] += sign
        attackers[k // 6, list(now.attacks(s))] += sign
    both = attacks[:6] + attacks[6:]
    return [*stands, *attacks, *both, both.sum(0), *attackers, reach]

def nosearch(game, settings):
    now, = boards(game, 1)
    pieces = [now.piece_at(s ^ 56) for s in chess.SQUARES]  # a8 … h8, a7 … h1
    ids = [0] + [1 if p is None else p.piece_type + (7 if p.color == chess.WHITE else 1) for p in pieces]
    files = [passed(now) & chess.BB_FILES[file] != 0 for file in range(8)]
    return ids + rights(now) + [any(files)] + files

def leela(game, settings):
    if settings["input"] != "1":
        sys.exit("play_onnx: this network reads another form of lc0's planes: " + settings["input"])
    planes, past, root = [], game.copy(), game.root()
    for board in boards(game, 8):
        planes += men(board) + [float(past.is_repetition(2))]
        if past.move_stack:
            past.pop()
    if root.fen() != chess.STARTING_FEN:  # a game from elsewhere: its first board stands in all older ones
        if root.has_legal_en_passant():  # with the pawn back where it came from
            s = root.ep_square
            front, back = (s + 8, s - 8) if chess.square_rank(s) == 2 else (s - 8, s + 8)
            root.set_piece_at(back, root.remove_piece_at(front))
        first = men(root if game.turn == chess.WHITE else root.mirror()) + [0.0]
        planes += first * (8 - len(planes) // 13)
    now, = boards(game, 1)
    king, queen, their_king, their_queen = rights(now)
    planes += [0] * (104 - len(planes)) + [queen, king, their_queen, their_king, float(game.turn == chess.BLACK)]
    return planes + [float(game.halfmove_clock), 0.0, 1.0]

def numbers(plane):
    if isinstance(plane, float):
        return np.full(64, plane)
    return np.array(chess.SquareSet(plane).tolist(), float) if isinstance(plane, int) else plane

# The numbers of moves.

QUEEN = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]  # N, NE … NW, as (rank, file)
KNIGHT = [(2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1)]
PLAIN = [chess.Move(a, b).uci() for a in chess.SQUARES for b in chess.scan_forward(
    chess.BB_RANK_ATTACKS[a][0] | chess.BB_FILE_ATTACKS[a][0] | chess.BB_DIAG_ATTACKS[a][0] |
    chess.BB_KNIGHT_ATTACKS[a])]
LAST = ["%s%d%s%d" % (a, rank, b, end) for rank, end in ((7, 8), (2, 1)) for a in "abcdefgh" for b in "abcdefgh"
        if abs(ord(a) - ord(b)) < 2]
UCI = sorted(PLAIN + [squares + kind for squares in LAST for kind in "bnqr"])
LEELA = PLAIN + [squares + kind for squares in LAST[:22] for kind in "qrb"]

def kind_of(move):  # of 73, for talbotbot and lynx
    a, b = move.from_square, move.to_square
    step = rank, file = b // 8 - a // 8, b % 8 - a % 8
    if move.promotion not in (None, chess.QUEEN):
        return 64 + 3 * (move.promotion - chess.KNIGHT) + file + 1
    n = max(abs(rank), abs(file))
    return 56 + KNIGHT.index(step) if step in KNIGHT else QUEEN.index((rank // n, file // n)) * 7 + n - 1

def index(recipe, now, move):  # of a move as White
    if recipe == "talbotbot":
        return move.from_square * 73 + kind_of(move)
    if recipe == "lynx":
        return kind_of(move) * 64 + move.from_square
    if recipe == "leela":
        if now.is_castling(move):  # to the rook
            rook = chess.square(7 if now.is_kingside_castling(move) else 0, chess.square_rank(move.from_square))
            move = chess.Move(move.from_square, rook)
        return LEELA.index(move.uci().removesuffix("n") if move.promotion == chess.KNIGHT else move.uci())
    return UCI.index(move.uci())

def score(recipe, heads, now, move):
    if recipe != "tahl":
        return heads["logits"][0, index(recipe, now, move)]
    now.push(move)  # the board behind the move
    after = np.array([chess.SquareSet(squares).tolist() for squares in men(now)])
    now.pop()
    return (heads["after"][0].reshape(12, 64) * after).sum()

def ask(network, game):
    settings, put = network.get_modelmeta().custom_metadata_map, network.get_inputs()[0]
    encoder = {"talbotbot": talbotbot, "tahl": tahl, "lynx": lynx, "prior": prior, "napoleon": napoleon,
               "nosearch": nosearch, "leela": leela}.get(settings["recipe"])
    if encoder is None:
        sys.exit("play_onnx: a network of the recipe %s does not play by itself" % settings["recipe"])
    x = encoder(game, settings)
    x = x if settings["recipe"] == "nosearch" else [numbers(plane) for plane in x]
    x = np.array(x, np.float32).reshape(1, *put.shape[1:])
    names = [head.name for head in network.get_outputs()]
    return settings["recipe"], x, dict(zip(names, network.run(names, {put.name: x})))

def choose(network, game):  # the likeliest legal move, its probability, and the value for the side to move
    recipe, _, heads = ask(network, game)
    now, value = boards(game, 1)[0], float(heads["value"][0]) if "value" in heads else None
    if recipe == "napoleon":  # no policy: the move that leaves the opponent with the least
        worth = {}
        for move in game.legal_moves:
            game.push(move)
            worth[move] = game.is_checkmate() - (0 if game.is_game_over() else float(ask(network, game)[2]["value"][0]))
            game.pop()
        return max(worth, key=worth.get), None, value
    scores = {move: score(recipe, heads, now, as_white(game, move)) for move in game.legal_moves}
    best = max(scores, key=scores.get)
    return best, 1 / np.exp(np.array([*scores.values()]) - scores[best]).sum(), value

def as_white(game, move):
    if game.turn == chess.WHITE:
        return move
    return chess.Move(chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion)

if __name__ == "__main__":
    game = chess.Board(sys.argv[2])
    for move in sys.argv[3:]:
        game.push_uci(move)
    move, probability, value = choose(onnxruntime.InferenceSession(sys.argv[1]), game)
    print(move, "-" if probability is None else "%.4f" % probability, "-" if value is None else "%+.4f" % value)
