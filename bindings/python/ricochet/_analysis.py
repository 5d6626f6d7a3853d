"""Norms, distances and orders of convergence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional, Union

import numpy as np
import numpy.typing as npt

from . import _ricochet
from ._result import Result

Graph = Union[Result, tuple[npt.ArrayLike, npt.ArrayLike]]


def norm(h: npt.ArrayLike, error: npt.ArrayLike, p: float = 1.0) -> float:
    """(sum h_i |e_i|^p)^(1/p) of errors on a grid with steps h; p = inf: the largest."""
    return float(_ricochet.grid_norm(h, error, p))


def distance(first: Result, second: Result, column: str, p: float = 1.0) -> float:
    """The norm of the difference of a column, the second one interpolated to the times of the first; over the time that
    both have. For jumps see `hausdorff`."""
    t, s = np.asarray(first.t), np.asarray(second.t)
    inside = t <= s[-1]
    other = np.interp(t[inside], s, np.asarray(second[column]))
    h = np.diff(t[inside], prepend=t[0])
    return norm(h, np.asarray(first[column])[inside] - other, p)


def hausdorff(first: Graph, second: Graph, column: Optional[str] = None, *, time: float = 1.0, value: float = 1.0,
              steps: bool = True) -> float:
    """The Hausdorff distance of two graphs with their jumps filled in, of columns of results or of (times, values).
    `time` and `value`: what counts as one unit. `steps`: the value at the end of a step holds over the whole of it."""
    return float(_ricochet.hausdorff(*_graph(first, column), *_graph(second, column), time, value, steps)[0])


def _graph(x: Graph, column: Optional[str]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    if isinstance(x, Result):
        if column is None:
            raise _ricochet.InputError("column: which one is not said; accepted: a name of result.columns")
        x = (x.t, x[column])
    return np.ascontiguousarray(x[0], dtype=np.float64), np.ascontiguousarray(x[1], dtype=np.float64)


@dataclass
class Order:
    """error ~ constant h^order; `half_width` is that of the interval of 95 % confidence."""

    order: float
    half_width: float
    constant: float

    def __float__(self) -> float:
        return self.order

    def __str__(self) -> str:
        width = f" ± {self.half_width:.2f}" if math.isfinite(self.half_width) else ""
        return f"{self.order:.2f}{width}"


def order(h: npt.ArrayLike, errors: npt.ArrayLike) -> Order:
    """The order of convergence: least squares of log(error) over log(h)."""
    return Order(*_ricochet.fit_order(h, errors))
