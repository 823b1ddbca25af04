"""The network of the recipe tahl in PyTorch, written from its description alone. tahl_oracle.py uses it."""
from torch import nn
import torch.nn.functional as F

from talbotbot import Residual

PLANES, LAYERS = 28, 12


class Tahl(Residual):
    """planes [N, 28, 8, 8] of 0 and 1 → logits of the board after the move [N, 12, 8, 8], value [N]"""

    def __init__(self, blocks, filters, block_dropout=0.0, value_dropout=0.0):
        super().__init__(PLANES, blocks, filters, block_dropout, value_dropout)
        self.after = nn.Conv2d(filters, LAYERS, 1)

    def forward(self, planes):
        x = self.trunk(planes)
        return self.after(x), self.worth(x)


def losses(logits, value, boards, weights, target, value_weight):
    """Cross-entropy of the move among the legal ones, mean binary cross-entropy over the bits after the move, both over
    samples with a move, and mean squared error over those with a value.

    boards[i] [L, 12, 8, 8] are the boards after each legal move of sample i, weights[i] [L] those of the moves to be
    learnt, which sum to 1 or are all 0. Scores are sums over whole boards here, and the bits are those of the boards."""
    policy, bits, samples = 0, 0, 0
    for z, after, weight in zip(logits, boards, weights):
        if weight.sum() == 0:
            continue
        scores = (after * z).sum((1, 2, 3))
        policy = policy - (weight * F.log_softmax(scores, 0)).sum()
        expected = (weight[:, None, None, None] * after).sum(0)
        bits = bits + F.binary_cross_entropy_with_logits(z, expected)
        samples += 1
    mse = (value_weight * (value - target) ** 2).sum() / value_weight.sum()
    return policy / samples, bits / samples, mse
