"""Writes pytorch.json.gz, which TestPyTorch compares talbot with: a forward pass in both modes, a training step's losses,
gradients and statistics, and five steps with AdamW, all computed by PyTorch in float64.

    pip install torch; python3 oracle.py > /dev/null

Weights and targets are functions of names and indices (number below), so that nothing but the results is stored. The
batches are the positions of encode/testdata/golden.jsonl.gz that have a legal move, in their order. Of long tensors the file has 16 elements and the norm.
"""
import gzip
import json
import math
import os

import numpy as np
import torch

from talbotbot import MOVES, TalbotBot, groups, losses

here = os.path.dirname(os.path.abspath(__file__))
N, BLOCKS, FILTERS = 24, 2, 8
LR, DECAY, CLIP, VALUE_WEIGHT, STEPS = 0.003, 0.1, 0.7, 5.0, 5
torch.set_default_dtype(torch.float64)


def number(name, n):
    """n numbers in [−1, 1): FNV-1a of the name plus the index, through the finaliser of MurmurHash3."""
    h = 0x811C9DC5
    for byte in name.encode():
        h = (h ^ byte) * 0x01000193 & 0xFFFFFFFF
    x = np.arange(n, dtype=np.uint64) * np.uint64(0x9E3779B9) + np.uint64(h) & np.uint64(0xFFFFFFFF)
    x ^= x >> np.uint64(16)
    x = x * np.uint64(0x85EBCA6B) & np.uint64(0xFFFFFFFF)
    x ^= x >> np.uint64(13)
    x = x * np.uint64(0xC2B2AE35) & np.uint64(0xFFFFFFFF)
    x ^= x >> np.uint64(16)
    return x.astype(np.float64) / 2**31 - 1


def initial(name, shape):
    u = number(name, math.prod(shape))
    if name.endswith("running_var"):
        u = 1 + 0.3 * u
    elif name.endswith("running_mean"):
        u = 0.1 * u
    elif ".bn" in name:
        u = 1 + 0.2 * u if name.endswith("weight") else 0.1 * u
    elif len(shape) > 1:
        u = u * 2 / math.sqrt(math.prod(shape[1:]))
    else:
        u = u * 0.1
    return torch.tensor(u.astype(np.float32).astype(np.float64).reshape(shape))


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


def digest(t):
    flat = t.detach().flatten()
    stride = max(1, len(flat) // 16)
    return {"norm": float(flat.norm()), "some": [float(x) for x in flat[::stride][:16]]}


net = TalbotBot(BLOCKS, FILTERS)
state = {name: initial(name, t.shape) for name, t in net.state_dict().items() if "num_batches" not in name}
net.load_state_dict(state, strict=False)
out = {"torch": torch.__version__.split("+")[0], "positions": N, "blocks": BLOCKS, "filters": FILTERS, "lr": LR,
       "decay": DECAY, "clip": CLIP, "value_weight": VALUE_WEIGHT, "initial": {k: digest(v) for k, v in state.items()}}


def mode(training, data):
    net.train(training)
    logits, value = net(data[0])
    policy, mse = losses(logits, value, *data[1:])
    return {"logits": digest(logits), "value": value.tolist(), "policy": float(policy), "mse": float(mse)}, policy + VALUE_WEIGHT * mse


out["evaluation"], _ = mode(False, batch(0))
optimizer = torch.optim.AdamW(groups(net, DECAY), lr=LR)
out["steps"] = []
for step in range(STEPS):
    data = batch(step)
    optimizer.zero_grad()
    result, loss = mode(True, data)
    loss.backward()
    result["gradients"] = {k: digest(p.grad) for k, p in net.named_parameters()}
    result["norm"] = float(torch.nn.utils.clip_grad_norm_(net.parameters(), CLIP))
    optimizer.step()
    result["after"] = {k: digest(v) for k, v in net.state_dict().items() if "num_batches" not in k}
    out["steps"].append(result)


def short(x):
    """Ten digits are more than float32 has."""
    if isinstance(x, float):
        return float(f"{x:.10g}")
    if isinstance(x, dict):
        return {k: short(v) for k, v in x.items()}
    return [short(v) for v in x] if isinstance(x, list) else x


with gzip.GzipFile(os.path.join(here, "pytorch.json.gz"), "wb", mtime=0) as f:
    f.write(json.dumps(short(out)).encode())
print(json.dumps(out["steps"][0]["norm"]))
