"""pip install . in a fresh virtual environment that sees Debian's packages."""

import os
import pathlib
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).parents[2]
CLEAN = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "RICOCHET_SCENARIOS")}
pytestmark = pytest.mark.slow


def test_wheel(tmp_path):
    sys.path.insert(0, str(ROOT / "bindings" / "python"))
    import backend

    name = backend.build_wheel(str(tmp_path))
    with zipfile.ZipFile(tmp_path / name) as wheel:
        assert wheel.testzip() is None
        names = wheel.namelist()
        record = wheel.read(f"ricochet-{backend._version()}.dist-info/RECORD").decode().splitlines()
    assert sorted(line.split(",")[0] for line in record) == sorted(names)
    for file in ("__init__.py", "py.typed", "_ricochet.pyi", "scenarios/slider-crank.yaml"):
        assert f"ricochet/{file}" in names
    project = (ROOT / "pyproject.toml").read_text()
    assert 'dynamic = ["version"]' in project  # it stands in CMakeLists.txt alone
    assert backend.get_requires_for_build_wheel() == []


def test_pip_install(tmp_path):
    environment = tmp_path / "env"
    made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", environment], capture_output=True)
    if made.returncode != 0:
        pytest.skip("there is no venv (Debian: python3-venv)")
    python = environment / "bin" / "python"
    done = subprocess.run([python, "-m", "pip", "install", "--no-index", ROOT], capture_output=True, text=True, env=CLEAN)
    assert done.returncode == 0, done.stdout + done.stderr
    script = ("import ricochet, os; r = ricochet.run('slider-crank', until=0.01); assert r.status == 'finished';"
              "print(ricochet.__file__, os.environ['RICOCHET_SCENARIOS'])")
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, env=CLEAN, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert all(str(environment) in place for place in done.stdout.split())
    done = subprocess.run([python, "-m", "pip", "check"], capture_output=True, text=True, env=CLEAN)
    assert "ricochet" not in done.stdout
