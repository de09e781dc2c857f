"""The order of the operators of all graphs, and what it says of tensors."""

from tests.cpp_sessions.conftest import Program

ORDER = """
0 Enter first 1000
1 CopyInput first 1000 a callee/x
2 CopyInput first 1100 b callee/y
3 Normal callee/sum 2000 callee/sum callee/x callee/y
4 CopyOutput first 1000 callee/sum first
5 Exit first 1000
6 Enter second 1000
7 CopyInput second 1000 callee/x first
8 CopyInput second 1100 b callee/y
9 Normal callee/sum 2000 callee/sum callee/x callee/y
10 CopyOutput second 1000 callee/sum second
11 Exit second 1000
12 Enter if 1000 chooses
13 CopyInput if 1100 callee/x second
14 CopyInput if 1200 a callee/y
15 Normal callee/sum 2000 callee/sum callee/x callee/y
16 CopyOutput if 1000 callee/sum chosen
17 Exit if 1000
18 Enter if 1010 chooses second
19 CopyInput if 1210 a other/x
20 Normal relu 2000 other/out other/x
21 CopyOutput if 1010 chosen other/out
22 Exit if 1010
""".strip().splitlines()
"""The place, what happens, the operator; how deep, the index, the graph and whether it is a
duplicate; the tensors. The second graph of the choice reads no `second`, which counts as used where
it is entered.
"""

LOOP = """
0 Enter loop 1000 body/going body/number
1 CopyInput loop 1200 a body/sum
2 CopyInput loop 1300 b body/b
3 CopyLoopCarried loop 1000 body/going
4 CopyLoopCarried loop 1100 body/a body/sum
5 Normal body/sum 2000 body/a body/b body/sum
6 CopyLoopCarried loop 1001 body/going
7 CopyLoopCarried loop 1101 body/a body/sum
8 Normal body/sum 2001 body/a body/b body/sum
9 CopyOutput loop 1000 body/sum out
10 Exit loop 1000 body/going
""".strip().splitlines()
"""Two iterations; the value that changes enters as if an iteration before them had left it."""


def test_calls_and_choices(program: Program) -> None:
    """A graph stands where it is called; a choice has both its graphs."""
    lines = program("liveness", "calls").splitlines()
    assert lines[: len(ORDER)] == ORDER
    places, asked = lines[len(ORDER) :][:6], lines[len(ORDER) + 6 :]
    sums, choice, first, chooses, exits, enters = ([int(w) for w in p.split()] for p in places)
    used = [[i for i, line in enumerate(ORDER) if word in line.split()[4:]] for word in ("first",)]
    assert sums == [i for i, line in enumerate(ORDER) if "Normal callee/sum" in line]
    assert choice == [i for i, line in enumerate(ORDER) if "Enter if" in line]
    assert [first, chooses, exits, enters] == [*used, choice, [5], [0]]
    assert asked[0] == "3 9 3 3 0 22 -1"
    # Produces, consumes, overwrites, modifies: of a copy in, an operator, a copy out, a choice.
    assert asked[1] == "0100 1011 0100 1000 0100 1011 0000 0100 "
    assert asked[2].startswith("CopyInput / Op(") and asked[2].endswith(" (a, callee/x)")


def test_a_loop(program: Program) -> None:
    """Its body twice, with what one iteration leaves to the next."""
    assert program("liveness", "loop").splitlines() == LOOP


def test_strategies_that_are_wrong(program: Program) -> None:
    """One that forgets copies, and one that names another than there are."""
    errors = program("liveness", "calls").splitlines()[-2:]
    words = "LivenessAnalyzer: the strategy has left out 7 copies, among them CopyInput / Op("
    assert errors[0].startswith(f"error: {words}")
    assert errors[1] == "error: LivenessAnalyzer: the strategy names copy 3 of 3"


