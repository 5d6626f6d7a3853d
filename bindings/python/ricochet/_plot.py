"""What can be made of a result: pictures, pages, a verification."""

from __future__ import annotations

import contextlib
import html
import os
import tempfile
import webbrowser
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, Optional, Union

import numpy as np

from . import _ricochet

if TYPE_CHECKING:
    from ._result import Result


class Plot:
    """`result.plot.energy()`, `.q()`, `.v()`, `.gaps()`, `.certificate()`, or `.columns("q.x", "v.x")`. Each draws on
    the axes given, or on new ones, and returns them."""

    def __init__(self, result: "Result"):
        self._result = result

    def _axes(self, ax: Any, ylabel: str) -> Any:
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(layout="constrained")
        ax.set_xlabel("t [s]")
        ax.set_ylabel(ylabel)
        ax.set_title(self._result.name)
        return ax

    def columns(self, *names: str, ax: Any = None, ylabel: str = "") -> Any:
        """Columns over the time, by name."""
        ax = self._axes(ax, ylabel or (names[0] if len(names) == 1 else ""))
        for name in names:
            ax.plot(self._result.t, self._result[name], label=name)
        ax.legend()
        return ax

    def energy(self, ax: Any = None) -> Any:
        """Kinetic, potential and total energy, and what was exchanged since the beginning."""
        energy, t = self._result.energy, self._result.t
        ax = self._axes(ax, "energy [J]")
        for name in energy.keys():
            values = energy[name] if name in ("kinetic", "potential") else np.cumsum(energy[name])
            if name != "defect" and np.any(values != 0):
                ax.plot(t, values, label=name.replace("_", " "), lw=1)
        ax.plot(t, energy.total, "k", label="total", lw=1.5)
        ax.legend()
        return ax

    def q(self, ax: Any = None) -> Any:
        """All coordinates."""
        return self.columns(*(f"q.{name}" for name in self._result.coordinates), ax=ax, ylabel="q")

    def v(self, ax: Any = None) -> Any:
        """All velocities."""
        return self.columns(*(f"v.{name}" for name in self._result.velocities), ax=ax, ylabel="v")

    def gaps(self, ax: Any = None) -> Any:
        """Gaps of the declared contacts."""
        return self.columns(*(f"gap.{name}" for name in self._result.gaps), ax=ax, ylabel="gap [m]")

    def certificate(self, ax: Any = None) -> Any:
        """The errors of the steps, on a logarithmic axis."""
        ax = self._axes(ax, "largest error")
        for name in self._result.certificate.keys():
            values = np.asarray(self._result.certificate[name])
            if np.any(values > 0):
                ax.semilogy(self._result.t, np.where(values > 0, values, np.nan), label=name.replace("_", " "), lw=1)
        ax.legend()
        return ax


class View:
    """A page with the motion, its contacts and its curves, in one file: `path`. A notebook shows it."""

    def __init__(self, path: str):
        self.path = path

    def open(self) -> "View":
        """Shows it in the browser."""
        webbrowser.open("file://" + os.path.abspath(self.path))
        return self

    def _repr_html_(self) -> str:
        with open(self.path, encoding="utf-8") as file:
            page = html.escape(file.read(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:600px;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<ricochet.View {self.path}>"


@contextlib.contextmanager
def _files(*results: "Result") -> Iterator[list[str]]:
    """Result files of these, for as long as they are needed."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, result in enumerate(results):
            file = result._data.file
            if not file:
                file = os.path.join(folder, f"{number}.h5")
                result.to_hdf5(file)
            files.append(file)
        yield files


def view(result: "Result", path: Union[None, str, "os.PathLike[str]"] = None, frames: int = 2000,
         other: Optional["Result"] = None) -> View:
    """The page of `ricochet view --export`."""
    out = os.fspath(path) if path is not None else os.path.join(tempfile.mkdtemp(prefix="ricochet-"), "motion.html")
    with _files(*([result] if other is None else [result, other])) as files:
        _ricochet.write_view(files, out, frames)
    return View(out)


def report(result: "Result", path: Union[str, "os.PathLike[str]"]) -> View:
    """The page of `ricochet report`."""
    with _files(result) as files:
        _ricochet.write_report(files[0], os.fspath(path))
    return View(os.fspath(path))


@dataclass
class Verification:
    """What `ricochet verify` says of a result."""

    holds: bool
    rows: int
    certificate: dict[str, float]  #: recomputed
    disagreements: list[tuple[str, str, int, float, float, float]]  #: check, column, row, recorded, recomputed, accepted
    not_repeated: str  #: why the run could not be made again, "written by 0.2.0"; such a result never holds
    unchecked: list[str]  #: what was not verified

    def __bool__(self) -> bool:
        return self.holds


def verify(result: "Result", replay: bool = True) -> Verification:
    """The certificate recomputed from the file alone."""
    with _files(result) as files:
        return Verification(**_ricochet.verify(files[0], replay))
