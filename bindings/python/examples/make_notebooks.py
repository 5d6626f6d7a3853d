"""Makes the notebooks beside the examples: cells from their comments, outputs by running them.

    PYTHONPATH=build/python python3 bindings/python/examples/make_notebooks.py
"""

import os
import pathlib

import nbformat
from nbclient import NotebookClient

HERE = pathlib.Path(__file__).parent


def cells(script: pathlib.Path) -> list[nbformat.NotebookNode]:
    """Cells begin with '# %%'; those of text with '# %% [markdown]'."""
    out = []
    for part in script.read_text().split("# %%")[1:]:
        head, _, body = part.partition("\n")
        if "[markdown]" in head:
            out.append(nbformat.v4.new_markdown_cell("\n".join(line[2:] for line in body.strip().splitlines())))
        else:
            out.append(nbformat.v4.new_code_cell(body.strip()))
    return out


def notebook(script: pathlib.Path) -> nbformat.NotebookNode:
    """Not run yet."""
    out = nbformat.v4.new_notebook(cells=cells(script))
    for number, cell in enumerate(out.cells):
        cell.id = f"cell-{number}"  # the same every time
    out.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return out


if __name__ == "__main__":
    os.environ.pop("MPLBACKEND", None)  # pictures go into the notebook
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    for path in sorted(HERE.glob("*.py")):
        if path.name == "make_notebooks.py":
            continue
        made = notebook(path)
        NotebookClient(made, timeout=300, record_timing=False).execute()
        nbformat.write(made, path.with_suffix(".ipynb"))
        print(path.with_suffix(".ipynb").name)
