"""The weights of the regression on material, mover's colour and a constant, by numpy: on standard input a position as
FEN and its value on each line, apart by a tab."""
import sys

import numpy as np

rows, values = [], []
for line in sys.stdin:
    fen, value = line.split("\t")
    placement, turn = fen.split()[:2]
    own = 1 if turn == "w" else -1
    rows.append([1, own] + [own * (placement.count(p.upper()) - placement.count(p)) for p in "pnbrq"])
    values.append(float(value))
weights, *_ = np.linalg.lstsq(np.array(rows, float), np.array(values), rcond=None)
print(*(repr(float(w)) for w in weights))
