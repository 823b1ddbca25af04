"""Makes actions-*.parquet in the columns of chess-av-mates with python-chess, and actions.tsv with what they hold.

pip install python-chess==1.999 pyarrow==26.0.1 polars==2.1.0 duckdb==2.0.1; python make_actions.py
"""

import math
import random

import chess
import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

random.seed(5)
rows = []
board = chess.Board()
while len(rows) < 120:
    if board.is_game_over() or board.ply() > 90:
        board = random.choice([chess.Board(), chess.Board("r3k2r/8/8/8/8/8/1P4p1/R3K2R w KQkq - 3 9"),
                               chess.Board("6k1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1")]).copy()
    moves = list(board.legal_moves)
    chances, mates = [], []
    for _ in moves:
        kind = random.random()
        chances.append(1.0 if kind < .05 else 0.0 if kind < .1 else random.random())
        mates.append(random.choice([3, None]) if chances[-1] == 1 else random.choice([-2, None])
                     if chances[-1] == 0 else None)
    rows.append({"fen": board.fen(en_passant="legal"), "moves": [m.uci() for m in moves], "p_win": chances,
                 "mate": mates})
    board.push(random.choice(moves))

with open("actions.tsv", "w") as table:
    for row in rows:
        board, scores = chess.Board(row["fen"]), []
        for move, p, mate in zip(row["moves"], row["p_win"], row["mate"]):
            after = board.copy()
            after.push_uci(move)
            if after.is_checkmate():
                score = "#1"
            elif mate is not None:
                score = f"#{mate}"
            elif p in (0, 1):
                score = str(10000 if p else -10000)
            else:
                score = str(math.floor(math.log(p / (1 - p)) / 0.00368208 + .5))
            scores.append(f"{move}={score}")
        table.write(row["fen"] + "\t" + " ".join(sorted(scores)) + "\n")

schema = pa.schema([("fen", pa.string()), ("moves", pa.list_(pa.string())), ("p_win", pa.list_(pa.float64())),
                    ("mate", pa.list_(pa.int64()))])
table = pa.Table.from_pylist(rows, schema)
pq.write_table(table, "actions-pyarrow.parquet", compression="snappy", row_group_size=50, data_page_size=2048)
pl.from_arrow(table).write_parquet("actions-polars.parquet", row_group_size=60)
rows_of = table
duckdb.sql("select * from rows_of").write_parquet("actions-duckdb.parquet", compression="zstd")
