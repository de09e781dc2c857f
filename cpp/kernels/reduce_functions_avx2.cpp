#define POPIR_ISA_NAMESPACE avx2
#include "kernels/reduce_functions.inc"
