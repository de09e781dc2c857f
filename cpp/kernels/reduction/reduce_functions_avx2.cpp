#define POPIR_ISA_NAMESPACE avx2
#include "kernels/reduction/reduce_functions.inc"
