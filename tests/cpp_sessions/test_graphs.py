"""popart::Ir of a program: graphs that it makes, and those that are prepared from a model."""

from tests.cpp_sessions.conftest import Program


def test_an_ir_that_a_program_fills(program: Program) -> None:
    """Tensors, operators, the order, the loss, and graphs beside the main one."""
    assert program("graphs", "made").splitlines() == [
        "110",
        "FLOAT [2 3] FLOAT [2 3] 101",
        "addact 110",
        "101",
        "toLoss:Yes fromLoss:No scheduledPreLoss:Yes",
        "[body/first body/a body/input][body/sum]1a body",
        "[body/a body/input]2101",
        "13",
        "error: There is a graph 'body' already.",
        "error: The graph 'body' has no input 'nothing'",
        "error: The model has no graph 'nothing'",
        "error: No graph of the model has a tensor 'nothing'",
        "1",
    ]


def test_calls_and_loops(program: Program) -> None:
    """The graphs that operators call, and which of their values are whose."""
    assert program("graphs", "called").splitlines() == [
        "FLOAT [4]1[body]1111122",
        "error: The graph 'body' cannot be removed: operators call it.",
        "FLOAT [4]730[step/i step/go step/carried][step/go step/next]",
        "1x",
        "13",
    ]


def test_copies_stashes_and_exchanges(program: Program) -> None:
    """Operators that move values: where they are, and which regions they show."""
    lines = program("graphs", "moved").splitlines()
    assert lines[0].startswith("error: ")
    assert "has to be told the IPU" in lines[0]
    assert lines[1:5] == [
        "[1] --> [3]133FLOAT16 [2 3]",
        "FLOAT16 [5 2 3]FLOAT16 [2 3]5Stashed___x",
        "FLOAT16 [2 8][0 4][2 6][0 2][1 3]1",
        "error: Concat along 1: input 1 has the shape [4, 3], input 0 [2, 3]",
    ]
    assert lines[5] == "11FLOAT16 [2 5]11[1 2]HostLoad(x)RemoteStore(4)"


def test_a_model_that_is_prepared(program: Program) -> None:
    """The graph that a session would lower: its gradients, and what stands before and after the
    loss.
    """
    assert program("graphs", "prepared").splitlines() == [
        "1",
        "111",
        "FLOAT [2 2]11 FLOAT [2 2]",
        "2 1 0",
        "1",
        "error: Ir::prepare: this Ir has graphs already; prepare one that was just made",
        # The same hash of the same model, another one of another data flow.
        "11",
        "error: Ir::getHash: there is no graph yet; prepare() makes one of a model",
        "03",
    ]


def test_a_model_is_written_as_it_was_read(program: Program) -> None:
    """Fields that our classes of messages lack are kept."""
    assert program("graphs", "models").splitlines() == ["7", "3MatMul w 2 1"]
