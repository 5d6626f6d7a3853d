"""Results: arrays that look into the memory of a run, or into a file that was read."""

from __future__ import annotations

import builtins
import os
import shutil
from typing import TYPE_CHECKING, Any, Iterator, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _ricochet

if TYPE_CHECKING:
    import pandas

    from ._plot import Plot, Verification, View

Array = npt.NDArray[np.float64]


class Table:
    """Columns by name, each a vector with a number for every row: `table.kinetic`, `table["kinetic"]`."""

    def __init__(self, data: "_ricochet.ResultData", place: int, names: list[str]):
        self._data, self._place, self._names = data, place, names

    def __getattr__(self, name: str) -> Array:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no column '{name}'; accepted: {', '.join(self.keys())}") from None

    def __getitem__(self, name: str) -> Array:
        if name not in self._names:
            raise KeyError(name)
        return self._data.numbers(self._place + self._names.index(name), 1, True)

    def keys(self) -> list[str]:
        """Names of the columns."""
        return list(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.keys()]

    def __array__(self, dtype: Any = None) -> Array:
        return np.asarray(self._data.numbers(self._place, len(self._names), False), dtype=dtype)

    def __repr__(self) -> str:
        return f"<{', '.join(self.keys())}: {self._data.rows} rows>"


class Energy(Table):
    """The ledger: `kinetic` and `potential` at each row, what was exchanged since the row before in the others."""

    @property
    def total(self) -> Array:
        """Kinetic and potential energy together."""
        return self["kinetic"] + self["potential"]


class Contacts:
    """Contacts that are closed or carried an impulse, row after row. As arrays over all of them: `item`, `state`, `gap`,
    `U`, `P`, ...; `contacts[k]` are those of row k, and `contacts.row` says to which row each belongs."""

    _all = ("key", "item", "bodies", "state", "gap", "correction", "U", "P", "reaction", "point", "normal")

    def __init__(self, data: "_ricochet.ResultData"):
        self._data = data
        self._fields = self._all if data.record_contacts == "all" else tuple(data.contact_fields)
        self._entries: npt.NDArray[Any] = data.contacts

    def __len__(self) -> int:
        return len(self._entries)

    def __getattr__(self, name: str) -> npt.NDArray[Any]:
        if name not in self._fields:
            known = ", ".join(self._fields) or "none, no contacts are recorded"
            raise AttributeError(f"contacts have no '{name}'; accepted: {known}")
        column: npt.NDArray[Any] = self._entries[name]
        return column[:, :max(1, self._data.contact_dim)] if name in ("U", "P", "reaction") else column

    def __getitem__(self, row: int) -> npt.NDArray[Any]:
        rows = self._data.rows
        if not -rows <= row < rows:
            raise IndexError(f"row {row} of {rows}")
        row %= rows
        offsets = self._data.offsets
        out: npt.NDArray[Any] = self._entries[offsets[row]:offsets[row + 1]]
        return out

    @property
    def row(self) -> npt.NDArray[np.int64]:
        """Of each contact, the row in which it is."""
        return np.repeat(np.arange(self._data.rows), np.diff(self._data.offsets))

    @property
    def names(self) -> list[str]:
        """Of each contact, its name; empty if it has none."""
        words = [name for name, _, _ in self._data.constraints]
        return [words[i] if i >= 0 else "" for i in self.item]

    @property
    def states(self) -> list[str]:
        """Of each contact, what it does: open, closed, sticking, sliding."""
        return [_ricochet.contact_states[i] for i in self.state]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __repr__(self) -> str:
        return f"<{len(self)} contacts in {self._data.rows} rows: {', '.join(self._fields)}>"


