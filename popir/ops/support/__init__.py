"""What the operators share: expressions, arithmetic, shapes and base classes."""
