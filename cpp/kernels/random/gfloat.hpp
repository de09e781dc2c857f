// The kernel of casts to and from small floats (popfloat/experimental/CastToGfloat.hpp).
#ifndef popir_kernels_random_gfloat_hpp
#define popir_kernels_random_gfloat_hpp

#include <cstdint>
#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

/// The numbers are those of popfloat's enumerators RoundType and SRDensityType.
struct GfloatCastSpec {
  bool toGfloat = true;
  bool nanoo = false;
  std::uint8_t round = 0, density = 0;
  /// Of the machine's vertices: whether they compute in half, how they keep the result, and whether
  /// that overwrites the input.
  bool halves = true, inPlace = false;
  GfloatPacking packing = GfloatPacking::None;
  unsigned bits = 24;
  float offset = 0, scale = 0, max = 1, min = 0, probability = 0;
  unsigned stream = 0;  // distinguishes the noise of casts

  auto state() const {
    return std::tie(toGfloat, nanoo, round, density, halves, inPlace, packing, bits, offset, scale,
                    max, min, probability, stream);
  }
};

/// Dense operands: the result; the input of the same shape; the format, INT[1]; and, if noise is
/// added, the number of runs, two unsigned ints, also written.
class GfloatKernel : public Kernel {
 public:
  explicit GfloatKernel(const GfloatCastSpec& spec) : spec_(spec) {}

  const char* name() const override { return "gfloat"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  /// The cast rounds by itself.
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popfloat::CastToGfloat" or "popfloat::CastFromGfloat".
  Work work(const std::vector<Layout>& operands) const override;
  bool addsNoise() const;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(spec_); }

 private:
  GfloatCastSpec spec_;
};

/// A format as getPackedFloatParameters() packs it.
std::uint32_t packGfloatFormat(unsigned mantissa, unsigned exponent, int bias, bool denormals,
                               bool infinity);

}  // namespace popir

#endif
