#define POPIR_ISA_NAMESPACE avx2
#include "kernels/reduction/top_k_blocks.inc"
