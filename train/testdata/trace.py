"""Repeats in PyTorch what talbot trained (train.Trace): the same weights, batches and settings, in float32 without dropout.

    trace.py FOLDER --device cpu|cuda

Prints one JSON object with the loss of each step.
"""
import argparse
import json
import os

import numpy as np
import torch
import torch.nn.functional as F

from talbotbot import TalbotBot, groups

p = argparse.ArgumentParser()
p.add_argument("folder")
p.add_argument("--device", default="cpu")
o = p.parse_args()

torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
with open(os.path.join(o.folder, "trace.json")) as f:
    about = json.load(f)


def numbers(name, dtype):
    return np.fromfile(os.path.join(o.folder, name), dtype=dtype)


s = about["settings"]
net = TalbotBot(s["blocks"], s["filters"])
weights, at, state = numbers("weights.f32", "<f4"), 0, {}
for tensor in about["params"]:
    size = int(np.prod(tensor["shape"]))
    state[tensor["name"]] = torch.tensor(weights[at:at + size].reshape(tensor["shape"]))
    at += size
assert at == len(weights)
missing, unexpected = net.load_state_dict(state, strict=False)
assert not unexpected and all("num_batches" in name for name in missing), (missing, unexpected)
net = net.to(o.device).train()

count, n = about["batches"], about["batch"]
planes = torch.tensor(numbers("planes.u8", "u1").reshape(count, n, *about["shape"])).to(o.device)
codes = torch.tensor(numbers("codes.i32", "<i4").reshape(count, n).astype(np.int64)).clamp(min=0).to(o.device)
wanted, values, known = (torch.tensor(numbers(name, "<f4").reshape(count, n)).to(o.device)
                         for name in ("wanted.f32", "values.f32", "known.f32"))
optimizer = torch.optim.AdamW(groups(net, about["weight_decay"]), lr=about["lr"])
losses = []
for step in range(about["steps"]):
    i = step % count
    optimizer.zero_grad(set_to_none=True)
    logits, value = net(planes[i].float())
    log_p = F.log_softmax(logits, 1).gather(1, codes[i][:, None]).squeeze(1)
    policy = -(wanted[i] * log_p).sum() / max(1, int((wanted[i] > 0).sum()))
    mse = (known[i] * (value - values[i]) ** 2).sum() / (float(known[i].sum()) or 1)
    loss = policy + s["value_weight"] * mse
    loss.backward()
    if about["clip"] > 0:
        torch.nn.utils.clip_grad_norm_(net.parameters(), about["clip"])
    optimizer.step()
    losses.append(float(loss.detach()))
print(json.dumps({"losses": losses, "torch": torch.__version__}))
