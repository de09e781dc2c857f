// The same header under its path in TensorFlow's tree.
#include "xla/xla_data.pb.h"  // IWYU pragma: export
