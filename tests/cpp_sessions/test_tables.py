"""What operators, tensors and graphs of a program answer beside what a session needs."""

from collections.abc import Callable
from pathlib import Path

from tests.cpp_sessions.conftest import PYTHON
from tests.toolchain import run

PRINTED = """\
202
0010110
10flat1-1
24 0
1ysum
error: Op(-1, ai.onnx.Add:7, name='sum'): its settings (inferTensorMappingToFrom) say that \
input 0 lies where input 1 does; where tensors lie is the compiler's
Const101[x y]
error: Tensors::makeConstInit: 'sum' is computed by Op(0, ai.onnx.Add:7, name='sum', \
inputs=['x', 'y'], outputs=['sum'])
[x sum y]
outer/z10x
error: The main graph has no tensor 'none' in the scope 'outer/inner' or around it
0
Variable
error: Tensors::addVarInit: 'v' has settings (VariableSettings(1, 2, OnePerGroup)) of groups \
of replicas; a variable that a program adds is the same on all, and \
Builder::addInitializedInputTensor() takes groups
error: Tensors::addVarInitFromViewOf: the value of 'v' cannot stay in memory of the program's \
own; addVarInit() copies it
error: Graph: 'own' cannot be made by itself; Ir::createGraph() makes graphs
[two/a][two/sum]2FLOAT [2 3]
two 111
error: Graph::copyFrom: The graph 'two' has a tensor 'two/a' already
00
02
error: Graph::copyFrom: The graph 'caller' calls 'one', a graph of its own Ir, which is another one
error: Autodiff: 'outer' calls the graph 'inner', which must not be differentiated with it \
(setCanBeRecursivelyAutodiffed)
inner
outer
10Call[own]
100
"""


def test_tables(compiled: Callable[[str], Path]) -> None:
    program = compiled("tables")
    assert run(program, cwd=program.parent, env=PYTHON) == PRINTED
