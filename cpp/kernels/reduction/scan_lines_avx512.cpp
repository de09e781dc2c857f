#define POPIR_ISA_NAMESPACE avx512
#include "kernels/reduction/scan_lines.inc"
