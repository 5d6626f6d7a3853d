# %% [markdown]
# # Functions instead of formulas
# A bead on a wire that is computed in Python, with a contact law of ones own.
# %%
import numpy as np

import ricochet


def floor(t, q):
    """The gap to a wavy floor, and the slip along it."""
    return [q[1] - 0.1 * np.cos(4 * q[0]), q[0]]


def soft_restitution(h, gap, U):
    """The harder the impact, the less comes back."""
    return {"restitution": 0.9 / (1 + abs(U[0])), "friction": 0.1}


bead = ricochet.Model(
    ["x", "y"], np.eye(2), force=lambda t, q, v: [0.0, -9.81], position={"x": 0.1, "y": 1},
    contacts={"floor": ricochet.Contact(floor, law=soft_restitution)}, name="bead over a wavy floor",
    scheme="moreau-jean", step=2e-3, until=2)
result = ricochet.run(bead)
print(result.summary["impacts"], "impacts;", "at the end x, y =", np.round(result.q[-1], 4))
# %%
ax = result.plot.columns("q.x", "q.y")
