"""Compares the loss and all gradients of talbot's first step with those of PyTorch in float64.

    gradients.py WEIGHTS BATCH.npy NAME=CHECKPOINT... [--device cuda|cpu] [--out results.jsonl]

WEIGHTS is a checkpoint of `talbot train --init`, the weights that all runs began with; BATCH.npy are the samples of the
step, as `talbot export-data --format npy` writes them. Each CHECKPOINT is that of step 1 of a run with --optimizer sgd,
whose momentum is the gradient then. Prints how far each is from PyTorch, as ‖a − b‖ / ‖b‖: over all gradients together,
and of the tensor that is furthest off.
"""
import argparse
import json
import os
import struct

import numpy as np
import torch
import torch.nn.functional as F

from talbotbot import TalbotBot

p = argparse.ArgumentParser()
p.add_argument("weights")
p.add_argument("batch")
p.add_argument("runs", nargs="+")
p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
p.add_argument("--out", default=os.devnull)
o = p.parse_args()


def safetensors(path):
    """Yields the float32 tensors of a checkpoint."""
    with open(path, "rb") as f:
        size, = struct.unpack("<Q", f.read(8))
        head, base = json.loads(f.read(size)), 8 + size
        for name, t in head.items():
            if name != "__metadata__" and t["dtype"] == "F32":
                f.seek(base + t["data_offsets"][0])
                data = np.frombuffer(f.read(t["data_offsets"][1] - t["data_offsets"][0]), "<f4")
                yield name, data.reshape(t["shape"])


start = dict(safetensors(o.weights))
filters = start["stem.conv.weight"].shape[0]
blocks = len({name.split(".")[1] for name in start if name.startswith("blocks.")})
net = TalbotBot(blocks, filters)
missing, _ = net.load_state_dict({k: torch.tensor(v) for k, v in start.items()}, strict=False)
assert all("num_batches" in name for name in missing), missing
net = net.double().to(o.device).train()

batch = np.load(o.batch)
planes = np.unpackbits(batch["planes"][..., None], axis=3, bitorder="little")
to = lambda x: torch.tensor(np.ascontiguousarray(x)).to(o.device)
logits, value = net(to(planes).double())
move, target = to(batch["policy"]).long(), to(batch["value"]).double()
listed, known = move >= 0, ~target.isnan()
policy = F.cross_entropy(logits[listed], move[listed])
loss = policy + F.mse_loss(value[known], target[known])
loss.backward()
true = {name: x.grad.cpu().numpy() for name, x in net.named_parameters()}
whole = np.sqrt(sum((g ** 2).sum() for g in true.values()))
print(f"PyTorch {torch.__version__} in float64 on {o.device}: loss {loss.item():.9f}, norm of the gradient {whole:.6g}")

with open(o.out, "a") as out:
    for run in o.runs:
        name, _, path = run.partition("=")
        row = {"kind": "gradients", "run": name}
        try:
            got = {k.split("optimizer.m.", 1)[1]: g.astype(np.float64) for k, g in safetensors(path) if "optimizer.m." in k}
            apart = {k: np.linalg.norm(got[k] - true[k]) / np.linalg.norm(true[k]) for k in true if k in got}
            worst = max(apart, key=apart.get)
            row.update(tensors=len(apart), missing=sorted(set(true) ^ set(got))[:3],
                       all=float(np.sqrt(sum(((got[k] - true[k]) ** 2).sum() for k in apart)) / whole),
                       worst=float(apart[worst]), worst_tensor=worst)
        except Exception as e:
            row["error"] = repr(e)[:300]
        print(json.dumps(row))
        print(json.dumps(row), file=out, flush=True)
