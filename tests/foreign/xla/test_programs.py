"""Programs that C++ builds with xla::XlaBuilder, and HLO text, as models."""

import ctypes
import math

import numpy as np
import pytest

import popir
from popir import custom_ops
from tests.foreign.xla.models import Array, leaves, run
from tests.foreign.xla.test_calls import f32

X = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32)


def ran(library: popir.OpLibrary, function: str, *values: Array) -> list[Array]:
    (program,) = custom_ops.xla_programs(library.path, f"made::{function}")
    inputs = dict(zip(leaves(program.inputs), values, strict=True))
    return run(program.builder.getModelProto(), inputs, leaves(program.output))


class TestBuilder:
    def test_arithmetic(self, programs: popir.OpLibrary) -> None:
        q = f32(0.5, -1, 2)
        product, sums, small = ran(programs, "arithmetic", X, q)
        y = (X + 2) * np.tanh(X) - (np.exp(X) + q) / 2
        n = np.tile(np.arange(3, dtype=np.float32), (2, 1))
        joined = np.concatenate([np.where(X > 0, y, -X), np.maximum(n, X)])
        total = joined[1:4:2].T.sum(1) + 2
        np.testing.assert_allclose(sums, np.tile(total, (2, 1)), rtol=1e-5)
        np.testing.assert_allclose(product, total[None] @ X.T + f32(1, 2), rtol=1e-5)
        np.testing.assert_array_equal(small, n >= X)

    def test_unary_and_moves(self, programs: popir.OpLibrary) -> None:
        whole = X.astype(np.int32)
        padded = np.ones((3, 6), np.float32)
        padded[1:, [1, 3]] = X[:, 1:]
        want = [
            np.trunc(X * 2 + np.copysign(np.float32(0.5), X)),
            np.rint(X * 2),
            np.cbrt(X),
            np.vectorize(math.erf)(X),
            X * X,
            1 / X,
            np.arctan2(X, np.exp(X)),
            np.tan(X),
            X > 0,
            [[bin(v & 0xFFFFFFFF).count("1") for v in row] for row in whole.tolist()],
            [[32 - (v & 0xFFFFFFFF).bit_length() for v in row] for row in whole.tolist()],
            whole << 2,
            whole >> 1,
            whole.view(np.uint32) >> 1,
            np.clip(X, -1, 0.5),
            X[:, ::-1],
            padded,
            np.pad(X, ((1, 2), (0, 0))),
            np.zeros((2, 3), np.int32),
            np.zeros(4, np.float32),
            np.float32(1),
        ]
        got = ran(programs, "unary_and_moves", X)
        assert len(got) == len(want)
        for a, b in zip(got, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-6, atol=1e-6)

    def test_loops(self, programs: popir.OpLibrary) -> None:
        (y,) = ran(programs, "loops", X)
        want = X.copy()
        while want[1, 1] < 40:
            want[1, 1:] += 16
        np.testing.assert_allclose(y, want, rtol=1e-6)

    @pytest.mark.parametrize("which", [-1, 0, 1, 2, 5])
    def test_calls(self, programs: popir.OpLibrary, which: int) -> None:
        got = ran(programs, "calls", X, np.array(which > 0), np.array(which, np.int32))
        branches = [2 * X, -X, X * X]
        want = [
            2 * X,
            X - np.exp(X),
            2 * X if which > 0 else -X,
            branches[which if 0 <= which < 3 else 2],
            -np.sort(-X, 0),
        ]
        for a, b in zip(got, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6)

    def test_sorts(self, programs: popir.OpLibrary) -> None:
        values, places = ran(programs, "sorts", X)
        np.testing.assert_array_equal(values, np.sort(X, 1))
        np.testing.assert_array_equal(places, np.argsort(X, 1, kind="stable"))

    def test_contracts(self, programs: popir.OpLibrary) -> None:
        functional = pytest.importorskip("torch.nn.functional")
        draw = np.random.default_rng(1).standard_normal
        shapes = ((4, 2, 3), (5, 3, 4), (2, 4, 7, 6), (6, 2, 3, 2))
        p, q, image, filters = (draw(shape).astype(np.float32) for shape in shapes)
        product, wide, plain, moved = ran(programs, "contracts", p, q, image, filters)
        np.testing.assert_allclose(product, np.einsum("bij,kjb->bik", p, q), rtol=1e-5, atol=1e-6)
        assert wide.dtype == np.float64
        x, w = (functional.torch.from_numpy(each) for each in (image, filters))
        padded = functional.pad(x, (2, 1, 1, 0))
        want = functional.conv2d(padded, w, stride=(2, 1), dilation=(1, 2), groups=2)
        np.testing.assert_allclose(plain, want, rtol=1e-4, atol=1e-5)
        apart = functional.torch.zeros(2, 4, 13, 6)
        apart[:, :, ::2] = x
        want = functional.conv2d(apart, w, groups=2)
        np.testing.assert_allclose(moved, want, rtol=1e-4, atol=1e-5)

    def test_indexes(self, programs: popir.OpLibrary) -> None:
        columns, sums = ran(programs, "indexes", X, np.array([2, 0, 2, 9], np.int32))
        np.testing.assert_array_equal(columns, X[:, [2, 0, 2, 2]])
        want = X.copy()
        want[:, 0] += columns[:, 1]
        want[:, 2] += columns[:, 0] + columns[:, 2]
        np.testing.assert_allclose(sums, want, rtol=1e-6)

    def test_custom_calls(self, programs: popir.OpLibrary, targets: popir.OpLibrary) -> None:
        found = ran(programs, "custom_calls", np.array(1, np.float32), np.array(5, np.float32))
        assert [float(each) for each in found] == [7, 1, 7]

    def test_tuples(self, programs: popir.OpLibrary, targets: popir.OpLibrary) -> None:
        a, b = ran(programs, "tuples", f32(1, 2), f32(3), f32(4, 5, 6), f32(7))
        np.testing.assert_array_equal(a, [28, 2])
        np.testing.assert_array_equal(b, [7])

    def test_options(self, programs: popir.OpLibrary, targets: popir.OpLibrary) -> None:
        copied, flat, told, same = ran(programs, "options", X, f32(1, 2, 3))
        np.testing.assert_array_equal(copied, X)
        np.testing.assert_array_equal(flat, X.T.ravel())
        assert bytes(told[1 : 1 + told[0]].astype(np.uint8)) == b'a"\0\xff\\n'
        np.testing.assert_array_equal(same, [2, 3, 4])

    def test_tokens(self, programs: popir.OpLibrary, targets: popir.OpLibrary) -> None:
        (value,) = ran(programs, "tokens", np.array(1, np.float32))
        assert value == 3

    def test_typed(self, programs: popir.OpLibrary, handlers: popir.OpLibrary) -> None:
        (y,) = ran(programs, "typed", f32(1, 2, 3))
        np.testing.assert_array_equal(y, [3.5, 7, 10.5])

    def test_several_programs(self, programs: popir.OpLibrary) -> None:
        found = custom_ops.xla_programs(programs.path, "made::several")
        assert [program.name for program in found] == ["one", "two"]
        assert custom_ops.xla_programs(programs.path, "made::builds_nothing") == []

    def test_they_are_ordinary_models(
        self, programs: popir.OpLibrary, targets: popir.OpLibrary, tmp_path: object
    ) -> None:
        (program,) = custom_ops.xla_programs(programs.path, "made::custom_calls")
        program.builder.saveModelProto(f"{tmp_path}/m.onnx")
        a, b, c = leaves(program.output)
        values = dict(zip(program.inputs, (np.array(v, np.float32) for v in (3, 4)), strict=True))
        found = run(f"{tmp_path}/m.onnx", values, [a, b, c])
        assert [float(each) for each in found] == [6, 3, 6]

    def test_a_gradient_for_a_target(self, programs: popir.OpLibrary) -> None:
        gradient = custom_ops.CustomCallGradient("none", ["gradient 0"], [0])
        (program,) = custom_ops.xla_programs(
            programs.path, "made::custom_calls", gradients={"add2": gradient}
        )
        assert b'"target": "none"' in program.builder.getModelProto()


