"""`training_args`: which arguments the pinned transformers has, and what may be said of them.

Serves the generator and the trainer alike. Refuses to import transformers: its table is generated.
"""

from rallypoint.spec.training.old import Mapped, mapped
from rallypoint.spec.training.rules import broken
from rallypoint.spec.training.table import NO_MEANS_NO, TRAINING_ARGS, VERSION, Argument

__all__ = ["NO_MEANS_NO", "TRAINING_ARGS", "VERSION", "Argument", "Mapped", "broken", "mapped"]
