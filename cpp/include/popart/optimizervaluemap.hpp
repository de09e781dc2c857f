// A hyperparameter with values for single weights. After popart/optimizervaluemap.hpp of PopART 3.
#ifndef popart_optimizervaluemap_hpp
#define popart_optimizervaluemap_hpp

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
  const std::map<TensorId, OptimizerValue>& getSpecifics() const { return specific_; }

 private:
  OptimizerValue default_;
  std::map<TensorId, OptimizerValue> specific_;
};

}  // namespace popart

#endif
