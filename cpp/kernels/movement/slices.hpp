// The kernel behind popops/DynamicSlice.hpp.
#ifndef popir_kernels_movement_slices_hpp
#define popir_kernels_movement_slices_hpp

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

enum class SlicesKind {
  Read,   ///< operands t, offsets, slices
  Write,  ///< t (written), slices, offsets
  Add,    ///< t (read and written), slices, offsets, scale (one element)
  Max,    ///< t (read and written), slices, offsets
  Mul,    ///< as Max
  Min,    ///< as Max
};
constexpr SlicesKind lastOf(SlicesKind) { return SlicesKind::Min; }

/// Slices of a tensor along its first dimensions. t is [sliced dimensions..., others...], strided
/// as it likes; offsets [slices, sliced dimensions], INT or UNSIGNED_INT; slices [slices, sizes...,
/// others...], dense. A slice that is not within t is zeros, or is left out.
class SlicesKernel : public Kernel {
 public:
  explicit SlicesKernel(SlicesKind kind) : kind_(kind) {}

  /// Whether the kinds that compute take elements of the type.
  static bool computes(poplar::Type type);

  const char* name() const override { return "slices"; }
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override {
    return writesHalf && kind_ > SlicesKind::Write ? Rounds::AsAsked : Rounds::Nothing;
  }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popops::MultiSlice", "popops::MultiUpdate" or, of the kinds that compute,
  /// "popops::MultiUpdateAdd".
  Work work(const std::vector<Layout>& operands) const override;

  /// What it is made of, in the order of its constructor; for saved programs.
  auto state() const { return std::tie(kind_); }

 private:
  std::size_t offsets() const { return kind_ == SlicesKind::Read ? 1 : 2; }
  std::size_t slices() const { return kind_ == SlicesKind::Read ? 2 : 1; }

  SlicesKind kind_;
};

}  // namespace popir

#endif
