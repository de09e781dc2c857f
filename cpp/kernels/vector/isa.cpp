#include "kernels/vector/isa.hpp"

#include <cpuid.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace popir {
namespace {

Isa machineIsa() {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("f16c"))
    return Isa::Base;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vl"))
    return Isa::Avx2;
  return Isa::Avx512;
}

Isa wantedIsa() {
  if (!isHeld()) return Isa::Avx512;
  const std::string wanted = std::getenv("POPIR_ISA");
  for (Isa isa : {Isa::Base, Isa::Avx2, Isa::Avx512})
    if (wanted == name(isa)) return isa;
  throw std::invalid_argument("POPIR_ISA is '" + wanted +
                              "'; set it to base, avx2 or avx512, or leave it unset");
}

}  // namespace

Isa isa() {
  static const Isa chosen = std::min(machineIsa(), wantedIsa());
  return chosen;
}

bool isMissing() { return isHeld() && isa() < wantedIsa(); }

bool isHeld() {
  const char* wanted = std::getenv("POPIR_ISA");
  return wanted != nullptr && *wanted != '\0';
}

bool haveVnni() {
  static const bool have =
      isa() == Isa::Avx512 && !isHeld() && __builtin_cpu_supports("avx512vnni");
  return have;
}

bool hasHalfUnits() {
  static const bool has = [] {
    constexpr unsigned kFamilyOfZen4 = 0x19;  // of Zen 3 too, which has no AVX-512
    unsigned family, b, c, d;
    if (!__builtin_cpu_is("amd") || __get_cpuid(1, &family, &b, &c, &d) == 0) return false;
    return isa() == Isa::Avx512 && ((family >> 8) & 0xf) + ((family >> 20) & 0xff) == kFamilyOfZen4;
  }();
  return has;
}

const char* name(Isa isa) {
  switch (isa) {
    case Isa::Base: return "base";
    case Isa::Avx2: return "avx2";
    case Isa::Avx512: return "avx512";
  }
  return "?";
}

}  // namespace popir
