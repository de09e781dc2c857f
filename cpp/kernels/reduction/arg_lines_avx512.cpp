#define POPIR_ISA_NAMESPACE avx512
#include "kernels/reduction/arg_lines.inc"
