"""The batches of `talbot train` for PyTorch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch.utils.data import IterableDataset, get_worker_info

from . import Path, batches


class Batches(IterableDataset[dict[str, torch.Tensor]]):
    """An epoch or more as dictionaries of tensors, for DataLoader(Batches(...), batch_size=None).

    "planes" [N, planes, 8, 8], or where the recipe has none "packed" as signed words; "codes" [N, K, codes], -1 after
    the last move, and "weights" [N, K]; and of each float its name and name_known, [N]. The arguments are those of
    talbot.batches. talbot reads ahead in a process of its own, so that more than one worker is of no use.
    """

    def __init__(self, data: Path | Mapping[str, float], *, device: torch.device | str = "cpu", **options: Any) -> None:
        self.data, self.device, self.options = data, device, options

    def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
        worker = get_worker_info()
        if worker is not None and worker.num_workers > 1:
            raise ValueError("each worker would give all batches: use num_workers=0 or 1")
        with batches(self.data, **self.options) as stream:
            for b in stream:
                if "planes" in b.header:
                    out = {"planes": b.planes_torch(self.device)}
                else:
                    out = {"packed": torch.from_numpy(b.packed.view("<i8")).to(self.device)}
                out["codes"] = torch.from_numpy(b.codes).to(self.device).long()
                out["weights"] = torch.from_numpy(b.weights).to(self.device)
                for name in b.header["floats"]:
                    for key, x in zip((name, name + "_known"), b.float(name)):
                        out[key] = torch.from_numpy(x.copy()).to(self.device)
                yield out
