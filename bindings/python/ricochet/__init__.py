"""Nonsmooth mechanics, exact and audited.

    import ricochet
    result = ricochet.run("slider-crank")
    result.q, result.energy.total, result.certificate.penetration, result.contacts

A scenario is loaded with `load` (a shipped name, a file, a text or a dict), run with `run` or step by step with
`Simulation`. Results hold numpy arrays that look into the memory of the run. docs/python.md is the tutorial.
"""

import os as _os

# An installed package brings the shipped scenarios along.
_scenarios = _os.path.join(_os.path.dirname(__file__), "scenarios")
if _os.path.isdir(_scenarios):
    _os.environ.setdefault("RICOCHET_SCENARIOS", _scenarios)

from ._ricochet import InputError, State, Step, __version__  # noqa: E402
from ._analysis import Order, distance, hausdorff, norm, order  # noqa: E402
from ._model import Contact, Joint, Model, extend  # noqa: E402
from ._result import Contacts, Result, Table, open  # noqa: E402
from ._scenario import Scenario, laws, load, scenarios, schemes, solvers  # noqa: E402
from ._simulation import Interrupted, Simulation, StepFailed, run  # noqa: E402
from ._solve import Problem, Solution, problem, read_problem, solve  # noqa: E402

__all__ = [
    "Contact", "Contacts", "InputError", "Interrupted", "Joint", "Model", "Order", "Problem", "Result", "Scenario",
    "Simulation", "Solution", "State", "Step", "StepFailed", "Table", "__version__", "distance", "extend", "hausdorff",
    "laws", "load", "norm", "open", "order", "problem", "read_problem", "run", "scenarios", "schemes", "solve", "solvers",
]
