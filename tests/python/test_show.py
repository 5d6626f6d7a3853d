"""What people look at: pictures, pages, displays, documentation."""

import inspect
import pydoc

import pytest

import ricochet


@pytest.fixture(scope="module")
def result():
    return ricochet.run("bouncing-ball", until=1)


def test_plots(result):
    pytest.importorskip("matplotlib").use("Agg")
    for draw in (result.plot.energy, result.plot.q, result.plot.v, result.plot.gaps, result.plot.certificate):
        ax = draw()
        assert ax.lines and ax.get_xlabel() == "t [s]"
    assert result.plot.columns("q.q", ax=ax) is ax


def test_view(result, tmp_path):
    try:
        page = result.view(tmp_path / "motion.html")
    except ricochet.InputError as missing:
        pytest.skip(str(missing))
    assert (tmp_path / "motion.html").stat().st_size > 10_000
    assert page._repr_html_().startswith("<iframe srcdoc=")
    assert result.view(other=ricochet.run("bouncing-ball", until=1, scheme="combined")).path.endswith(".html")


def test_report_and_verification(result, tmp_path):
    result.report(tmp_path / "report.html")
    assert "<svg" in (tmp_path / "report.html").read_text()
    assert result.verify() and result.verify().rows == len(result)
    pushed = ricochet.Simulation("bouncing-ball")
    pushed.run(until=0.1)
    pushed.v = [3.0]
    verdict = pushed.run(until=0.2).verify()
    assert not verdict and verdict.disagreements


def test_displays(result):
    assert "bouncing" in repr(result) and "Certificate" in str(result)
    assert "<table>" in result._repr_html_() and "penetration" in result._repr_html_()
    for thing in (result.energy, result.contacts, result.certificate, ricochet.load("slider-crank"),
                  ricochet.Simulation("slider-crank"), ricochet.Simulation("slider-crank").state):
        assert repr(thing)


def public(thing):
    return [(name, value) for name, value in inspect.getmembers(thing) if not name.startswith("_")]


def test_everything_public_is_documented():
    missing = [name for name in ricochet.__all__ if not name.startswith("_") and not inspect.getdoc(getattr(ricochet, name))]
    for name, value in public(ricochet):
        if inspect.isclass(value) and value.__module__.startswith("ricochet"):
            own = [(n, v) for n, v in public(value) if n not in dir(BaseException) and n not in dir(ValueError)
                   and (callable(v) or isinstance(v, property))]
            missing += [f"{name}.{n}" for n, v in own if not inspect.getdoc(v)]
    assert not missing
    assert "Nonsmooth" in pydoc.render_doc(ricochet)


def test_tables():
    assert "slider-crank" in ricochet.scenarios() and "combined" in ricochet.schemes()
    assert "auto" in ricochet.solvers() and "newton-coulomb" in ricochet.laws()
