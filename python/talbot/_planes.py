"""Unpacks planes as the header of a stream describes them. Words are signed, for PyTorch has no others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from torch import Tensor

_DIAGONALS = [(1, 1), (1, -1), (-1, 1), (-1, -1)]  # files and ranks up
_STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
_JUMPS = [(f, r) for f in (-2, -1, 1, 2) for r in (-2, -1, 1, 2) if abs(f) != abs(r)]


def numpy(header: dict[str, Any], packed: npt.NDArray[np.uint64]) -> npt.NDArray[np.float32]:
    words = np.ascontiguousarray(packed.T).astype("<i8", copy=False)
    rows = np.stack([_plane(words, plane) for plane in _described(header)], 1)
    bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")
    planes = bits.reshape(len(packed), -1, 64).astype(np.float32)
    for i, n in _numbers(header):
        x = words[n["word"]] >> n["shift"] & (1 << n["bits"]) - 1
        planes[:, i] = ((x.astype(np.float32) - np.float32(n["less"])) / np.float32(n["over"]))[:, None]
    return planes.reshape(-1, *header["shape"])


def torch(header: dict[str, Any], packed: Tensor) -> Tensor:
    import torch as pytorch

    words = packed.T.contiguous()
    rows = pytorch.stack([_plane(words, plane) for plane in _described(header)], 1)
    planes = (rows[:, :, None] >> pytorch.arange(64, device=packed.device) & 1).float()
    for i, n in _numbers(header):
        x = words[n["word"]] >> n["shift"] & (1 << n["bits"]) - 1
        planes[:, i] = ((x.float() - n["less"]) / n["over"])[:, None]
    return planes.reshape(-1, *header["shape"])


def _described(header: dict[str, Any]) -> list[dict[str, Any]]:
    if "planes" not in header:
        raise ValueError(f"the recipe {header['recipe']} has no planes of bits: use packed")
    return list(header["planes"])


def _numbers(header: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    return [(i, plane["number"]) for i, plane in enumerate(header["planes"]) if "number" in plane]


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word


def _plane(words: Any, plane: dict[str, Any]) -> Any:
    """The bits of a plane: those of any of its terms."""
    bits = words[0] & 0
    for term in plane.get("terms", []):
        bits = bits | _term(words, term)
    return bits


def _term(words: Any, term: dict[str, Any]) -> Any:
    bits = ~(words[0] & 0)
    for i in term.get("and", []):
        bits = bits & words[i]
    for i in term.get("not", []):
        bits = bits & ~words[i]
    if "fill" in term:
        word, bit = term["fill"]
        bits = bits & -(words[word] >> bit & 1)
    if "attacks" in term:
        bits = _attacks(words, *divmod(term["attacks"] - 1, 6))
    bits = bits << term.get("shift", 0)
    return bits & _signed(term["mask"]) if "mask" in term else bits


def _attacks(words: Any, side: int, kind: int) -> Any:
    """The squares that the pieces of a side and kind (0 a pawn … 5 a king) attack."""
    empty = ~(words[0] | words[1] | words[2])
    pieces = words[3] if side else ~words[3]
    for i in range(3):
        pieces = pieces & (words[i] if kind + 1 >> i & 1 else ~words[i])
    up = -1 if side else 1
    ways = [[(-1, up), (1, up)], _JUMPS, _DIAGONALS, _STRAIGHT, _DIAGONALS + _STRAIGHT, _DIAGONALS + _STRAIGHT][kind]
    found = empty & 0
    for way in ways:
        ray = pieces
        for _ in range(7 if kind in (2, 3, 4) else 1):
            ray = _step(ray, *way)
            found = found | ray
            ray = ray & empty
    return found


def _step(bits: Any, files: int, ranks: int) -> Any:
    """Moves all bits, and drops those that leave the board."""
    n = 8 * ranks + files
    bits = bits << n if n > 0 else bits >> -n & (1 << 64 + n) - 1
    entered = (1 << files) - 1 if files > 0 else 0xFF & ~(0xFF >> -files)
    return bits & _signed(~(entered * 0x0101010101010101) & (1 << 64) - 1)
