"""What a program finds out about its graphs: copies, matches, orders, and values of replicas."""

from tests.cpp_sessions.conftest import Program


def test_shapes_that_broadcast(program: Program) -> None:
    assert program("analyses", "shapes").splitlines() == [
        "101",
        "[0 2][][0 1][]",
        "error: A tensor of the shape [2, 3] does not broadcast to one of [3]",
        "{(a, 1), (b, 2)}(a, 1, b)()",
    ]


def test_copies_of_graphs(program: Program) -> None:
    """Ids in the scope of the copy, both ways, constants, constraints; the copy can be called."""
    assert program("analyses", "copies").splitlines() == [
        "body_subgraph(0) body_subgraph(1)",
        "body/beside>copy/beside body/in>copy/in body/one>copy/one body/out>copy/out "
        "body/sum>copy/sum copy/beside>body/beside copy/in>body/in copy/one>body/one "
        "copy/out>body/out copy/sum>body/sum 6[copy/in][copy/out]",
        "Relu:body/beside Add:body/sum Relu:body/out 12FLOAT [2]11",
        "311",
        "FLOAT [2]1",
        "error: Ir::cloneGraph: the main graph cannot be copied; name one that it calls",
        "error: There is a graph 'copy' already.",
        "error: Ir::cloneGraph: 'body/own' is read in the graph 'body'; variables and streams of "
        "called graphs cannot be copied, so make it an input of the graph",
        "0",
    ]


def test_a_model_that_is_imported_step_by_step(program: Program) -> None:
    assert program("analyses", "steps").splitlines() == [
        "error: This Ir has no model: setOnnxModel() was not called",
        "1",
        "FLOAT [2]",
        "32",
        "error: Ir::registerInputTensors: this Ir has graphs already, so it cannot import a model",
        "error: Ir::setOnnxModel: this Ir has graphs already; give the model to one that was just "
        "made",
    ]


def test_matches_and_orders(program: Program) -> None:
    """Of x -> a -> b, sum = a + b, and last, which has to run after sum."""
    assert program("analyses", "matches").splitlines() == [
        "( a sum )( b sum )",
        "( b sum )",
        "( a b sum )",
        "( sum last )",
        "",
        "6",
        "error: findMatchingOps: an edge names the predicate 1; there are 1",
        "error: findMatchingOps: the predicates have the numbers 0 to 0; one has 1",
        "012",
        "a:ToLoss b:FromLoss sum:FromToLoss last:FromToLoss read:ToFromLoss grad:FromLoss ",
        "ToFromLoss",
    ]


def test_values_that_are_the_same_on_all_replicas(program: Program) -> None:
    """Inputs and outputs of operators: 1 for the same on all. Without the sum over replicas the
    update makes the weight differ, from the beginning of the next step.
    """
    assert program("analyses", "replicas").splitlines() == [
        "first 11>1 second 01>0 third 11>1 reduce 0>1 update 11>1 3",
        "first 01>0 second 00>0 third 11>1 update 00>0 3",
    ]
    found = "call_w 1>0 call_x 0>0 body/out 0>0 loop 10>0 step/next 00>0 update 00>0 "
    lines = [line for line in program("analyses", "called").splitlines() if ">" in line]
    assert lines == [found, found, "loop 10>1 "]


def test_replicas_that_iterate_another_number_of_times(program: Program) -> None:
    """By the trip count, the condition, or what the body says; without an iteration, a result is
    what it was at first.
    """
    lines = program("analyses", "decided").splitlines()
    assert [line for line in lines if ">" in line] == [
        "loop 10>1 ",
        "loop 010>0 ",
        "loop 110>1 ",
        "loop 010>0 ",
        "loop 110>1 ",
        "loop 110>0 ",
        "loop 00>1 ",
        "loop 100>0 ",
    ]


def test_branches_of_replicas(program: Program) -> None:
    lines = program("analyses", "branches").splitlines()
    assert lines == ["If:0/If 11>1  1>1  1>1 ", "If:0/If 101>0  0>0  0>0 "]


def test_modes_and_models_of_an_ir(program: Program) -> None:
    assert program("analyses", "modes").splitlines() == [
        "111",
        "error: Ir::registerInputTensors: this Ir has graphs already, so it cannot import a model",
        "11",
        "error: IrLowering: the device is a null pointer; give it a device",
    ]


def test_elements_of_a_step(program: Program) -> None:
    assert program("analyses", "elements").splitlines() == [
        "0",
        "no error",
        "no error",
        "error: Unexpected number of input elements for Tensor x. Expected 4, but received 2.",
        "error: Unexpected number of output elements for Tensor x. Expected 2, but received 4.",
        "error: Testing that the buffer provided by user for input Tensor y has the correct number "
        "of elements, But there is no Tensor named y in the Ir's main Graph.",
        "no error",
        "no error",
    ]


def test_recomputation_in_a_graph_of_a_program(program: Program) -> None:
    """Recomputed inputs have a quote. The update of w runs after the copy that reads it; v, which
    the forward pass overwrites, was kept.
    """
    assert program("analyses", "recomputed").splitlines() == [
        "sum(w x)Checkpoint",
        "act(v)Checkpoint",
        "act(v sum)Checkpoint",
        "sum(w x)Recomputed",
        "act(act sum')Recomputed",
        "early(v x)",
        "loss(act)",
        "grad(act' act')",
        "of_w(grad sum')",
        "update(w of_w)",
    ]