PARTS = """\
'the main graph' 1 0, e 0-1 0:CopyInput@0 0:CopyInput@1 0:CopyInput@2 0:CallSubgraphPart(0) \
0:CopyOutput@0 0:CopyOutput@1
'outer' 1 1, outer/q 0-1 0:CopyInput@0 0:CopyInput@1 0:CopyInput@2 0:CallSubgraphPart(0) \
0:CopyOutput@0 0:CopyOutput@1, outer/s 0-1 0:CopyInput@0 0:CopyInput@1 0:CopyInput@2 \
0:CallSubgraphPart(0) 0:CopyOutput@0 0:CopyOutput@1
'inner' 1 1, inner/early 0-1, inner/late 0-1
'the main graph' 1 0, e 0-1 0:CopyInput@0 0:CallSubgraphPart(0) 0:CopyOutput@0 0:CopyInput@1 \
0:CallSubgraphPart(1) 0:CopyInput@2 0:CallSubgraphPart(2) 0:CopyOutput@1
'outer' 3 1, outer/q 0-2 0:CopyInput@0 0:CopyInput@1 0:CallSubgraphPart(0) 0:CopyOutput@0 \
1:CopyInput@2 1:CallSubgraphPart(1) 1:CopyOutput@1, outer/s 1-3 1:CopyInput@0 1:CopyInput@1 \
1:CallSubgraphPart(0) 1:CopyOutput@0 2:CopyInput@2 2:CallSubgraphPart(1) 2:CopyOutput@1
'inner' 2 1, inner/early 0-1, inner/late 1-2
error: SubgraphPartitioner: there is no Ir; setIr() gives it one
error: SubgraphPartitioner: there is no LivenessAnalyzer; setLivenessAnalyzer() gives it one
error: SubgraphPartitioner: The main graph was not there when apply() was called
error: JustInTimeSubgraphCopyingStrategy: there is no Ir; setIr() gives it one
"""
"""By hand. All copies around a graph, in one part each; then as late and as early as may be. outer
calls inner twice: y is read by the first call's second sum, z by the second's; p is final after the
first sum.
"""


def test_the_parts_of_graphs(program: Program) -> None:
    """What calls consist of, by either strategy, and where graphs are cut."""
    assert program("liveness", "parts") == PARTS


def test_copies_that_are_not_needed(program: Program) -> None:
    """What nobody reads, and tensors that may be one: never live at once, or always equal."""
    needed, found, live, sizes, *rest = program("liveness", "zero").splitlines()
    # An operator, and its result, are needed; what calls the graph that nobody reads is not.
    assert needed == "101110000"
    pairs = dict(each.split(":") for each in found.rstrip("; ").split("; "))
    assert pairs["w"].split() == ["callee/w"]
    assert set(pairs["first"].split()) == {"callee/sum", "callee/x"}
    assert "second" in pairs["callee/sum"]
    # A variable always; what is copied in from the copy to the reader; what nobody reads never.
    w, inside, x, total, second, third = live.split("; ")[:6]
    assert w == " ".join(["{[0,18)}"] * 3)
    assert inside.split()[:2] == ["{[2,3)[8,9)}"] * 2
    assert x.split()[:2] == ["{[1,3)[7,9)}"] * 2
    assert total.split()[:2] == ["{[3,4)[9,10)}"] * 2
    assert second.split()[0] == "{[10,17)}"
    assert third == "{} {} {}"
    # Proposed before and after, active before and after.
    assert sizes == "21220"
    assert rest == [
        "error: AliasZeroCopy: 'w' is FLOAT [], and 'wide' is FLOAT [2]; expected are the same "
        "type and shape",
        *(
            f"error: AliasZeroCopy::{function}: the Tensor is a null pointer"
            for function in (
                "getPostIRAliases",
                "removePostIRAliases",
                "activateAlias",
                "getProposedAliasedTensors",
                "getActiveAliasedTensors",
                "getLivenessIntervals",
                "getCandidateLivenessIntervals",
            )
        ),
        "{[0,3)[4,6)} {[1,3)[4,5)} 1 {[0,6)}1",
    ]


def test_what_is_missing(program: Program) -> None:
    """Without an Ir, a strategy or an order; and an Ir whose first use is one of its graphs."""
    taken = "its constructor takes one"
    assert program("liveness", "missing").splitlines() == [
        "aside 1",
        f"error: LivenessAnalyzer: there is no Ir; {taken}",
        f"error: LivenessAnalyzer: there is no SubgraphCopyingStrategy; {taken}",
        f"error: AliasZeroCopy: there is no Ir; {taken}",
        f"error: AliasZeroCopy: there is no LivenessAnalyzer; {taken}",
        "error: AliasZeroCopy: the LivenessAnalyzer has no order yet; apply() it first",
        "error: SubgraphPartitioner: the LivenessAnalyzer has no order yet; apply() it first",
        "error: AliasZeroCopy::getLivenessIntervals: the LivenessAnalyzer is a null pointer",
        "error: AliasZeroCopy::opRequired: the Op is a null pointer",
    ]
