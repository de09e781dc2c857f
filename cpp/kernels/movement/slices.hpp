// The kernel behind popops/DynamicSlice.hpp.
#ifndef popir_kernels_movement_slices_hpp
#define popir_kernels_movement_slices_hpp

#include <optional>
#include <tuple>

#include "kernels/kernel.hpp"
#include "workload/slices.hpp"

namespace popir {

enum class SlicesKind {
  Read,   ///< operands t, offsets, slices (written)
  Write,  ///< t (written), slices, offsets
  Add,    ///< t (read and written), slices, offsets, scale (one element)
  Max,    ///< t (read and written), slices, offsets
  Mul,    ///< as Max
  Min,    ///< as Max
};
constexpr SlicesKind lastOf(SlicesKind) { return SlicesKind::Min; }

/// Reads or updates slices of a tensor t at given offsets along its first dimensions, the sliced
/// ones. Operands:
/// t        [sliced dimensions..., other dimensions...], with any strides;
/// offsets  [number of slices, number of sliced dimensions], INT or UNSIGNED_INT;
/// slices   [number of slices, sizes along sliced dimensions..., other dimensions...], dense.
/// If a slice is not entirely inside t, Read writes zeros, and the other kinds skip the slice.
class SlicesKernel : public Kernel {
 public:
  /// `planned`: the plan of slices of one row each, along the last of the sliced dimensions; another
  /// one before it is that of groups. It changes costs, not results.
  explicit SlicesKernel(SlicesKind kind, std::optional<PlannedSlices> planned = {})
      : kind_(kind), planned_(std::move(planned)) {}

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
  /// "popops::MultiSlice" (Read), "popops::MultiUpdate" (Write), or "popops::MultiUpdateAdd"
  /// (others).
  Work work(const std::vector<Layout>& operands) const override;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(kind_, planned_); }

 private:
  std::size_t offsets() const { return kind_ == SlicesKind::Read ? 1 : 2; }
  std::size_t slices() const { return kind_ == SlicesKind::Read ? 2 : 1; }

  SlicesKind kind_;
  std::optional<PlannedSlices> planned_;
};

}  // namespace popir

#endif
