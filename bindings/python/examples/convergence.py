# %% [markdown]
# # The order of a scheme across impacts
# Errors in L1 against a run with a much smaller step.
# %%
import ricochet

steps = [0.01 / 2**k * 0.97 for k in range(5)]
fine = ricochet.run("bouncing-ball", step=1e-5, until=2)
errors = [ricochet.distance(ricochet.run("bouncing-ball", step=h, until=2), fine, "q.q") for h in steps]
for h, error in zip(steps, errors):
    print(f"h = {h:.2e}   error {error:.2e}")
print("order", ricochet.order(steps, errors))
