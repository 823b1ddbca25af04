"""Writes tahl.json.gz, known answers for the network of the recipe tahl: a forward pass in both modes, a training step's
losses, gradients and statistics, and five steps with AdamW, all computed by PyTorch in float64.

    pip install torch; python3 tahl_oracle.py > /dev/null

Weights and targets are functions of names and indices (vectors.py), so that nothing but the results is stored. The
batches are the positions of encode/testdata/tahl.jsonl.gz that have a legal move, in their order. The moves to be learnt
are the first and the last of the legal ones by their names, in place of the first the first castling move if there is
one; every fifth sample has none, and every third has no value.
Of long tensors the file has 16 elements and the norm. AdamW decays all parameters, as PyTorch's does by itself.
"""
import gzip
import json
import os

import numpy as np
import torch

from tahl import Tahl, losses
from vectors import digest, initial, learn, number, write

here = os.path.dirname(os.path.abspath(__file__))
N, BLOCKS, FILTERS, GAIN = 24, 2, 8, 1
LR, DECAY, CLIP, VALUE_WEIGHT, STEPS = 0.001, 0.1, 0.0, 0.5, 5
torch.set_default_dtype(torch.float64)


def bits(words):
    """Bitboards to [..., 8, 8] of 0 and 1."""
    words = np.array(words, dtype=np.uint64)
    spread = words[..., None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
    return torch.tensor(spread.astype(np.float64).reshape(*words.shape, 8, 8))


def batch(step):
    planes, boards, weights = [], [], []
    with gzip.open(os.path.join(here, "../../encode/testdata/tahl.jsonl.gz"), "rt") as f:
        rows = [row for row in map(json.loads, f) if row["changes"]][step * N:][:N]
    for i, row in enumerate(rows):
        words = [int(p, 16) for p in row["planes"]]
        planes.append(bits(words))
        # P R N B Q K → P N B R Q K
        before = [words[6 * side + k] for side in range(2) for k in (0, 2, 3, 1, 4, 5)]
        after = []
        for _, changes in sorted(row["changes"].items()):
            after.append(list(before))
            for c in changes:
                assert after[-1][c // 128] >> (c // 2 % 64) & 1 == c & 1
                after[-1][c // 128] ^= 1 << c // 2 % 64
        boards.append(bits(after))
        weight = torch.zeros(len(after))
        if i % 5 != 4:
            castling = [k for k, (_, changes) in enumerate(sorted(row["changes"].items())) if len(changes) == 4]
            weight[(castling + [0])[0]] += 0.75
            weight[-1] += 0.25
        weights.append(weight)
    value = number(f"value {step}", N).astype(np.float32).astype(np.float64)
    has = [0.0 if i % 3 == 2 else 1.0 for i in range(N)]
    return [torch.stack(planes), boards, weights, torch.tensor(value), torch.tensor(has)]


net = Tahl(BLOCKS, FILTERS)
state = {name: initial(name, t.shape, GAIN) for name, t in net.state_dict().items() if "num_batches" not in name}
net.load_state_dict(state, strict=False)
assert sum(p.numel() for p in Tahl(10, 128).parameters()) == 2_992_655
out = {"torch": torch.__version__.split("+")[0], "positions": N, "blocks": BLOCKS, "filters": FILTERS, "gain": GAIN,
       "lr": LR, "decay": DECAY, "clip": CLIP, "value_weight": VALUE_WEIGHT,
       "initial": {k: digest(v) for k, v in state.items()}}


def mode(training, data):
    net.train(training)
    logits, value = net(data[0])
    policy, bce, mse = losses(logits, value, *data[1:])
    return ({"logits": digest(logits), "value": value.tolist(), "policy": policy.item(), "bce": bce.item(),
             "mse": mse.item()}, policy + bce + VALUE_WEIGHT * mse)


out["evaluation"], _ = mode(False, batch(0))
optimizer = torch.optim.AdamW(net.parameters(), lr=LR, weight_decay=DECAY)
out["steps"] = []
for step in range(STEPS):
    result, loss = mode(True, batch(step))
    out["steps"].append(result | learn(net, optimizer, loss, step == 0))

write(os.path.join(here, "tahl.json.gz"), out)
print(json.dumps([[s["policy"], s["bce"], s["mse"], s["norm"]] for s in out["steps"]]))
