"""ImageDecoder: pictures that are stored without a loss come back as they were."""

from __future__ import annotations

import io
import struct
import sys
import zlib
from typing import Any

import numpy as np
import pytest
from onnx import helper
from PIL import Image

from popir.errors import MissingPackageError, OperatorAttributeError, OperatorInputError
from popir.segments import SegmentedModel

Array = np.ndarray[Any, Any]

PIXELS = np.random.default_rng(1).integers(0, 256, (5, 7, 3)).astype(np.uint8)
GREYS = np.repeat(PIXELS[:, :, :1], 3, axis=2)


def decoded(data: bytes, **attributes: str) -> Array:
    bytes = np.frombuffer(data, np.uint8)
    node = helper.make_node("ImageDecoder", ["x"], ["y"], **attributes)
    infos = [helper.make_tensor_value_info(id, 2, None) for id in ("x", "y")]
    graph = helper.make_graph([node], "picture", infos[:1], infos[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    return SegmentedModel(model.SerializeToString()).run({"x": bytes})["y"]


def encoded(pixels: Array, format: str, **more: Any) -> bytes:
    found = io.BytesIO()
    Image.fromarray(pixels).save(found, format, **more)
    return found.getvalue()


def png(pixels: Array) -> bytes:
    """A PNG of RGB, by its specification."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        sum = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", sum)

    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def test_a_png_made_by_hand() -> None:
    np.testing.assert_array_equal(decoded(png(PIXELS)), PIXELS)


@pytest.mark.parametrize(
    ("format", "more"),
    [
        *(("PNG", {}), ("BMP", {}), ("PPM", {}), ("TIFF", {})),
        *(("WEBP", {"lossless": True}), ("JPEG2000", {"irreversible": False})),
    ],
)
def test_formats_without_loss(format: str, more: dict[str, Any]) -> None:
    data = encoded(PIXELS, format, **more)
    found = decoded(data)
    assert found.dtype == np.uint8
    np.testing.assert_array_equal(found, PIXELS)
    np.testing.assert_array_equal(decoded(data, pixel_format="BGR"), PIXELS[:, :, ::-1])
    grey = decoded(encoded(GREYS, format, **more), pixel_format="Grayscale")
    np.testing.assert_array_equal(grey, GREYS[:, :, :1])


def test_a_jpeg_is_near() -> None:
    flat = np.full((16, 16, 3), (200, 60, 20), np.uint8)
    found = decoded(encoded(flat, "JPEG", quality=95))
    assert np.abs(found.astype(int) - flat).max() <= 3


def test_a_grey_picture_and_a_palette_have_three_channels() -> None:
    np.testing.assert_array_equal(decoded(encoded(GREYS[:, :, 0], "PNG")), GREYS)
    few = np.kron(np.array([[0, 255], [90, 30]], np.uint8), np.ones((3, 3), np.uint8))
    palette = io.BytesIO()
    Image.fromarray(few).convert("P").save(palette, "PNG")
    np.testing.assert_array_equal(decoded(palette.getvalue())[:, :, 0], few)


@pytest.mark.parametrize(
    "data", [b"", b"no picture", png(PIXELS)[:40], b"GIF89a" + bytes(40), b"BM" + b"\xff" * 60]
)
def test_what_is_no_picture_is_empty(data: bytes) -> None:
    assert decoded(data).shape == (0, 0, 3)
    assert decoded(data, pixel_format="Grayscale").shape == (0, 0, 1)


def test_a_picture_that_says_it_is_huge_is_empty() -> None:
    huge = bytearray(png(PIXELS))
    huge[16:24] = struct.pack(">II", 1 << 30, 1 << 30)
    huge[29:33] = struct.pack(">I", zlib.crc32(bytes(huge[12:29])))
    assert decoded(bytes(huge)).shape == (0, 0, 3)


def test_wrong_arguments() -> None:
    with pytest.raises(OperatorAttributeError, match="'pixel_format' is 'CMYK'; expected is one"):
        decoded(png(PIXELS), pixel_format="CMYK")
    node = helper.make_node("ImageDecoder", ["x"], ["y"])
    infos = [helper.make_tensor_value_info(id, 2, None) for id in ("x", "y")]
    graph = helper.make_graph([node], "picture", infos[:1], infos[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    with pytest.raises(OperatorInputError, match=r"must be the bytes of a file, \[n\]"):
        SegmentedModel(model.SerializeToString()).run({"x": PIXELS})


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(MissingPackageError, match=r"Pillow.*pip install 'popir\[images\]'"):
        decoded(png(PIXELS))
