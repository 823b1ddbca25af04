"""Muon for the weights of the blocks and AdamW for all others, written from the papers: Jordan and others, Muon: An
optimizer for hidden layers in neural networks (2024); Liu and others, Muon is Scalable for LLM Training (2025), whose factor
makes learning rate and weight decay those of AdamW. lynx_oracle.py uses it. (torch.optim.Muon computes in bfloat16.)"""
import torch

MOMENTUM, ROUNDS, A, B, C = 0.95, 5, 3.4445, -4.7750, 2.0315


def orthogonal(x):
    if x.shape[0] > x.shape[1]:
        return orthogonal(x.T).T
    x = x / (torch.linalg.norm(x) + 1e-7)
    for _ in range(ROUNDS):
        xxt = x @ x.T
        x = A * x + (B * xxt + C * xxt @ xxt) @ x
    return x


class Muon:
    def __init__(self, net, lr, decay):
        self.lr, self.decay = lr, decay
        hidden = lambda name, p: name.startswith("blocks.") and p.dim() > 1
        self.hidden = {p: torch.zeros_like(p) for name, p in net.named_parameters() if hidden(name, p)}
        rest = [p for name, p in net.named_parameters() if not hidden(name, p)]
        self.adamw = torch.optim.AdamW([{"params": [p for p in rest if p.dim() > 1], "weight_decay": decay},
                                        {"params": [p for p in rest if p.dim() <= 1], "weight_decay": 0.0}], lr=lr)

    def zero_grad(self):
        self.adamw.zero_grad()
        for p in self.hidden:
            p.grad = None

    @torch.no_grad()
    def step(self):
        self.adamw.step()
        for p, m in self.hidden.items():
            m.mul_(MOMENTUM).add_(p.grad, alpha=1 - MOMENTUM)
            u = ((1 - MOMENTUM) * p.grad + MOMENTUM * m).flatten(1)
            p.mul_(1 - self.lr * self.decay)
            p.sub_(self.lr * 0.2 * max(u.shape) ** 0.5 * orthogonal(u).view_as(p))
