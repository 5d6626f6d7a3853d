"""Builds the wheel: CMake makes the module, this packs it with the Python files and the scenarios (PEP 517)."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Iterator, Optional

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(__file__).resolve().parent / "ricochet"
Config = Optional[dict[str, Any]]


def _version() -> str:
    found = re.search(r"project\(ricochet VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert found is not None
    return found.group(1)


def _metadata() -> str:
    return (f"Metadata-Version: 2.1\nName: ricochet\nVersion: {_version()}\n"
            "Summary: Nonsmooth mechanics, exact and audited\nRequires-Python: >=3.9\nRequires-Dist: numpy\n"
            "License: see LICENSE\nDescription-Content-Type: text/markdown\n\n" + (ROOT / "README.md").read_text())


def _tag() -> str:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub(r"[^0-9a-zA-Z]", "_", sysconfig.get_platform())
    return f"{python}-{python}-{platform}"


def _known_build() -> Optional[Path]:
    """What './dev build' left, if it has the package."""
    cache = ROOT / "build" / "CMakeCache.txt"
    module = ROOT / "build" / "python" / "ricochet" / f"_ricochet{sysconfig.get_config_var('EXT_SUFFIX')}"
    return cache.parent if cache.exists() and module.exists() else None


def _build(config: Config) -> Path:
    """The module, in `--config-settings build-dir=DIR` if one is given, else where './dev build' has been, else in a
    folder of its own. Objects stay there for the next time. `--config-settings cmake="-D..."` tells CMake more."""
    folder = Path((config or {}).get("build-dir") or _known_build() or ROOT / "build-python").resolve()
    jobs = os.environ.get("RICOCHET_JOBS") or str(os.cpu_count() or 1)
    configure = ["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                 "-DRICOCHET_PYTHON=ON", "-DRICOCHET_TESTS=OFF", f"-DPython3_EXECUTABLE={sys.executable}",
                 *str((config or {}).get("cmake") or "").split()]
    try:
        if not (folder / "CMakeCache.txt").exists():
            subprocess.run(configure, check=True)
        subprocess.run(["cmake", "--build", str(folder), "-j", jobs, "--target", "ricochet-python"], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(f"ricochet does not build ({error}); './dev build' installs what it needs on Debian") from None
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    module = folder / "python" / "ricochet" / f"_ricochet{suffix}"
    if not module.exists():
        raise SystemExit(f"ricochet was built for another Python than this one: there is no {module}")
    return module


def _files(module: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted(PACKAGE.glob("*")):
        if file.suffix in (".py", ".pyi") or file.name == "py.typed":
            yield f"ricochet/{file.name}", file.read_bytes()
    yield f"ricochet/{module.name}", module.read_bytes()
    for file in sorted((ROOT / "scenarios").glob("**/*")):
        if file.is_file():
            yield f"ricochet/scenarios/{file.relative_to(ROOT / 'scenarios')}", file.read_bytes()


def _dist_info() -> dict[str, bytes]:
    folder = f"ricochet-{_version()}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: ricochet\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    return {f"{folder}/METADATA": _metadata().encode(), f"{folder}/WHEEL": wheel.encode(),
            f"{folder}/LICENSE": (ROOT / "LICENSE").read_bytes()}


def build_wheel(wheel_directory: str, config_settings: Config = None, metadata_directory: Optional[str] = None) -> str:
    """Called by pip."""
    module = _build(config_settings)
    name = f"ricochet-{_version()}-{_tag()}.whl"
    record = []
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(path: str, content: bytes) -> None:
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(content)}")
            wheel.writestr(path, content)

        for path, content in [*_files(module), *_dist_info().items()]:
            add(path, content)
        at = f"ricochet-{_version()}.dist-info/RECORD"
        wheel.writestr(at, "\n".join([*record, f"{at},,"]) + "\n")
    return name


def build_sdist(sdist_directory: str, config_settings: Config = None) -> str:
    """Called by whoever wants the sources: what git knows."""
    stem = f"ricochet-{_version()}"
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], check=True, capture_output=True).stdout
    with tarfile.open(os.path.join(sdist_directory, stem + ".tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in filter(None, listed.decode().split("\0")):
            archive.add(ROOT / path, f"{stem}/{path}")
        with open(os.path.join(sdist_directory, "PKG-INFO"), "w", encoding="utf-8") as file:
            file.write(_metadata())
        archive.add(os.path.join(sdist_directory, "PKG-INFO"), f"{stem}/PKG-INFO")
    os.remove(os.path.join(sdist_directory, "PKG-INFO"))
    return stem + ".tar.gz"


def get_requires_for_build_wheel(config_settings: Config = None) -> list[str]:
    """Nothing is downloaded."""
    return []


def get_requires_for_build_sdist(config_settings: Config = None) -> list[str]:
    """Nothing is downloaded."""
    return []
