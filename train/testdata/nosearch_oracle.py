"""Writes nosearch.json.gz, known answers for the network of the recipe nosearch: a forward pass, a training step's loss
and gradients, and five steps with AdamW and clipping, all computed by PyTorch in float64; once with the moves played as
targets and once, a single step, with scores.

    pip install torch; python3 nosearch_oracle.py > /dev/null

Weights are functions of names and indices (vectors.py), so that nothing but the results is stored. The batches are the
first 60 positions with legal moves of encode/testdata/nosearch.jsonl.gz, which have en passant, castling and promotions,
and the last 60, in their order. Targets are three quarters the
first and one quarter the last of the legal moves by number; every fifth sample has none. Scores are of the first legal
move, with result i%3 − 1 and 1 + 5i%60 plies left for sample i. Of long tensors the file has 16 elements and the norm.

Adam's ε is 1e-6 and not 1e-8: a bias of the keys changes no softmax, so its gradient is 0, and float32 would divide
rounding by rounding.
"""
import gzip
import json
import os

import torch

from nosearch import NoSearch, losses, score_loss
from vectors import digest, initial, learn, write

here = os.path.dirname(os.path.abspath(__file__))
N, GAIN, LR, DECAY, CLIP, EPSILON, STEPS = 24, 2, 0.0004, 0.001, 1.0, 1e-6, 5
WIDTH, BLOCKS, HEADS = 32, 2, 4
torch.set_default_dtype(torch.float64)
with gzip.open(os.path.join(here, "../../encode/testdata/nosearch.jsonl.gz"), "rt") as f:
    rows = [row for row in map(json.loads, f) if row["legal"]]
    rows = rows[:STEPS * N // 2] + rows[-STEPS * N // 2:]


def batch(step):
    some = rows[step * N:][:N]
    numbers = torch.tensor([row["numbers"] for row in some])
    return numbers[:, :65], numbers[:, 65:], [sorted(row["legal"].values()) for row in some]


def loss(net, data, scores):
    ids, bits, legal = data
    logits = net(ids, bits)
    if scores:
        return logits, score_loss(logits, legal, [moves[0] for moves in legal], [i % 3 - 1 for i in range(N)],
                                  [1 + 5 * i % 60 for i in range(N)])
    index = torch.tensor([[moves[0], moves[-1]] for moves in legal])
    weight = torch.tensor([[0.0, 0.0] if i % 5 == 4 else [0.75, 0.25] for i in range(N)])
    return logits, losses(logits, index, weight)


def run(scores, steps):
    net = NoSearch(WIDTH, BLOCKS, HEADS)
    state = {name: initial(name, t.shape, GAIN) for name, t in net.state_dict().items()}
    net.load_state_dict(state)
    logits, ce = loss(net, batch(0), scores)
    out = {"torch": torch.__version__.split("+")[0], "positions": N, "gain": GAIN, "lr": LR, "decay": DECAY,
           "clip": CLIP, "epsilon": EPSILON, "initial": {k: digest(v) for k, v in state.items()},
           "evaluation": {"logits": digest(logits), "policy": ce.item()}, "steps": []}
    optimizer = torch.optim.AdamW(net.parameters(), lr=LR, eps=EPSILON, weight_decay=DECAY)
    for step in range(steps):
        _, ce = loss(net, batch(step), scores)
        out["steps"].append({"policy": ce.item()} | learn(net, optimizer, ce, step == 0, CLIP))
    return out


for width, published, bits in (256, 6_847_920, 26 * 256), (128, 1_852_080, 26 * 128):
    have = sum(p.numel() for p in NoSearch(width).parameters())
    assert have == published + bits, have
out = {"played": run(False, STEPS), "scores": run(True, 1)}
write(os.path.join(here, "nosearch.json.gz"), out)
print(json.dumps({name: [[s["policy"], s["norm"]] for s in part["steps"]] for name, part in out.items()}))
