"""Mutants that no test can catch, each with the reason: by the name of its site."""

EQUIVALENT: dict[str, str] = {
    "cpp/bindings/contraction.cpp sources skip: one.a = one.b = one.c = {1, 1, 1};": (
        "a product of one element takes no step, and sources refuse by type and machine"
    ),
    "cpp/bindings/poputil.cpp bindUtil number: 0": (
        "no partition is empty, so one of at least 0 elements has at least 1"
    ),
    "cpp/kernels/contraction/conv_kernel.cpp ConvKernel::accepts logic: i == 1 || i == 3": (
        "weights are read right by any strides, densely only faster, and no program gives a "
        "convolution its bias"
    ),
    "cpp/kernels/elementwise/geometry.cpp crossAxis logic: "
    "o.strides[a] == bytes && plan.axes[a].size >= 8 && plan.axes[last].size >= 8": (
        "the axis decides how elements are cut into boxes, which is a matter of speed"
    ),
    "cpp/kernels/elementwise/geometry.cpp setAxes negate: plan.elements > 0": (
        "axes are merged for speed: each element is computed once, by its strides"
    ),
    "cpp/kernels/vector/ops.inc fillStreams skip: "
    "t.stream[int(VecOp::ScaleBelow)][6] = scaleBelowLoop<true>;": (
        "a loop in one pass, for speed: where there is none the steps run one after another"
    ),
    "cpp/engine/emit_run.cpp EngineImpl::emitRun compare: layout.channelBlock != Layout::kPlain": (
        "a concatenation lies in one piece: dense, or in blocks that its kernels have agreed to"
    ),
    "cpp/poplar/program_node.hpp  number: 0": (
        "only Repeat and SeedRounding read the count, and both are made with one"
    ),
    "cpp/program/strided_copy.cpp StridedCopy.shared negate: p.loops[k].n >= 4 * threads_": (
        "which loop the threads share is a matter of speed: each element is copied once"
    ),
    "cpp/tools/popc.cpp main number: 0": (
        "-o= and --target= cannot begin at the second letter of a word that begins with them, "
        "and where they begin there, they are not found at 0"
    ),
    "popir/backend.py PopirRep.run flag: True": "_check_count() has compared the lengths",
    "popir/foreign/popart.py CppOp.showsInOrder flag: True": "`found` has one for each of `ends`",
    "popir/ops/movement/slice.py SliceOp.ranges flag: True": "the lengths have been compared",
    "popir/patterns/softmax_grad_direct.py SoftMaxGradDirect.rewrite number: 1": (
        "the newest version up to the one asked for is taken, and there is only version 1"
    ),
}
