#define POPIR_ISA_NAMESPACE avx512
#include "kernels/reduction/reduce_functions.inc"
