"""How to start the program. What is put before the libraries of this process, the sanitizers', is not for it."""

import os

PROGRAM = ["env", "-u", "LD_PRELOAD", os.environ["RICOCHET_PROGRAM"]]
