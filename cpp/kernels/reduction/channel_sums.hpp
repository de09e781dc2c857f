// Element-wise work and the sums over all dimensions but that of the channels of what it computes.
#ifndef popir_kernels_reduction_channel_sums_hpp
#define popir_kernels_reduction_channel_sums_hpp

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/elementwise/forms.hpp"
#include "kernels/kernel.hpp"

namespace popir {

/// Computes an element-wise program, stores its outputs, and sums some of its values, FLOAT, for
/// each channel. A value that is only summed is never in memory as a whole. The bits are those of a
/// ReduceKernel of the value, in whatever layout, and for any number of threads. The engine makes
/// it; it is in no file.
///
/// Operands are those of the form, of one shape [samples, channels, positions...], then the sums,
/// [channels].
class ChannelSumsKernel final : public Kernel {
 public:
  /// \pre fits(operands of the form)
  explicit ChannelSumsKernel(SummingForm form) : form_(std::move(form)) {}

  /// Whether sums over operands of this shape are done here: there are channels and positions, not
  /// too many of them.
  static bool fits(const std::vector<std::int64_t>& shape);

  const char* name() const override { return "map+sums"; }
  /// Plain with positions a constant stride apart, or in blocks of channels.
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  Work work(const std::vector<Layout>& operands) const override;
  std::vector<std::size_t> tied(const std::vector<Layout>& operands) const override;
  std::shared_ptr<const SummingForm> summing() const override;

 private:
  bool isSum(std::size_t operand) const;

  SummingForm form_;
};

}  // namespace popir

#endif
