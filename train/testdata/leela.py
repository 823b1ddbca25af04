"""The networks of the recipe leela, which are lc0's, in PyTorch, written from their description alone. leela_oracle.py uses
it.

Squares are numbered a1 = 0, b1 = 1 … h8 = 63, as the side to move sees them. Settings are those of the recipe.
"""
import math

import torch
from torch import nn
import torch.nn.functional as F

PLANES = 112
ACTIVATIONS = {"mish": F.mish, "relu": F.relu, "none": lambda x: x, "tanh": torch.tanh, "sigmoid": torch.sigmoid,
               "selu": F.selu, "swish": F.silu, "relu2": lambda x: F.relu(x) ** 2}

DIRECTIONS = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]  # N NE E SE S SW W NW, (rank, file)
KNIGHT = [(2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1)]


def numbered():
    """Of each of the 1858 moves: its squares, and the index of the piece among queen, rook and bishop, or None."""
    for a in range(64):
        for b in range(64):
            dr, df = b // 8 - a // 8, b % 8 - a % 8
            if a != b and (dr == 0 or df == 0 or abs(dr) == abs(df) or (dr, df) in KNIGHT):
                yield a, b, None
    for f in range(8):
        for t in (f - 1, f, f + 1):
            if 0 <= t < 8:
                for piece in range(3):
                    yield 48 + f, 56 + t, piece


MOVES = list(numbered())


