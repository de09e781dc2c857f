"""ImageDecoder: the pixels of a picture in a file's format."""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np

from popir.errors import PopirError
from popir.extras import imported
from popir.host import Call, host_operator, shown
from popir.memory import require

Array = np.ndarray[Any, Any]

_MODES = {"RGB": "RGB", "BGR": "RGB", "Grayscale": "L"}
_FORMATS = ("BMP", "JPEG", "JPEG2000", "TIFF", "PNG", "WEBP", "PPM")
"""Those that ONNX lists, by Pillow's names; PPM reads PBM, PGM and PNM, too."""


@host_operator("ai.onnx", "ImageDecoder", 20, why="the shape of its result is in the picture")
def image_decoder(call: Call, x: Array) -> Array:
    """ONNX's ImageDecoder, version 20: the pixels of an encoded picture, [height, width, channels],
    as RGB, BGR or Grayscale; [0, 0, channels] for what cannot be decoded.

    Pillow decodes (the extra "images"): BMP, JPEG, JPEG 2000, TIFF, PNG, WebP, and portable
    pixmaps. A palette and transparency are resolved; of several pictures the first is decoded. One
    of more pixels than Pillow takes for no attack, 179 million, is not decoded.
    """
    mode = call["pixel_format"]
    if mode not in _MODES:
        raise call.wrong_attribute(
            f"the attribute 'pixel_format' is {mode!r}; expected is one of "
            f"{', '.join(map(repr, _MODES))}."
        )
    if x.ndim != 1:
        raise call.wrong(f"its input is {shown(x)}; it must be the bytes of a file, [n].")
    channels = 1 if mode == "Grayscale" else 3
    found = _decoded(call, x.tobytes(), _MODES[mode])
    if found is None:
        return np.zeros([0, 0, channels], np.uint8)
    pixels = found.reshape(*found.shape[:2], channels)
    return np.ascontiguousarray(pixels[:, :, ::-1] if mode == "BGR" else pixels)


def _decoded(call: Call, data: bytes, mode: str) -> Array | None:
    image = imported("PIL.Image", call.who, "pictures are decoded by Pillow", "images")
    try:
        with warnings.catch_warnings():
            # Of half as many pixels Pillow warns only; `require` says if there is no memory.
            warnings.simplefilter("ignore")
            with image.open(io.BytesIO(data), formats=_FORMATS) as picture:
                require(call.who, 8 * picture.width * picture.height)
                return np.asarray(picture.convert(mode))
    except (PopirError, MemoryError):
        raise
    except Exception:  # Pillow has no base class of what it raises for damaged files.
        return None
