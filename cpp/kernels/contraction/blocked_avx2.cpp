// winograd.inc for AVX2: 16 registers of 8 floats.
#include <immintrin.h>

#include <utility>

#include "kernels/contraction/winograd.hpp"

namespace popir {
namespace winograd {
namespace avx2 {
namespace {

typedef float V __attribute__((vector_size(32)));
constexpr int kVector = 8, kRows = 6;
inline V fma(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
inline V broadcast(float x) { return _mm256_set1_ps(x); }

#include "kernels/contraction/winograd.inc"

}  // namespace

const Routines kRoutines = {kVector, pack, run};

}  // namespace avx2
}  // namespace winograd
}  // namespace popir
