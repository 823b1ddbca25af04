"""Writes probability.json.gz, known answers for the network of the recipe probability: a forward pass, a training
step's losses and gradients, and five steps with Adam, all computed by PyTorch in float64. The network is written from
its description alone.

    pip install torch; python3 probability_oracle.py > /dev/null

Weights and inputs are functions of names and indices (vectors.py), so that nothing but the results is stored. Inputs are
words of 16 bits, as the recipe packs them: word j of position i is the i·101+j-th of the numbers "input", scaled to 0 …
65534. Targets are three quarters candidate i mod 20 and one quarter candidate 7i+3 mod 20; every fifth sample has none.
Adam is PyTorch's with the ε of Keras, 1e-7, without clipping and weight decay: the weights decay by the loss. L2 is
0.007, a hundred times that of the recipe, so that its gradient counts.
"""
import json
import os

import torch
from torch import nn

from vectors import digest, initial, learn, number, write

here = os.path.dirname(os.path.abspath(__file__))
N, GAIN, LR, EPSILON, STEPS, L2, HIDDEN = 16, 1, 0.001, 1e-7, 5, 0.007, 24
torch.set_default_dtype(torch.float64)


class Probability(nn.Module):
    """numbers [N, 101] → logits [N, 20]"""

    def __init__(self, hidden=128):
        super().__init__()
        self.fc1, self.fc2, self.out = nn.Linear(101, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, 20)

    def forward(self, x):
        return self.out(torch.sigmoid(self.fc2(torch.sigmoid(self.fc1(x)))))


words = torch.tensor(((number("input", STEPS * N * 101) + 1) * 32767).astype("int64")).reshape(STEPS, N, 101)
scale = torch.tensor([65535.0] * 20 + [32767.0] * 80 + [1500.0])
shift = torch.tensor([0.0] * 20 + [-1.0] * 81)


def batch(step):
    at = torch.arange(N) + step * N
    index = torch.stack([at % 20, (7 * at + 3) % 20], 1)
    weight = torch.tensor([[0.0, 0.0] if i % 5 == 4 else [0.75, 0.25] for i in range(N)])
    return words[step] / scale + shift, index, weight


def losses(net, data):
    x, index, weight = data
    logits = net(x)
    ce = -(weight * torch.log_softmax(logits, 1).gather(1, index)).sum(1)
    return logits, ce.sum() / (weight.sum(1) > 0).sum(), L2 * sum((p**2).sum() for p in net.parameters() if p.dim() > 1)


published = sum(p.numel() for p in Probability().parameters())
assert published == 32_148, published
net = Probability(HIDDEN)
state = {name: initial(name, t.shape, GAIN) for name, t in net.state_dict().items()}
net.load_state_dict(state)
logits, ce, penalty = losses(net, batch(0))
out = {"torch": torch.__version__.split("+")[0], "positions": N, "hidden": HIDDEN, "gain": GAIN, "lr": LR, "decay": 0,
       "clip": 0, "epsilon": EPSILON, "l2": L2, "initial": {k: digest(v) for k, v in state.items()},
       "evaluation": {"logits": digest(logits), "policy": ce.item(), "penalty": penalty.item()}, "steps": []}
optimizer = torch.optim.Adam(net.parameters(), lr=LR, eps=EPSILON)
for step in range(STEPS):
    _, ce, penalty = losses(net, batch(step))
    result = {"policy": ce.item(), "penalty": penalty.item()}
    out["steps"].append(result | learn(net, optimizer, ce + penalty, step == 0))

write(os.path.join(here, "probability.json.gz"), out)
print(json.dumps([[s["policy"], s["penalty"], s["norm"]] for s in out["steps"]]))
