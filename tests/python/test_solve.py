"""Problems alone, distances and orders."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

import ricochet
from program import PROGRAM

PROBLEMS = pathlib.Path(__file__).parents[2] / "problems"


def test_lcp():
    W = np.array([[2.0, 1.0], [1.0, 2.0]])
    answer = ricochet.solve(W, [-5.0, -6.0])
    assert answer.solved and answer.p == pytest.approx([4 / 3, 7 / 3]) and np.abs(answer.u).max() < 1e-12
    answer = ricochet.solve(W, [1.0, -6.0])
    assert answer.p == pytest.approx([0, 3]) and answer.u == pytest.approx([4, 0])
    integers = ricochet.solve(W.astype(int), [1, -6])
    assert integers.p.tobytes() == answer.p.tobytes()
    strided = ricochet.solve(np.kron(W, np.ones((2, 2)))[::2, ::2], np.array([1, 0, -6, 0])[::2])
    assert strided.p.tobytes() == answer.p.tobytes()


def test_mlcp():
    W = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])
    q = np.array([1.0, -2.0, -1.0])
    answer = ricochet.solve(W, q, free=1)
    assert answer.solved and abs(answer.u[0]) < 1e-10 and answer.p[0] < 0
    same = ricochet.solve(W, q, free=[True, False, False])
    assert same.p.tobytes() == answer.p.tobytes()


def test_friction():
    sparse = pytest.importorskip("scipy.sparse")
    slides = ricochet.solve(np.eye(3), [-1.0, 2.0, 0.0], mu=[0.5])
    assert slides.p == pytest.approx([1, -0.5, 0]) and slides.u == pytest.approx([0, 1.5, 0])
    sticks = ricochet.solve(sparse.eye(2, format="coo"), [-1.0, 0.2], mu=[0.5])
    assert sticks.p == pytest.approx([1, -0.2])
    both = sparse.block_diag([np.eye(3)] * 50).tolil()
    answer = ricochet.solve(both, np.tile([-1.0, 2.0, 0.0], 50), mu=np.full(50, 0.5), solver="auto")
    assert answer.p == pytest.approx(np.tile([1, -0.5, 0], 50))
    mixed = ricochet.solve(np.eye(3), [-1.0, -1.0, 2.0], blocks=[("nonnegative", 1, 0), ("coulomb", 2, 0.5)])
    assert mixed.p == pytest.approx([1, 1, -0.5])


def test_infeasible():
    answer = ricochet.solve([[0.0]], [-1.0])
    assert not answer.solved and answer.status == "infeasible" and len(answer.proof) == 1


def test_files(tmp_path):
    files = sorted(p for p in PROBLEMS.rglob("*") if p.suffix in (".fc3d", ".fc2d", ".lcp", ".dat", ".cones"))
    if not files:
        pytest.skip("no problems are shipped")
    path = min(files, key=lambda p: p.stat().st_size)
    answer = ricochet.solve(path)
    assert answer.solved
    problem = ricochet.read_problem(path)
    again = ricochet.solve(problem.W, problem.q, blocks=problem.blocks)
    assert again.p.tobytes() == answer.p.tobytes()
    problem.save(tmp_path / "copy.cones")
    assert ricochet.solve(tmp_path / "copy.cones").p.tobytes() == answer.p.tobytes()
    out = tmp_path / "solution.txt"
    subprocess.run([*PROGRAM, "solve", str(path), "-o", str(out)], check=True,
                   capture_output=True)
    assert np.loadtxt(out)[:, 1].tobytes() == answer.p.tobytes()


@pytest.mark.parametrize("W, q, more, words", [
    (np.eye(2), [1.0], {}, "W: an array of shape"), (np.eye(2), [[1.0, 2.0]], {}, "q: an array of shape"),
    (np.eye(2), [1.0, np.nan], {}, "not finite"), (np.eye(3), [1, 2, 3], dict(mu=[0.5, 0.5]), "2 contacts and 3 rows"),
    (np.eye(3), [1, 2, 3], dict(mu=[-1]), "negative"), (np.eye(1), [1], dict(solver="best"), "unknown solver 'best'"),
    (np.eye(2), [1, 2], dict(blocks=[("ball", 2, 0)]), "unknown cone 'ball'"),
    (np.eye(2), [1, 2], dict(blocks=[("coulomb", 3, 0)]), "do not fit together"),
    (np.eye(2), [1, 2], dict(guess=[1.0]), "guess: an array"), (np.eye(2), [1, 2], dict(tolerance=0), "tolerance: 0"),
])
def test_wrong_problems(W, q, more, words):
    with pytest.raises(ricochet.InputError, match=words):
        ricochet.solve(W, q, **more)


def test_norms_and_orders():
    assert ricochet.norm([0.5, 0.5], [1.0, -3.0]) == 2.0
    assert ricochet.norm([0.5, 0.5], [1.0, -3.0], np.inf) == 3.0
    fit = ricochet.order([0.1, 0.05, 0.025], [0.1, 0.025, 0.00625])
    assert float(fit) == pytest.approx(2) and fit.constant == pytest.approx(10) and str(fit).startswith("2.00")
    with pytest.raises(ricochet.InputError, match="as many of both"):
        ricochet.norm([1.0], [1.0, 2.0])


def test_distances():
    first, second = (ricochet.run("bouncing-ball", step=h, until=2.5) for h in (1e-3, 1e-4))
    # of the order of the step, whatever the jump: measured 6.4e-4 and 2.6e-4
    assert 1e-5 < ricochet.hausdorff(first, second, "v.q", time=1, value=1) < 5e-3
    assert ricochet.distance(first, second, "q.q") < 5e-3
    assert ricochet.hausdorff(([0, 1, 1, 2], [0, 0, 1, 1]), ([0, 1.1, 1.1, 2], [0, 0, 1, 1]), steps=False) == pytest.approx(0.1)
    with pytest.raises(ricochet.InputError, match="column"):
        ricochet.hausdorff(first, second)
