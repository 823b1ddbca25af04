"""talbot's data in Python: the batches that `talbot train` draws, as NumPy arrays. See docs/26-python.md."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sysconfig
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _planes

if TYPE_CHECKING:
    import torch

__all__ = ["Batch", "Batches", "Error", "batches", "inspect", "manifest"]

Path = str | os.PathLike[str]
_FORMAT = 1
_PIPE = 1 << 20  # bytes that a pipe on Linux may hold


class Error(Exception):
    """talbot failed. The message is its own, and status is how it ended (see `talbot --help`)."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Batch:
    """N samples, as the training graph of talbot gets them; `header` says what they are."""

    header: dict[str, Any]
    packed: npt.NDArray[np.uint64]  # [N, words], the inputs
    codes: npt.NDArray[np.int32]  # [N, K, codes] of the listed moves, -1 after the last one
    weights: npt.NDArray[np.float32]  # [N, K], of the listed moves
    floats: npt.NDArray[np.float32]  # [N, F], 0 where not known
    known: npt.NDArray[np.float32]  # [N, F], weights of the floats, 0 where not known

    def __len__(self) -> int:
        return len(self.packed)

    def float(self, name: str) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """A float of each sample, such as "value", and its weight, which is 0 where it is not known."""
        i = self.header["floats"].index(name)
        return self.floats[:, i], self.known[:, i]

    def planes(self) -> npt.NDArray[np.float32]:
        """The planes that the network reads, [N, planes, 8, 8] by rank and file, from a1."""
        return _planes.numpy(self.header, self.packed)

    def planes_torch(self, device: torch.device | str = "cpu") -> torch.Tensor:
        """The planes as a tensor. The packed words travel to the device and are unpacked there."""
        import torch

        if torch.device(device).type == "cpu":
            return torch.from_numpy(self.planes())
        return _planes.torch(self.header, torch.from_numpy(self.packed.view(np.int64)).to(device))


class Batches(Iterator[Batch]):
    """The batches of a `talbot batches`, which runs until the last one, or until close."""

    def __init__(self, command: list[str]) -> None:
        self._said = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._said, bufsize=0
        )
        assert self._process.stdout is not None
        self._out: Any = self._process.stdout
        try:
            import fcntl

            fcntl.fcntl(self._out, fcntl.F_SETPIPE_SZ, _PIPE)
        except (ImportError, AttributeError, OSError):
            pass  # it is only faster
        line = self._out.readline()
        if not line.endswith(b"\n"):
            raise self._failure()
        self.header: dict[str, Any] = json.loads(line)
        self._layouts: dict[tuple[int, int], Any] = {}
        if self.header.get("talbot_batches") != _FORMAT:
            self.close()
            raise Error("talbot and its Python package are of different versions", 1)
        for warning in _read(self._said).splitlines():
            warnings.warn(warning, stacklevel=3)

    def __len__(self) -> int:
        """How many batches there are, including those that were read."""
        return int(self.header["batches"])

    def __next__(self) -> Batch:
        if self._out.closed:
            raise StopIteration
        n, k = (int(x) for x in self._take(8).view("<u4"))
        if n == 0:
            if self._process.wait() != 0:
                raise self._failure()
            self.close()
            raise StopIteration
        if (n, k) not in self._layouts:
            self._layouts[n, k] = self._layout({"N": n, "K": k})
        size, layout = self._layouts[n, k]
        data = self._take(size)
        arrays = {name: np.ndarray(shape, dtype, data, begin) for name, shape, dtype, begin in layout}
        arrays.setdefault("codes", np.empty((n, 0, 0), np.int32))
        arrays.setdefault("weights", np.empty((n, 0), np.float32))
        return Batch(self.header, **arrays)

    def _layout(self, sizes: dict[str, int]) -> tuple[int, list[tuple[str, list[int], np.dtype[Any], int]]]:
        """The bytes of a batch, and of each array the name, shape, type and first byte."""
        size, layout = 0, []
        for array in self.header["arrays"]:
            shape = [sizes.get(x, x) for x in array["shape"]]
            dtype = np.dtype(array["type"])
            layout.append((array["name"], shape, dtype, size))
            size += math.prod(shape) * dtype.itemsize
        return size, layout

    def _take(self, size: int) -> npt.NDArray[np.uint8]:
        """Reads bytes into new memory."""
        data = np.empty(size, np.uint8)
        left = data.data
        while left:
            n = self._out.readinto(left)
            if not n:
                raise self._failure()
            left = left[n:]
        return data

    def _failure(self) -> Error:
        """Waits for talbot to end, and returns what it said."""
        status = self._process.wait()
        text = _read(self._said)
        self.close()
        return _error(text or "the batches of talbot end early", status)

    def close(self) -> None:
        """Ends talbot, if it still runs."""
        if not self._out.closed:
            self._out.close()
            self._process.kill()
            self._process.wait()
            self._said.close()

    def __enter__(self) -> Batches:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_out"):
            self.close()


