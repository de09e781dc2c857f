// A hyperparameter with values for single weights. After popart/optimizervaluemap.hpp of PopART 3.
#ifndef popart_optimizervaluemap_hpp
#define popart_optimizervaluemap_hpp

#include <popart/error.hpp>
#include <popart/names.hpp>
#include <popart/optimizervalue.hpp>

#include <map>

namespace popart {

/// A default, and values for weights that have one of their own.
class OptimizerValueMap {
 public:
  OptimizerValueMap() = default;
  OptimizerValueMap(OptimizerValue value) : default_(value) {}

  OptimizerValue get(const TensorId& weight) const {
    const auto found = specific_.find(weight);
    return found == specific_.end() ? default_ : found->second;
  }
  OptimizerValue getDefault() const { return default_; }
  void insertSpecific(const TensorId& weight, OptimizerValue value) { specific_[weight] = value; }
  bool hasSpecific(const TensorId& weight) const { return specific_.count(weight) != 0; }
  bool hasSpecific() const { return !specific_.empty(); }
  /// \throws error for other weights with values of their own, and for values that do not go
  /// together (OptimizerValue::validReplacement)
  void validReplacement(const OptimizerValueMap& other) const {
    default_.validReplacement(other.default_);
    if (specific_.size() != other.specific_.size())
      throw error("{} weights have values of their own, in the place of {}", other.specific_.size(),
                  specific_.size());
    for (const auto& each : specific_) {
      if (!other.hasSpecific(each.first)) throw error("'{}' has no value of its own", each.first);
      each.second.validReplacement(other.get(each.first));
    }
  }
  const std::map<TensorId, OptimizerValue>& getSpecifics() const { return specific_; }

 private:
  OptimizerValue default_;
  std::map<TensorId, OptimizerValue> specific_;
};

}  // namespace popart

#endif
