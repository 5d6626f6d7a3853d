# %% [markdown]
# # First steps
# A shipped scenario, its result, and what one can read off it.
# %%
import ricochet

result = ricochet.run("slider-crank")
result
# %% [markdown]
# Arrays look into the memory of the run. Row 0 is the beginning.
# %%
print(result.t.shape, result.q.shape, result.coordinates)
print("largest penetration", result.certificate.penetration.max(), "m")
print("energy lost in impacts", -result.energy.impact.sum(), "J, by friction", -result.energy.friction.sum(), "J")
# %% [markdown]
# Where the energy went.
# %%
result.plot.energy()
# %% [markdown]
# The same with another scheme: exact in position too.
# %%
exact = ricochet.run("slider-crank", scheme="combined")
print("largest penetration", exact.certificate.penetration.max(), "m")
print("Hausdorff distance of the crank's velocities", ricochet.hausdorff(result, exact, "v." + result.velocities[0],
                                                                         time=0.2, value=150))
