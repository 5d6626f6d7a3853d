# %% [markdown]
# # Control in the loop
# A cart that a controller pushes to a place, with a wall on the way: forces are set between steps.
# %%
import numpy as np

import ricochet

cart = {
    "name": "cart",
    "system": {"formulas": {
        "parameters": {"m": 2},
        "coordinates": ["x"],
        "kinetic": "m/2*x'^2",
        "contacts": {"wall": {"gap": "1 - x", "restitution": 0.4}},
    }},
    "initial": {"position": {"x": 0}},
    "simulation": {"scheme": "combined", "step": 1e-3, "until": 5},
}
sim = ricochet.Simulation(cart, forces=True)
for step in sim:
    sim.force[0] = 40 * (1.05 - step.q[0]) - 6 * step.v[0]  # the target lies behind the wall
result = sim.result
print(f"at rest at x = {sim.q[0]:.6f}, pressed on with {sim.force[0]:.3f} N")
print("work of the controller", result.energy.external.sum(), "J")
# %% [markdown]
# A state is a value: keep it, try something, go back.
# %%
kept = sim.state
sim.until = 6
sim.force[0] = -10
sim.run()
print("after a pull:", sim.q[0])
sim.state = kept
print("back again: ", sim.q[0], "at", sim.t, "s")
# %%
assert np.isclose(kept.q[0], 1, atol=1e-6)
result.plot.columns("q.x", "v.x")
