"""Writes prior.json.gz, known answers for the network of the recipe prior: a forward pass in both modes, a training
step's losses, gradients and statistics, and five steps with Adam, all computed by PyTorch in float64; once with the
softmax over all moves, and once, a single step, with that over the legal ones.

    pip install torch; python3 prior_oracle.py > /dev/null

Weights are functions of names and indices (vectors.py), so that nothing but the results is stored. The batches are the
first 40 and the last 40 positions with legal moves of encode/testdata/prior.jsonl.gz in their order, with their ratings.
Targets are three quarters the first and one quarter the last of the legal moves by number; every fifth sample has none.
Of long tensors the file has 16 elements and the norm. Adam is PyTorch's with the ε of Keras, 1e-7, without clipping and
weight decay: the weights decay by the loss. L2 is 0.01, a hundred times that of the recipe, so that its gradient
counts.
"""
import gzip
import json
import os

import torch

from prior import Prior, among, cross_entropy, penalty
from vectors import digest, initial, learn, write

here = os.path.dirname(os.path.abspath(__file__))
N, GAIN, LR, EPSILON, STEPS, L2 = 16, 1, 0.0001, 1e-7, 5, 0.01
BLOCKS, FILTERS = 2, 20
torch.set_default_dtype(torch.float64)
with gzip.open(os.path.join(here, "../../encode/testdata/prior.jsonl.gz"), "rt") as f:
    rows = [row for row in map(json.loads, f) if row["legal"]]
    rows = rows[:STEPS * N // 2] + rows[-STEPS * N // 2:]


def batch(step):
    some = rows[step * N:][:N]
    planes = torch.tensor([[[int(p, 16) >> s & 1 for s in range(64)] for p in row["planes"]] + [[row["rating"]] * 64]
                           for row in some], dtype=torch.float64).reshape(N, 18, 8, 8)
    legal = [sorted(row["legal"].values()) for row in some]
    index = torch.tensor([[moves[0], moves[-1]] for moves in legal])
    weight = torch.tensor([[0.0, 0.0] if i % 5 == 4 else [0.75, 0.25] for i in range(N)])
    return planes, legal, index, weight


def losses(net, data, masked):
    planes, legal, index, weight = data
    logits = net(planes)
    return logits, cross_entropy(among(logits, legal) if masked else logits, index, weight)


def run(masked, steps):
    net = Prior(BLOCKS, FILTERS)
    state = {name: initial(name, t.shape, GAIN) for name, t in net.state_dict().items()}
    net.load_state_dict(state)
    net.eval()
    logits, ce = losses(net, batch(0), masked)
    out = {"torch": torch.__version__.split("+")[0], "positions": N, "blocks": BLOCKS, "filters": FILTERS,
           "gain": GAIN, "lr": LR, "decay": 0, "clip": 0, "epsilon": EPSILON, "l2": L2,
           "initial": {k: digest(v) for k, v in state.items()},
           "evaluation": {"logits": digest(logits), "policy": ce.item(), "penalty": penalty(net, L2).item()},
           "steps": []}
    net.train()
    optimizer = torch.optim.Adam(net.parameters(), lr=LR, eps=EPSILON)
    for step in range(steps):
        _, ce = losses(net, batch(step), masked)
        total = ce + penalty(net, L2)
        result = {"policy": ce.item(), "penalty": penalty(net, L2).item()}
        out["steps"].append(result | learn(net, optimizer, total, step == 0))
    return out


published = sum(p.numel() for p in Prior().parameters())
assert published == 8_634_804, published
out = {"all": run(False, STEPS), "legal": run(True, 1)}
write(os.path.join(here, "prior.json.gz"), out)
print(json.dumps({name: [[s["policy"], s["penalty"], s["norm"]] for s in part["steps"]] for name, part in out.items()}))
