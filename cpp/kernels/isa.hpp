// Which instruction set the kernels use, decided once per process.
#ifndef popir_kernels_isa_hpp
#define popir_kernels_isa_hpp

namespace popir {

/// Each contains the ones before it. Base: what every x86-64 has (SSE2); Avx2: AVX2, FMA and F16C;
/// Avx512: AVX-512 F, DQ, BW and VL too.
enum class Isa { Base, Avx2, Avx512 };

/// The best that this machine has, or less when the environment variable POPIR_ISA, read at the
/// first call, says "base", "avx2" or "avx512".
/// \throws std::invalid_argument if POPIR_ISA is something else.
__attribute__((visibility("default"))) Isa isa();

/// "base", "avx2" or "avx512".
__attribute__((visibility("default"))) const char* name(Isa isa);

}  // namespace popir

#endif
