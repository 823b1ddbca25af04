"""Measures how fast PyTorch trains a recipe: forward and backward pass and AdamW, on one batch in memory.

    speed.py [--recipe talbotbot|lynx|tahl|nosearch] --device cpu|cuda --blocks 6 --filters 64 --batch 256 --precision float32|bf16 [--compile] [--seconds 10]

Prints one JSON object with positions_per_second and positions_per_cpu_second, by this process's processor time.
Activations of talbotbot, lynx and tahl are channels-last; of nosearch, filters are the width. With --serve it measures for --seconds at every line on standard input and prints a
line for each, so that another program can measure in turns with it.
"""
import argparse
import json
import sys
import time

import torch
import torch.nn.functional as F

import lynx
import nosearch
import tahl
import talbotbot

p = argparse.ArgumentParser()
p.add_argument("--recipe", choices=["talbotbot", "lynx", "tahl", "nosearch"], default="talbotbot")
p.add_argument("--device", default="cpu")
p.add_argument("--blocks", type=int, default=6)
p.add_argument("--filters", type=int, default=64)
p.add_argument("--batch", type=int, default=256)
p.add_argument("--precision", choices=["float32", "bf16"], default="float32")
p.add_argument("--compile", action="store_true")
p.add_argument("--threads", type=int, default=2)
p.add_argument("--seconds", type=float, default=10)
p.add_argument("--serve", action="store_true")
o = p.parse_args()

MOVES = 48  # legal moves of a position of lynx and tahl

torch.manual_seed(1)
if o.device == "cpu":
    torch.set_num_threads(o.threads)
else:
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True

channels_last = dict(memory_format=torch.channels_last)
if o.recipe == "talbotbot":
    net = talbotbot.TalbotBot(o.blocks, o.filters, 0.1, 0.2).to(o.device, **channels_last).train()
    optimizer = torch.optim.AdamW(talbotbot.groups(net, 1e-2), lr=1e-3, fused=True)
    planes = (torch.rand(o.batch, talbotbot.PLANES, 8, 8) < 0.1).float()
    inputs = [planes.to(o.device, **channels_last)]
elif o.recipe == "lynx":
    net = lynx.Lynx(o.blocks, o.filters, 16, 8, 128).to(o.device, **channels_last).train()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=1e-4, fused=True)
    planes = (torch.rand(o.batch, lynx.PLANES, 8, 8) < 0.1).float()
    inputs = [planes.to(o.device, **channels_last)]
    legal = torch.randint(64 * lynx.MOVE_PLANES, (o.batch, MOVES), device=o.device)
    wdl = torch.softmax(torch.rand(o.batch, 3, device=o.device), 1)
elif o.recipe == "tahl":
    net = tahl.Tahl(o.blocks, o.filters, 0.2, 0.2).to(o.device, **channels_last).train()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=1e-4, fused=True)
    planes = (torch.rand(o.batch, tahl.PLANES, 8, 8) < 0.1).float()
    inputs = [planes.to(o.device, **channels_last)]
    after = (torch.rand(o.batch, MOVES, tahl.LAYERS, 8, 8) < 0.04).float().to(o.device)
else:
    net = nosearch.NoSearch(o.filters, o.blocks).to(o.device).train()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4, weight_decay=0.0, fused=True)
    inputs = [torch.randint(1, 14, (o.batch, nosearch.SQUARES), device=o.device),
              torch.randint(2, (o.batch, nosearch.BITS), device=o.device)]
index = torch.randint(nosearch.MOVES, (o.batch, 1), device=o.device)
weight = torch.ones(o.batch, 1, device=o.device)
value = torch.rand(o.batch, device=o.device) * 2 - 1
labelled = torch.ones(o.batch, device=o.device)


def forward():
    with torch.autocast(o.device, torch.bfloat16, enabled=o.precision == "bf16"):
        out = net(*inputs)
    if o.recipe == "nosearch":
        return nosearch.losses(out.float(), index, weight)
    if o.recipe == "lynx":
        # lynx.losses for a batch: the first legal move is the one played.
        scores = out[0].float().gather(1, legal)
        return (-F.log_softmax(scores, 1)[:, 0].mean() - (wdl * F.log_softmax(out[1].float(), 1)).sum(1).mean()
                + F.mse_loss(out[2].float(), value))
    if o.recipe == "tahl":
        # tahl.losses for a batch: the first legal move is the one played.
        logits = out[0].float()
        scores = torch.einsum("nlcij,ncij->nl", after, logits)
        return (-F.log_softmax(scores, 1)[:, 0].mean() + F.binary_cross_entropy_with_logits(logits, after[:, 0])
                + F.mse_loss(out[1].float(), value))
    policy, mse = talbotbot.losses(out[0].float(), out[1].float(), index, weight, value, labelled)
    return policy + mse


run = torch.compile(forward) if o.compile else forward


def step():
    optimizer.zero_grad(set_to_none=True)
    run().backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
    optimizer.step()


def wait():
    if o.device != "cpu":
        torch.cuda.synchronize()


def measure():
    start, used, n = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - start < o.seconds:
        for _ in range(1 if o.device == "cpu" else 20):
            step()
            n += 1
        wait()
    seconds = time.perf_counter() - start
    used = time.process_time() - used
    print(json.dumps({"positions_per_second": n * o.batch / seconds, "positions_per_cpu_second": n * o.batch / used, "steps": n, "torch": torch.__version__}), flush=True)


for _ in range(3):
    step()
wait()
if o.serve:
    print("ready", flush=True)
    for _ in sys.stdin:
        measure()
else:
    measure()
