#!/usr/bin/env python3
"""Print the lines of a shard as JSON lines. Written from docs/8-format.md alone, as a check of document and code."""

import json
import struct
import subprocess
import sys

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def decompress(frame):
    return subprocess.run(["zstd", "-dc"], input=frame, stdout=subprocess.PIPE, check=True).stdout


class Numbers:
    """The varints of a column; zeros if it is left out."""

    def __init__(self, raw):
        self.raw, self.at = raw, 0

    def next(self):
        if self.raw is None:
            return 0
        value = shift = 0
        while True:
            byte = self.raw[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self):
        value = self.next()
        return value >> 1 ^ -(value & 1)

    def end(self):
        assert self.raw is None or self.at == len(self.raw)


def fixed(raw, code, n):
    if raw is None:
        return [0] * n
    return list(struct.unpack("<%d%s" % (n, code), raw))


def texts(raw, n):
    if raw is None:
        return [None] * n
    numbers = Numbers(raw)
    lengths = [numbers.next() for _ in range(n)]
    at, result = numbers.at, []
    for length in lengths:
        if length == 0:
            result.append(None)
            continue
        result.append(raw[at : at + length - 1].decode())
        at += length - 1
    assert at == len(raw)
    return result


def square(s):
    return "abcdefgh"[s & 7] + str((s >> 3) + 1)


def move(m):
    if m == 0:
        return "0000"
    return square(m & 63) + square(m >> 6 & 63) + " pnbrqk"[m >> 12 & 7].strip()


