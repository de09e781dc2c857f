// The type of CUDA with 8 bits of exponent, and its functions for single elements.
#ifndef POPIR_CUDA_CUDA_BF16_H
#define POPIR_CUDA_CUDA_BF16_H

#include "small_float.hpp"

POPIR_CUDA_SMALL_FLOAT(__nv_bfloat16, __nv_bfloat162, bfloat16, to_bfloat16, from_bfloat16)
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

#endif  // POPIR_CUDA_CUDA_BF16_H
