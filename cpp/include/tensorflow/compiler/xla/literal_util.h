// The same header under its path in TensorFlow's tree.
#include "xla/literal_util.h"  // IWYU pragma: export
