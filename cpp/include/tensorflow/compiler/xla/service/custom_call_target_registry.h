// The same header under its path in TensorFlow's tree.
#include "xla/service/custom_call_target_registry.h"  // IWYU pragma: export
