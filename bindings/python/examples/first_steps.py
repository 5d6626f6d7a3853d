# %% [markdown]
# # First steps
# A shipped scenario, its result, and what one can read off it.
# %%
import ricochet

result = ricochet.run("slider-crank")
result
# %% [markdown]
# Arrays are views of the memory of the run. Row 0 is the beginning.
# %%
print(result.t.shape, result.q.shape, result.coordinates)
print("largest penetration", result.certificate.penetration.max(), "m")
print("energy lost in impacts", -result.energy.impact.sum(), "J, by friction", -result.energy.friction.sum(), "J")
# %% [markdown]
# Where the energy went.
# %%
result.plot.energy()
# %% [markdown]
# The same with another scheme, which keeps contacts at velocity level: gaps drift with the step.
# %%
drifts = ricochet.run("slider-crank", scheme="moreau-jean")
print("largest penetration", drifts.certificate.penetration.max(), "m")
print("Hausdorff distance of the crank's velocities", ricochet.hausdorff(result, drifts, "v." + result.velocities[0],
                                                                         time=0.2, value=150))
