"""Measures how fast the reference network trains with PyTorch and with talbot, in turns on one device.

    compare.py --configs 20x128:bf16:2048,20x128:bf16:2048:det --talbot TALBOT --backend xla:cuda --data DIR
               [--seconds 6] [--go FILE] [--deadline UNIXTIME] [--out results.jsonl] [--device cuda|cpu]

First each configuration of PyTorch is compiled and warmed up, eager and with torch.compile. As soon as the file --go
exists, each configuration is measured: `talbot train`, then PyTorch eager, then compiled, each for --seconds. Each
result is a line of JSON in --out. What cannot begin before --deadline is left out. :det is talbot alone, with
--deterministic. PyTorch has its batch in the device's memory and reads no data; talbot reads, encodes and copies.
"""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

import talbotbot


class Peer:
    def __init__(self, blocks, filters, precision, batch, device):
        torch.manual_seed(1)
        self.batch, self.device = batch, device
        self.bf16 = precision == "bf16"
        net = talbotbot.TalbotBot(blocks, filters, 0.1, 0.2)
        self.net = net.to(device, memory_format=torch.channels_last).train()
        self.optimizer = torch.optim.AdamW(talbotbot.groups(self.net, 1e-2), lr=1e-3, fused=True)
        self.planes = (torch.rand(batch, 68, 8, 8, device=device) < 0.1).float().to(memory_format=torch.channels_last)
        self.move = torch.randint(4672, (batch,), device=device)
        self.worth = torch.rand(batch, device=device) * 2 - 1
        self.eager, self.compiled = self.loss, torch.compile(self.loss, dynamic=False)

    def loss(self):
        with torch.autocast(self.device, torch.bfloat16, enabled=self.bf16):
            logits, value = self.net(self.planes)
        return F.cross_entropy(logits.float(), self.move) + F.mse_loss(value.float(), self.worth)

    def step(self, loss):
        self.optimizer.zero_grad(set_to_none=True)
        loss().backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optimizer.step()

    def wait(self):
        if self.device == "cuda":
            torch.cuda.synchronize()

    def warm(self, compiled):
        begun = time.time()
        for _ in range(5):
            self.step(self.compiled if compiled else self.eager)
        self.wait()
        return time.time() - begun

    def rate(self, compiled, seconds):
        self.warm(compiled)
        loss, begun, n = self.compiled if compiled else self.eager, time.perf_counter(), 0
        while time.perf_counter() - begun < seconds:
            for _ in range(10 if self.device == "cuda" else 1):
                self.step(loss)
                n += 1
            self.wait()
        return n * self.batch / (time.perf_counter() - begun)


def talbot(o, blocks, filters, precision, batch, deterministic):
    """Trains until --seconds have passed after the first steps, and returns the rate of the last ones."""
    run = os.path.join(o.work, "speed-run")
    shutil.rmtree(run, ignore_errors=True)
    args = [o.talbot, "train", "--data", o.data, "--run", run, "--backend", o.backend, "--blocks", str(blocks), "--filters",
            str(filters), "--batch", str(batch), "--precision", precision, "--steps", "100000000", "--schedule", "constant",
            "--eval-every", "0", "--checkpoint-every", "0", "--quiet"] + ["--deterministic"] * deterministic
    training = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    give_up, lines = time.time() + 120, []
    try:
        while training.poll() is None and time.time() < give_up:
            time.sleep(0.2)
            lines = train_lines(os.path.join(run, "metrics.jsonl"))
            if len(lines) > 2 and lines[-1]["seconds"] - lines[1]["seconds"] >= o.seconds:
                break
    finally:
        training.send_signal(signal.SIGINT)
        said = training.communicate(timeout=60)[1]
        shutil.rmtree(run, ignore_errors=True)
    if len(lines) < 3:
        raise RuntimeError(f"too few steps: {said[-500:]}")
    first, last = lines[1], lines[-1]
    seconds = last["seconds"] - first["seconds"]
    wait = last["loader_wait"] * last["seconds"] - first["loader_wait"] * first["seconds"]
    return {"positions_per_second": (last["step"] - first["step"]) * batch / seconds, "loader_wait": wait / seconds,
            "first_line": lines[0]["seconds"]}


def train_lines(path):
    try:
        with open(path) as f:
            lines = [json.loads(line) for line in f if line.endswith("\n")]
    except FileNotFoundError:
        return []
    return [line for line in lines if line.get("kind") == "train"]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--configs", default="20x128:bf16:2048,20x256:bf16:2048,20x128:float32:2048")
    p.add_argument("--talbot")
    p.add_argument("--backend", default="xla:cuda")
    p.add_argument("--data")
    p.add_argument("--seconds", type=int, default=6)
    p.add_argument("--go", help="file to wait for before measuring")
    p.add_argument("--deadline", type=float, default=float("inf"))
    p.add_argument("--out", default="results.jsonl")
    p.add_argument("--work", default=".", help="folder for talbot's run")
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    o = p.parse_args()
    out = open(o.out, "a")

    def say(**what):
        what["at"] = round(time.time() - begun, 1)
        print(json.dumps(what), file=out, flush=True)
        print(json.dumps(what), file=sys.stderr, flush=True)

    begun = time.time()
    torch._dynamo.config.recompile_limit = 64  # each configuration is one
    if o.device == "cuda":
        torch.backends.cudnn.benchmark = True
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    configs, peers = [], {}
    for text in o.configs.split(","):
        size, precision, batch, *more = text.split(":")
        configs.append((text, *map(int, size.split("x")), precision, int(batch), more == ["det"]))

    def prepare(text, blocks, filters, precision, batch):
        try:
            peers[text] = peer = Peer(blocks, filters, precision, batch, o.device)
            eager = peer.warm(False)
            say(kind="torch", config=text, eager_warm_s=round(eager, 1), compile_s=round(peer.warm(True), 1))
        except Exception as e:
            say(kind="torch", config=text, error=repr(e)[:400])
        if o.device == "cuda":
            torch.cuda.empty_cache()

    told = lambda: not o.go or os.path.exists(o.go)
    for *config, deterministic in configs:
        if time.time() > o.deadline or peers and o.go and told():
            break  # the rest is prepared when it is its turn
        if not deterministic:
            prepare(*config)
    while not told() and time.time() < o.deadline:
        time.sleep(0.1)
    for text, blocks, filters, precision, batch, deterministic in configs:
        if time.time() + 2 * o.seconds > o.deadline:
            say(kind="speed", config=text, error="no time left")
            continue
        row = {"kind": "speed", "config": text, "torch": torch.__version__}
        if o.talbot:
            try:
                row["talbot"] = talbot(o, blocks, filters, precision, batch, deterministic)
            except Exception as e:
                row["talbot_error"] = repr(e)[-600:]
        if text not in peers and not deterministic and time.time() < o.deadline:
            prepare(text, blocks, filters, precision, batch)
        if text in peers:
            for name, compiled in (("eager", False), ("compiled", True)):
                try:
                    row[name] = round(peers[text].rate(compiled, o.seconds))
                except Exception as e:
                    row[name + "_error"] = repr(e)[:400]
            if o.device == "cuda":
                row["torch_memory_mib"] = torch.cuda.max_memory_allocated() >> 20
                torch.cuda.empty_cache()
        ours, best = row.get("talbot", {}).get("positions_per_second", 0), max(row.get("eager", 0), row.get("compiled", 0))
        if ours and best:
            row["talbot_over_torch"] = round(ours / best, 3)
        say(**row)


if __name__ == "__main__":
    main()