class TestErrors:
    @pytest.mark.parametrize(
        ("number", "words"),
        [
            (0, "Call targets that start with '\\$' are reserved"),
            (1, r"add: the operands are f32\[2,3\] and f32\[4\]"),
            (2, "parameter 0 .'again'. is there twice"),
            (3, "given 0 shapes, expected 1"),
            (4, "No layout specified for operand 0"),
            (5, "operand 0 is .* which is not that of the operand"),
            (6, "a literal, which no target"),
            (7, r"a literal of the shape f32\[2,2\] has another number"),
            (8, "has no element 0"),
            (9, "another number of elements"),
            (10, "is no permutation"),
            (11, "are outside of"),
            (12, "dot: the operands are"),
            (13, "has no dimension 2"),
            (14, "is not of the builder wrong"),
            (15, "does not fit dimension 1"),
            (16, "an operand is no token"),
            (17, r"the parameters \[0, 5\]"),
            (18, "an XlaOp that no function has made"),
            (19, r"broadcast: f32\[-2,2,3\] has a negative size"),
            (20, r"parameter: \(f32\[3\], f32\[-2\]\) has a negative size"),
            (21, r"clamp: the bounds of f32\[2,3\] are f32\[2,3\] and s32\[\]"),
            (22, r"reverse: \{0,0\} are no dimensions of"),
            (23, r"pad: f32\[2,3\] is padded in 3 dimensions with f32\[\]"),
            (24, r"pad: f32\[-1,3\] has a negative size"),
            (25, "pad: .* has no dimension 2"),
            (26, "a constant of the type .* cannot be made"),
            (27, "call: there is no computation"),
            (28, r"dot: the dimensions \{0\} of .* and \{1\} of .* are not alike"),
            (29, r"convolution: the dimensions \{0,1,2\} do not fit f32\[2,3\]"),
            (30, r"gather: slices \{1\} of f32\[2,3\] do not become the dimensions"),
            (31, "conditional: there are 0 computations for 1 operands"),
            (32, r"map: \{1\} must be all dimensions of f32\[2,3\] in order"),
            (33, r"sort: dimension 2 of f32\[2,3\]"),
        ],
    )
    def test_wrong_programs(self, programs: popir.OpLibrary, number: int, words: str) -> None:
        with pytest.raises(popir.PopirError, match=words):
            custom_ops.xla_programs(programs.path, f"made::wrong{number}")

    def test_a_builder_without_instructions(self, programs: popir.OpLibrary) -> None:
        words = "builds the program 'empty', which has an error: .*empty has no result"
        with pytest.raises(popir.ModelError, match=words):
            custom_ops.xla_programs(programs.path, "made::empty")

    def test_build_returns_the_first_error(self, programs: popir.OpLibrary) -> None:
        assert ctypes.CDLL(programs.path).error_is_kept() == 1

    def test_exception(self, programs: popir.OpLibrary) -> None:
        with pytest.raises(popir.popart_exception, match="thrown while building"):
            custom_ops.xla_programs(programs.path, "made::throws")
        with pytest.raises(popir.popart_exception, match=r"made15throws_a_number.* threw: what is"):
            custom_ops.xla_programs(programs.path, "made::throws_a_number")

    def test_no_function(self, programs: popir.OpLibrary) -> None:
        for function in ("made::nothing", "x", "system", ""):
            with pytest.raises(popir.LibraryLoadError, match=f"has no function '{function}'"):
                custom_ops.xla_programs(programs.path, function)

    def test_no_library(self) -> None:
        with pytest.raises(popir.LibraryLoadError, match="There is no operator library"):
            custom_ops.xla_programs("/nowhere/libx.so", "f")

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("", "no ENTRY computation"),
            ("HloModule m\n\nhello", "Line 3.*beginning of a computation"),
            ("ENTRY e {\n  x = f32[2] frobnicate()\n}", "Line 2.*'frobnicate'|frobnicate"),
            ("ENTRY e {\n  x = f99[2] add()\n}", "unknown element type 'f99'"),
            ("ENTRY e {\n  x = f32[2] add(y, y)\n}", "'y' is no instruction before it"),
            ("ENTRY e {\n  x = f32[2] parameter(1)\n}", r"parameters \[1\]"),
            ("ENTRY e {\n  x = f32[2] constant({1, 2, 3})\n}", "3 values for a constant"),
            ("ENTRY e {\n  x = f32[2] constant({...})\n}", "leaves out the values"),
            ("ENTRY e {\n  x = f32[1] constant({z})\n}", "'z' where a number is expected"),
            ("ENTRY e {\n  x = f32[1] call(), to_apply=e\n}", "'e' calls itself"),
            (
                "ENTRY e {\n  x = f32[1] call(), to_apply=f\n}",
                "its to_apply is 'f', and there is no such computation",
            ),
            ("ENTRY e {\n  x = f32[1 add(\n}", "a closing parenthesis"),
            ("ENTRY e {\n  x = token[] after-all()\n}", "has no result"),
            (
                'ENTRY e {\n  x = f32[] custom-call(), custom_call_target="f", api_version=NEW\n}',
                "its api_version is NEW",
            ),
        ],
    )
    def test_wrong_text(self, text: str, words: str) -> None:
        with pytest.raises(popir.PopirError, match=words):
            custom_ops.xla_program(text)


