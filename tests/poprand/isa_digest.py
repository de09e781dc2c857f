"""Prints a line for each law and type: a digest of its numbers. Run under POPIR_ISA."""

import hashlib

from tests.poprand.test_random import CASES, draw


def main():
    """All cases at a size that ends within a block of words."""
    for name in CASES:
        print(name, hashlib.sha256(draw(CASES[name], n=5003).tobytes()).hexdigest())


if __name__ == "__main__":
    main()