class Result:
    """What a run left: `t`, `q`, `v` and the rest by row, row 0 being the beginning. The arrays are read-only views of
    the memory of the run. `result["q.x"]` gives any column by the name that `ricochet export` gives it."""

    def __init__(self, data: "_ricochet.ResultData"):
        self._data = data
        self._datasets = data.datasets

    def __len__(self) -> int:
        return self._data.rows

    def _dataset(self, path: str) -> Array:
        place, width, names, _, _ = self._datasets[path]
        return self._data.numbers(place, width, not names)

    def _table(self, path: str) -> Table:
        place, _, names, _, _ = self._datasets[path]
        return Table(self._data, place, names)

    @property
    def name(self) -> str:
        """Of the scenario."""
        return self._data.name

    @property
    def scheme(self) -> str:
        """Of the run."""
        return self._data.scheme

    @property
    def scenario(self) -> str:
        """The effective text of the scenario."""
        return self._data.scenario_text

    @property
    def status(self) -> str:
        """finished, failed or interrupted."""
        return self._data.status

    @property
    def failure(self) -> list[str]:
        """What failed, where, what to try; empty if nothing did."""
        return self._data.failure

    @property
    def warnings(self) -> list[str]:
        """What the program would note below its summary."""
        return self._data.warnings

    @property
    def summary(self) -> dict[str, Union[int, float]]:
        """Sums and maxima of the whole run, by name."""
        return self._data.summary

    @property
    def t(self) -> Array:
        """Times [s]; (rows)."""
        return self._dataset("steps/t")

    @property
    def h(self) -> Array:
        """Time since the row before [s]; (rows)."""
        return self._dataset("steps/h")

    @property
    def q(self) -> Array:
        """Configurations; (rows, coordinates)."""
        return self._dataset("steps/q")

    @property
    def v(self) -> Array:
        """Velocities; (rows, velocities)."""
        return self._dataset("steps/v")

    @property
    def coordinates(self) -> list[str]:
        """Names of the columns of `q`."""
        return list(self._datasets["steps/q"][2])

    @property
    def velocities(self) -> list[str]:
        """Names of the columns of `v`."""
        return list(self._datasets["steps/v"][2])

    @property
    def energy(self) -> Energy:
        """The energy ledger [J]."""
        place, _, names, _, _ = self._datasets["energy"]
        return Energy(self._data, place, names)

    @property
    def certificate(self) -> Table:
        """Largest errors since the row before: complementarity, penetration, joint_position, ..."""
        return self._table("certificate")

    @property
    def iterations(self) -> Table:
        """Counts since the row before."""
        return self._table("iterations")

    @property
    def contacts(self) -> Contacts:
        """Contacts that are closed or carried an impulse."""
        return Contacts(self._data)

    @property
    def joints(self) -> dict[str, Table]:
        """Of the joints: residual, U, P, correction, smooth, each by the name of the row."""
        return {path.partition("/")[2]: self._table(path) for path in self._datasets if path.startswith("joints/")}

    @property
    def gaps(self) -> dict[str, Array]:
        """Gaps of the declared contacts [m], by name."""
        return {name[4:]: self[name] for name in self.columns if name.startswith("gap.")}

    @property
    def events(self) -> list[dict[str, Any]]:
        """What happened at a time of its own, for schemes that locate it."""
        words = [name for name, _, _ in self._data.constraints]
        return [{"t": float(e["t"]), "kind": _ricochet.event_kinds[e["kind"]],
                 "constraint": words[e["item"]] if e["item"] >= 0 else "", "U_before": float(e["U_before"]),
                 "U_after": float(e["U_after"]), "impulse": float(e["impulse"])} for e in self._data.events]

    @property
    def columns(self) -> list[str]:
        """Names for `result[name]`, as `ricochet export` has them."""
        return self._data.column_names

    def __getitem__(self, name: str) -> Array:
        return self._data.column(name)

    def to_pandas(self, columns: Union[None, list[str]] = None) -> "pandas.DataFrame":
        """A DataFrame over the time, with all columns or those named."""
        import pandas as pd

        chosen = [name for name in (columns or self.columns) if name != "t"]
        return pd.DataFrame({name: self[name] for name in chosen}, index=pd.Index(self.t, name="t"))

    def to_hdf5(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """A result file as `ricochet run` writes it: for `ricochet.open`, `ricochet report`, `ricochet view`."""
        if self._data.file:
            if os.path.abspath(self._data.file) != os.path.abspath(path):
                shutil.copyfile(self._data.file, path)
            return
        self._data.write(os.fspath(path))

    @property
    def plot(self) -> "Plot":
        """Pictures with matplotlib: result.plot.energy()"""
        from ._plot import Plot

        return Plot(self)

    def view(self, path: Union[None, str, "os.PathLike[str]"] = None, *, frames: int = 2000,
             other: Optional["Result"] = None) -> "View":
        """The motion as a page, as `ricochet view --export` writes it: a notebook shows it, `.open()` a browser.
        `other`: a second result as a shadow."""
        from ._plot import view

        return view(self, path, frames, other)

    def report(self, path: Union[str, "os.PathLike[str]"]) -> "View":
        """The page of `ricochet report`: motion, gaps, energy, certificate."""
        from ._plot import report

        return report(self, path)

    def verify(self, replay: bool = True) -> "Verification":
        """The certificate recomputed as `ricochet verify` does: true if it holds. `replay`: the run is also made again,
        and every number compared."""
        from ._plot import verify

        return verify(self, replay)

    def _repr_html_(self) -> str:
        from html import escape

        certificate = self.certificate
        rows = [("status", f"{self.status} at t = {self.t[-1]:.6g} s"), ("scheme", self.scheme),
                ("steps", f"{self.summary['steps']}, {len(self)} rows"), ("impacts", str(self.summary["impacts"])),
                ("energy", f"{self.energy.total[0]:.6g} J to {self.energy.total[-1]:.6g} J")]
        rows += [(name.replace("_", " "), f"{np.max(certificate[name]):.2e}") for name in certificate.keys()]
        rows += [("note", note) for note in self.warnings]
        body = "".join(f"<tr><th style='text-align:left'>{escape(a)}</th><td style='text-align:left'>{escape(b)}</td></tr>"
                       for a, b in rows)
        return f"<table><caption><b>{escape(self.name)}</b></caption>{body}</table>"

    def __repr__(self) -> str:
        return (f"<ricochet.Result '{self.name}': {self.status} at t={self.t[-1]:g} s, {len(self)} rows, "
                f"{len(self.coordinates)} coordinates, {self.scheme}>")

    def __str__(self) -> str:
        return self._data.text or repr(self)


def open(path: Union[str, "os.PathLike[str]"]) -> Result:  # noqa: A001
    """A result file that `ricochet run` or `Result.to_hdf5` wrote."""
    with builtins.open(path, "rb"):
        pass
    return Result(_ricochet.open(os.fspath(path)))
