"""The network of the recipe nosearch in PyTorch, written from its description alone. nosearch_oracle.py uses it."""
import torch
from torch import nn
from torch.nn import functional as F

IDS, SQUARES, BITS, MOVES = 27, 65, 13, 1968


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        n, tokens, width = x.shape
        q, k, v = (part.view(n, tokens, self.heads, -1).transpose(1, 2) for part in self.qkv(x).split(width, dim=2))
        y = F.scaled_dot_product_attention(q, k, v)
        return self.out(y.transpose(1, 2).reshape(n, tokens, width))


class Block(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.mlp = nn.ModuleDict({"fc1": nn.Linear(width, 4 * width), "gelu": nn.GELU(),
                                  "fc2": nn.Linear(4 * width, width)})
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        x = x + self.drop(self.attention(self.ln1(x)))
        m = self.mlp
        return x + self.drop(m.fc2(m.gelu(m.fc1(self.ln2(x)))))


class NoSearch(nn.Module):
    """ids [N, 65] and bits [N, 13], whole numbers → logits [N, 1968]"""

    def __init__(self, width=256, blocks=8, heads=8, dropout=0.0):
        super().__init__()
        self.token, self.place = nn.Embedding(IDS, width), nn.Embedding(SQUARES, width)
        self.bit = nn.Embedding(2 * BITS, width)
        self.blocks = nn.ModuleList(Block(width, heads, dropout) for _ in range(blocks))
        self.policy = nn.ModuleDict({"ln": nn.LayerNorm(width), "fc": nn.Linear(width, MOVES)})

    def forward(self, ids, bits):
        squares = self.token(ids) + self.place(torch.arange(SQUARES, device=ids.device))
        x = torch.cat([squares, self.bit(2 * torch.arange(BITS, device=ids.device) + bits)], 1)
        for block in self.blocks:
            x = block(x)
        return self.policy.fc(self.policy.ln(x[:, 0]))


def losses(logits, index, weight):
    """Mean cross-entropy over samples with a policy target, softmax over all moves; index and weight are [N, K], and
    the weights of a sample sum to 1, or are all 0."""
    log_p = F.log_softmax(logits, 1).gather(1, index)
    return -(weight * log_p).sum() / (weight.sum(1) > 0).sum()


def score_loss(logits, legal, played, result, plies):
    """Mean cross-entropy with the softmax of the scores: legal is a list of lists of moves, played a list of them."""
    scores = torch.full_like(logits, -10)
    for i, moves in enumerate(legal):
        scores[i, moves] = 0
        n = (plies[i] + 1) // 2  # moves of this side that are left, this one included
        scores[i, played[i]] = {1: 4 + 1 / n, 0: 0, -1: -4 - 1 / n}[result[i]]
    return F.cross_entropy(logits, scores.softmax(1))
