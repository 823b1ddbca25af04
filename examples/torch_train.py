"""Trains the network of a run of `talbot train` again, in PyTorch: the same batches, settings and initial weights.

python3 torch_train.py RUN WEIGHTS.safetensors DATA prints the loss of each step. See docs/26-python.md."""
import json
import math
import struct
import sys

import talbot
import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, filters):
        super().__init__()
        self.conv1 = nn.Conv2d(filters, filters, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(filters)
        self.conv2 = nn.Conv2d(filters, filters, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(filters)

    def forward(self, x):
        return F.relu(self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))) + x)


def normed(planes, filters, size, **layers):
    conv = nn.Conv2d(planes, filters, size, padding=size // 2, bias=False)
    return nn.ModuleDict({"conv": conv, "bn": nn.BatchNorm2d(filters), **layers})


class Network(nn.Module):
    def __init__(self, blocks, filters):
        super().__init__()
        self.stem = normed(68, filters, 3)
        self.blocks = nn.Sequential(*(Block(filters) for _ in range(blocks)))
        self.policy = normed(filters, 2, 1, fc=nn.Linear(128, 4672))
        self.value = normed(filters, 1, 1, fc1=nn.Linear(64, 64), fc2=nn.Linear(64, 1))

    def forward(self, planes):
        x = self.blocks(F.relu(self.stem.bn(self.stem.conv(planes))))
        p, v = (F.relu(head.bn(head.conv(x))).flatten(1) for head in (self.policy, self.value))
        return self.policy.fc(p), torch.tanh(self.value.fc2(F.relu(self.value.fc1(v)))).squeeze(1)


with open(sys.argv[1] + "/run.json") as f:
    run = json.load(f)
with open(sys.argv[2], "rb") as f:  # safetensors: the length of the header, the header, the numbers
    tensors = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
    numbers, _ = f.read(), tensors.pop("__metadata__")
weights = {name: torch.frombuffer(bytearray(numbers[slice(*t["data_offsets"])]), dtype=torch.float32)
           .reshape(t["shape"]) for name, t in tensors.items()}
network = Network(run["settings"]["blocks"], run["settings"]["filters"])
network.load_state_dict(weights, strict=False)  # which lacks PyTorch's counts of batches
decays = [[], []]
for p in network.parameters():
    decays[run["decay"] == "all" or p.dim() > 1].append(p)
adamw = torch.optim.AdamW({"params": d, "weight_decay": run["weight_decay"] * i} for i, d in enumerate(decays))
for step, b in enumerate(talbot.batches(sys.argv[3], run["recipe"], run["batch"], steps=run["steps"], seed=run["seed"])):
    logits, value = network(b.planes_torch())
    moves, shares = torch.from_numpy(b.codes[:, :, 0]).long().clamp(min=0), torch.from_numpy(b.weights)
    policy = -(shares * F.log_softmax(logits, 1).gather(1, moves)).sum() / max(1, (shares.sum(1) > 0).sum())
    target, known = map(torch.from_numpy, b.float("value"))
    loss = policy + run["settings"]["value_weight"] * (known * (value - target) ** 2).sum() / max(1, known.sum())
    adamw.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(network.parameters(), run["clip"] or math.inf)
    cosine = (1 + math.cos(math.pi * step / (run["steps"] - 1))) / 2
    for group in adamw.param_groups:
        group["lr"] = run["min_lr"] + (run["lr"] - run["min_lr"]) * cosine
        group["lr"] *= min(1, (step + 1) / max(1, run["warmup"]))
    adamw.step()
    print(f"{step + 1} {loss.item():.6f}", flush=True)
