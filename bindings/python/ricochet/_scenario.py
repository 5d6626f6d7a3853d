"""Scenarios: load them, look at them, change them."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Optional, Union

from . import _ricochet

Source = Union["Scenario", str, "os.PathLike[str]", Mapping[str, Any]]


def _value(value: Any) -> str:
    """A value as the scenario reader takes it; JSON is YAML."""
    if isinstance(value, str):
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise _ricochet.InputError(f"{value!r} is no part of a scenario; accepted: numbers, texts, lists, dicts, arrays")


def _text(tree: Mapping[str, Any]) -> str:
    return json.dumps(tree, ensure_ascii=False, default=_plain, indent=1)


def _scheme(scheme: Union[str, Mapping[str, Any]], options: Optional[Mapping[str, Any]]) -> str:
    """A name, 'name:option=value,...' as on the command line, or a dict with 'name' and the options."""
    if isinstance(scheme, str):
        name, colon, rest = scheme.partition(":")
        if not colon and not options:
            return name
        pairs = [pair.partition("=") for pair in rest.split(",")] if colon else []
        for key, equal, _ in pairs:
            if not key or not equal:
                raise _ricochet.InputError(
                    f"scheme: '{key}' is no option; accepted: NAME:option=value,option=value")
        words = [f"{key}: {value}" for key, _, value in pairs]
        words += [f"{key}: {_value(value)}" for key, value in (options or {}).items()]
        return "{" + ", ".join([f"name: {name}"] + words) + "}"
    return _value({**scheme, **(options or {})})


class Scenario:
    """A model with its initial state, a scheme with its options, and how far to go. It never changes; `changed` gives
    another one. Any number of simulations and threads may share it."""

    _case: _ricochet.Case

    def __init__(self, source: Source, changes: Optional[Mapping[str, Any]] = None):
        """`source`: the name of a shipped scenario, a path, the text of a scenario, or a dict with its blocks.
        `changes`: values by their path, {"simulation.step": 1e-4}."""
        overrides = [f"{path}={_value(value)}" for path, value in (changes or {}).items()]
        if isinstance(source, Scenario):
            self._case = source._case.changed(overrides) if overrides else source._case
        elif isinstance(source, Mapping):
            self._case = _ricochet.read(_text(source), str(source.get("name", "scenario")), overrides)
        elif isinstance(source, str) and "\n" in source:
            self._case = _ricochet.read(source, "scenario", overrides)
        else:
            self._case = _ricochet.load(os.fspath(source), overrides)

    @classmethod
    def _of(cls, case: _ricochet.Case) -> "Scenario":
        out = cls.__new__(cls)
        out._case = case
        return out

    def changed(self, changes: Optional[Mapping[str, Any]] = None, **parameters: Any) -> "Scenario":
        """The same with other values: by path, {"simulation.step": 1e-4}, or parameters of formulas by name."""
        at = {f"system.formulas.parameters.{name}": value for name, value in parameters.items()}
        return Scenario(self, {**(changes or {}), **at})

    @property
    def name(self) -> str:
        """As the scenario says, or its file name."""
        return self._case.name

    @property
    def description(self) -> str:
        """One paragraph; empty if it has none."""
        return self._case.description

    @property
    def text(self) -> str:
        """The effective YAML: reading it gives the same scenario."""
        return self._case.text

    @property
    def notes(self) -> list[str]:
        """What was done to the beginning, or looks odd."""
        return self._case.notes

    @property
    def scheme(self) -> str:
        """Name of the scheme."""
        return self._case.scheme

    @property
    def options(self) -> dict[str, Union[float, bool, str]]:
        """Options of the scheme that were given."""
        return self._case.options

    @property
    def step(self) -> float:
        """Size of a step [s]; with step control a typical one."""
        return self._case.step

    @property
    def until(self) -> float:
        """Final time [s]."""
        return self._case.until

    @property
    def coordinates(self) -> list[str]:
        """Names of the coordinates, in the order of `q`."""
        return self._case.coordinates

    @property
    def velocities(self) -> list[str]:
        """Names of the velocities, in the order of `v`."""
        return self._case.velocities

    @property
    def bodies(self) -> list[str]:
        """What joints and contacts can be fixed to."""
        return self._case.bodies

    @property
    def joints(self) -> list[str]:
        """Names of the joints."""
        return self._case.joints

    @property
    def contacts(self) -> list[str]:
        """Names of the declared contacts."""
        return self._case.contacts

    def __repr__(self) -> str:
        return (f"<ricochet.Scenario '{self.name}': {len(self.coordinates)} coordinates, {len(self.joints)} joints, "
                f"{len(self.contacts)} contacts, {self.scheme}, {self.step:g} s until {self.until:g} s>")


def load(source: Source, changes: Optional[Mapping[str, Any]] = None) -> Scenario:
    """A scenario from the name of a shipped one, a path, a text or a dict; `changes` as for `Scenario.changed`."""
    return Scenario(source, changes)


def scenarios() -> dict[str, str]:
    """The shipped scenarios and what they show."""
    return dict(_ricochet.list("scenarios"))


def schemes() -> dict[str, str]:
    """The time-stepping schemes, with a line each."""
    return dict(_ricochet.list("schemes"))


def solvers() -> dict[str, str]:
    """The solvers of complementarity problems, with a line each."""
    return dict(_ricochet.list("solvers"))


def laws() -> dict[str, str]:
    """The contact laws, with a line each."""
    return dict(_ricochet.list("laws"))
