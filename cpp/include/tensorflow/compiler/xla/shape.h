// The same header under its path in TensorFlow's tree.
#include "xla/shape.h"  // IWYU pragma: export