def batches(
    data: Path | Mapping[str, float],
    recipe: str | None = None,
    batch: int | None = None,
    *,
    split: str = "train",
    steps: int | None = None,
    epochs: int | None = None,
    seed: int | None = None,
    preset: str | None = None,
    settings: Mapping[str, object] | None = None,
    policy_target: str | None = None,
    value_target: str | None = None,
    label: str | None = None,
    max_copies: int | None = None,
    min_clock: str | None = None,
    workers: int | None = None,
) -> Batches:
    """The batches that `talbot train` draws from datasets, a folder ("a", "a:0.7,b:0.3") or {folder: weight}.

    The other arguments are the flags of `talbot batches`, with its defaults. An Error is what talbot says of them.
    """
    if isinstance(data, Mapping):
        data = ",".join(f"{folder}:{weight}" for folder, weight in data.items())
    flags: dict[str, object] = {
        "recipe": recipe, "batch": batch, "split": split, "steps": steps, "epochs": epochs, "seed": seed,
        "preset": preset, "policy-target": policy_target, "value-target": value_target, "label": label,
        "max-copies": max_copies, "min-clock": min_clock, "workers": workers,
    }  # fmt: skip
    return Batches(_command("batches", data, flags, settings))


def inspect(
    path: Path, sample: int | None = None, recipe: str | None = None, *, settings: Mapping[str, object] | None = None
) -> dict[str, Any]:
    """A sample of a dataset as training sees it, or what a network is: `talbot inspect --json`."""
    said = _output(_command("inspect", path, {"json": True, "sample": sample, "recipe": recipe}, settings))
    return dict(json.loads(said))


def manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a dataset: how it was made, its counts, engines and files (docs/8-format.md)."""
    try:
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as f:
            return dict(json.load(f))
    except (OSError, ValueError):
        _output(_command("stats", folder, {}))  # says what is wrong
        raise


def _program() -> str:
    """$TALBOT, else the talbot that was installed with this package or in this environment, else the one on PATH."""
    package = os.path.dirname(__file__)
    places = [  # of an environment, of pip's --user, of pip's --target
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")),
        os.path.join(os.path.dirname(package), "bin"),
    ]
    own = os.environ.get("TALBOT") or shutil.which("talbot", path=os.pathsep.join(places)) or shutil.which("talbot")
    if not own:
        raise Error("talbot is not on PATH, and TALBOT does not name it", 1)
    return own


def _command(
    verb: str, path: Path, flags: Mapping[str, object], settings: Mapping[str, object] | None = None
) -> list[str]:
    given = [f"--{name}={_text(value)}" for name, value in flags.items() if value is not None]
    given += [f"--set={name}={_text(value)}" for name, value in (settings or {}).items()]
    return [_program(), verb, "--quiet", *given, "--", os.fspath(path)]


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _output(command: list[str]) -> bytes:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode != 0:
        raise _error(done.stderr.decode(errors="replace"), done.returncode)
    return done.stdout


def _error(text: str, status: int) -> Error:
    """Takes talbot's message from what it printed: lines of text, or an object of --json."""
    last = text.strip().split("\n")[-1]
    if last.startswith("{"):
        said = json.loads(last)
        text = said["error"] + (f"\nhint: {said['hint']}" if said["hint"] else "")
    return Error(text.strip().replace("talbot: error: ", "").replace("talbot: hint: ", "hint: "), status)


def _read(file: Any) -> str:
    file.seek(0)
    return str(file.read().decode(errors="replace"))
