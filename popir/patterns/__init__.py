"""popir's own patterns, one in each file; the selection of patterns for a session; and the loop
that applies them.

Patterns are tried in the order in which they are imported here.
"""

from popir.patterns import (  # noqa: I001
    pre_uni_repl,
    post_n_repl,
    nlll_with_softmax_grad_direct,
    softmax_grad_direct,
    op_to_identity,
    view_simplify,
    expand_cast,
    power_to_product,
    layer_norm_fusion,
    gelu_fusion,
    quantized_products,
    quantized_scales,
    quantized_moves,
    pad_sum,
    tied_gather,
    tied_gather_accumulate,
)
from popir.patterns.loop import apply_patterns
from popir.patterns.selection import Patterns, PatternsLevel

__all__ = [
    "Patterns",
    "PatternsLevel",
    "apply_patterns",
    "expand_cast",
    "gelu_fusion",
    "layer_norm_fusion",
    "nlll_with_softmax_grad_direct",
    "op_to_identity",
    "pad_sum",
    "post_n_repl",
    "power_to_product",
    "pre_uni_repl",
    "quantized_moves",
    "quantized_products",
    "quantized_scales",
    "softmax_grad_direct",
    "tied_gather",
    "tied_gather_accumulate",
    "view_simplify",
]
