"""Writes lynx.jsonl.gz: for each position of tahl.jsonl.gz the planes that the recipe lynx adds, computed by python-chess.

    pip install chess==1.11.2; python3 lynx_oracle.py

A row has the squares that own pawns, knights, bishops, rooks, queens and kings attack, and those that the opponent's do, as
words in the mover's frame: bit 8·rank + file, for Black with the ranks mirrored.
"""
import gzip
import json

import chess

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
        out.write((json.dumps({"attacks": ["%016x" % p for p in planes]}, separators=(",", ":")) + "\n").encode())
