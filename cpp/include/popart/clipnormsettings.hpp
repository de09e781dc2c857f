// Clipping of gradients by their norm. After popart/clipnormsettings.hpp of PopART 3.
#ifndef popart_clipnormsettings_hpp
#define popart_clipnormsettings_hpp

#include <popart/names.hpp>

#include <utility>
#include <vector>

namespace popart {

/// The weights whose gradients are clipped together, and the largest norm of these.
class ClipNormSettings {
 public:
  enum class Mode { ClipSpecifiedWeights, ClipAllWeights };

  ClipNormSettings(const std::vector<TensorId>& weightIds_, float maxNorm_)
      : ClipNormSettings(weightIds_, maxNorm_, Mode::ClipSpecifiedWeights) {}
  static ClipNormSettings clipWeights(const std::vector<TensorId>& weightIds, float maxNorm) {
    return ClipNormSettings(weightIds, maxNorm);
  }
  static ClipNormSettings clipAllWeights(float maxNorm) {
    return ClipNormSettings({}, maxNorm, Mode::ClipAllWeights);
  }

  const std::vector<TensorId>& getWeightIds() const { return weightIds; }
  float getMaxNorm() const { return maxNorm; }
  Mode getMode() const { return mode_; }
  bool operator==(const ClipNormSettings& o) const {
    return weightIds == o.weightIds && maxNorm == o.maxNorm && mode_ == o.mode_;
  }
  bool operator!=(const ClipNormSettings& o) const { return !(*this == o); }

  std::vector<TensorId> weightIds;
  float maxNorm;

 private:
  ClipNormSettings(std::vector<TensorId> ids, float norm, Mode mode)
      : weightIds(std::move(ids)), maxNorm(norm), mode_(mode) {}

  Mode mode_;
};

}  // namespace popart

#endif
