"""The network of the recipe prior in PyTorch, written from its description alone. prior_oracle.py uses it."""
import torch
from torch import nn

from napoleon import Norm

PLANES, MOVES = 18, 1968


class Block(nn.Module):
    def __init__(self, filters):
        super().__init__()
        self.conv1 = nn.Conv2d(filters, filters, 3, padding=1, bias=False)
        self.bn1 = Norm(filters)
        self.conv2 = nn.Conv2d(filters, filters, 3, padding=1, bias=False)
        self.bn2 = Norm(filters)

    def forward(self, x):
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(y)) + x)


class Prior(nn.Module):
    """planes [N, 18, 8, 8] → logits [N, 1968]"""

    def __init__(self, blocks=7, filters=256):
        super().__init__()
        self.stem = nn.ModuleDict({"conv": nn.Conv2d(PLANES, filters, 5, padding=2, bias=False), "bn": Norm(filters)})
        self.blocks = nn.ModuleList(Block(filters) for _ in range(blocks))
        self.policy = nn.ModuleDict({"conv": nn.Conv2d(filters, 2, 1, bias=False), "bn": Norm(2),
                                     "fc": nn.Linear(128, MOVES)})

    def forward(self, planes):
        x = torch.relu(self.stem["bn"](self.stem["conv"](planes)))
        for block in self.blocks:
            x = block(x)
        p = self.policy
        return p["fc"](torch.relu(p["bn"](p["conv"](x))).flatten(1))

    def kernels(self):
        """The weights of convolutions and of the linear layer."""
        return [p for p in self.parameters() if p.dim() > 1]


def among(logits, legal):
    """The logits of the legal moves, and −∞ for all others."""
    out = torch.full_like(logits, -torch.inf)
    for i, moves in enumerate(legal):
        out[i, moves] = logits[i, moves]
    return out


def cross_entropy(logits, index, weight):
    """The mean over the samples with a target; index and weight are [N, K]."""
    ce = -(weight * torch.log_softmax(logits, 1).gather(1, index)).sum(1)
    return ce.sum() / (weight.sum(1) > 0).sum()


def penalty(net, l2):
    return l2 * sum((w**2).sum() for w in net.kernels())