class TestText:
    def test_operators(self) -> None:
        text = """
        HloModule m, entry_computation_layout={(f32[2,3]{1,0})->f32[2]{0}}

        %region_0 (a: f32[], b: f32[]) -> f32[] {
          %a = f32[] parameter(0)
          %b = f32[] parameter(1)
          ROOT %m = f32[] maximum(f32[] %a, f32[] %b)
        }

        ENTRY %main (x: f32[2,3]) -> f32[2] {
          %x = f32[2,3]{1,0} parameter(0), sharding={replicated}
          %low = f32[] constant(-inf)
          %half = f32[] constant(0.5)
          %r = f32[2]{0} reduce(f32[2,3]{1,0} %x, f32[] %low), dimensions={1}, to_apply=%region_0
          %p = f32[4]{0} pad(%r, %half), padding=1_1
          %v = f32[4]{0} reverse(%p), dimensions={0}
          %c = s32[4]{0} convert(/*index=0*/%v)
          %k = f32[4]{0} convert(%c)
          ROOT %t = (f32[4]{0}, s32[4]{0}, f32[4]{0}) tuple(%v, %c, %k)
        }
        """
        program = custom_ops.xla_program(text)
        (x,) = program.inputs
        v, c, _ = run(program.builder.getModelProto(), {x: X}, leaves(program.output))
        expected = np.pad(X.max(1), 1, constant_values=0.5)[::-1]
        np.testing.assert_array_equal(v, expected)
        np.testing.assert_array_equal(c, expected.astype(np.int32))

    def test_constants(self) -> None:
        text = """ENTRY e {
          a = f32[2,2] constant({ {1, -2.5e3}, {inf, nan} })
          b = pred[2] constant({true, false})
          c = s64[] constant(9223372036854775807)
          d = s32[0] constant({})
          e = bf16[1] constant({0.5})
          ROOT t = (f32[2,2], pred[2], s64[], s32[0], bf16[1]) tuple(a, b, c, d, e)
        }"""
        program = custom_ops.xla_program(text)
        a, b, c, d, _ = run(program.builder.getModelProto(), {}, leaves(program.output))
        np.testing.assert_array_equal(a, f32([1, -2500], [np.inf, np.nan]))
        np.testing.assert_array_equal(b, [True, False])
        assert c == (1 << 63) - 1
        assert d.shape == (0,)


