"""Complementarity and friction problems alone."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _ricochet

Vector = npt.NDArray[np.float64]
Block = tuple[str, int, float]


@dataclass
class Solution:
    """The answer of a solver, with its own judgement: `solved` is true only if the residual that judges all solvers is
    within the tolerance."""

    p: Vector  #: impulses, or z
    u: Vector  #: velocities W p + q, or w
    status: str  #: converged, iteration_limit, infeasible, singular
    iterations: int
    error: float  #: relative: the larger of the errors of impulses and velocities
    proof: Vector  #: of an infeasible problem the weights that prove it, else empty
    v: Optional[Vector] = None  #: of a global problem the velocities of the bodies

    @property
    def solved(self) -> bool:
        """Whether the status is converged."""
        return self.status == "converged"


class Problem:
    """u = W p + q with a cone for each block of rows."""

    def __init__(self, data: "_ricochet.ProblemData"):
        self._data = data

    @property
    def kind(self) -> str:
        """lcp, mlcp, friction, global friction, cone."""
        return self._data.kind

    @property
    def q(self) -> Vector:
        """The vector."""
        return self._data.b

    @property
    def blocks(self) -> list[Block]:
        """(cone, rows, mu) of each block."""
        return self._data.blocks

    @property
    def W(self) -> Any:
        """The matrix, as scipy.sparse.csr_matrix."""
        from scipy.sparse import csr_matrix

        pointers, columns, values = self._data.matrix
        return csr_matrix((values, columns, pointers), shape=(len(self.q), len(self.q)))

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """A file for `ricochet solve`; its ending says the form: .fc3d .fc2d .lcp .cones .dat .hdf5"""
        self._data.write(os.fspath(path))

    def __repr__(self) -> str:
        return f"<ricochet.Problem: {self.kind}, {len(self.q)} rows, {len(self.blocks)} blocks>"


def read_problem(path: Union[str, "os.PathLike[str]"]) -> Problem:
    """A problem from a file, in any form that `ricochet solve` takes."""
    return Problem(_ricochet.read_problem(os.fspath(path)))


def _matrix(W: Any, n: int) -> tuple[Any, Any, Any]:
    """Rows compressed, from an array or anything of scipy.sparse."""
    if hasattr(W, "tocsr"):
        sparse = W.tocsr()
        sparse.sum_duplicates()
        if sparse.shape != (n, n):
            raise _ricochet.InputError(f"W: a matrix of shape {sparse.shape}; accepted: {(n, n)}, as q has {n} rows")
        return sparse.indptr, sparse.indices, sparse.data
    dense = np.asarray(W, dtype=float)
    if dense.shape != (n, n):
        raise _ricochet.InputError(f"W: an array of shape {dense.shape}; accepted: {(n, n)}, as q has {n} rows")
    rows, columns = np.nonzero(dense)
    pointers = np.searchsorted(rows, np.arange(n + 1))
    return pointers, columns, dense[rows, columns]


def _blocks(n: int, mu: Optional[npt.ArrayLike], free: Any, blocks: Optional[Sequence[Block]]) -> list[Block]:
    if blocks is not None:
        if mu is not None or free is not None:
            raise _ricochet.InputError("blocks: they say everything; accepted beside them: neither mu nor free")
        return [(str(cone), int(rows), float(m)) for cone, rows, m in blocks]
    if mu is not None:
        if free is not None:
            raise _ricochet.InputError("free: beside friction; accepted: blocks, which mixes cones")
        m = np.atleast_1d(np.asarray(mu, dtype=float))
        if not np.isfinite(m).all() or (m < 0).any():
            raise _ricochet.InputError("mu: a number that is negative or not finite; accepted: 0 and more")
        if m.ndim != 1 or len(m) == 0 or n not in (2 * len(m), 3 * len(m)):
            raise _ricochet.InputError(
                f"mu: {m.size} contacts and {n} rows; accepted: two rows a contact (plane) or three (space)")
        return [("coulomb", n // len(m), float(x)) for x in m]
    if free is None:
        return [("nonnegative", 1, 0.0)] * n
    equality = np.zeros(n, dtype=bool)
    equality[np.arange(free) if isinstance(free, (int, np.integer)) else np.asarray(free)] = True
    return [("free" if e else "nonnegative", 1, 0.0) for e in equality]


def problem(W: Any, q: npt.ArrayLike, mu: Optional[npt.ArrayLike] = None, *, free: Any = None,
            blocks: Optional[Sequence[Block]] = None) -> Problem:
    """u = W p + q. Without more it is an LCP, 0 <= p, u >= 0, p u = 0. `free`: the first so many rows, or rows by mask
    or index, are equalities u = 0 (MLCP). `mu`: friction of each contact, normal row first. `blocks`: (cone, rows, mu) of
    each block, cones being free, nonnegative, coulomb, second-order."""
    b = np.asarray(q, dtype=float)
    if b.ndim != 1:
        raise _ricochet.InputError(f"q: an array of shape {b.shape}; accepted: a vector")
    pointers, columns, values = _matrix(W, len(b))
    if not (np.isfinite(b).all() and np.isfinite(values).all()):
        raise _ricochet.InputError("W and q: a number is not finite; accepted: finite numbers")
    return Problem(_ricochet.ProblemData(pointers, columns, values, b, _blocks(len(b), mu, free, blocks)))


def solve(W: Any, q: Optional[npt.ArrayLike] = None, mu: Optional[npt.ArrayLike] = None, *, free: Any = None,
          blocks: Optional[Sequence[Block]] = None, solver: str = "auto", tolerance: float = 1e-8,
          max_iterations: int = 0, guess: Optional[npt.ArrayLike] = None, minimum_norm: bool = False,
          threads: int = 1) -> Solution:
    """Solves u = W p + q; W is a dense or sparse matrix, or a file or a `Problem` that holds everything. `mu`, `free`
    and `blocks` as for `problem`. `guess`: p to begin with. `minimum_norm`: of all p with the same u, the shortest."""
    if q is None:
        given = W if isinstance(W, Problem) else read_problem(W)
    else:
        given = problem(W, q, mu, free=free, blocks=blocks)
    start = None
    if guess is not None:
        start = np.ascontiguousarray(guess, dtype=float)
        if start.shape != given.q.shape:
            raise _ricochet.InputError(f"guess: an array of shape {start.shape}; accepted: {given.q.shape}")
    if not tolerance > 0:
        raise _ricochet.InputError(f"tolerance: {tolerance}; accepted: a number above 0")
    return Solution(**given._data.solve(solver, tolerance, max_iterations, threads, minimum_norm, start))
