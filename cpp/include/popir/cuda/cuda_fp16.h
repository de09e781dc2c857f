// The type of CUDA with 5 bits of exponent, and its functions for single elements.
#ifndef POPIR_CUDA_CUDA_FP16_H
#define POPIR_CUDA_CUDA_FP16_H

#include "small_float.hpp"

POPIR_CUDA_SMALL_FLOAT(__half, __half2, half, to_float16, from_float16)
using half = __half;
using half2 = __half2;

#endif  // POPIR_CUDA_CUDA_FP16_H