HEAD = "ENTRY e {\n  x = f32[2] parameter(0)\n  w = f32[2,3] parameter(1)\n"
WRONG = [
    ("f32[3] add(x, x)", r"operand 0 has the dimensions \[2\], its result \[3\]"),
    ("s32[2] add(x, x)", r"its shape is s32\[2\]; its value is f32\[2\]"),
    ("(f32[2]) add(x, x)", "not an array"),
    ("f32[2] add(x)", "it has 1 operands; expected is 2"),
    ("f32[2] maximum(x, x, x)", "it has 3 operands; expected is 2"),
    ("f32[2,3] add(w, x)", r"operand 1 has the dimensions \[2\]"),
    ("f32[2] select(x, x, x)", "its first operand must be pred"),
    ("f32[3,2] transpose(w)", "its dimensions is not there"),
    ("f32[3,2] transpose(w), dimensions={1}", "has 2"),
    ("f32[5] reshape(w)", "another number of elements"),
    ("f32[2,3] broadcast(x), dimensions={5}", "there are the dimensions 0 to 1"),
    ("f32[3,2] broadcast(x), dimensions={0}", "are not those of"),
    ("f32[1] slice(x), slice={[0:5]}", r"which \[2\] has not"),
    ("f32[1] slice(x), slice={[a:b]}", "expected is such as"),
    ("f32[4] concatenate(x, x)", "its dimensions is not there"),
    ("f32[4] iota(), iota_dimension=3", "a number below 1"),
    ("f32[99999999999] iota(), iota_dimension=0", "bytes of memory"),
    ("f32[4] pad(x, x), padding=q", "its padding is 'q'"),
    ("f32[2] dot(x, x)", "lhs_contracting_dims is not there"),
    ("f32[] dot(x, x), lhs_contracting_dims={4}, rhs_contracting_dims={0}", "dimensions 0 to 0"),
    ("f32[3] dot(x, w), lhs_contracting_dims={0}, rhs_contracting_dims={1}", "must be alike"),
    ("f32[2] get-tuple-element(x), index=0", "its operand must be one tuple"),
    ("pred[2] compare(x, x)", "its direction is ''"),
    ("f64[2] bitcast-convert(x)", "the bits of f32 become f64"),
    ("f32[2] reduce(x, x), dimensions={0}", "then for each one number of its type"),
    ("f32[2] reduce(x), dimensions={0}", "then for each one number of its type"),
    ("f32[2] opt-barrier(x, x)", "it has 2 operands; expected is 1"),
    ("f32[2] gather(x, x)", "its slice_sizes is not there"),
    ("f32[2] gather(x, x), slice_sizes={1}", "its indices must be integers"),
    ("f32[2] gather(x), slice_sizes={1}", "it has 1 operands; expected is 2"),
    ("f32[2] scatter(x, x)", "its operands must be arrays of the same dimensions, indices"),
    ("f32[2] select-and-scatter(x, x)", "it has 2 operands; expected is 3"),
    (
        "f32[2] select-and-scatter(x, x, x), window={size=1}",
        "expected are an array, one of its .2. windows and one number",
    ),
    ("f32[2] reduce-window(x, x), window={size=1}", "then for each one number of its type"),
    (
        "f32[2,3,1] convolution(w, w), dim_labels=bf_oi->bf, batch_group_count=0",
        "its batch_group_count is '0'; expected is a number from 1",
    ),
    ("s8[2] constant({1, 300})", "the constant 300, which is no int8"),
    ("f32[2] parameter(0)", "'x' is the parameter 0 too"),
    ("f32[2] parameter(q)", "expected is the number of a parameter"),
    ("f32[999999999999999999999] copy(x)", "a number below 2.63"),
    ('f32[2] custom-call(x), custom_call_target="\\377"', "is no text in UTF-8"),
    (
        'f32[2] custom-call(x), custom_call_target="f", output_to_operand_aliasing={{7}: (3, {})}',
        r"output_to_operand_aliasing names \[7\]",
    ),
    ("f32[2] dynamic-slice(x, x), dynamic_slice_sizes={2}", "its indices must be integers"),
    ("f32[2] dynamic-slice(x), dynamic_slice_sizes={2}", "for each dimension one number"),
    ("f32[2] dynamic-update-slice(x)", "expected are an array, its update and starts"),
    ("f32[2] sort(x), dimensions={0}, to_apply=g", "its to_apply is 'g'"),
    ("f32[2] while(x), condition=g, body=g", "its condition is 'g'"),
    ("f32[2] conditional(x), branch_computations={g}", "a branch is 'g'"),
    ("f32[2,3] convolution(w, w), dim_labels=bf0_oi0->bf0", "its dim_labels are"),
    ("f32[2] negate(x)\n  ROOT y = f32[2] negate(x)", "a name that no other instruction"),
    ("f32[2] negate(x)\n  ROOT z = f32[2] negate(x)", "expected is no second ROOT beside 'y'"),
]


