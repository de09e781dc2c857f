// The instruction set that kernels use, selected once per process.
#ifndef popir_kernels_vector_isa_hpp
#define popir_kernels_vector_isa_hpp

namespace popir {

/// Each includes the ones before. Base: SSE2, which every x86-64 has. Avx2: AVX2, FMA and F16C.
/// Avx512: AVX-512 F, DQ, BW and VL.
enum class Isa { Base, Avx2, Avx512 };

/// The best instruction set of this machine. The environment variable POPIR_ISA ("base", "avx2" or
/// "avx512"), read at the first call, selects a lower one, and leaves out what isHeld() says.
/// \throws std::invalid_argument if POPIR_ISA has another value
__attribute__((visibility("default"))) Isa isa();

/// Whether POPIR_ISA has a value: then no extension of these is used either, such as VNNI or tiles.
bool isHeld();

/// Whether POPIR_ISA asks for more than this machine has: isa() is then the best that it has.
bool isMissing();

/// Whether kernels may use AVX-512's VNNI, which multiplies bytes.
bool haveVnni();

/// Whether vectors of AVX-512 are computed in halves: a core of Zen 4 multiplies, and loads, one in a cycle,
/// where others do two.
bool hasHalfUnits();

/// "base", "avx2" or "avx512".
__attribute__((visibility("default"))) const char* name(Isa isa);

}  // namespace popir

#endif
