#define POPIR_ISA_NAMESPACE avx2
#include "kernels/reduction/arg_lines.inc"
