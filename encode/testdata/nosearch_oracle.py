"""Known answers for the input and the moves of the recipe nosearch, with python-chess.

Regenerate the file, in this folder:

    python3 -m venv venv && venv/bin/pip install chess==1.11.2
    venv/bin/python nosearch_oracle.py nosearch.jsonl.gz

It shares nothing with the Go code: the rules are python-chess's, the frame of the side to move is python-chess's own
mirrored board, and the encoding is written here a second time from its description. One JSON object a line: fen, packed
(5 strings of 16 hex digits), numbers (65 ids of tokens, 13 bits), legal (the number of each legal move).

With "-" instead of a file it answers: each FEN on standard input, one a line, gives 40 bytes, the packed words with the
lowest byte first; 78 bytes, the numbers; 2 bytes, how many legal moves there are; and 2 bytes for the number of each, in
the order of their UCI notation.

With "moves" it prints the list of moves, one a line.
"""

import gzip
import itertools
import json
import random
import struct
import sys

import chess

SEED = 20261122
POSITIONS = 220


def all_moves():
    """The 1968 moves of queens, knights and promoting pawns, in the order of their UCI notation."""
    moves = []
    for square in chess.SQUARES:
        empty = chess.Board(None)
        for kind in (chess.QUEEN, chess.KNIGHT):
            empty.set_piece_at(square, chess.Piece(kind, chess.WHITE))
            moves += [chess.Move(square, to).uci() for to in empty.attacks(square)]
    for colour, rank, forward in ((chess.WHITE, 6, 8), (chess.BLACK, 1, -8)):
        for file in range(8):
            square = chess.square(file, rank)
            board = chess.Board(None)
            board.set_piece_at(square, chess.Piece(chess.PAWN, colour))
            for to in [square + forward, *board.attacks(square)]:
                moves += [chess.Move(square, to, kind).uci() for kind in range(chess.KNIGHT, chess.QUEEN + 1)]
    assert len(moves) == len(set(moves)) == 1968
    return sorted(moves)


NUMBER = {uci: i for i, uci in enumerate(all_moves())}


def legal(board):
    """The number of each legal move."""
    numbers = {}
    for move in board.legal_moves:
        seen = move
        if board.turn == chess.BLACK:
            seen = chess.Move(chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion)
        numbers[move.uci()] = NUMBER[seen.uci()]
    return numbers


def oriented(board):
    """The position with White to move: the mover's frame."""
    return board if board.turn == chess.WHITE else board.mirror()


def numbers(mine):
    """65 ids and 13 bits of a position with White to move."""
    ids = [0]
    for rank in range(7, -1, -1):
        for file in range(8):
            piece = mine.piece_at(chess.square(file, rank))
            if piece is None:
                ids.append(1)
            else:
                ids.append(piece.piece_type + (7 if piece.color == chess.WHITE else 1))
    bits = [mine.has_kingside_castling_rights(chess.WHITE), mine.has_queenside_castling_rights(chess.WHITE),
            mine.has_kingside_castling_rights(chess.BLACK), mine.has_queenside_castling_rights(chess.BLACK)]
    passed = mine.has_legal_en_passant()
    bits += [passed] + [passed and chess.square_file(mine.ep_square) == file for file in range(8)]
    return ids + [int(b) for b in bits]


def packed(mine, bits):
    """Bits 0, 1, 2 of pawn 1 ... king 6, the opponent's squares, and the 13 bits."""
    words = [0] * 5
    for square, piece in mine.piece_map().items():
        for i in range(3):
            words[i] |= (piece.piece_type >> i & 1) << square
        words[3] |= (piece.color == chess.BLACK) << square
    words[4] = sum(bit << i for i, bit in enumerate(bits))
    return words


def special():
    """Castling rights of every kind, en passant on every file and where a pin forbids it, promotions."""
    for n in range(5):
        for rights in itertools.combinations("KQkq", n):
            yield f"r3k2r/p1pp1pb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w {''.join(rights) or '-'} - 0 1"
    for file in range(8):
        for side in (-1, 1):
            if 0 <= file + side < 8:
                row = ["1"] * 8
                row[file], row[file + side] = "p", "P"
                row = "".join(str(len(list(run))) if piece == "1" else "".join(run)
                              for piece, run in itertools.groupby(row))
                yield f"4k3/8/8/{row}/8/8/8/4K3 w - {'abcdefgh'[file]}6 0 2"
    yield "8/2p5/8/KP1p3r/8/8/8/4k3 w - d6 0 2"  # nobody can capture
    yield "7k/8/8/K2pP2r/8/8/8/8 w - d6 0 2"  # both pawns would leave the rank, and the king be in check
    yield "4r2k/8/8/3pP3/8/8/8/4K3 w - d6 0 2"  # the pawn is pinned
    yield "3n2n1/2P2P1k/8/8/8/8/5p1p/K5N1 w - - 0 1"
    yield "1n1k4/P7/8/8/8/8/7p/3K2N1 w - - 0 1"
    yield "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"  # stalemate


def played(rng, starts=(chess.STARTING_FEN, "8/PPPP1k2/8/8/8/8/2K1pppp/8 w - - 0 50",
                        "4k3/pppppppp/8/PPPPPPPP/8/8/8/4K3 b - - 0 1")):
    """A position of a random game."""
    board = chess.Board(rng.choice(starts))
    for _ in range(rng.choice([1, 2, 5, 13, 34, 89])):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(rng.choice(moves))
    return board


def answer():
    for line in sys.stdin:
        board = chess.Board(line.strip())
        mine, moves = oriented(board), sorted(legal(board).items())
        shown = numbers(mine)
        sys.stdout.buffer.write(struct.pack("<5Q78BH", *packed(mine, shown[65:]), *shown, len(moves)) +
                                struct.pack(f"<{len(moves)}H", *(number for _, number in moves)))


def main(path):
    rng = random.Random(SEED)
    boards = [chess.Board(fen) for fen in special()]
    boards += [b.mirror() for b in boards]
    while len(boards) < POSITIONS:
        boards.append(played(rng))
    with open(path, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as out:
        for board in boards:
            assert board.is_valid(), (board.fen(), board.status())
            mine = oriented(board)
            shown = numbers(mine)
            row = {"fen": board.fen(en_passant="fen"), "packed": ["%016x" % w for w in packed(mine, shown[65:])],
                   "numbers": shown, "legal": legal(board)}
            out.write((json.dumps(row, separators=(",", ":")) + "\n").encode())
    black = sum(b.turn == chess.BLACK for b in boards)
    on = [sum(numbers(oriented(b))[65 + i] for b in boards) for i in range(13)]
    print(len(boards), "positions,", black, "with Black to move; bits on", on, file=sys.stderr)
    assert black >= POSITIONS // 3 and len(boards) - black >= POSITIONS // 3 and all(on)


if __name__ == "__main__":
    if sys.argv[1] == "moves":
        print("\n".join(all_moves()))
    else:
        answer() if sys.argv[1] == "-" else main(sys.argv[1])
