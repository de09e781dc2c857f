// The older path.
#include "xla/hlo/builder/lib/constants.h"  // IWYU pragma: export
