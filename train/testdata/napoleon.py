"""The network of the recipe napoleon in PyTorch, written from its description alone. napoleon_oracle.py uses it."""
import torch
from torch import nn

PLANES = 34


class Norm(nn.Module):
    """Keras's BatchNormalization over all but axis 1: ε 1e-3, running = 0.99·running + 0.01·batch.

    Unlike PyTorch's it moves the running variance by the biased variance of the batch, as Keras documents it and as
    Keras 3 does everywhere. (TensorFlow's fused kernel, which tf.keras 2 used for images but not after dense layers,
    moves it by the unbiased one: BESSEL.)"""

    BESSEL = False

    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))

    def forward(self, x):
        if self.training:
            axes = [a for a in range(x.dim()) if a != 1]
            with torch.no_grad():
                self.running_mean.lerp_(x.mean(axes), 0.01)
                self.running_var.lerp_(x.var(axes, unbiased=self.BESSEL), 0.01)
            mean = var = None
        else:
            mean, var = self.running_mean, self.running_var
        return nn.functional.batch_norm(x, mean, var, self.weight, self.bias, self.training, eps=1e-3)


class Excite(nn.Module):
    """Squeeze and excitation without pooling: every channel of x is multiplied by a number that two dense layers make
    of all of x."""

    def __init__(self, norms):
        super().__init__()
        self.fc1 = nn.Linear(64 * PLANES, 16)
        self.fc2 = nn.Linear(16, PLANES)
        self.norms = norms
        if norms:
            self.bn1, self.bn2 = Norm(16), Norm(PLANES)

    def forward(self, x):
        if self.norms:
            h = self.bn1(torch.relu(self.fc1(x.flatten(1))))
            gate = self.bn2(torch.relu(self.fc2(h)))
        else:
            gate = torch.tanh(self.fc2(torch.tanh(self.fc1(x.flatten(1)))))
        return x * gate[:, :, None, None]


class Block1(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn1 = Norm(PLANES)
        self.se = Excite(norms=False)
        self.bn2 = Norm(PLANES)

    def forward(self, x):
        return self.bn2(torch.tanh(self.se(self.bn1(x)) + x))


class Block2(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(PLANES, PLANES, 3, padding=1)
        self.bn1 = Norm(PLANES)
        self.se = Excite(norms=True)
        self.bn2 = Norm(PLANES)

    def forward(self, x):
        y = self.bn1(torch.relu(self.conv(x)))
        return self.bn2(torch.relu(self.se(y) + x))


class Napoleon(nn.Module):
    """numbers [N, 34, 8, 8] → value [N]

    Flattened means channel-major, feature = channel·64 + square, as everywhere in talbot. Keras flattens square by
    square; with the same initial distribution for all weights of a layer that is the same network."""

    def __init__(self):
        super().__init__()
        self.block1, self.block2, self.block3 = Block1(), Block2(), Block2()
        self.value = nn.ModuleDict({"fc1": nn.Linear(64 * PLANES, 16), "bn": Norm(16), "fc2": nn.Linear(16, 1)})

    def forward(self, numbers):
        x = self.block3(self.block2(self.block1(numbers)))
        v = self.value
        h = v.bn(torch.relu(v.fc1(x.flatten(1))))
        return torch.tanh(v.fc2(h)).squeeze(1)

    def initialise(self):
        """Keras's: Glorot uniform and biases of 0."""
        for layer in self.modules():
            if isinstance(layer, (nn.Linear, nn.Conv2d)):
                nn.init.xavier_uniform_(layer.weight)
                nn.init.zeros_(layer.bias)


def loss(value, target, weight):
    """Mean squared error over the samples that have a value."""
    return (weight * (value - target) ** 2).sum() / weight.sum()
