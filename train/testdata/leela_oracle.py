"""Writes leela.json.gz, known answers for networks of the recipe leela: a forward pass in both modes, a training step's
losses, gradients and statistics, and steps with AdamW, all computed by PyTorch in float64.

    pip install torch; python3 leela_oracle.py

Weights and targets are functions of names and indices (vectors.py), so that nothing but the results is stored. The
positions are those of encode/testdata/leela.txt.gz of the network's form of input, over and over, with the planes and
the numbers of legal moves that lc0 gives them; as none of them has a promotion, sample i lists number 1792 + 7i modulo
66 after its legal moves, in the order of the file. The moves to be learnt are the first and the last of the listed ones;
every fifth sample has none, every third has no value, and every fourth no known end. Of long tensors the file has 16
elements and the norm; weights are those after the first and the last step. AdamW decays matrices and kernels alone, and
neither factors nor addends of squares; its ε is large, as some gradients are 0 but for rounding: those of the biases of
keys, which a softmax does not see, and of weights that add a constant to what is normalised.
"""
import gzip
import json
import os

import numpy as np
import torch

from leela import MOVES, Leela, losses
from vectors import digest, initial, learn, number, write

here = os.path.dirname(os.path.abspath(__file__))
N, LR, DECAY, CLIP, EPSILON, STEPS = 24, 0.001, 0.1, 0.0, 1e-4, 5
torch.set_default_dtype(torch.float64)

TOWER = dict(input=1, activation="relu", blocks=2, filters=8, squeeze=4, norm=True, policy="convolution", policy_filters=80,
             chances=True, value_filters=3, value_hidden=16, moves_left_filters=2, moves_left_hidden=8,
             value_weight=0.75, moves_left_weight=0.5, encoders=0, features=0)
BODY = dict(input=3, activation="mish", blocks=0, filters=0, norm=False, encoders=2, features=16, attention_heads=2, depth=8,
            feed_forward=24, embedding="dense", board_features=3, embed_feed_forward=12, gates=True, smolgen_compress=2,
            smolgen_hidden=12, smolgen_features=5, ffn_activation="relu2", smolgen_activation="swish", policy="attention",
            policy_features=12, policy_depth=10, chances=True, value_filters=3, value_hidden=16, moves_left_filters=2,
            moves_left_hidden=8, value_weight=0.75, moves_left_weight=0.5)
# Settings, steps, and gain of the first weights. With these gains no input of a ReLU is nearer to 0 than 7e-6 standard
# deviations of its tensor, as float32 rounds those to either side, by processor.
NETWORKS = {
    "tower": (TOWER, STEPS, 69 / 64),
    "folded": (TOWER | dict(input=2, activation="mish", squeeze=0, norm=False, policy="attention", policy_features=12,
                            policy_depth=10, chances=False, moves_left_filters=0), 1, 79 / 64),
    "classical": (TOWER | dict(input=5, policy="classical", policy_filters=3), 1, 77 / 64),
    "body": (BODY, STEPS, 1),
    "map": (BODY | dict(input=4, activation="relu", embedding="map", gates=False, smolgen_compress=0, ffn_activation="selu",
                        chances=False), 1, 51 / 64),
}


def rows(form):
    with gzip.open(os.path.join(here, "../../encode/testdata/leela.txt.gz"), "rt") as f:
        for line in f:
            fields = line.rstrip("\n").split("\t")
            if int(fields[0]) != form:
                continue
            planes = np.zeros((112, 64))
            for plane in fields[3].split():
                i, mask, value = plane.split(":")
                squares = [s for s in range(64) if int(mask, 16) >> s & 1]
                planes[int(i), squares] = np.float32(value)
            yield planes.reshape(112, 8, 8), [int(m.split(":")[1]) for m in fields[4].split()]


def batch(positions, step):
    planes, indices, weights = [], [], []
    for i in range(N):
        position, legal = positions[(step * N + i) % len(positions)]
        planes.append(torch.tensor(position))
        indices.append(torch.tensor(legal + [1792 + 7 * i % 66]))
        weight = torch.zeros(len(legal) + 1)
        if i % 5 != 4:
            weight[0], weight[-1] = 0.75, 0.25
        weights.append(weight)
    number32 = lambda name: torch.tensor(number(f"{name} {step}", N).astype(np.float32).astype(np.float64))
    win = (number32("win") + 1) / 4
    draw = (number32("draw") + 1) / 4
    without = lambda every: torch.tensor([0.0 if i % every == every - 1 else 1.0 for i in range(N)])
    return [torch.stack(planes), indices, weights, number32("value"), torch.stack([win, draw, 1 - win - draw], 1), without(3),
            20 * (number32("plies") + 1), without(4)]


def mode(net, settings, training, data):
    net.train(training)
    logits, game, plies = heads = net(data[0])
    terms = losses(heads, *data[1:])
    result = {name: term.item() for name, term in terms.items()}
    if not training:
        value = game
        if settings["chances"]:
            result["chances"] = digest(game)
            value = torch.softmax(game, 1) @ torch.tensor([1.0, 0.0, -1.0])
        result |= {"logits": digest(logits), "value": value.tolist()}
        if plies is not None:
            result["plies"] = digest(plies)
    weights = {"policy": 1, "left": settings["moves_left_weight"]}
    return result, sum(weights.get(name, settings["value_weight"]) * term for name, term in terms.items())


def first(name, shape, gain):
    """Norms named ffn_ln, factors and addends begin as norms do."""
    if name in ("embed.factor", "embed.addend") or name.startswith("embed.ffn_ln"):
        u = number(name, int(np.prod(shape)))
        u = 1 + 0.2 * u if name.endswith(("factor", "weight")) else 0.1 * u
        return torch.tensor(u.astype(np.float32).astype(np.float64).reshape(shape))
    return initial(name, shape, gain)


def groups(net):
    decays = lambda name, p: p.dim() > 1 and name not in ("embed.factor", "embed.addend")
    named = list(net.named_parameters())
    return [{"params": [p for name, p in named if decays(name, p)], "weight_decay": DECAY},
            {"params": [p for name, p in named if not decays(name, p)], "weight_decay": 0.0}]


assert len(MOVES) == 1858
networks = {}
for name, (settings, steps, gain) in NETWORKS.items():
    net, positions = Leela(**settings), list(rows(settings["input"]))
    state = {k: first(k, t.shape, gain) for k, t in net.state_dict().items() if "num_batches" not in k}
    net.load_state_dict(state, strict=False)
    out = {"torch": torch.__version__.split("+")[0], "positions": N, "settings": settings, "gain": gain, "lr": LR,
           "decay": DECAY, "clip": CLIP, "epsilon": EPSILON, "initial": {k: digest(v) for k, v in state.items()}}
    out["evaluation"], _ = mode(net, settings, False, batch(positions, 0))
    optimizer = torch.optim.AdamW(groups(net), lr=LR, eps=EPSILON)
    out["steps"] = []
    for step in range(steps):
        result, loss = mode(net, settings, True, batch(positions, step))
        result |= learn(net, optimizer, loss, step == 0)
        if 0 < step < steps - 1:
            del result["after"]
        out["steps"].append(result)
    networks[name] = out
    print(name, json.dumps([[s["policy"], s.get("wdl", s.get("mse")), s.get("left"), s["norm"]] for s in out["steps"]]))
write(os.path.join(here, "leela.json.gz"), networks)
