"""What the scripts that write known answers for the networks have in common: numbers that are functions of names and
indices, so that nothing but results is stored, and what is stored of a tensor."""
import gzip
import json
import math

import numpy as np
import torch


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


def initial(name, shape, gain=2):
    """A parameter or statistic of that name, numbers of float32 in float64; gain is that of the weights."""
    u = number(name, math.prod(shape))
    if name.endswith("running_var"):
        u = 1 + 0.3 * u
    elif name.endswith("running_mean"):
        u = 0.1 * u
    elif ".bn" in name or ".ln" in name:
        u = 1 + 0.2 * u if name.endswith("weight") else 0.1 * u
    elif len(shape) > 1:
        u = u * gain / math.sqrt(math.prod(shape[1:]))
    else:
        u = u * 0.1
    return torch.tensor(u.astype(np.float32).astype(np.float64).reshape(shape))


def digest(t):
    """The norm and up to 16 elements of a tensor."""
    flat = t.detach().flatten()
    stride = max(1, len(flat) // 16)
    return {"norm": float(flat.norm()), "some": [float(x) for x in flat[::stride][:16]]}


def learn(net, optimizer, loss, gradients, clip=None):
    """Takes a step, with gradients of at most that norm. What is stored of it: gradients if asked for, their norm before
    they are clipped, and all numbers after it."""
    optimizer.zero_grad()
    loss.backward()
    result = {"gradients": {k: digest(p.grad) for k, p in net.named_parameters()}} if gradients else {}
    if clip:
        result["norm"] = float(torch.nn.utils.clip_grad_norm_(net.parameters(), clip))
    else:
        result["norm"] = float(sum((p.grad**2).sum() for p in net.parameters()).sqrt())
    optimizer.step()
    return result | {"after": {k: digest(v) for k, v in net.state_dict().items() if "num_batches" not in k}}


def short(x):
    """Ten digits are more than float32 has."""
    if isinstance(x, float):
        return float(f"{x:.10g}")
    if isinstance(x, dict):
        return {k: short(v) for k, v in x.items()}
    return [short(v) for v in x] if isinstance(x, list) else x


def write(path, out):
    with open(path, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as f:
        f.write(json.dumps(short(out)).encode())
