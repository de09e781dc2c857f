// The same header under its path in TensorFlow's tree.
#include "xla/shape_util.h"  // IWYU pragma: export
