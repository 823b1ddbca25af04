"""The network of the recipe lynx in PyTorch, written from its description alone. lynx_oracle.py uses it."""
import torch
from torch import nn
import torch.nn.functional as F

PLANES, MOVE_PLANES = 49, 73


class Block(nn.Module):
    def __init__(self, filters, squeeze):
        super().__init__()
        self.conv1 = nn.Conv2d(filters, filters, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(filters)
        self.conv2 = nn.Conv2d(filters, filters, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(filters)
        if squeeze:
            self.se = nn.ModuleDict({"fc1": nn.Linear(filters, squeeze), "fc2": nn.Linear(squeeze, filters)})

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        if hasattr(self, "se"):
            gate = torch.sigmoid(self.se.fc2(F.relu(self.se.fc1(y.mean((2, 3))))))
            y = y * gate[:, :, None, None]
        return F.relu(y + x)


class Lynx(nn.Module):
    """planes [N, 49, 8, 8] of 0 and 1 → logits [N, 73·64], logits of win, draw and loss [N, 3], value [N]"""

    def __init__(self, blocks, filters, squeeze, value_filters, hidden):
        super().__init__()
        self.stem = nn.ModuleDict({"conv": nn.Conv2d(PLANES, filters, 3, padding=1, bias=False), "bn": nn.BatchNorm2d(filters)})
        self.blocks = nn.ModuleList(Block(filters, squeeze) for _ in range(blocks))
        self.policy = nn.ModuleDict({"conv": nn.Conv2d(filters, filters, 3, padding=1, bias=False), "bn": nn.BatchNorm2d(filters),
                                     "planes": nn.Conv2d(filters, MOVE_PLANES, 1)})
        self.value = nn.ModuleDict({"conv": nn.Conv2d(filters, value_filters, 1, bias=False), "bn": nn.BatchNorm2d(value_filters),
                                    "fc1": nn.Linear(64 * value_filters, hidden), "chances": nn.Linear(hidden, 3),
                                    "fc2": nn.Linear(hidden, 1)})

    def forward(self, planes):
        x = F.relu(self.stem.bn(self.stem.conv(planes)))
        for block in self.blocks:
            x = block(x)
        p, v = self.policy, self.value
        logits = p.planes(F.relu(p.bn(p.conv(x)))).flatten(1)
        h = F.relu(v.fc1(F.relu(v.bn(v.conv(x))).flatten(1)))
        return logits, v.chances(h), torch.tanh(v.fc2(h)).squeeze(1)


def losses(logits, chances, value, indices, weights, target, wdl, known):
    """Cross-entropy of the move among the legal ones over samples with a move; cross-entropy of the chances and mean squared
    error over those with a value.

    indices[i] [L] are those of the legal moves of sample i, weights[i] [L] those of the moves to be learnt, which sum to
    1 or are all 0; wdl [N, 3] are chances."""
    policy, samples = 0, 0
    for z, index, weight in zip(logits, indices, weights):
        if weight.sum() > 0:
            policy = policy - (weight * F.log_softmax(z[index], 0)).sum()
            samples += 1
    entropy = -(wdl * F.log_softmax(chances, 1)).sum(1)
    return policy / samples, (known * entropy).sum() / known.sum(), (known * (value - target) ** 2).sum() / known.sum()
