# %% [markdown]
# # A friction problem alone
# u = W p + q with Coulomb's cone for each contact: dense, sparse or from a file.
# %%
import numpy as np
from scipy import sparse

import ricochet

rng = np.random.default_rng(1)
contacts = 40
H = sparse.random(60, 3 * contacts, density=0.1, random_state=1) + sparse.eye(60, 3 * contacts)
W = (H.T @ H).tocsr()
q = W @ rng.normal(size=3 * contacts)
answer = ricochet.solve(W, q, mu=np.full(contacts, 0.7))
print(f"{answer.status}, {answer.iterations} iterations, error {answer.error:.1e}")
print("solvers:", ", ".join(ricochet.solvers()))
# %% [markdown]
# The smallest one, by hand: a contact that slides.
# %%
print(ricochet.solve(np.eye(3), [-1.0, 2.0, 0.0], mu=[0.5]))
