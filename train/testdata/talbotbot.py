"""The network of the recipe talbotbot in PyTorch, written from its description alone. talbotbot_oracle.py uses it."""
import torch
from torch import nn
import torch.nn.functional as F

PLANES, MOVES = 68, 4672


class Block(nn.Module):
    def __init__(self, filters, dropout):
        super().__init__()
        self.conv1 = nn.Conv2d(filters, filters, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(filters)
        self.drop = nn.Dropout2d(dropout)
        self.conv2 = nn.Conv2d(filters, filters, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(filters)

    def forward(self, x):
        y = self.drop(F.relu(self.bn1(self.conv1(x))))
        return F.relu(self.bn2(self.conv2(y)) + x)


class Residual(nn.Module):
    """Stem, blocks and value, which the network of the recipe tahl has too."""

    def __init__(self, planes, blocks, filters, block_dropout, value_dropout):
        super().__init__()
        self.stem = nn.ModuleDict({"conv": nn.Conv2d(planes, filters, 3, padding=1, bias=False), "bn": nn.BatchNorm2d(filters)})
        self.blocks = nn.ModuleList(Block(filters, block_dropout if 2 * b >= blocks else 0) for b in range(1, blocks + 1))
        self.value = nn.ModuleDict({"conv": nn.Conv2d(filters, 1, 1, bias=False), "bn": nn.BatchNorm2d(1),
                                    "fc1": nn.Linear(64, 64), "drop": nn.Dropout(value_dropout), "fc2": nn.Linear(64, 1)})

    def trunk(self, planes):
        x = F.relu(self.stem.bn(self.stem.conv(planes)))
        for block in self.blocks:
            x = block(x)
        return x

    def worth(self, x):
        v = self.value
        h = F.relu(v.fc1(F.relu(v.bn(v.conv(x))).flatten(1)))
        return torch.tanh(v.fc2(v.drop(h))).squeeze(1)


class TalbotBot(Residual):
    """planes [N, 68, 8, 8] of 0 and 1 → logits [N, 4672], value [N]"""

    def __init__(self, blocks, filters, block_dropout=0.0, value_dropout=0.0):
        super().__init__(PLANES, blocks, filters, block_dropout, value_dropout)
        self.policy = nn.ModuleDict({"conv": nn.Conv2d(filters, 2, 1, bias=False), "bn": nn.BatchNorm2d(2), "fc": nn.Linear(128, MOVES)})

    def forward(self, planes):
        x = self.trunk(planes)
        p = self.policy
        return p.fc(F.relu(p.bn(p.conv(x))).flatten(1)), self.worth(x)


def losses(logits, value, policy_index, policy_weight, target, value_weight):
    """Mean cross-entropy over samples with a policy target, mean squared error over those with a value label.

    policy_index and policy_weight are [N, K]; the weights of a sample sum to 1, or are all 0."""
    log_p = F.log_softmax(logits, 1).gather(1, policy_index)
    policies = (policy_weight.sum(1) > 0).sum()
    policy = -(policy_weight * log_p).sum() / policies
    return policy, (value_weight * (value - target) ** 2).sum() / value_weight.sum()


def groups(net, decay):
    """Parameters for AdamW: weight decay on convolutions and matrices alone."""
    matrices = [p for p in net.parameters() if p.dim() > 1]
    others = [p for p in net.parameters() if p.dim() <= 1]
    return [{"params": matrices, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]