def in_planes(a, b, piece):
    """Where a convolution has a move: plane · 64 + from. Planes 64 … 72 are promotions to rook, bishop and queen on the
    file to the left, then straight, then to the right."""
    dr, df = b // 8 - a // 8, b % 8 - a % 8
    if piece is not None:
        plane = 64 + 3 * (df + 1) + [2, 0, 1][piece]
    elif (dr, df) in KNIGHT:
        plane = 56 + KNIGHT.index((dr, df))
    else:
        far = max(abs(dr), abs(df))
        plane = 7 * DIRECTIONS.index((dr // far, df // far)) + far - 1
    return 64 * plane + a


def in_pairs(a, b, piece):
    """Where attention has it: 64 · from + to, and then from file, to file and piece of promotions."""
    return 64 * a + b if piece is None else 4096 + 24 * (a % 8) + 3 * (b % 8) + piece


IN_PLANES, IN_PAIRS = torch.tensor([in_planes(*m) for m in MOVES]), torch.tensor([in_pairs(*m) for m in MOVES])


def reach():
    """−1 where both squares are one, 1 where a queen or a knight reaches one from the other."""
    m = -torch.eye(64)
    for a, b, piece in MOVES:
        if piece is None:
            m[a, b] = 1
    return m


class Head(nn.Module):
    """Features of each square, flattened, and two linear layers."""

    def __init__(self, s, filters, hidden, out):
        super().__init__()
        self.act = ACTIVATIONS[s["activation"]]
        if s["blocks"]:
            self.conv = nn.Conv2d(s["filters"], filters, 1, bias=not s["norm"])
            if s["norm"]:
                self.bn = nn.BatchNorm2d(filters)
        else:
            self.embed = nn.Linear(s["features"], filters)
        self.fc1, self.fc2 = nn.Linear(64 * filters, hidden), nn.Linear(hidden, out)

    def forward(self, x):
        if hasattr(self, "embed"):
            flat = self.embed(x).flatten(1)  # square · features + feature
        else:
            y = self.conv(x)
            flat = (self.bn(y) if hasattr(self, "bn") else y).flatten(1)  # filter · 64 + square
        return self.fc2(self.act(self.fc1(self.act(flat))))


class ConvolutionPolicy(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.act, f = ACTIVATIONS[s["activation"]], s["filters"]
        self.conv = nn.Conv2d(f, f, 3, padding=1, bias=not s["norm"])
        self.bn = nn.BatchNorm2d(f) if s["norm"] else nn.Identity()
        self.planes = nn.Conv2d(f, s["policy_filters"], 3, padding=1)

    def forward(self, x):
        return self.planes(self.act(self.bn(self.conv(x)))).flatten(1)[:, IN_PLANES]


class ClassicalPolicy(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.act = ACTIVATIONS[s["activation"]]
        self.conv = nn.Conv2d(s["filters"], s["policy_filters"], 1, bias=not s["norm"])
        self.bn = nn.BatchNorm2d(s["policy_filters"]) if s["norm"] else nn.Identity()
        self.fc = nn.Linear(64 * s["policy_filters"], len(MOVES))

    def forward(self, x):
        return self.fc(self.act(self.bn(self.conv(x))).flatten(1))


class AttentionPolicy(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.act = F.selu if s["blocks"] else ACTIVATIONS[s["activation"]]
        d = s["policy_depth"]
        self.embed = nn.Linear(s["filters"] or s["features"], s["policy_features"])
        self.q, self.k = nn.Linear(s["policy_features"], d), nn.Linear(s["policy_features"], d)
        self.promotion = nn.Linear(d, 4, bias=False)

    def forward(self, x):
        if x.dim() == 4:
            x = x.flatten(2).transpose(1, 2)
        p = self.act(self.embed(x))
        q, k = self.q(p), self.k(p)
        scores = q @ k.transpose(1, 2) / math.sqrt(k.shape[2])
        o = self.promotion(k[:, 56:])  # [N, to file, 4]
        piece = o[:, :, :3] + o[:, :, 3:]
        pawns = scores[:, 48:56, 56:]
        promotions = pawns[:, :, :, None] + piece[:, None]
        return torch.cat([scores.flatten(1), promotions.flatten(1)], 1)[:, IN_PAIRS]


POLICIES = {"convolution": ConvolutionPolicy, "classical": ClassicalPolicy, "attention": AttentionPolicy}


class Block(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.act, f = ACTIVATIONS[s["activation"]], s["filters"]
        for i in "12":
            setattr(self, "conv" + i, nn.Conv2d(f, f, 3, padding=1, bias=not s["norm"]))
            setattr(self, "bn" + i, nn.BatchNorm2d(f) if s["norm"] else nn.Identity())
        if s["squeeze"]:
            self.se = nn.ModuleDict({"fc1": nn.Linear(f, s["squeeze"]), "fc2": nn.Linear(s["squeeze"], 2 * f)})

    def forward(self, x):
        y = self.bn2(self.conv2(self.act(self.bn1(self.conv1(x)))))
        if hasattr(self, "se"):
            z = self.se.fc2(self.act(self.se.fc1(y.mean((2, 3)))))
            factor, addend = z.chunk(2, 1)
            y = torch.sigmoid(factor)[:, :, None, None] * y + addend[:, :, None, None]
        return self.act(y + x)


class FeedForward(nn.Module):
    def __init__(self, s, hidden):
        super().__init__()
        self.act = ACTIVATIONS[s["ffn_activation"]]
        self.fc1, self.fc2 = nn.Linear(s["features"], hidden), nn.Linear(hidden, s["features"])

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))


class Smolgen(nn.Module):
    """Numbers for each head, of which a layer that all encoders share makes what is added to the scores."""

    def __init__(self, s):
        super().__init__()
        self.act, self.heads = ACTIVATIONS[s["smolgen_activation"]], s["attention_heads"]
        hidden, n = s["smolgen_hidden"], self.heads * s["smolgen_features"]
        self.compress = nn.Linear(s["features"], s["smolgen_compress"], bias=False)
        self.fc1, self.ln1 = nn.Linear(64 * s["smolgen_compress"], hidden), nn.LayerNorm(hidden, eps=1e-3)
        self.fc2, self.ln2 = nn.Linear(hidden, n), nn.LayerNorm(n, eps=1e-3)

    def forward(self, x):
        y = self.ln1(self.act(self.fc1(self.compress(x).flatten(1))))
        return self.ln2(self.act(self.fc2(y))).unflatten(1, (self.heads, -1))


class Encoder(nn.Module):
    def __init__(self, s, epsilon):
        super().__init__()
        e, d = s["features"], s["depth"]
        self.heads, self.alpha = s["attention_heads"], (2 * s["encoders"]) ** -0.25
        self.q, self.k, self.v, self.out = nn.Linear(e, d), nn.Linear(e, d), nn.Linear(e, d), nn.Linear(d, e)
        if s["smolgen_compress"]:
            self.smolgen = Smolgen(s)
        self.ln1, self.ln2 = nn.LayerNorm(e, eps=epsilon), nn.LayerNorm(e, eps=epsilon)
        self.ffn = FeedForward(s, s["feed_forward"])

    def forward(self, x, shared):
        heads = lambda y: y.unflatten(2, (self.heads, -1)).transpose(1, 2)  # [N, heads, 64, depth of a head]
        q, k, v = heads(self.q(x)), heads(self.k(x)), heads(self.v(x))
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[3])
        if shared is not None:
            scores = scores + shared(self.smolgen(x)).unflatten(2, (64, 64))  # query, key
        y = (torch.softmax(scores, 3) @ v).transpose(1, 2).flatten(2)
        x = self.ln1(self.alpha * self.out(y) + x)
        return self.ln2(self.alpha * self.ffn(x) + x)


class Embed(nn.Module):
    def __init__(self, s, epsilon):
        super().__init__()
        self.act, self.alpha, e = ACTIVATIONS[s["activation"]], (2 * s["encoders"]) ** -0.25, s["features"]
        self.dense = s["embedding"] == "dense"
        if self.dense:
            self.board = nn.Linear(64 * 12, 64 * s["board_features"])
            self.ln, self.ffn_ln = nn.LayerNorm(e, eps=epsilon), nn.LayerNorm(e, eps=epsilon)
            self.ffn = FeedForward(s, s["embed_feed_forward"])
        self.fc = nn.Linear(PLANES + (s["board_features"] if self.dense else 64), e)
        if s["gates"]:
            self.factor, self.addend = nn.Parameter(torch.ones(e, 64)), nn.Parameter(torch.zeros(e, 64))

    def forward(self, planes):
        x = planes.flatten(2).transpose(1, 2)  # [N, 64, 112]
        if self.dense:
            more = self.board(x[:, :, :12].flatten(1)).unflatten(1, (64, -1))
        else:
            more = reach().expand(len(x), 64, 64)
        h = self.act(self.fc(torch.cat([x, more], 2)))
        if self.dense:
            h = self.ln(h)
        if hasattr(self, "factor"):
            h = h * self.factor.T + self.addend.T
        if self.dense:
            h = self.ffn_ln(self.alpha * self.ffn(h) + h)
        return h


class Leela(nn.Module):
    """planes [N, 112, 8, 8] → logits [N, 1858]; logits of win, draw and loss [N, 3], or a value [N]; plies left [N], or
    None"""

    def __init__(self, **s):
        super().__init__()
        self.act, self.chances = ACTIVATIONS[s["activation"]], s["chances"]
        if s["blocks"]:
            self.stem = nn.ModuleDict({"conv": nn.Conv2d(PLANES, s["filters"], 3, padding=1, bias=not s["norm"]),
                                       "bn": nn.BatchNorm2d(s["filters"]) if s["norm"] else nn.Identity()})
            self.blocks = nn.ModuleList(Block(s) for _ in range(s["blocks"]))
        else:
            epsilon = 1e-3 if s["embedding"] == "dense" else 1e-6
            self.embed = Embed(s, epsilon)
            self.encoders = nn.ModuleList(Encoder(s, epsilon) for _ in range(s["encoders"]))
            self.smolgen = nn.Linear(s["smolgen_features"], 64 * 64, bias=False) if s["smolgen_compress"] else None
        self.policy = POLICIES[s["policy"]](s)
        self.value = Head(s, s["value_filters"], s["value_hidden"], 3 if s["chances"] else 1)
        if s["moves_left_filters"]:
            self.moves_left = Head(s, s["moves_left_filters"], s["moves_left_hidden"], 1)

    def forward(self, planes):
        if hasattr(self, "stem"):
            x = self.act(self.stem.bn(self.stem.conv(planes)))
            for block in self.blocks:
                x = block(x)
        else:
            x = self.embed(planes)
            for encoder in self.encoders:
                x = encoder(x, self.smolgen)
        value = self.value(x)
        left = F.relu(self.moves_left(x)).squeeze(1) if hasattr(self, "moves_left") else None
        return self.policy(x), value if self.chances else torch.tanh(value).squeeze(1), left


def losses(heads, indices, weights, target, wdl, known, plies, ends):
    """Cross-entropy of the move among the listed ones over samples with a move; cross-entropy of the chances, or mean squared
    error of the value, over those with a value; Huber's loss of a 20th of the plies left, linear from 10 plies on, over
    those whose end is known.

    indices[i] [L] are those of the listed moves of sample i, weights[i] [L] those of the moves to be learnt, which sum to
    1 or are all 0; wdl [N, 3] are chances; known and ends [N] are 0 or 1."""
    logits, value, left = heads
    policy, samples = 0, 0
    for z, index, weight in zip(logits, indices, weights):
        if weight.sum() > 0:
            policy = policy - (weight * F.log_softmax(z[index], 0)).sum()
            samples += 1
    if value.dim() == 2:
        game = {"wdl": (known * -(wdl * F.log_softmax(value, 1)).sum(1)).sum() / known.sum()}
    else:
        game = {"mse": (known * (value - target) ** 2).sum() / known.sum()}
    if left is not None:
        huber = F.huber_loss(left / 20, plies / 20, reduction="none", delta=10 / 20)
        game["left"] = (ends * huber).sum() / ends.sum()
    return {"policy": policy / samples} | game