@pytest.mark.parametrize(("instruction", "words"), WRONG)
def test_wrong_instructions(instruction: str, words: str) -> None:
    """The declared shape, the operands and the attributes must fit each other."""
    with pytest.raises(popir.PopirError, match=words) as caught:
        custom_ops.xla_program(f"{HEAD}  ROOT y = {instruction}\n}}")
    assert str(caught.value).startswith("Line ")


def test_wrong_frames() -> None:
    with pytest.raises(popir.PopirError, match="ends within the computation 'e'"):
        custom_ops.xla_program(f"{HEAD}  ROOT y = f32[2] negate(x)")
    with pytest.raises(popir.PopirError, match="a name that no other computation has"):
        custom_ops.xla_program(f"{HEAD}}}\n{HEAD}}}")


def test_a_reduction_of_one_of_its_parameters() -> None:
    """It is no maximum: every second number is dropped, up to the last."""
    text = """m {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT c = f32[] maximum(b, b)
    }
    ENTRY e {
      x = f32[3] parameter(0)
      z = f32[] constant(0)
      ROOT y = f32[] reduce(x, z), dimensions={0}, to_apply=m
    }"""
    program = custom_ops.xla_program(text)
    (x,) = program.inputs
    (y,) = run(program.builder.getModelProto(), {x: f32(5, 9, 2)}, leaves(program.output))
    assert y == 2


