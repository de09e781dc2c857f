// The kernel of poolings over regions of interest, forwards and backwards.
#ifndef popir_kernels_pooling_roi_hpp
#define popir_kernels_pooling_roi_hpp

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

/// What becomes of a bin, an equal part of a region.
enum class RoiKind : std::uint8_t {
  AlignAverage,  ///< the mean of samples, interpolated between four pixels
  AlignMax,      ///< the largest of the weighted pixels of all samples
  Max,           ///< the largest pixel; the region's corners are rounded to pixels
};
constexpr RoiKind lastOf(RoiKind) { return RoiKind::Max; }

/// What a kernel computes of a pooling.
enum class RoiPass : std::uint8_t {
  Forward,   ///< its result
  Gradient,  ///< the gradient of the images
  Tangent,   ///< of a maximum: by how much the result changes with the images
};
constexpr RoiPass lastOf(RoiPass) { return RoiPass::Tangent; }

/// How coordinates become positions of pixels.
struct RoiSampling {
  float scale = 1;  ///< pixels for a step of the coordinates
  /// Align*: samples of a bin in each direction; 0: as many as it has pixels, rounded up.
  std::int64_t ratio = 0;
  /// Align*: whether pixel i reaches from i to i + 1; otherwise its centre is i, and a region is at
  /// least 1 x 1.
  bool halfPixel = false;

  auto state() const { return std::tie(scale, ratio, halfPixel); }
};

/// Dense operands, floating point of one type but the images:
/// forwards   regions [regions, 4] of x, y of two corners; INT [regions], the image of each; images
///            [images, channels, height, width]; result [regions, channels, bins down, bins across];
/// backwards  regions; the image of each; gradient of the result; the images, unless AlignAverage;
///            gradient of the images;
/// tangent    regions; the image of each; the images; the change of these; that of the result.
///
/// A region of no image gives 0, one with a coordinate or size that is not finite NaN; neither has a
/// gradient. A maximum's gradient goes to the first one.
class RoiKernel : public Kernel {
 public:
  RoiKernel(RoiKind kind, RoiPass pass, RoiSampling sampling)
      : kind_(kind), pass_(pass), sampling_(sampling) {}

  static bool supports(poplar::Type type);

  const char* name() const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override {
    return writesHalf ? Rounds::AsAsked : Rounds::Nothing;
  }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popnn::RoiPooling" or, backwards, "popnn::RoiPoolingGradient".
  Work work(const std::vector<Layout>& operands) const override;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(kind_, pass_, sampling_); }

 private:
  RoiKind kind_;
  RoiPass pass_;
  RoiSampling sampling_;
};

}  // namespace popir

#endif
