#define POPIR_ISA_NAMESPACE avx512
#include "kernels/movement/tiles.inc"
