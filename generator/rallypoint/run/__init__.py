"""`rallypoint run`: the job on this machine, with the launcher and the contract that its pods would have.

Refuses to import torch: it starts processes, and reads what they print.
"""

from rallypoint.run.session import run

__all__ = ["run"]
