"""Every function of a library in turn throws or talks nonsense: the error names library, operator
and function, and all goes on."""

import ctypes
import gc
from pathlib import Path

import numpy as np
import pytest

import popir
from popir import Op, OperatorIdentifier, registry
from popir.foreign import popart
from popir.ir import Region
from popir.ir.traits import OpSerialiser
from tests.popart.graphs import refusal
from tests.popart.libraries import isolated

DOMAIN = "test.hostile"
X = np.float32([[1, 2, 3], [4, 5, 6]]) / 6
LAYOUT = {
    "getInputCreatorType", "createInput", "unwindTensorLayout", "null tensor", "larger tensor",
    "tensor of another type", "mustExistBeforeCreate", "no such tensor",
}  # fmt: skip
"""Where the operator has to read what it can create: an input of the model."""

THROWN = {
    "the factory": "the factory", "setup": "setup", "getGradOps": "getGradOps",
    "gradient's constructor": "getGradOps", "gradient's setup": "setup",
    "gradInputInfo": "gradInputInfo", "gradOutToNonGradIn": "gradOutToNonGradIn",
    "getSubgraphValue": "getSubgraphValue", "appendOutlineAttributes": "appendOutlineAttributes",
    "requiresRandomSeed": "requiresRandomSeed", "getSeedInIndex": "getSeedInIndex",
    "hasSideEffect": "hasSideEffect", "isOutlineable": "isOutlineable",
    "inplacePriorityDefault": "inplacePriorityDefault", "getInplaceVariant": "getInplaceVariant",
    "modifies": "modifies", "aliases": "aliases",
    "the Opx's constructor": "the Opx's constructor", "grow": "grow", "gradient's grow": "grow",
    "getInputCreatorType": "getInputCreatorType", "createInput": "createInputTensor",
    "mustExistBeforeCreate": "mustExistBeforeCreate",
    "unwindTensorLayout": "unwindTensorLayout",
    "outputCreatedExternally": "outputCreatedExternally",
}  # fmt: skip
"""Where "bad luck" is thrown in a session's making, and the function that the error names."""

NONSENSE = {
    "no operator": ("The factory returned no operator", "factory"),
    "input 3": ("has no input 3", "setup"),
    "negative shape": ("to the shape [-2, 3]; no dimension is below 0", "setup"),
    "no shape like that": ("has the shape [1073741824, 1073741824], more than fits", "setup"),
    "no type like that": ("to the element type 77, which there is not (Op(", "setup"),
    "the input's info": ("It changed input 0, 'Exp:0', from FLOAT [2 3] to INT8 [1]", "setup"),
    "its own output": ("It connected its own output 'Hostile:0' to input 1 (Op(", "setup"),
    "output disconnected": ("It disconnected output 0, 'Hostile:0' (Op(", "setup"),
    "kind 9": ("It maps input 1 to the kind 9; known are In, Out and GradOut", "gradInputInfo"),
    "the graph's own": ("as a new operator, which belongs to the graph already", "getGradOps"),
    "itself": ("is no gradient operator: it has no gradOutToNonGradIn()", "gradOutToNonGradIn"),
    "In 9": ("gradInputInfo() maps input 1 to In 9; expected each input once", ""),
    "Out 9": ("gradInputInfo() maps input 1 to Out 9; expected each input once", ""),
    "GradOut 9": ("gradInputInfo() maps input 0 to GradOut 9; expected", ""),
    "gap": ("has no input 0", "setup"),
    "no inputs": ("has no input 0", "setup"),
    "no outputs": ("which has no gradient for it. Define getGradOps() of its class in", ""),
    "output 9": ("gradOutToNonGradIn() returned {0: 0, 9: 1}; expected the index of each", ""),
    "same twice": ("It did not set output 1, ", "grow"),
    "other type": ("output 0 is FLOAT16[2, 3], but it is the gradient of input 0", None),
    "info of output 4": ("has no output 4", "setup"),
    "no variant": ("It returned a null pointer in place of an operator", "getInplaceVariant"),
    "no memory": ("The host cannot give the memory that was asked for. (Op(", "grow"),
    "bytes": (r"\xff (Op(", "grow"),
    "input 5": ("has no input 5", "grow"),
    "output 7": ("has no output 7", "grow"),
    "other half": ("of type half; setup() says FLOAT", "grow"),
    "no tile": ("has elements without a tile", "grow"),
    "other graph": ("of another poplar::Graph than graph()", "grow"),
    "creator 55": ("It returned 55, which is no InputCreatorType", "getInputCreatorType"),
    "touches no tensor": ("It returned a null pointer in place of a tensor", "touches"),
    "null tensor": ("a tensor that is no tensor at all", "createInputTensor"),
    "larger tensor": ("a tensor of shape [3, 3]; setup() says [2, 3]", "createInputTensor"),
    "tensor of another type": ("a tensor of type int; setup() says FLOAT", "createInputTensor"),
    "no such tensor": ("names 'nobody', which is no tensor of the graph", ""),
    "codelet": ("vertex 'Throws' (number 0 of the graph", ""),
    "always": ("The patterns Hostile of 'LIBRARY' still change the graph after 100 rounds", None),
    "dangling": ("After the patterns Hostile of 'LIBRARY' were applied: The graph is inco", None),
}  # fmt: skip
"""What is said of it, and the function, "" where the words have it; None: the words are all."""


