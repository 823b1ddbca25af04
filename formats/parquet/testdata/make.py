"""Makes the Parquet files of this folder with pyarrow, Polars and DuckDB, and a table of what is in them.

pip install pyarrow==26.0.1 polars==2.1.0 duckdb==2.0.1 python-chess==1.999; python make.py
"""

import random

import chess
import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

random.seed(7)
rows = []
board = chess.Board()
while len(rows) < 120:
    if board.is_game_over() or board.ply() > 80:
        board = chess.Board()
    board.push(random.choice(list(board.legal_moves)))
    if board.is_game_over():
        continue
    fen = " ".join(board.fen().split()[:4])
    moves = random.sample(list(board.legal_moves), min(random.choice([1, 1, 2, 3]), board.legal_moves.count()))
    depth, knodes = random.randint(10, 40), random.randint(1, 10**6)
    for move in moves:
        after = board.copy()
        after.push(move)
        line = [move] + random.sample(list(after.legal_moves), min(1, after.legal_moves.count()))
        mate = random.random() < 0.2
        rows.append({
            "fen": fen,
            "line": " ".join(m.uci() for m in line) if random.random() < 0.95 or len(moves) > 1 else None,
            "depth": depth,
            "knodes": knodes,
            "cp": None if mate else random.randint(-900, 900),
            "mate": random.choice([-3, -1, 2, 5]) if mate else None,
        })
schema = pa.schema([("fen", pa.string()), ("line", pa.string()), ("depth", pa.int64()), ("knodes", pa.int64()),
                    ("cp", pa.int64()), ("mate", pa.int64())])
rows_of = table = pa.Table.from_pylist(rows, schema)

with open("evaluations.tsv", "w") as out:
    for r in rows:
        out.write("\t".join("" if r[k] is None else str(r[k]) for k in schema.names) + "\n")

for codec in ["snappy", "zstd", "gzip", "none"]:
    pq.write_table(table, f"pyarrow-{codec}.parquet", compression=codec, row_group_size=50)
    pl.from_arrow(table).write_parquet(f"polars-{codec}.parquet", row_group_size=60,
                                       compression="uncompressed" if codec == "none" else codec)
    name = "uncompressed" if codec == "none" else codec
    duckdb.sql("select * from rows_of").write_parquet(f"duckdb-{codec}.parquet", compression=name, row_group_size=2048)
pq.write_table(table, "pyarrow-plain.parquet", compression="zstd", use_dictionary=False, data_page_size=256,
               write_batch_size=16, write_page_checksum=True)
pq.write_table(table, "pyarrow-v2.parquet", compression="snappy", version="2.6", data_page_version="2.0",
               data_page_size=512, write_batch_size=16, row_group_size=70)
pq.write_table(table, "pyarrow-delta.parquet", compression="gzip", use_dictionary=False, column_encoding={
    "fen": "DELTA_LENGTH_BYTE_ARRAY", "line": "DELTA_LENGTH_BYTE_ARRAY", "depth": "DELTA_BINARY_PACKED",
    "knodes": "DELTA_BINARY_PACKED", "cp": "DELTA_BINARY_PACKED", "mate": "DELTA_BINARY_PACKED"})
narrow = table.select(["mate", "cp", "knodes", "line", "depth", "fen"]).rename_columns(
    ["Mate", "CP", "KNodes", "Line", "Depth", "FEN"])
for i, kind in [(0, pa.float64()), (1, pa.int16()), (2, pa.int32()), (4, pa.int16())]:
    narrow = narrow.set_column(i, narrow.schema.names[i], narrow.column(i).cast(kind))
pq.write_table(narrow, "pyarrow-narrow.parquet", compression="snappy")

# Games and puzzles with the columns and types of Lichess's datasets.
games = [
    ("Rated Blitz game", "https://lichess.org/a", "Ann \"A\"", "Bob", "1-0", None, "GM", 1500, 1480, 6, -7, 16101, 3661,
     "C20", "King's Pawn", "Normal", "300+0", "1. e4 { [%eval 0.3] } 1... e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0"),
    ("Rated Bullet game", "https://lichess.org/b", "Cid", "Dee", "0-1", None, None, None, 2000, None, None, 16102, 86399,
     "A00", None, "Time forfeit", "60+0", "1. f3 e5 2. g4 Qh4# 0-1"),
    ("Rated Bullet game", "https://lichess.org/c", "Eve", "Fay", "1/2-1/2", None, None, 900, 910, 0, 0, 16103, 0,
     "A00", None, "Normal", "60+0", "1. e5 e5 1/2-1/2"),
]
names = ["Event", "Site", "White", "Black", "Result", "WhiteTitle", "BlackTitle", "WhiteElo", "BlackElo",
         "WhiteRatingDiff", "BlackRatingDiff", "UTCDate", "UTCTime", "ECO", "Opening", "Termination", "TimeControl",
         "movetext"]
kinds = [pa.string()] * 7 + [pa.int16()] * 4 + [pa.date32(), pa.time32("s")] + [pa.string()] * 5
pq.write_table(pa.Table.from_arrays([pa.array(c, k) for c, k in zip(zip(*games), kinds)], names), "games.parquet",
               compression="zstd")
puzzles = pa.table({
    "Themes": ["mate short", "crushing"], "Rating": [900, 1600], "Moves": ["h7h6 a1a8", "h7h6"],
    "FEN": ["6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 3 30"] * 2, "PuzzleId": ["00001", "00002"],
    "GameUrl": ["https://lichess.org/x#3", None], "OpeningTags": pa.array([None, None], pa.string())})
pq.write_table(puzzles, "puzzles.parquet")
