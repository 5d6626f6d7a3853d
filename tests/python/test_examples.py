"""The examples run, the notebooks are theirs, the tutorial holds, the types are right."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLES = ROOT / "bindings" / "python" / "examples"
SCRIPTS = sorted(path for path in EXAMPLES.glob("*.py") if path.name != "make_notebooks.py")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_scripts(script, tmp_path):
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def makers():
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    sys.path.insert(0, str(EXAMPLES))
    import make_notebooks

    return make_notebooks


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_notebooks_are_their_scripts(script):
    made, stored = makers().notebook(script), makers().nbformat.read(script.with_suffix(".ipynb"), 4)
    assert [(c.cell_type, c.source) for c in made.cells] == [(c.cell_type, c.source) for c in stored.cells], \
        "bindings/python/examples/make_notebooks.py makes it anew"
    assert all(c.outputs or "print" not in c.source for c in stored.cells if c.cell_type == "code")


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_notebooks_run(script):
    maker = makers()
    maker.NotebookClient(maker.notebook(script), timeout=300).execute()


def test_tutorial(tmp_path, monkeypatch):
    """Every block of Python in the tutorial, one after the other."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "python.md").read_text()
    names = {}
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert len(blocks) > 5
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)


@pytest.mark.slow
def test_types(tmp_path):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path),
               "--strict", str(ROOT / "bindings/python/ricochet"), str(ROOT / "bindings/python/backend.py")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout
