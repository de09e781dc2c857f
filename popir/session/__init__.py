"""Sessions, which compile a model for a device and run it: `InferenceSession`, `TrainingSession`.

The interface is PopART's. Each part of it is a file: a model is `compiled`, then `prepared`; on
that stand `running`, `weights`, `random_numbers`, `executables` and `reports`, which `sessions`
joins. `requests` reads the session options.
"""

from popir.errors import OutOfMemoryException
from popir.session.sessions import InferenceSession, Session, TrainingSession

__all__ = ["InferenceSession", "OutOfMemoryException", "Session", "TrainingSession"]
