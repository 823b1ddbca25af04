"""Tests the package with the talbot that TALBOT names: python3 test_talbot.py DATASET"""

import collections
import gc
import json
import os
import subprocess
import sys
import warnings

import numpy as np

import talbot

data = sys.argv[1]
warnings.simplefilter("error")


def message(call, *args, **options):
    try:
        call(*args, **options)
    except talbot.Error as e:
        return str(e), e.status
    raise AssertionError("no error")


# The planes of one epoch are those that `talbot inspect` shows of the train samples, each as often.
for recipe, settings in [("talbotbot", {}), ("talbotbot", {"legal_mask": True}), ("lynx", {}), ("lynx", {"tactics": False}),
                         ("lynx", {"threats": False}), ("leela", {}), ("tahl", {}), ("prior", {})]:
    flags = [f"--set={k}={str(v).lower()}" for k, v in settings.items()]
    shown = subprocess.run([os.environ["TALBOT"], "inspect", data, "--all", "--split=train", "--json", "--recipe", recipe, *flags],
                           check=True, capture_output=True).stdout.splitlines()
    want = collections.Counter(np.array(json.loads(x)["input"]["data"], np.float32).tobytes() for x in shown)
    stream = talbot.batches(data, recipe, 32, epochs=1, settings=settings)
    samples = stream.header["samples"]
    assert len(stream) == -(-samples // 32) > 2, len(stream)
    rows = [row for b in stream for row in b.planes()]
    got = collections.Counter(row.tobytes() for row in rows[:samples])
    assert got <= want and sum(got.values()) == samples > 0.9 * len(shown), (recipe, samples, len(shown))
    assert next(stream, None) is None

# What a batch is, and that batches stay as they are when the next one comes.
first, *rest = talbot.batches(data, "lynx", 16, steps=3, seed=5)
assert len(first) == 16 and first.packed.dtype == np.uint64 and first.codes.shape[:2] == first.weights.shape
assert (first.codes[:, 0, 0] >= 0).all() and (first.weights[first.codes[:, :, 0] < 0] == 0).all()
again = next(talbot.batches({data: 1}, "lynx", 16, steps=3, seed=5))
assert all((getattr(first, k) == getattr(again, k)).all() for k in ("packed", "codes", "weights", "floats", "known"))
assert not (first.packed == rest[0].packed).all()
assert [len(b.codes[0]) for b in talbot.batches(data, "napoleon", 16, steps=1)] == [0]
assert sum(map(len, talbot.batches(data, split="val"))) > 0

# Errors are talbot's own; so is the end of one that dies.
assert message(talbot.batches, "none")[0].startswith('"none": no dataset found\nhint: '), message(talbot.batches, "none")
assert message(talbot.batches, "none")[1] == 10
assert "unknown recipe" in message(talbot.batches, data, "chess")[0]
assert message(talbot.batches, data, split="val", steps=3)[1] == 2
assert message(talbot.manifest, "none")[1] == 10
assert message(talbot.inspect, data, 10**9)[0].startswith("sample 1000000000 of")
stream = talbot.batches(data, batch=256, steps=10**6)
next(stream)
stream._process.kill()
assert "end early" in message(collections.deque, stream)[0]

# Leaving a loop ends talbot.
stream = talbot.batches(data, batch=256, steps=10**6)
for _ in stream:
    break
process = stream._process
del stream, _
gc.collect()
assert process.poll() is not None

assert talbot.manifest(data)["shards"] and talbot.inspect(data, 0)["fen"] and talbot.inspect("net:")["recipe"] == "lynx"

try:
    import torch
except ImportError:
    print("not tested: PyTorch is not there")
    sys.exit()
from torch.utils.data import DataLoader

from talbot import _planes
from talbot.torch import Batches

for recipe in ("talbotbot", "lynx", "leela", "prior"):
    for b in talbot.batches(data, recipe, 16, steps=2):
        on_device = _planes.torch(b.header, torch.from_numpy(b.packed.view(np.int64)))
        assert (on_device.numpy() == b.planes()).all() and (b.planes_torch().numpy() == b.planes()).all()
for workers in (0, 1):
    dicts = list(DataLoader(Batches(data, recipe="lynx", batch=16, steps=2, seed=5), batch_size=None, num_workers=workers))
    assert len(dicts) == 2 and (dicts[0]["planes"].numpy() == first.planes()).all()
    assert (dicts[0]["value"].numpy() == first.float("value")[0]).all() and dicts[0]["codes"].dtype == torch.int64
