"""Programs written for PopART, run unchanged by `python -m popir.as_popart` and the pytest plugin.

Each is a program of its own, in another process, as its users start it.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from popir import as_popart
from tests.toolchain import ROOT


def python(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """What a command of this python says, in a folder that does not have popir."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def run(text: str, folder: Path, *arguments: str) -> str:
    """What the program prints."""
    (folder / "program.py").write_text(textwrap.dedent(text))
    done = python("-m", "popir.as_popart", "program.py", *arguments, folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


TRAINING = """
    import argparse

    import numpy as np
    import popart

    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int)
    options = parser.parse_args()
    popart.getLogger().setLevel("WARN")

    rng = np.random.RandomState(1)
    builder = popart.Builder(opsets={"ai.onnx": 10, "ai.graphcore": 1})
    data = builder.addInputTensor(popart.TensorInfo("FLOAT", [4, 6]), "data")
    label = builder.addInputTensor("INT32", [4], "label")
    with builder.nameScope("layer"):
        weight = builder.addInitializedInputTensor(rng.randn(6, 3).astype(np.float32), "weight")
        bias = builder.addInitializedInputTensor(np.zeros(3, np.float32), "bias")
        hidden = builder.aiOnnx.gemm([data, weight, bias], 1.0, 1.0, False, False, "gemm")
    probs = builder.aiOnnx.softmax([hidden], axis=1)
    loss = builder.aiGraphcore.nllloss([probs, label], popart.ReductionType.Mean, debugContext="l")

    userOptions = popart.SessionOptions()
    userOptions.engineOptions["debug.verifyPlan"] = "true"
    session = popart.TrainingSession(
        fnModel=builder.getModelProto(),
        dataFlow=popart.DataFlow(2, {loss: popart.AnchorReturnType("ALL")}),
        loss=loss,
        optimizer=popart.SGD({"defaultLearningRate": (0.5, False), "defaultMomentum": (0.9, True)}),
        deviceInfo=popart.DeviceManager().createCpuDevice(),
        patterns=popart.Patterns(popart.PatternsLevel.Default).enablePattern("InPlace", True),
        userOptions=userOptions,
    )
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    stepio = popart.PyStepIO(
        {data: rng.randn(2, 4, 6).astype(np.float32), label: np.arange(8).reshape(2, 4) % 3 * 1},
        anchors,
    )
    losses = []
    for step in range(options.steps):
        session.run(stepio)
        losses.append(float(anchors[loss].mean()))
    session.updateOptimizerFromHost(
        popart.SGD({"defaultLearningRate": (0.1, False), "defaultMomentum": (0.9, True)})
    )
    session.weightsToHost()
    read = popart.PyWeightsIO({weight: np.empty((6, 3), np.float32)})
    session.readWeights(read)
    session.modelToHost("trained.onnx")
    print(anchors[loss].shape, losses[0] > losses[-1], session.replicationFactor, weight)
"""


def test_a_training_program_with_arguments(tmp_path: Path) -> None:
    said = run(TRAINING, tmp_path, "--steps", "5")
    assert said.split("\n")[0] == "(2,) True 1 layer/weight"
    assert (tmp_path / "trained.onnx").exists()


def test_weights_are_in_the_fields_of_models_that_programs_read(tmp_path: Path) -> None:
    said = run(
        TRAINING
        + """
    import onnx
    builder = popart.Builder("trained.onnx")
    builder.saveInitializersExternally([weight], "weights.bin")
    builder.saveModelProto("aside.onnx")
    for name in ("trained.onnx", "aside.onnx"):
        model = onnx.load(name, load_external_data=False)
        print({each.name: len(each.float_data) for each in model.graph.initializer})
    trained = onnx.load("trained.onnx").graph.initializer[0].float_data
    print(np.array_equal(np.reshape(trained, (6, 3)), read.weights[weight]))
    """,
        tmp_path,
        *("--steps", "1"),
    )
    _, trained, aside, is_same = said.splitlines()
    given = {"layer/weight": 18, "layer/bias": 3}
    assert eval(trained).items() >= given.items()
    assert eval(aside).items() >= {**given, "layer/weight": 0}.items()
    assert is_same == "True"


def test_halves_are_packed_as_programs_take_them_out(tmp_path: Path) -> None:
    said = run(
        """
        import numpy as np
        import onnx
        import popart

        halves = np.array([[1.5, -2, 3], [4, 5, 0.25], [7, 8, 9]], np.float16)
        builder = popart.Builder()
        w = builder.addInitializedInputTensor(halves, "w")
        y = builder.aiOnnx.neg([w])
        builder.addOutputTensor(y)
        (stored,) = onnx.load_from_string(builder.getModelProto()).graph.initializer
        taken = np.asarray(stored.int32_data, np.int32).view(np.float16)
        print(len(stored.int32_data), np.array_equal(taken[:9].reshape(3, 3), halves))
        session = popart.InferenceSession(
            builder.getModelProto(), popart.DataFlow(1, [y]),
            popart.DeviceManager().createCpuDevice(),
        )
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO({}, anchors))
        print(np.array_equal(anchors[y], -halves))
        """,
        tmp_path,
    )
    assert said.splitlines() == ["5 True", "True"]


def test_an_inference_program_on_a_device_that_it_acquires(tmp_path: Path) -> None:
    said = run(
        """
        import numpy as np
        import popart
        from popart.session import OutOfMemoryException

        assert issubclass(OutOfMemoryException, popart.popart_exception)
        builder = popart.Builder()
        info = popart.TensorInfo(np.zeros((2, 2), np.float32))
        first = builder.addInputTensor(info, popart.InputSettings(), "a")
        second = builder.addInputTensor("FLOAT", (2, 2), popart.DebugContext("b"))
        with builder.virtualGraph(0):
            total = builder.aiOnnx.add([first, second])
        with builder.virtualGraph(1):
            half = builder.aiOnnx.cast([total], "FLOAT16")
            total = builder.aiOnnx.cast([half], "FLOAT")
        builder.addOutputTensor(total)

        options = popart.SessionOptions()
        options.virtualGraphMode = popart.VirtualGraphMode.Manual
        options.weightTensorLocationSettings = popart.TensorLocationSettings(
            popart.TensorLocation(popart.TensorStorage.OnChip, popart.ReplicatedTensorSharding.Off)
        )
        device = popart.DeviceManager().acquireAvailableDevice(2, 4)
        with device:
            session = popart.InferenceSession(
                builder.getModelProto(),
                popart.DataFlow(1, [total]),
                device,
                userOptions=options,
            )
            session.prepareDevice()
            anchors = session.initAnchorArrays()
            given = {"a": np.ones((2, 2), np.float32), "b": np.full((2, 2), 2, np.float32)}
            stepio = popart.PyStepIOCallback(
                lambda id, prefetch: given[id], lambda id: None,
                lambda id: anchors[id], lambda id: None,
            )
            session.run(stepio)
        print(anchors[total].tolist(), first, second, builder.getTensorShape(total))
        """,
        tmp_path,
    )
    assert said == "[[3.0, 3.0], [3.0, 3.0]] a b [2, 2]\n"


def test_a_program_that_looks_at_the_compiled_graph(tmp_path: Path) -> None:
    said = run(
        """
        import json
        import numpy as np
        import popart

        builder = popart.Builder()
        x = builder.addInputTensor(popart.TensorInfo("FLOAT", [2]))
        body = builder.createSubgraphBuilder()
        inner = body.addUntypedInputTensor()
        body.addOutputTensor(body.aiOnnx.relu([inner]))
        (y,) = builder.aiGraphcore.call([x], 1, body)
        y = builder.aiOnnx.leakyrelu([y], alpha=0.5, debugContext="leak")
        builder.addOutputTensor(y)
        session = popart.InferenceSession(
            fnModel=builder.getModelProto(),
            dataFlow=popart.DataFlow(1, {y: popart.AnchorReturnType("All")}),
            deviceInfo=popart.DeviceManager().createCpuDevice(),
            patterns=popart.Patterns([]).enableRuntimeAsserts(False),
        )
        ir = json.loads(session._serializeIr(popart.IrSerializationFormat.JSON))
        ops = {op["type"]: op for graph in ir.values() for op in graph}
        leak = ops["LeakyRelu"]
        print(sorted(ops), len(ir), "maingraph" in ir)
        print(leak["name"], leak["inputs"][0]["shape"], leak["inputs"][0]["type"])
        print(leak["outputs"][0]["index"], leak["attributes"]["alpha"], y)
        """,
        tmp_path,
    )
    assert said.splitlines() == [
        "['Call', 'LeakyRelu', 'Relu'] 2 True",
        "leak [2] FLOAT",
        "0 0.500000 LeakyRelu:0",
    ]


def test_the_version_is_that_of_the_interface(tmp_path: Path) -> None:
    said = run(
        """
        import popart, popart.builder, popart.session, popart.tensorinfo
        import popir
        print(popart.__version__, popart.versionNumber(), popart.versionString())
        print(popart.packageHash() == f"popir-{popir.__version__}", popart.Builder is popir.Builder)
        print(popart.tensorinfo.TensorInfo is popir.TensorInfo, "Builder" in dir(popart))
        print(popart.session.InferenceSession is popir.InferenceSession)
        print("TensorInfo" in dir(popart.tensorinfo), popart.builder.Builder is popir.Builder)
        """,
        tmp_path,
    )
    assert said.startswith("3.4.0 (3, 4, 0) 3.4.0 (popir ")
    assert said.splitlines()[1:] == ["True True", "True True", "True", "True True"]


ABSENT = [
    ("import popxl", "has no module 'popxl': PopXL, PopART's second interface in Python"),
    ("import popxl.ops", "has no module 'popxl': PopXL"),
    ("import popart._internal.ir as _ir", "has no module 'popart._internal': it binds"),
    ("import popart.writer", "has no module 'popart.writer'."),
    ("import popart; popart.SesionOptions", "has no 'SesionOptions'. Did you mean 'SessionOpt"),
    ("import popart; popart._internal", "has no module 'popart._internal': it binds"),
    ("import popart; popart.initializePoplarDebugInfo('f')", "writes no file of debug infor"),
]


def test_what_popir_does_not_have_is_said(tmp_path: Path) -> None:
    tries = "".join(
        f"try:\n    exec({text!r})\nexcept Exception as error:\n    print(error)\n"
        for text, _ in ABSENT
    )
    for line, (text, words) in zip(run(tries, tmp_path).splitlines(), ABSENT, strict=True):
        assert words in line, text


def test_popdist_is_popirs(tmp_path: Path) -> None:
    text = "import popdist, popdist.popart\nprint(popdist.getNumLocalReplicas())\n"
    text += "print(popdist.popart.configureSessionOptions.__module__)"
    said = python("-m", "popir.as_popart", "-c", text, folder=tmp_path).stdout
    assert said == "1\npopir.popdist\n"


def test_popdist_of_a_program_that_is_alone(tmp_path: Path) -> None:
    """Such a program is one instance, and asks popdist before it knows of any other."""
    text = """
        import popart, popdist

        print(popdist.getInstanceIndex(), popdist.getNumInstances(), popdist.getNumTotalReplicas())
        print(popdist.checkNumIpusPerReplica(1), popdist.checkNumIpusPerReplica(2))
        manager = popart.DeviceManager()
        print([manager.acquireDeviceById(popdist.getDeviceId(n)).numIpus for n in (1, 4)])
    """
    assert run(text, tmp_path) == "0 1 1\nTrue False\n[1, 4]\n"


def test_indices_are_of_popart_s_type(tmp_path: Path) -> None:
    """ArgMax, ArgMin and TopK find INT32, in a branch too, and that meets INT64 as well."""
    text = """
        import numpy as np
        import popart

        builder = popart.Builder()
        x = builder.addInputTensor("FLOAT", [2, 3])
        label = builder.addInputTensor("INT32", [2])
        wide = builder.addInputTensor("INT64", [2])
        most = builder.aiOnnx.argmax([x], axis=1, keepdims=0)
        least = builder.aiOnnx.argmin([x], axis=1, keepdims=0)
        k = builder.aiOnnx.constant(np.array([2]))
        best, index = builder.aiOnnx.topk([x, k], axis=1)
        right = builder.aiOnnx.equal([most, label])
        total = builder.aiOnnx.add([wide, most])
        branches = [builder.createSubgraphBuilder() for _ in range(2)]
        for branch in branches:
            branch.addInputTensorFromParentGraph(x)
            branch.addOutputTensor(branch.aiOnnx.argmax([x], axis=0, keepdims=0))
        yes = builder.aiOnnx.constant(np.array(True))
        (chosen,) = builder.aiOnnx.logical_if([yes], 1, *branches)
        outputs = [most, least, best, index, right, total, chosen]
        print(builder.getTensorDtypeString(most), builder.getTensorDtypeString(index))
        session = popart.InferenceSession(
            builder.getModelProto(),
            popart.DataFlow(1, {id: popart.AnchorReturnType("All") for id in outputs}),
            popart.DeviceManager().createCpuDevice(),
        )
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        values = np.array([[1, 3, 2], [6, 4, 5]], np.float32)
        fed = {x: values, label: np.array([1, 1], np.int32), wide: np.array([2**40, 0])}
        session.run(popart.PyStepIO(fed, anchors))
        for id in outputs:
            print(anchors[id].dtype, anchors[id].tolist())
    """
    assert run(text, tmp_path).splitlines() == [
        "int32 int32",
        "int32 [1, 0]",
        "int32 [0, 1]",
        "float32 [[3.0, 2.0], [6.0, 5.0]]",
        "int32 [[1, 2], [0, 2]]",
        "bool [True, False]",
        f"int64 {[2**40 + 1, 0]}",
        "int32 [1, 1, 1]",
    ]


def test_a_subgraph_gets_and_returns_indices_as_it_declares_them(tmp_path: Path) -> None:
    """ONNX's models say INT64 of the values that a Loop or Scan carries."""
    text = """
        import numpy as np
        import popart
        from onnx import parser
        from popir import backend

        model = parser.parse_model('''
            <ir_version: 8, opset_import: ["" : 17]>
            g (float[5] x, float[2,5] rows, int64 trip, bool is_first)
                => (int64 last, int64 count, int64 found, int64[2] each, int64 chosen) {
                zero = Constant<value = int64 {0}>()
                one = Constant<value = int64 {1}>()
                first = ArgMax<axis = 0, keepdims = 0>(x)
                starts = ArgMin<axis = 1, keepdims = 0>(rows)
                last = Loop(trip, , zero) <body = a (int64 i, bool go, int64 carried)
                    => (bool on, int64 next) {
                    on = Identity(go)
                    next = ArgMax<axis = 0, keepdims = 0>(x)
                }>
                count = Loop(trip, , first) <body = b (int64 i, bool go, int64 carried)
                    => (bool on, int64 next) {
                    on = Identity(go)
                    next = Add(carried, one)
                }>
                found, each = Scan(zero, rows, starts) <num_scan_inputs = 2, body = c
                    (int64 state, float[5] row, int64 start) => (int64 index, int64 sum) {
                    index = ArgMax<axis = 0, keepdims = 0>(row)
                    sum = Add(state, start)
                }>
                chosen = If(is_first) <
                    then_branch = d () => (int64 y) {y = Identity(first)},
                    else_branch = e () => (int64 z) {z = Add(trip, one)}
                >
            }
        ''')
        x = np.array([0, 1, 5, 2, 3], np.float32)
        given = [x, np.stack([x, -x]), np.array(3), np.array(True)]
        for value in backend.prepare(model).run(given):
            print(value.dtype, value.tolist())
    """
    assert run(text, tmp_path).splitlines() == [
        *("int64 2", "int64 5", "int64 0"),
        *("int64 [0, 4]", "int64 2"),
    ]


def test_what_was_imported_before_does_not_count(tmp_path: Path) -> None:
    """A program may import models before it calls install()."""
    text = """
        import numpy as np
        from onnx import parser
        from popir import as_popart, backend, errors

        model = parser.parse_model('''
            <ir_version: 8, opset_import: ["" : 17]>
            g (int32[2] a, int64[2] b) => (int64[2] y) {y = Sub(a, b)}
        ''')
        given = [np.array([1, 2], np.int32), np.array([3, 5])]
        try:
            backend.prepare(model).run(given)
        except errors.OperatorInputError as error:
            print(str(error)[:15])
        as_popart.install()
        print(backend.prepare(model).run(given)[0].tolist())
    """
    (tmp_path / "program.py").write_text(textwrap.dedent(text))
    done = python("program.py", folder=tmp_path)
    assert (done.stdout, done.stderr) == ("ai.onnx.Sub:14:\n[-2, -3]\n", "")


def test_a_module_that_somebody_else_has_is_found(tmp_path: Path) -> None:
    (tmp_path / "popdist.py").write_text("def getNumInstances(): return 1\n")
    text = "import popdist; print(popdist.getNumInstances())"
    assert python("-m", "popir.as_popart", "-c", text, folder=tmp_path).stdout == "1\n"


def test_modules_and_code_are_run_as_python_does(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(
        "import sys, popart\nfrom package import other\nprint(sys.argv[1:], __name__, other.B)\n"
    )
    (package / "other.py").write_text("import popart\nB = popart.Builder.__name__\n")
    done = python("-m", "popir.as_popart", "-m", "package", "-x", "1", folder=tmp_path)
    assert done.stdout == "['-x', '1'] __main__ Builder\n", done.stderr
    text = "import sys, popart; print(sys.argv, __name__)"
    done = python("-m", "popir.as_popart", "-c", text, "a", folder=tmp_path)
    assert done.stdout == "['-c', 'a'] __main__\n", done.stderr
    (tmp_path / "beside.py").write_text("X = 1\n")
    run("import os, beside\nassert os.path.isabs(__file__), __file__\n", tmp_path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "usage: python -m popir.as_popart (SCRIPT"),
        (["--help"], "usage: python -m popir.as_popart (SCRIPT"),
        (["-m"], "-m takes an argument"),
        (["--fast", "x.py"], "There is no option --fast"),
    ],
)
def test_its_own_arguments(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as raised:
        as_popart.main(arguments)
    assert words in f"{capsys.readouterr().out}{raised.value.code}"
    assert (raised.value.code == 0) == (arguments == ["--help"])
    assert importlib.util.find_spec("popart") is None


def test_the_plugin_of_pytest(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("import popart\nVERSION = popart.__version__\n")
    (tmp_path / "test_own.py").write_text(
        textwrap.dedent(
            """
            import numpy as np
            import popart
            import pytest

            def test_sum():
                builder = popart.Builder()
                x = builder.addInputTensor(popart.TensorInfo("FLOAT", [3]))
                y = builder.aiOnnx.reducesum([x], [0], 0)
                builder.addOutputTensor(y)
                session = popart.InferenceSession(
                    builder.getModelProto(),
                    popart.DataFlow(1, {y: popart.AnchorReturnType("FINAL")}),
                    popart.DeviceManager().createIpuModelDevice({"tilesPerIPU": 4}),
                )
                session.prepareDevice()
                anchors = session.initAnchorArrays()
                session.run(popart.PyStepIO({x: np.ones(3, np.float32)}, anchors))
                assert anchors[y] == 3

            def test_error():
                with pytest.raises(popart.popart_exception):
                    popart.AnchorReturnType("Some")
            """
        )
    )
    plain = python("-m", "pytest", "-q", "-p", "no:cacheprovider", folder=tmp_path)
    assert "No module named 'popart'" in plain.stdout + plain.stderr
    done = python(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "popir.as_popart", folder=tmp_path
    )
    assert "2 passed" in done.stdout, done.stdout + done.stderr
