"""Writes talbotbot.json.gz, which TestPyTorch compares talbot with: a forward pass in both modes, a training step's
losses, gradients and statistics, and five steps with AdamW, all computed by PyTorch in float64.

    pip install torch; python3 talbotbot_oracle.py > /dev/null

Weights and targets are functions of names and indices (vectors.number), so that nothing but the results is stored. The
batches are the positions of encode/testdata/golden.jsonl.gz that have a legal move, in their order. Of long tensors the file has 16 elements and the norm.
"""
import gzip
import json
import os

import numpy as np
import torch

from talbotbot import TalbotBot, groups, losses
from vectors import digest, initial, learn, number, write

here = os.path.dirname(os.path.abspath(__file__))
N, BLOCKS, FILTERS = 24, 2, 8
LR, DECAY, CLIP, VALUE_WEIGHT, STEPS = 0.003, 0.1, 0.7, 5.0, 5
torch.set_default_dtype(torch.float64)


def batch(step):
    planes, index, weight = [], [], []
    with gzip.open(os.path.join(here, "../../encode/testdata/golden.jsonl.gz"), "rt") as f:
        rows = [row for row in map(json.loads, f) if row["legal"]][step * N:][:N]
    for i, row in enumerate(rows):
        words = np.array([int(p, 16) for p in row["planes"]], dtype=np.uint64)
        planes.append((words[:, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)).astype(np.float64).reshape(68, 8, 8))
        legal = sorted(row["legal"].values())
        first, second = legal[0], legal[-1]  # the same where there is one legal move
        index.append([first, second])
        weight.append([0, 0] if i % 5 == 4 else [0.75, 0.25])
    value = number(f"value {step}", N)
    has = [0.0 if i % 3 == 2 else 1.0 for i in range(N)]
    return [torch.tensor(x) for x in (np.array(planes), index, weight, value.astype(np.float32).astype(np.float64), has)]


net = TalbotBot(BLOCKS, FILTERS)
state = {name: initial(name, t.shape) for name, t in net.state_dict().items() if "num_batches" not in name}
net.load_state_dict(state, strict=False)
out = {"torch": torch.__version__.split("+")[0], "positions": N, "blocks": BLOCKS, "filters": FILTERS, "lr": LR,
       "decay": DECAY, "clip": CLIP, "value_weight": VALUE_WEIGHT, "initial": {k: digest(v) for k, v in state.items()}}


def mode(training, data):
    net.train(training)
    logits, value = net(data[0])
    policy, mse = losses(logits, value, *data[1:])
    return {"logits": digest(logits), "value": value.tolist(), "policy": policy.item(), "mse": mse.item()}, policy + VALUE_WEIGHT * mse


out["evaluation"], _ = mode(False, batch(0))
optimizer = torch.optim.AdamW(groups(net, DECAY), lr=LR)
out["steps"] = []
for step in range(STEPS):
    data = batch(step)
    result, loss = mode(True, data)
    out["steps"].append(result | learn(net, optimizer, loss, True, CLIP))

write(os.path.join(here, "talbotbot.json.gz"), out)
