#define POPIR_ISA_NAMESPACE avx512
#include "kernels/reduction/top_k_blocks.inc"
