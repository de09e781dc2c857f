// winograd.inc for AVX-512: 32 registers of 16 floats.
#include <immintrin.h>

#include <utility>

#include "kernels/contraction/winograd.hpp"

namespace popir {
namespace winograd {
namespace avx512 {
namespace {

typedef float V __attribute__((vector_size(64)));
constexpr int kVector = 16, kRows = 14;
inline V fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
inline V broadcast(float x) { return _mm512_set1_ps(x); }

#include "kernels/contraction/winograd.inc"

}  // namespace

const Routines kRoutines = {kVector, pack, run};

}  // namespace avx512
}  // namespace winograd
}  // namespace popir
