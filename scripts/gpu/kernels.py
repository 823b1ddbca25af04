"""Reports what kernels.cc wrote: how busy the GPU was in the last seconds, with what, and where it waited.

    kernels.py FILE (without .bin) [--seconds 2] [--before 0.6: leave out so many at the end]
"""
import argparse
import collections
import re
import struct

p = argparse.ArgumentParser()
p.add_argument("file")
p.add_argument("--seconds", type=float, default=2)
p.add_argument("--before", type=float, default=0.6)
o = p.parse_args()
with open(o.file + ".names") as f:
    names = f.read().split("\n")
with open(o.file + ".bin", "rb") as f:
    data = f.read()
records = sorted(struct.iter_unpack("<iiQQ", data[:len(data) // 24 * 24]), key=lambda r: r[2])
until = records[-1][3] - int(o.before * 1e9)
records = [r for r in records if until - int(o.seconds * 1e9) < r[2] < until]


def kind(name):
    if re.search("xmma|cudnn|cutlass|nvjet|gemm|wgrad|dgrad|fprop", name):
        return "convolutions and products"
    return re.sub(r"[_\d]+$", "", name)


span = (records[-1][3] - records[0][2]) / 1e6
busy, end, last = 0, records[0][2], records[0]
time, count, gaps, gap_count = (collections.Counter() for _ in range(4))
for r in records:
    time[kind(names[r[0]])] += (r[3] - r[2]) / 1e6
    count[kind(names[r[0]])] += 1
    if r[2] - end > 15000:
        between = names[last[0]][:50], names[r[0]][:50]
        gaps[between] += (r[2] - end) / 1e6
        gap_count[between] += 1
    busy += max(0, r[3] - max(r[2], end)) / 1e6
    if r[3] > end:
        end, last = r[3], r
print(f"busy {busy / span:.1%} of {span:.0f} ms, {len(records):,} kernels and copies")
for name, t in time.most_common(12):
    print(f"{t / span:7.2%} {count[name]:8,} × {t / count[name] * 1000:7.1f} µs  {name[:100]}")
print("waits of more than 15 µs, after what and before what")
for between, t in gaps.most_common(8):
    print(f"{t / span:7.2%} {gap_count[between]:8,} × {t / gap_count[between] * 1000:7.1f} µs  {' → '.join(between)}")