def moves(raw):
    return [move(m) for m in fixed(raw, "H", len(raw) // 2)] if raw is not None else []


def sample_plies(kind, n, bitmap):
    if kind == 0:
        return list(range(n))
    if kind == 1:
        return list(range(1, n, 2))
    if kind == 2:
        return [n]
    return [ply for ply in range(n + 1) if bitmap and bitmap[ply // 8] >> ply % 8 & 1]


def score(s):
    if abs(s) <= 30000:
        return "cp %d" % s
    return "mate %d" % (32767 - s if s > 0 else -32767 - s)


def read_clocks(left, unit, n):
    """Tenths of a second that the mover had left after each of n moves; None where that is not known."""
    if unit == 0:
        return []
    last, clocks = [0, 0], []
    for ply in range(n):
        spent = left.signed()
        if spent == 0:
            clocks.append(None)
            continue
        last[ply % 2] -= spent + 1 if spent < 0 else spent
        clocks.append(last[ply % 2] * (10 if unit == 1 else 1))
    return clocks


def read_labels(column, f, samples):
    name = "label:%d:" % f
    status = fixed(column(name + "status"), "B", samples)
    labelled = status.count(1)
    best = iter(fixed(column(name + "best"), "H", labelled))
    more = fixed(column(name + "lines"), "B", labelled)
    total = labelled + sum(more)
    more = iter(more)
    scores = fixed(column(name + "score"), "h", total)
    wdl = fixed(column(name + "wdl"), "H", 2 * total)
    depth, nodes = Numbers(column(name + "depth")), Numbers(column(name + "nodes"))
    plies, pv = Numbers(column(name + "pv_plies")), moves(column(name + "pv"))
    searched = []
    for i in range(total):
        win, draw = wdl[2 * i : 2 * i + 2]
        n = plies.next()
        searched.append({
            "score": score(scores[i]),
            "wdl": [win - 1, draw, 1001 - win - draw] if win else [0, 0, 0],
            "depth": depth.next(), "nodes": nodes.next(), "pv": pv[:n],
        })
        pv = pv[n:]
    for numbers in depth, nodes, plies:
        numbers.end()
    labels = []
    for s in status:
        label = {"status": ["missing", "labelled", "terminal", "failed"][s], "best": "0000", "lines": []}
        if s == 1:
            n = 1 + next(more)
            label["lines"], searched = searched[:n], searched[n:]
            m = next(best)
            pv = label["lines"][0]["pv"]
            label["best"] = move(m) if m or not pv else pv[0]
        labels.append(label)
    return labels


def read_predictions(column, n, samples):
    name = "network:%d:" % n
    status = fixed(column(name + "status"), "B", samples)
    values = iter(fixed(column(name + "value"), "h", status.count(1)))
    counts, steps = Numbers(column(name + "count")), Numbers(column(name + "prior"))
    targets = moves(column(name + "move"))
    predictions = []
    for s in status:
        p = {"status": ["missing", "predicted", "over"][s], "value": 0, "moves": []}
        if s == 1:
            p["value"] = next(values)
            prior = 0
            for _ in range(counts.next()):
                prior += steps.next()
                p["moves"].append({"move": targets.pop(0), "prior": prior})
        predictions.append(p)
    counts.end()
    steps.end()
    assert not targets
    return predictions


def bare_lines(raw, samples):
    """The lines that have policies without any move, which stand behind the counts of the samples."""
    numbers, lines, line = Numbers(raw), set(), -1
    for _ in range(samples):
        numbers.next()
    while raw is not None and numbers.at < len(raw):
        line += numbers.next()
        lines.add(line)
    return lines


def read_block(data, block):
    columns = {}
    for c in block["columns"]:
        frame = data[c["offset"] : c["offset"] + c["size"]]
        columns[c["name"]] = decompress(frame)
        assert len(columns[c["name"]]) == c["raw"]
    column = columns.get
    n = block["lines"]
    plies, inv = Numbers(column("plies")), Numbers(column("invented"))
    inputs, numbers, offsets = (Numbers(column(c)) for c in ("input", "number", "offset"))
    source, result, kinds = (fixed(column(c), "B", n) for c in ("source", "result", "samples"))
    white, black = (fixed(column(c), "H", n) for c in ("white_elo", "black_elo"))
    fens, played, bitmaps = texts(column("start"), n), moves(column("moves")), column("samples:bitmap")
    units, left = fixed(column("clock:unit"), "B", n), Numbers(column("clock:left"))
    tags = {c[4:]: texts(columns[c], n) for c in columns if c.startswith("tag:")}
    counts, targets = Numbers(column("policy:count")), moves(column("policy:move"))
    weights = column("policy:weight")
    weights = [1.0] * len(targets) if weights is None else fixed(weights, "f", len(targets))
    prints = sorted({int(c.split(":")[1]) for c in columns if c.startswith("label:") and c.endswith(":status")})
    labels = {f: read_labels(column, f, block["samples"]) for f in prints}
    networks = sorted({int(c.split(":")[1]) for c in columns if c.startswith("network:")})
    networks = {n: read_predictions(column, n, block["samples"]) for n in networks}
    bare = bare_lines(column("policy:count"), block["samples"])
    number = offset = first = 0
    for i in range(n):
        length = plies.next()
        number, offset = number + numbers.signed(), offset + offsets.signed()
        bitmap = None
        if kinds[i] == 3 and bitmaps is not None:
            bitmap, bitmaps = bitmaps[: length // 8 + 1], bitmaps[length // 8 + 1 :]
        line = {
            "source": source[i], "input": inputs.next(), "number": number, "offset": offset,
            "start": fens[i] or START, "moves": played[:length], "invented": inv.next(),
            "samples": sample_plies(kinds[i], length, bitmap), "result": ["*", "1-0", "1/2-1/2", "0-1"][result[i]],
            "clocks": read_clocks(left, units[i], length), "elo": [white[i], black[i]],
            "tags": {t: v[i] for t, v in tags.items() if v[i] is not None},
        }
        played = played[length:]
        k = len(line["samples"])
        policies = []
        for _ in range(k):
            c = counts.next()
            policies.append([{"move": m, "weight": w} for m, w in zip(targets[:c], weights[:c])])
            targets, weights = targets[c:], weights[c:]
        line["policies"] = policies if any(policies) or i in bare else []
        assert not (any(policies) and i in bare)
        own = {f: column[first : first + k] for f, column in labels.items()}
        line["labels"] = {f: c for f, c in own.items() if any(label["status"] != "missing" for label in c)}
        own = {n: column[first : first + k] for n, column in networks.items()}
        line["networks"] = {n: c for n, c in own.items() if any(p["status"] != "missing" for p in c)}
        first += k
        print(json.dumps(line, ensure_ascii=False))
    for v in plies, inv, inputs, numbers, offsets, left:
        v.end()
    assert not played and not targets and first == block["samples"] and not bitmaps


def main(path):
    with open(path, "rb") as f:
        data = f.read()
    assert data[:24] == struct.pack("<II12sI", 0x184D2A50, 16, b"talbot shard", 1)
    length, checksum, magic = struct.unpack("<QQ8s", data[-24:])
    assert magic == b"talbotEF"
    start = len(data) - 24 - length - 8
    assert data[start : start + 8] == struct.pack("<II", 0x184D2A51, length + 24)
    footer = json.loads(data[start + 8 : -24])
    assert footer["format"] == 1
    for block in footer["blocks"]:
        read_block(data, block)


main(sys.argv[1])
