// A hyperparameter, constant or variable between steps.
// After popart/optimizervalue.hpp of PopART 3.
#ifndef popart_optimizervalue_hpp
#define popart_optimizervalue_hpp

#include <popart/error.hpp>

#include <ostream>
#include <utility>

namespace popart {

/// A value, and whether it is constant.
class OptimizerValue {
 public:
  /// 0, variable.
  OptimizerValue() = default;
  /// A constant value.
  OptimizerValue(float v) : OptimizerValue(v, true) {}
  OptimizerValue(float v, bool c) : val_(v), isConst_(c) {}
  OptimizerValue(std::pair<float, bool> x) : OptimizerValue(x.first, x.second) {}

  float val() const { return val_; }
  bool isConst() const { return isConst_; }

  /// \throws error unless both are variable, or both are constant and equal
  void validReplacement(const OptimizerValue& other) const {
    if (isConst_ != other.isConst_)
      throw error("a value that is {} takes the place of one that is {}",
                  other.isConst_ ? "constant" : "variable", isConst_ ? "constant" : "variable");
    if (isConst_ && val_ != other.val_)
      throw error("the constant {} takes the place of the constant {}", other.val_, val_);
  }

  bool operator==(const OptimizerValue& o) const {
    return val_ == o.val_ && isConst_ == o.isConst_;
  }
  bool operator!=(const OptimizerValue& o) const { return !(*this == o); }

 private:
  float val_ = 0;
  bool isConst_ = false;
};

inline std::ostream& operator<<(std::ostream& os, const OptimizerValue& v) {
  return os << v.val() << (v.isConst() ? " (const)" : "");
}

}  // namespace popart

#endif
