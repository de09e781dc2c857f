#define POPIR_ISA_NAMESPACE avx512vnni
#include "kernels/contraction/words.inc"
