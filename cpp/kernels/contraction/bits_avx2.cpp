#define POPIR_ISA_NAMESPACE avx2
#include "kernels/contraction/bits.inc"
