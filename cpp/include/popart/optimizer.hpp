// Base class of optimizers. Sessions take optimizers from Python; here it only holds values.
// After popart/optimizer.hpp of PopART 3.
#ifndef popart_optimizer_hpp
#define popart_optimizer_hpp

#include <popart/names.hpp>
#include <popart/optimizervalue.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

enum class OptimizerType { SGD = 0, Adam, Adaptive, NTYPES };

/// Base class of optimizers.
class Optimizer {
 public:
  explicit Optimizer(OptimizerValue lossScaling) : lossScaling_(lossScaling) {}
  virtual ~Optimizer();

  virtual OptimizerType type() const = 0;
  virtual std::unique_ptr<Optimizer> clone() const = 0;
  const OptimizerValue& lossScaling() const { return lossScaling_; }

 private:
  OptimizerValue lossScaling_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