def test_a_broadcast_that_exchanges_dimensions() -> None:
    program = custom_ops.xla_program(
        "ENTRY e {\n  x = f32[2,3] parameter(0)\n"
        "  ROOT y = f32[3,4,2] broadcast(x), dimensions={2,0}\n}"
    )
    (x,) = program.inputs
    (y,) = run(program.builder.getModelProto(), {x: X}, leaves(program.output))
    np.testing.assert_array_equal(y, np.broadcast_to(X.T[:, None], (3, 4, 2)))


PARTS = """
plus {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
first {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, a), direction=LT
}
draws {
  a = f32[] parameter(0)
  b = f32[] iota(), iota_dimension=0
  ROOT c = f32[] add(a, b)
}
rows {
  a = f32[2] parameter(0)
  b = f32[] constant(0)
  ROOT c = f32[] add(b, b)
}
"""


@pytest.mark.parametrize(
    ("instruction", "words"),
    [
        (
            "f32[2] sort(x), dimensions={0}, to_apply=plus",
            r"its computation 'plus' returns f32\[\]; expected is pred\[\]",
        ),
        (
            "f32[] reduce(x, k), dimensions={0}, to_apply=first",
            r"its computation 'first' returns pred\[\]; expected is f32\[\]",
        ),
        (
            "f32[] reduce(x, k), dimensions={0}, to_apply=draws",
            r"has 'b' \(iota\), which does not work element by element",
        ),
        (
            "f32[] reduce(x, k), dimensions={0}, to_apply=rows",
            r"'rows' has the type f32\[2\], no scalar",
        ),
        (
            "f32[2] while(x), condition=plus, body=plus",
            r"its shape is f32\[\]; its value is f32\[2\]",
        ),
        (
            "f32[2] reduce-window(x, k), window={size=q}, to_apply=plus",
            "'size=q' cannot be read",
        ),
        (
            "f32[2] reduce-window(x, k), window={size=2x2}, to_apply=plus",
            "expected are 1 dimensions",
        ),
        ("f32[2] reduce-window(x, k), window={size=0}, to_apply=plus", "with a zero"),
    ],
)
def test_wrong_computations(instruction: str, words: str) -> None:
    """What an instruction calls must be what it can be here."""
    entry = f"{HEAD}  k = f32[] constant(0)\n  ROOT y = {instruction}\n}}"
    with pytest.raises(popir.PopirError, match=words):
        custom_ops.xla_program(PARTS + entry)
