"""
The simulated device: poplar and the PopLibs libraries, under their own
names. `ext` has functions that PopLibs lacks, `machine` the cost model,
`popart` operators in C++, `tensorflow` those that were written for TensorFlow on the IPU.
"""

from __future__ import annotations
from . import poplar
from . import poputil
from . import popops
from . import poplin
from . import popnn
from . import poprand
from . import gcl
from . import machine
from . import ext
from . import popart
from . import tensorflow
from . import xla
from . import habana

__all__: list[str] = [
    "ext",
    "gcl",
    "habana",
    "machine",
    "popart",
    "poplar",
    "poplin",
    "popnn",
    "popops",
    "poprand",
    "poputil",
    "tensorflow",
    "xla",
]
