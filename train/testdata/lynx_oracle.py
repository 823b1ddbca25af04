"""Writes lynx.json.gz, muon.json.gz and sgd.json.gz, known answers for the network of the recipe lynx: a forward pass in
both modes, a training step's losses, gradients and statistics, and five steps with AdamW, Muon or SGD, all computed by
PyTorch in float64.

    pip install torch; python3 lynx_oracle.py > /dev/null

Weights and targets are functions of names and indices (vectors.py), so that nothing but the results is stored. The
batches are the positions of encode/testdata/tahl.jsonl.gz that have a legal move, in their order, with the planes of
lynx.jsonl.gz behind their own; a move's index is computed here from its name. The moves to be learnt are the first and the last of the legal ones by their names; every
fifth sample has none, and every third has no value. Of long tensors the file has 16 elements and the norm. AdamW decays
matrices and kernels alone.
"""
import gzip
import json
import os

import numpy as np
import torch

from lynx import Lynx, losses
from muon import Muon
from vectors import digest, initial, learn, number, write

here = os.path.dirname(os.path.abspath(__file__))
N, BLOCKS, FILTERS, SQUEEZE, VALUE_FILTERS, HIDDEN = 24, 2, 8, 4, 3, 16
LR, DECAY, CLIP, VALUE_WEIGHT, CHANCES_WEIGHT, STEPS = 0.001, 0.1, 0.0, 0.5, 0.75, 5
torch.set_default_dtype(torch.float64)

QUEEN = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]  # N NE E SE S SW W NW, (rank, file)
KNIGHT = [(2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1)]


def index(uci, black):
    """plane × 64 + from, in the frame of the side to move."""
    rank = lambda c: 7 - (ord(c) - ord("1")) if black else ord(c) - ord("1")
    f0, r0, f1, r1 = ord(uci[0]) - ord("a"), rank(uci[1]), ord(uci[2]) - ord("a"), rank(uci[3])
    dr, df = r1 - r0, f1 - f0
    if uci[4:] in ("n", "b", "r"):
        plane = 64 + 3 * "nbr".index(uci[4]) + df + 1
    elif (dr, df) in KNIGHT:
        plane = 56 + KNIGHT.index((dr, df))
    else:
        distance = max(abs(dr), abs(df))
        plane = 7 * QUEEN.index((dr // distance, df // distance)) + distance - 1
    return plane * 64 + 8 * r0 + f0


def bits(words):
    words = np.array([int(w, 16) for w in words], dtype=np.uint64)
    spread = words[:, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
    return torch.tensor(spread.astype(np.float64).reshape(-1, 8, 8))


def batch(step):
    folder = os.path.join(here, "../../encode/testdata")
    with gzip.open(os.path.join(folder, "tahl.jsonl.gz"), "rt") as f, \
            gzip.open(os.path.join(folder, "lynx.jsonl.gz"), "rt") as g:
        rows = [row | more for row, more in zip(map(json.loads, f), map(json.loads, g)) if row["changes"]][step * N:][:N]
    planes, indices, weights = [], [], []
    for i, row in enumerate(rows):
        black = (row["start"].split()[1] == "b") != (len(row["moves"]) % 2 == 1)
        planes.append(bits(row["planes"] + row["attacks"] + row["tactics"]))
        indices.append(torch.tensor([index(m, black) for m in sorted(row["changes"])]))
        weight = torch.zeros(len(indices[-1]))
        if i % 5 != 4:
            weight[0] += 0.75
            weight[-1] += 0.25
        weights.append(weight)
    number32 = lambda name: torch.tensor(number(f"{name} {step}", N).astype(np.float32).astype(np.float64))
    win = (number32("win") + 1) / 4
    draw = (number32("draw") + 1) / 4
    known = torch.tensor([0.0 if i % 3 == 2 else 1.0 for i in range(N)])
    return [torch.stack(planes), indices, weights, number32("value"), torch.stack([win, draw, 1 - win - draw], 1), known]


def mode(net, training, data):
    net.train(training)
    logits, chances, value = net(data[0])
    policy, wdl, mse = losses(logits, chances, value, *data[1:])
    return ({"logits": digest(logits), "value": value.tolist(), "policy": policy.item(), "wdl": wdl.item(), "mse": mse.item()},
            policy + CHANCES_WEIGHT * wdl + VALUE_WEIGHT * mse)


def groups(net):
    return [{"params": [p for p in net.parameters() if p.dim() > 1], "weight_decay": DECAY},
            {"params": [p for p in net.parameters() if p.dim() <= 1], "weight_decay": 0.0}]


def adamw(net):
    return torch.optim.AdamW(groups(net), lr=LR)


def sgd(net):
    return torch.optim.SGD(groups(net), lr=LR, momentum=0.9)


assert sum(p.numel() for p in Lynx(6, 64, 16, 8, 128).parameters()) == 593_469
# With the first gain no input of a ReLU in the five steps is nearer to 0 than 1.3e-5 standard deviations of its tensor:
# with 1 one was at 8e-7, which float32 rounds to either side, by processor.
for name, optimizer_of, gain in [("lynx", adamw, 61 / 64), ("muon", lambda net: Muon(net, LR, DECAY), 1), ("sgd", sgd, 1)]:
    net = Lynx(BLOCKS, FILTERS, SQUEEZE, VALUE_FILTERS, HIDDEN)
    state = {name: initial(name, t.shape, gain) for name, t in net.state_dict().items() if "num_batches" not in name}
    net.load_state_dict(state, strict=False)
    out = {"torch": torch.__version__.split("+")[0], "positions": N, "blocks": BLOCKS, "filters": FILTERS, "gain": gain,
           "lr": LR, "decay": DECAY, "clip": CLIP, "value_weight": VALUE_WEIGHT,
           "initial": {k: digest(v) for k, v in state.items()}}
    out["evaluation"], _ = mode(net, False, batch(0))
    optimizer = optimizer_of(net)
    out["steps"] = []
    for step in range(STEPS):
        result, loss = mode(net, True, batch(step))
        out["steps"].append(result | learn(net, optimizer, loss, step == 0))
    write(os.path.join(here, name + ".json.gz"), out)
    print(json.dumps([[s["policy"], s["wdl"], s["mse"], s["norm"]] for s in out["steps"]]))
