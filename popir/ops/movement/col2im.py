"""Col2Im: an image as the sum of the blocks that were cut out of it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from popir import poplar, popops
from popir.errors import OperatorAttributeError, OperatorInputError
from popir.ir import Op
from popir.ir import Tensor as IrTensor
from popir.ops.movement.scatterrows import computed_in
from popir.ops.support.arithmetic import Arithmetic
from popir.ops.support.decomposition import Decomposer
from popir.ops.support.gradient import InputGradOp
from popir.ops.support.identifiers import graphcore_id, onnx_ids
from popir.ops.support.shapes import const_input
from popir.opx import Opx
from popir.poplar import Tensor, program
from popir.popops import expr as pe
from popir.registry import OpCreator, OpxCreator
from popir.types import DataType, TensorInfo


class _Blocks(NamedTuple):
    """Where blocks lie in an image, a number for each spatial dimension."""

    image: list[int]
    block: list[int]
    strides: list[int]
    dilations: list[int]
    before: list[int]
    """The padding before the image."""
    counts: list[int]
    """How many blocks there are."""

    def places(self) -> Iterator[tuple[int, list[tuple[int, int, int]]]]:
        """Each place in the block that lies within the image for a block, counted in row-major
        order. With it, for each dimension: the first block and the number of blocks of which it
        does, and where it lies in the first.
        """
        for n, at in enumerate(itertools.product(*map(range, self.block))):
            found: list[tuple[int, int, int]] = []
            for d, k in enumerate(at):
                offset, step = k * self.dilations[d] - self.before[d], self.strides[d]
                first = max(0, -(offset // step))
                end = min(self.counts[d], -((offset - self.image[d]) // step))
                found.append((first, end - first, offset + first * step))
            if all(count > 0 for _, count, _ in found):
                yield n, found

    def parts(self, image: Tensor, blocks: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
        """For each place in the block: its elements in the image [batch, channels, spatial...], and
        in the blocks [batch, channels, places, blocks...].
        """
        for n, dims in self.places():
            shown, cut = image, blocks.slice(n, n + 1, 2).squeeze([2])
            for d, (first, count, at) in enumerate(dims):
                step = self.strides[d]
                shown = shown.slice(at, at + (count - 1) * step + 1, d + 2).subSample(step, d + 2)
                cut = cut.slice(first, first + count, d + 2)
            yield shown, cut


class Col2ImOp(Op):
    """ONNX's Col2Im, version 18: [batch, channels * elements of a block, blocks] becomes [batch,
    channels, image_shape...]; where blocks overlap, their sum. The shapes of image and block must
    be known at compile time.
    """

    constantInputs = frozenset({1, 2})
    strides: list[int] | None
    pads: list[int] | None
    dilations: list[int] | None

    def blocks(self) -> _Blocks:
        """Where the blocks lie. Raises OperatorInputError or OperatorAttributeError for shapes and
        attributes that do not fit.
        """
        image, block = (self._dims(i) for i in (1, 2))
        rank = len(image)
        if len(block) != rank or not rank:
            raise OperatorInputError(
                f"{self.debugName()}: image_shape is {image}, block_shape {block}; give one number "
                "for each dimension of the image."
            )
        strides = self._numbers("strides", self.strides, [1] * rank, 1)
        dilations = self._numbers("dilations", self.dilations, [1] * rank, 1)
        pads = self._numbers("pads", self.pads, [0] * 2 * rank, 0)
        room = [
            size + a + b - d * (k - 1) - 1
            for size, a, b, d, k in zip(
                image, pads[:rank], pads[rank:], dilations, block, strict=True
            )
        ]
        counts = [r // s + 1 if r >= 0 else 0 for r, s in zip(room, strides, strict=True)]
        return _Blocks(image, block, strides, dilations, pads[:rank], counts)

    def _dims(self, i: int) -> list[int]:
        given = const_input(self, i)
        found = [] if given is None else [int(n) for n in given.reshape(-1)]
        if any(n < 1 for n in found):
            raise OperatorInputError(
                f"{self.debugName()}: input {i} is {found}; its numbers must be 1 or more."
            )
        return found

    def _numbers(
        self, name: str, given: list[int] | None, default: list[int], least: int
    ) -> list[int]:
        found = default if given is None else given
        if len(found) != len(default) or any(n < least for n in found):
            raise OperatorAttributeError(
                f"{self.debugName()}: the attribute '{name}' is {given}; expected are "
                f"{len(default)} numbers of {least} or more."
            )
        return found

    def setup(self) -> None:
        """Infers [batch, channels, image_shape...]. Raises OperatorInputError for an input that
        does not have those blocks.
        """
        blocks, shape = self.blocks(), self.inShape(0)
        size, count = math.prod(blocks.block), math.prod(blocks.counts)
        if len(shape) != 3 or shape[1] % size or shape[2] != count:
            raise OperatorInputError(
                f"{self.debugName()}: the input has shape {shape}; an image of {blocks.image} has "
                f"{count} blocks of {blocks.block}: give [batch, channels * {size}, {count}]."
            )
        image = [shape[0], shape[1] // size, *blocks.image]
        self.setOutInfo(0, TensorInfo(self.inInfo(0).dataType(), image))

    def getGradOps(self) -> list[Op]:
        """The gradient, cut into blocks."""
        return [Col2ImGradOp(self)]


class Col2ImGradOp(InputGradOp):
    """The blocks of the output's gradient; zeros for what lies outside of the image."""

    opid = graphcore_id("Col2ImGrad")

    def __init__(self, fwdOp: Col2ImOp) -> None:
        super().__init__(fwdOp)
        self.blocks = fwdOp.blocks()
        # Shapes that are inputs of the forward operator distinguish this one from others.
        self._forward.update(image_shape=self.blocks.image, block_shape=self.blocks.block)

    def decompose(self, on: Decomposer, g: IrTensor) -> IrTensor:
        """A Gather of the pixels, with a zero behind them for what lies outside of the image."""
        blocks, shape = self.blocks, on.shape(g)
        size, kind = math.prod(blocks.image), on.info(g).dataType()
        at = np.full([math.prod(blocks.block), *blocks.counts], size)
        pixels = np.arange(size).reshape(blocks.image)
        for n, dims in blocks.places():
            steps = zip(dims, blocks.strides, strict=True)
            taken = [slice(b, b + (count - 1) * s + 1, s) for (_, count, b), s in steps]
            at[(n, *(slice(first, first + count) for first, count, _ in dims))] = pixels[
                tuple(taken)
            ]
        flat = on.reshape(g, [*shape[:2], size])
        padded = on.Concat(flat, on.zeros(TensorInfo(kind, [*shape[:2], 1])), axis=2)
        found = on.Gather(padded, on.const(at.reshape(-1), DataType.INT64), axis=2)
        return on.reshape(found, self.target().shape())


