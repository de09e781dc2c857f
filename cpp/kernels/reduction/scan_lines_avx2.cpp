#define POPIR_ISA_NAMESPACE avx2
#include "kernels/reduction/scan_lines.inc"