def session(where: str) -> np.ndarray:
    """The gradient of a sum of squares of what the operator gives, in training."""
    builder = popir.Builder(opsets={"ai.onnx": 17})
    x = builder.addInitializedInputTensor(X, "x")
    read = x if where in LAYOUT else builder.aiOnnx.exp([x])
    (y,) = builder.customOp("Hostile", 1, DOMAIN, [read], {"where": where})
    if where == "unwindTensorLayout":  # it is asked where somebody behind it creates
        w = builder.addInitializedInputTensor(np.ones((3, 3), np.float32), "w")
        y = builder.aiOnnx.matmul([y, w])
    loss = builder.aiOnnx.reducesum([builder.aiOnnx.exp([y])], keepdims=0)
    gradient = popir.reservedGradientPrefix() + x
    made = popir.TrainingSession(
        builder.getModelProto(),
        popir.DataFlow(1, [gradient]),
        loss,
        popir.ConstSGD(0.0),
        popir.DeviceManager().createIpuModelDevice({"tilesPerIPU": 4}),
    )
    made.prepareDevice()
    found = made.initAnchorArrays()
    made.run(popir.PyStepIO({}, found))
    return found[gradient]


def said(where: str) -> str:
    with pytest.raises(popir.PopirError) as caught:
        session(where)
    return str(caught.value)


def check_sessions(library: str) -> None:
    ctypes.CDLL(library)
    before = registry.entries(), registry.opx_entries()
    for where, function in THROWN.items():
        words = said(where)
        assert words.startswith("bad luck (") and f"{DOMAIN}.Hostile" in words, words
        assert words.endswith(f"in {function}() of '{library}')"), words
    for where, (expected, function) in NONSENSE.items():
        words = said(where)
        assert expected.replace("LIBRARY", library) in words and "Hostile" in words, words
        if function is not None:
            assert f"'{library}'" in words and f"{function}(" in words, words
    assert "threw: bad luck in a vertex (Op(" in said("codelet")
    for where in "matches", "touches", "apply":
        words = said(where)
        assert words == f"bad luck (The pattern 'Hostile', in {where}() of '{library}')"
    assert (registry.entries(), registry.opx_entries()) == before
    y = np.exp(X)
    np.testing.assert_allclose(session(""), np.exp(y) * y, rtol=1e-4)
    for _ in range(2):  # what the first round lets go of holds others
        gc.collect()
    assert popart.device.liveOps() == 0


def test_each_function_that_a_session_asks(library, tmp_path: Path) -> None:
    isolated(check_sessions, library("hostile"), cwd=tmp_path)


def check_calls(library: str) -> None:
    ctypes.CDLL(library)

    def op(where: str, type: str = "Hostile") -> Op:
        graph = popir.Graph("g")
        graph.opsets = {DOMAIN: 1}
        graph.addStream("x", popir.TensorInfo("FLOAT", [2, 3]))
        settings = Op.Settings(graph, "n")
        made = registry.createOp(
            DOMAIN, type, 1, settings, {"where": where}, [graph.getTensor("x")], ["y"]
        )
        return graph.createConnectedOp(lambda: made, {0: "x"}, {0: "y"})

    region = Region((0, 0), (1, 1))
    for where, call in {
        "clone": lambda op: op.clone(),
        "appendAttributes": lambda op: op.appendAttributes(OpSerialiser()),
        "canBeReplacedByIdentity": lambda op: op.canBeReplacedByIdentity(),
        "uses": lambda op: op.usedRegions(0),
        "fwdRegMap": lambda op: op.fwdRegMap(0, 0, region),
        "bwdRegMap": lambda op: op.bwdRegMap(0, 0, region),
    }.items():
        words = refusal(popir.popart_exception, call, op(where))
        assert words.startswith("bad luck (Op(0, test.hostile.Hostile:1, name='n'"), words
        assert words.endswith(f"in {where}() of '{library}')"), words
    words = refusal(popir.popart_exception, op, "", "Unconnected")
    assert words.startswith("The factory returned Op(0, test.hostile.Hostile:1, name='n') ")
    assert words.endswith(
        "without outputs; connect it, as createConnectedOp does (test.hostile.Unconnected:1 'n', "
        f"in the factory() of '{library}')"
    )
    words = refusal(
        popir.popart_exception,
        popart.inferShapes,
        *(OperatorIdentifier(DOMAIN, "Shapes", 1), {}, {}, 1),
    )
    assert words == (
        f"bad luck (test.hostile.Shapes:1, in the shape inference function() of '{library}')"
    )


def test_each_function_that_others_ask(library, tmp_path: Path) -> None:
    isolated(check_calls, library("hostile"), cwd=tmp_path)
