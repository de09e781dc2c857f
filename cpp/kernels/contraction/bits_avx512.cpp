#define POPIR_ISA_NAMESPACE avx512
#include "kernels/contraction/bits.inc"
