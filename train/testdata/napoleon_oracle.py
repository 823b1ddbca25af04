"""Writes napoleon.json.gz, known answers for the network of the recipe napoleon: a forward pass in both modes, a
training step's loss, gradients and statistics, and five steps with Adam, all computed by PyTorch in float64.

    pip install torch; python3 napoleon_oracle.py > /dev/null

Weights and targets are functions of names and indices (vectors.py), so that nothing but the results is stored. The
batches are the last 120 positions of encode/testdata/napoleon.jsonl.gz in their order, which has them packed and as
numbers. Of long tensors the file has 16 elements and the norm. Every third sample has no value. Adam is PyTorch's with
the ε of Keras, 1e-7, without clipping and weight decay.

The learning rate is a tenth of the recipe's and the weights are small. Otherwise float32, in PyTorch too, leaves
float64 within two steps: 2,176 inputs of a dense layer that all move by the same step turn many a ReLU on or off. As it
is, float32 in PyTorch keeps within 1e-6 of the norm of each tensor after five steps, and within 1e-5 of that of
each gradient of the first.
"""
import gzip
import json
import os

import numpy as np
import torch

from napoleon import Napoleon, loss
from vectors import digest, initial, learn, number, write

here = os.path.dirname(os.path.abspath(__file__))
N, GAIN, LR, EPSILON, STEPS = 24, 1, 0.0001, 1e-7, 5
torch.set_default_dtype(torch.float64)


def batch(step):
    with gzip.open(os.path.join(here, "../../encode/testdata/napoleon.jsonl.gz"), "rt") as f:
        rows = [json.loads(row)["numbers"] for row in f][-STEPS * N:][step * N:][:N]
    numbers = np.array(rows, dtype=np.float64).reshape(N, 34, 8, 8)
    value = number(f"value {step}", N).astype(np.float32).astype(np.float64)
    has = [0.0 if i % 3 == 2 else 1.0 for i in range(N)]
    return [torch.tensor(x) for x in (numbers, value, has)]


net = Napoleon()
state = {name: initial(name, t.shape, GAIN) for name, t in net.state_dict().items()}
net.load_state_dict(state)
parameters = sum(p.numel() for p in net.parameters())
assert parameters == 162_595, parameters
out = {"torch": torch.__version__.split("+")[0], "positions": N, "parameters": parameters, "gain": GAIN, "lr": LR,
       "decay": 0, "clip": 0, "epsilon": EPSILON, "initial": {k: digest(v) for k, v in state.items()}}


def mode(training, data):
    net.train(training)
    value = net(data[0])
    mse = loss(value, *data[1:])
    return {"value": value.tolist(), "mse": mse.item()}, mse


out["evaluation"], _ = mode(False, batch(0))
optimizer = torch.optim.Adam(net.parameters(), lr=LR, eps=EPSILON)
out["steps"] = []
for step in range(STEPS):
    result, mse = mode(True, batch(step))
    out["steps"].append(result | learn(net, optimizer, mse, step == 0))

write(os.path.join(here, "napoleon.json.gz"), out)
print(json.dumps([s["mse"] for s in out["steps"]] + [out["steps"][0]["norm"]]))