def _shape(blocks: _Blocks, batch: int, channels: int) -> list[int]:
    return [batch, channels, math.prod(blocks.block), *blocks.counts]


class Col2ImOpx(Opx):
    """The lowering: one sum for each place in a block."""

    def grow(self, prog: program.Sequence) -> None:
        """Adds to zeros. FLOAT16 and BFLOAT16 are summed in float."""
        blocks, x = self.getOp(Col2ImOp).blocks(), self.getInTensor(0)
        out, kind = self.outShape(0), x.elementType()
        wide = computed_in(kind, "add")
        linear = poplar.VariableMappingMethod.LINEAR
        image = self.graph().addVariable(wide, out, linear, self.debugContext())
        popops.zero(self.graph(), image, prog, self.debugContext("zero"))
        tree = pe.Add(pe._1, pe.Cast(pe._2, wide) if wide != kind else pe._2)
        if image.numElements():
            for shown, cut in blocks.parts(image, x.reshape(_shape(blocks, *out[:2]))):
                context = self.debugContext("add")
                popops.mapInPlace(self.graph(), tree, [shown, cut], prog, context)
        self.setOutTensor(0, Arithmetic(self, prog).converted(image, kind, "narrow"))


class Col2ImGradOpx(Opx):
    """The lowering of the gradient: one copy for each place in a block."""

    def grow(self, prog: program.Sequence) -> None:
        """Copies the blocks of the gradient into zeros."""
        op, g = self.getOp(Col2ImGradOp), self.getInTensor(0)
        linear, context = poplar.VariableMappingMethod.LINEAR, self.debugContext()
        out = self.graph().addVariable(g.elementType(), self.outShape(0), linear, context)
        popops.zero(self.graph(), out, prog, self.debugContext("zero"))
        if out.numElements():
            shape = _shape(op.blocks, *g.shape()[:2])
            for shown, cut in op.blocks.parts(g, out.reshape(shape)):
                prog.add(program.Copy(shown, cut, debugContext=self.debugContext("cut")))
        self.setOutTensor(0, out)


OpCreator(Col2ImOp, onnx_ids("Col2Im", 18))
OpxCreator(Col2ImOpx, onnx_ids("Col2Im", 18))
OpxCreator(Col2ImGradOpx, Col2ImGradOp.opid)
