"""Prints what the machine model says beside what others published, from figures in this folder.

    python -m tests.machine            all tables, in about four minutes of one core
    python -m tests.machine products   one of them

Where each figure comes from stands at the head of its file, and in docs/machine_model.md.
"""

import sys

from bench import whole_models
from tests.machine import (
    test_bias_gradients,
    test_gemm_measurements,
    test_growing_sizes,
    test_poplibs_counted,
    test_poplibs_estimators,
    test_poplibs_layouts,
    test_poplibs_plans,
    test_poplibs_slices,
    test_several_ipus,
    test_tile_cycles,
)

TABLES = {
    "estimators": ("Vertices, against PopLibs' estimators", test_poplibs_estimators.show),
    "biases": ("Gradients of biases, against PopLibs' estimate", test_bias_gradients.show),
    "plans": ("Contractions, against PopLibs' planner", test_poplibs_plans.show),
    "slices": ("Slices, against PopLibs' planner", test_poplibs_slices.show),
    "layouts": ("Layouts for slices and of biases, against PopLibs'", test_poplibs_layouts.show),
    "products": ("Products, in TFLOPS, against a published figure", test_gemm_measurements.show),
    "vertices": ("PopLibs' C++ vertices, counted", test_poplibs_counted.show),
    "codelets": ("Codelets, against published cycles", test_tile_cycles.show),
    "ipus": ("Models on 1, 2, 4 and 16 IPUs without virtual graphs", test_several_ipus.show),
    "growing": ("Larger sizes that take fewer cycles", test_growing_sizes.show),
    "models": ("Models, sequences or images a second", whole_models.main),
}


def main(names: list[str]) -> None:
    unknown = set(names) - TABLES.keys()
    if unknown:
        sys.exit(f"no table {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
    for name in names or TABLES:
        title, show = TABLES[name]
        print(f"{title}\n{'-' * len(title)}")
        show()
        print()


if __name__ == "__main__":
    main(sys.argv[1:])
