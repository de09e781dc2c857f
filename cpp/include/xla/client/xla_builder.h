// The builder under the path that it had before.
#include "xla/hlo/builder/xla_builder.h"  // IWYU pragma: export
