// An optional value for C++14. After popart/basicoptionals.hpp of PopART 3.
#ifndef popart_basicoptionals_hpp
#define popart_basicoptionals_hpp

#include <popart/names.hpp>
#include <popart/tensorlocation.hpp>

#include <ostream>
#include <stdexcept>

namespace popart {

/// A T or nothing. V makes optionals of one T distinct types, so that they do not convert
/// implicitly.
template <typename T, uint32_t V = 0>
class BasicOptional {
 public:
  BasicOptional() = default;
  BasicOptional(T value) : value_(std::move(value)), present_(true) {}

  explicit operator bool() const noexcept { return present_; }
  /// \throws std::logic_error if there is no value
  const T& operator*() const { return checked(); }
  T& operator*() {
    checked();
    return value_;
  }
  const T* operator->() const { return &checked(); }
  void reset() noexcept { present_ = false; }

  friend bool operator==(const BasicOptional& a, const BasicOptional& b) {
    return a.present_ == b.present_ && (!a.present_ || a.value_ == b.value_);
  }
  friend bool operator!=(const BasicOptional& a, const BasicOptional& b) { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& os, const BasicOptional& o) {
    return o.present_ ? os << o.value_ : os << "none";
  }

 private:
  const T& checked() const {
    if (!present_) throw std::logic_error("BasicOptional: the value is absent");
    return value_;
  }

  T value_{};
  bool present_ = false;
};

using OptionalVGraphId = BasicOptional<VGraphId, 0>;
using OptionalPipelineStage = BasicOptional<PipelineStage, 2>;
using OptionalExecutionPhase = BasicOptional<ExecutionPhase, 3>;
using OptionalBatchSerializedPhase = BasicOptional<BatchSerializedPhase, 5>;
using OptionalTensorLocation = BasicOptional<TensorLocation, 9>;

}  // namespace popart

#endif
