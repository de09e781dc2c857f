#define POPIR_ISA_NAMESPACE avx2
#include "kernels/contraction/words.inc"
