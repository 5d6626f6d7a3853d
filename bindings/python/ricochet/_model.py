"""Models of functions: Lagrangian systems, joints, contacts and laws that are computed in Python."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _ricochet
from ._scenario import Scenario, Source

Vector = npt.NDArray[np.float64]
OfQ = Callable[[float, Vector], Any]
OfTwo = Callable[[float, Vector, Vector], Any]
Law = Union[str, Callable[[float, float, Vector], Any]]


@dataclass
class Joint:
    """Residuals that are to be zero: `residual(t, q)` returns one number or several. What is left out is differentiated
    numerically: `gradient(t, q)` (rows x n), `curvature(t, q, p)` = d(Gp)/dq (n x n), `rate(t, q, v)` = d(G^T v)/dq."""

    residual: OfQ
    gradient: Optional[OfQ] = None
    curvature: Optional[OfTwo] = None
    rate: Optional[OfTwo] = None


@dataclass
class Contact:
    """`gap(t, q)` returns the gap, or the gap and one slip (plane) or two (space). `law` is a name, or a function
    law(h, gap, U) of the contact at the beginning of a step that returns the restitution, or a dict with `restitution`,
    `friction`, `compliance`. The derivatives are as for joints."""

    gap: OfQ
    restitution: float = 0.0
    friction: float = 0.0
    law: Law = ""
    gradient: Optional[OfQ] = None
    curvature: Optional[OfTwo] = None
    rate: Optional[OfTwo] = None


Joints = Mapping[str, Union[Joint, OfQ]]
Contacts = Mapping[str, Union[Contact, OfQ]]


def _constraints(joints: Optional[Joints], contacts: Optional[Contacts], t: float,
                 q: Vector) -> list["_ricochet.ConstraintSpec"]:
    out = []
    for name, joint in (joints or {}).items():
        j = joint if isinstance(joint, Joint) else Joint(joint)
        rows = _rows(name, j.residual, t, q)
        out.append(_ricochet.ConstraintSpec(name, True, j.residual, j.gradient, j.curvature, j.rate, "", 0.0, 0.0, rows))
    for name, contact in (contacts or {}).items():
        c = contact if isinstance(contact, Contact) else Contact(contact)
        if not 0 <= c.restitution <= 1:
            raise _ricochet.InputError(f"{name}: restitution {c.restitution}; accepted: 0 to 1")
        if not (math.isfinite(c.friction) and c.friction >= 0):
            raise _ricochet.InputError(f"{name}: friction {c.friction}; accepted: a finite number, not negative")
        rows = _rows(name, c.gap, t, q)
        if rows > 3:
            raise _ricochet.InputError(f"{name}: {rows} numbers; accepted: the gap, and up to two slips")
        if c.friction > 0 and rows == 1:
            raise _ricochet.InputError(f"{name}: friction {c.friction} without a slip; accepted: friction 0, or a "
                                       "gap(t, q) that returns the gap and one slip (plane) or two (space)")
        out.append(_ricochet.ConstraintSpec(name, False, c.gap, c.gradient, c.curvature, c.rate, c.law, c.restitution,
                                            c.friction, rows))
    return out


def _rows(name: str, function: OfQ, t: float, q: Vector) -> int:
    if not callable(function):
        raise _ricochet.InputError(f"{name}: this is no function; accepted: f(t, q)")
    rows = int(np.size(function(t, q.copy())))
    if rows == 0:
        raise _ricochet.InputError(f"{name}: the function returned no number; accepted: one or more")
    return rows


def _start(what: str, given: Union[None, npt.ArrayLike, Mapping[str, float]], names: Sequence[str]) -> Vector:
    out = np.zeros(len(names))
    if isinstance(given, Mapping):
        for name, value in given.items():
            if name not in names:
                raise _ricochet.InputError(f"{what}: unknown coordinate '{name}'; accepted: {', '.join(names)}")
            out[names.index(name)] = value
    elif given is not None:
        array = np.asarray(given, dtype=float)
        if array.shape != out.shape:
            raise _ricochet.InputError(f"{what}: an array of shape {array.shape}; accepted: {out.shape}")
        out[:] = array
    if not np.isfinite(out).all():
        raise _ricochet.InputError(f"{what}: a number is not finite; accepted: finite numbers")
    return out


class Model(Scenario):
    """A Lagrangian system of functions, M(t,q) v' = f(t,q,v) - dV/dq - convective terms + G p.

        pendulum = ricochet.Model(["phi"], mass=[[1.0]], potential=lambda t, q: -9.81 * math.cos(q[0]),
                                  contacts={"stop": ricochet.Contact(lambda t, q: q[0], restitution=0.8)},
                                  position={"phi": 1.0})
        result = ricochet.Simulation(pendulum, step=1e-3, until=2).run()

    `mass` is a matrix or a function of (t, q). `force(t, q, v)`, `potential(t, q)` and their derivatives are optional:
    `potential_gradient(t, q)`, `convective(t, q, v)`, `stiffness(t, q, v)` = -df/dq and `damping(t, q, v)` = -df/dv of all
    applied forces. What is left out is differentiated numerically, by many calls."""

    def __init__(self, coordinates: Sequence[str], mass: Union[npt.ArrayLike, OfQ], *, force: Optional[OfTwo] = None,
                 potential: Optional[OfQ] = None, potential_gradient: Optional[OfQ] = None,
                 convective: Optional[OfTwo] = None, stiffness: Optional[OfTwo] = None,
                 damping: Optional[OfTwo] = None, joints: Optional[Joints] = None,
                 contacts: Optional[Contacts] = None,
                 position: Union[None, npt.ArrayLike, Mapping[str, float]] = None,
                 velocity: Union[None, npt.ArrayLike, Mapping[str, float]] = None, name: str = "model",
                 scheme: str = "moreau-jean", options: Optional[Mapping[str, Any]] = None, step: float = 1e-3,
                 until: float = math.inf):
        names = [str(c) for c in coordinates]
        if len(set(names)) != len(names):
            raise _ricochet.InputError("coordinates: a name comes twice; accepted: different names")
        q, v = _start("position", position, names), _start("velocity", velocity, names)
        if not callable(mass):
            mass = np.atleast_2d(np.asarray(mass, dtype=float))
        if not (math.isfinite(step) and step > 0):
            raise _ricochet.InputError(f"step: {step}; accepted: a finite number above 0")
        self._system = _ricochet.SystemSpec(names, mass, force, potential, potential_gradient, convective, stiffness,
                                            damping)
        self._constraint_specs = _constraints(joints, contacts, 0.0, q)
        self._start = (q, v)
        self._settings: dict[str, Any] = dict(scheme=scheme, options=dict(options or {}), step=float(step), until=float(until))
        self._name = name
        self._case = self._make(**self._settings)

    def _make(self, scheme: str, options: Mapping[str, Any], step: float, until: float) -> "_ricochet.Case":
        values = {key: value if isinstance(value, (bool, str)) else float(value) for key, value in options.items()}
        run = _ricochet.RunSpec(scheme, values, step, until, *self._start)
        return _ricochet.function_model(self._name, self._system, self._constraint_specs, run)

    def _with(self, scheme: Optional[str], options: Optional[Mapping[str, Any]], step: Any,
              until: Optional[float]) -> "Model":
        """The same with other settings of the run."""
        if step is not None and not isinstance(step, (int, float)):
            raise _ricochet.InputError(f"step: {step!r}; accepted: a number, for models of functions")
        out = object.__new__(Model)
        out.__dict__.update(self.__dict__)
        given: dict[str, Any] = {"step": step, "until": until}
        if scheme is not None:
            given.update(scheme=scheme, options=dict(options or {}))
        elif options:
            given.update(options=dict(options))
        out._settings = {**self._settings, **{key: x for key, x in given.items() if x is not None}}
        out._case = out._make(**out._settings)
        return out


def extend(scenario: Source, *, joints: Optional[Joints] = None, contacts: Optional[Contacts] = None) -> Scenario:
    """The scenario, or what `load` takes, with joints and contacts of functions beside its own. For systems whose coordinates are numbers that
    add up: formulas, matrices, bodies in a plane."""
    from ._simulation import Simulation

    base = Scenario(scenario)
    start = Simulation(base)
    specs = _constraints(joints, contacts, start.t, start.q)
    return Scenario._of(_ricochet.extended(base._case, specs))
