"""Writes a wheel of talbot: wheel.py VERSION PLATFORM FOLDER OUT

FOLDER has the program and what comes with it: its licences, and how it was built. The program becomes a command of the
environment that the wheel is installed in, and the package python/talbot lies beside it. The extras are what `talbot
setup` installs, at the versions that cmd/talbot pins. The same files and zlib give the same bytes.
"""

import base64
import hashlib
import pathlib
import re
import sys
import zipfile

NAME = "talbot"
TAGS = {
    "linux_amd64": "manylinux_2_28_x86_64",
    "linux_arm64": "manylinux_2_28_aarch64",
    "darwin_arm64": "macosx_13_0_arm64",
    "windows_amd64": "win_amd64",
}


def extras() -> dict[str, list[str]]:
    setup = pathlib.Path("cmd/talbot")
    source = (setup / "setup_library.go").read_text()
    pinned = {
        "cpu": re.findall(r'partCPU: \{"linux/amd64": \{"([\w.-]+==[\w.]+)"', source),
        "onnx": re.findall(r'"(onnxruntime==[\w.]+)"', source),
        "numpy": ["numpy"],  # what the package itself needs, and the command does not
    }
    for cuda in ("cuda12", "cuda13"):
        pinned[cuda] = [line.split()[0] for line in (setup / f"{cuda}.txt").read_text().splitlines()]
    for extra, packages in pinned.items():
        if not packages:
            sys.exit(f"wheel: error: cmd/talbot pins nothing for the extra {extra}")
    return pinned


def metadata(version: str) -> str:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {NAME}",
        f"Version: {version}",
        "Summary: From chess games to Stockfish-labelled data, and to networks that play",
        "License-Expression: Apache-2.0",
        "License-File: LICENSE",
        "Requires-Python: >=3.10",
    ]
    for extra, packages in sorted(extras().items()):
        where = "" if extra == "numpy" else ' and sys_platform == "linux"'
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {package}; extra == "{extra}"{where}' for package in packages]
    return "\n".join(lines) + "\n"


def main(version: str, platform: str, folder: str, out: str) -> None:
    tag = f"py3-none-{TAGS[platform]}"
    info = f"{NAME}-{version}.dist-info"
    package = pathlib.Path("python/talbot")
    files = {f"talbot/{path.name}": path.read_bytes() for path in package.iterdir() if path.is_file()}
    for path in pathlib.Path(folder).rglob("*"):
        if path.is_file():
            program = path.name in ("talbot", "talbot.exe") and path.parent == pathlib.Path(folder)
            where = f"{NAME}-{version}.data/scripts" if program else f"{info}/licenses"
            files[f"{where}/{path.relative_to(folder).as_posix()}"] = path.read_bytes()
    files[f"{info}/METADATA"] = metadata(version).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = ""
    for name, data in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    path = pathlib.Path(out) / f"{NAME}-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        # What describes the wheel comes last, as the format recommends.
        for name in sorted(files, key=lambda name: (name.startswith(info), name)):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            entry.create_system = 3
            wheel.writestr(entry, files[name], compresslevel=9)
    print(path)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
