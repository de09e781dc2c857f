"""What PopART's classes tell of scopes, shapes, tensors and devices, in members.cpp."""

from collections.abc import Callable
from pathlib import Path

from tests.cpp_sessions.conftest import PYTHON
from tests.toolchain import run

PRINTED = """\
a a [] 10111
a
Scope::pop: the outermost scope has no name to remove
FLOAT16 [2 3 4] INT8 [] [24 8 2] []
FLOAT [2] of [4 4]
[3][3 1][1 3 1 5]
0212
16 FLOAT
'2,3' is no shape; (2,3) and () are
'(2,3' is no shape; (2,3) and () are
'(2,-3)' is no shape; (2,3) and () are
unsqueeze: the axes must be in ascending order
ONNX has no number of the element type FLOAT8_143
Add: the inputs are of two types, FLOAT16 [2 3 4] and FLOAT [2]
POPART10000: 1 of 2; 1 of 2; 0124
1001 011
222 120
1011 00
---- CRRC CRCC CCCR RCCR
recompute::autoAnnotate: the type number 3 given; expected is None, Standard, NormOnly or \
RecomputeAll. What a pipeline computes again the compiler chooses, by \
SessionOptions::autoRecomputation
VariableSettings(CommGroup(type=Consecutive, replicaGroupSize=2), OnePerGroup) [2 3][3]
The host gets FLOAT [2 3] of 'w', with 4 replicas; the array given is FLOAT [3]
9 [2 2 2]0 12 1 AllReplicasOnePerGroup 211
TensorData::resetData: FLOAT [2] has 8 bytes; expected are 12
9 [2 2 2]0 buffersFromHost: SessionOptions.updatableNamedBuffers names no variables. Name those to \
copy, or call weightsFromHost(), which copies all.
9 0 AllReplicasOnePerGroup 211
TensorData::resetData: FLOAT [2] has 8 bytes; expected are 12
9 [2 2 2]0 buffersFromHost: SessionOptions.updatableNamedBuffers names 'b3', which is no variable \
on the device.
9 0 AllReplicasOnePerGroup 211
TensorData::resetData: FLOAT [2] has 8 bytes; expected are 12
101 4 5
"""


def test_members(compiled: Callable[[str], Path]) -> None:
    program = compiled("members")
    printed = run(program, cwd=program.parent, env=PYTHON)
    assert printed == PRINTED
