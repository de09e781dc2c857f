"""Opx: what it offers to those who lower an operator."""

import numpy as np
import pytest

from popir import poplar
from popir._device.popart import Devicex
from popir.errors import popart_exception
from popir.ir import Graph, Op, OperatorIdentifier
from popir.opx import Opx, popType
from popir.poplar import program
from popir.types import DataType, TensorInfo

NO_DEVICE_TYPE = {"STRING", "UNDEFINED", "COMPLEX64", "COMPLEX128"}


class CopyOp(Op):
    def setup(self) -> None:
        self.setOutInfo(0, self.inInfo(0))


class CopyOpx(Opx):
    def grow(self, prog: program.Sequence) -> None:
        self.setOutTensor(0, self.cloneNcopy(prog, self.getInTensor(0), "copy"))


@pytest.fixture
def opx() -> CopyOpx:
    """Of an operator "act" from x, which is on the device, to y; both are FLOAT[3]."""
    graph = Graph()
    graph.addStream("x", TensorInfo("FLOAT", [3]))
    opid = OperatorIdentifier("test", "Copy", 1)
    op = graph.createConnectedOp(CopyOp, {0: "x"}, {0: "y"}, opid, Op.Settings(graph, "act"))
    devicex = Devicex(poplar.Graph(poplar.Target.createCPUTarget()))
    linear = poplar.VariableMappingMethod.LINEAR
    devicex.insert("x", devicex.graph().addVariable(poplar.FLOAT, [3], linear, "x"))
    return CopyOpx(op, devicex)


def read(
    opx: Opx, sequence: program.Sequence, tensor: poplar.Tensor, out: np.ndarray
) -> np.ndarray:
    """Runs the program and reads the tensor; x is 1, 2, 3."""
    opx.graph().createHostWrite("x", opx.getInTensor(0))
    opx.graph().createHostRead("out", tensor)
    engine = poplar.Engine(opx.graph(), [sequence])
    engine.writeTensor("x", np.array([1, 2, 3], np.float32))
    engine.run(0)
    engine.readTensor("out", out)
    return out


def test_grow_a_copy(opx: CopyOpx) -> None:
    sequence = program.Sequence()
    opx.grow(sequence)
    found = read(opx, sequence, opx.dv_p.get("y"), np.zeros(3, np.float32))
    np.testing.assert_array_equal(found, [1, 2, 3])


def test_constants(opx: CopyOpx) -> None:
    tensor = opx.getConst(poplar.INT, [2], [4, 5])
    found = read(opx, program.Sequence(), tensor, np.zeros(2, np.int32))
    np.testing.assert_array_equal(found, [4, 5])


def test_scalar_variable(opx: CopyOpx) -> None:
    tensor = opx.getScalarVariable(poplar.HALF, "scalar")
    assert list(tensor.shape()) == []
    source = opx.getConst(poplar.HALF, [], 2.5)
    sequence = program.Sequence([program.Copy(source, tensor)])
    assert read(opx, sequence, tensor, np.zeros((), np.float16)) == 2.5


def test_output_of_another_shape(opx: CopyOpx) -> None:
    with pytest.raises(popart_exception) as error:
        opx.setOutTensor(0, opx.getConst(poplar.FLOAT, [2], 0.0))
    assert str(error.value) == (
        "Op(0, test.Copy:1, name='act', inputs=['x'], outputs=['y']): CopyOpx set output 0 of "
        "shape [2]; setup() says [3]."
    )


def test_what_the_base_class_lacks_is_named(opx: CopyOpx) -> None:
    bare = Opx(opx.op_p, opx.dv_p)
    assert bare.mustExistBeforeCreate(0) == []
    with pytest.raises(popart_exception, match="Opx creates no input 0, asked for by Op"):
        bare.createInputTensor(0, "")
    with pytest.raises(popart_exception, match="Opx unwinds no layout from output 1 to input 0"):
        bare.unwindTensorLayout(None, 0, 1)


@pytest.mark.parametrize("kind", sorted(DataType.__members__.keys() - NO_DEVICE_TYPE))
def test_types_of_the_device(kind: str) -> None:
    info = TensorInfo(kind, [1])
    assert popType(info) == popType(DataType[kind])
    size = poplar.Target.createCPUTarget().getTypeSize(popType(info))
    assert size == DataType[kind].nbytes


@pytest.mark.parametrize("kind", sorted(NO_DEVICE_TYPE))
def test_types_that_the_device_lacks(kind: str) -> None:
    with pytest.raises(popart_exception) as error:
        popType(DataType[kind])
    assert str(error.value) == f"The device has no element type for DataType.{kind}."
