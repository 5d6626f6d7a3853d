"""Simulations: all at once, or step by step."""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any, Callable, Iterator, Mapping, NoReturn, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _ricochet
from ._model import Model
from ._result import Result
from ._scenario import Scenario, Source, _scheme

Progress = Union[bool, Callable[[float, float], Any]]


class StepFailed(RuntimeError):
    """A step did not converge, in halves neither. `result` holds the run up to the last good step."""

    def __init__(self, text: str, result: Result):
        super().__init__(text)
        self.result = result


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run. `result` holds it up to the last step; the simulation can go on from there."""

    def __init__(self, text: str, result: Result):
        super().__init__(text)
        self.result = result


def _raise_if_failed(simulation: "Simulation") -> None:
    result = simulation.result
    if result.status == "failed":
        raise StepFailed("\n  ".join(result.failure), result)
    if result.status == "finished-uncertified":
        count = int(result.summary["uncertified"])
        warnings.warn(f"finished with {count} uncertified steps: they missed the tolerance and were accepted, as the "
                      "scenario asks", stacklevel=3)


class _Bar:
    """Progress as a line on the error output."""

    def __init__(self) -> None:
        self.began = time.monotonic()

    def __call__(self, t: float, until: float) -> None:
        self.show(f"t = {t:.4g} s of {until:.4g} s, {time.monotonic() - self.began:.0f} s")

    def show(self, text: str) -> None:
        """Replaces the line."""
        sys.stderr.write(f"\r{text:<60}")
        sys.stderr.flush()

    def clear(self) -> None:
        """Takes the line away."""
        sys.stderr.write("\r" + " " * 60 + "\r")
        sys.stderr.flush()


class Simulation(_ricochet.Simulation):
    """A run that goes on while it is asked to: `run`, or a loop over its steps.

        sim = ricochet.Simulation("slider-crank", scheme="combined", step=1e-5)
        for step in sim:
            if step.t > 0.01:
                break
        result = sim.run(until=0.2)
    """

    def __init__(self, model: Source, scheme: Union[None, str, Mapping[str, Any]] = None,
                 step: Union[None, float, str, Mapping[str, Any]] = None, until: Optional[float] = None, *,
                 tolerance: Optional[float] = None, options: Optional[Mapping[str, Any]] = None,
                 changes: Optional[Mapping[str, Any]] = None, record_every: Optional[int] = None, threads: int = 1,
                 forces: bool = False):
        """What is left out is as the scenario says.

        scheme       its name, "name:option=value,..." or a dict with `name`
        options      of the scheme
        step         its size [s], "auto", or a dict with `control`
        tolerance    error of the positions asked for; the steps are then chosen
        until        final time [s]
        changes      other values of the scenario, by their path
        record_every steps a row of the result; 0: beginning and end only
        threads      that may share the work of a step; no bit of the result depends on it
        forces       generalised forces can be set between steps: `sim.force`
        """
        if record_every is not None and record_every < 0:
            raise _ricochet.InputError(f"record_every: {record_every}; accepted: 0 or more")
        self._scenario = self._prepare(model, scheme, step, until, tolerance, options, record_every,
                                       dict(changes or {}))
        if threads < 1:
            raise _ricochet.InputError(f"threads: {threads}; accepted: 1 or more")
        self._forces = _ricochet.Forces() if forces else None
        super().__init__(self._own_case(), record_every, threads, self._forces)

    @staticmethod
    def _prepare(model: Source, scheme: Union[None, str, Mapping[str, Any]],
                 step: Union[None, float, str, Mapping[str, Any]], until: Optional[float],
                 tolerance: Optional[float], options: Optional[Mapping[str, Any]], record_every: Optional[int],
                 changed: dict[str, Any]) -> Scenario:
        if isinstance(model, Model):
            if changed or tolerance is not None or not isinstance(scheme, (str, type(None))):
                raise _ricochet.InputError(
                    "a model of functions has no scenario to change; accepted: scheme, options, step, until")
            if scheme is None and options is None and step is None and until is None:
                return model
            return model._with(scheme, options, step, until)
        if scheme is not None:
            changed["--scheme simulation.scheme"] = _scheme(scheme, options)
        elif options:
            changed["--scheme simulation.scheme"] = _scheme(Scenario(model, changed).scheme, options)
        if tolerance is not None:
            if step not in (None, "auto"):
                raise _ricochet.InputError(
                    "tolerance: with it the steps are chosen; accepted beside it: step='auto', or no step")
            step = {"control": "auto", "tolerance": tolerance}
        if step is not None:
            changed["--tolerance simulation.step" if tolerance is not None else "--step simulation.step"] = step
        if record_every is not None:
            changed["--record-every simulation.record.every"] = record_every
        if until is not None:
            changed["--until simulation.until"] = until
        return Scenario(model, changed)

    def _own_case(self) -> "_ricochet.Case":
        """With room for the forces of this simulation, where they are asked for."""
        case = self._scenario._case
        return case if self._forces is None else _ricochet.with_forces(case, self._forces)

    @property
    def force(self) -> npt.NDArray[np.float64]:
        """Generalised forces of the next steps, by velocity coordinate, to be written into; their work is external. Only
        with `forces=True`."""
        if self._forces is None:
            raise _ricochet.InputError("force: the simulation has none; accepted: Simulation(..., forces=True)")
        return self._forces.array

    @force.setter
    def force(self, force: npt.ArrayLike) -> None:
        self.force[:] = force

    @property
    def scenario(self) -> Scenario:
        """What is simulated."""
        return self._scenario

    def run(self, until: Optional[float] = None, progress: Progress = False, check: bool = True) -> Result:
        """Goes on to `until`, or to the end of the scenario. `progress`: a line on the error output, or a function of
        the time and the end, called ten times a second. A run that fails raises StepFailed, unless `check` is False:
        the result's `status` then tells. Ctrl-C raises Interrupted; both exceptions hold the result."""
        bar = _Bar() if progress is True else None
        told = bar if bar is not None else progress if callable(progress) else None
        try:
            self._run(until, told)
        except KeyboardInterrupt as interrupt:
            raise Interrupted(f"interrupted at t = {self.t:g} s", self.result) from interrupt
        finally:
            if bar is not None:
                bar.clear()
        if check:
            _raise_if_failed(self)
        return self.result

    def step(self) -> _ricochet.Step:
        """One step. At the end of the run an InputError: give `until` a later value."""
        try:
            return next(self)
        except StopIteration:
            raise _ricochet.InputError(
                f"until: the run has come to its end, {self.until:g} s; accepted: a later end, sim.until = ...") from None

    @property
    def result(self) -> Result:
        """Everything so far."""
        return Result(self._result())

    @property
    def q(self) -> npt.NDArray[np.float64]:
        """Configuration, a copy. Setting it puts the system there, and the books of energy begin anew."""
        return self._q

    @q.setter
    def q(self, q: npt.ArrayLike) -> None:
        self._place(_numbers("q", q), None)

    @property
    def v(self) -> npt.NDArray[np.float64]:
        """Velocity, a copy. Setting it changes the motion, and the books of energy begin anew."""
        return self._v

    @v.setter
    def v(self, v: npt.ArrayLike) -> None:
        self._place(None, _numbers("v", v))

    @property
    def state(self) -> _ricochet.State:
        """All that the next steps depend on, to be kept. Setting it goes back there: the same steps follow, bit for
        bit."""
        return self._state

    @state.setter
    def state(self, state: _ricochet.State) -> None:
        self._restore(state)

    def change(self, changes: Optional[Mapping[str, Any]] = None, **parameters: Any) -> None:
        """Other values from now on, as for `Scenario.changed`: a motor's target, a stiffness. The state stays."""
        scenario = self._scenario.changed(changes, **parameters)
        before, self._scenario = self._scenario, scenario
        try:
            self._change(self._own_case())
        except BaseException:
            self._scenario = before
            raise

    def __repr__(self) -> str:
        return f"<ricochet.Simulation '{self._scenario.name}' at t={self.t:g} of {self.until:g} s>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a simulation cannot be pickled; keep its scenario and its state")


def _numbers(what: str, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """A vector of doubles, whatever its memory looks like."""
    try:
        out = np.ascontiguousarray(x, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _ricochet.InputError(f"{what}: no numbers ({error}); accepted: a vector of numbers") from None
    if out.ndim != 1:
        raise _ricochet.InputError(f"{what}: an array of shape {out.shape}; accepted: a vector")
    return out


def run(model: Source, until: Optional[float] = None, progress: Progress = False, **settings: Any) -> Result:
    """Runs a scenario and returns its result; `settings` are those of `Simulation`."""
    return Simulation(model, until=until, **settings).run(progress=progress)
