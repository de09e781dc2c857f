// The same header: it has all that is there of CUDA.
#include "cuda_runtime.h"  // IWYU pragma: export
