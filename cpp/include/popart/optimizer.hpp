// popart/optimizer.hpp: how weights are updated. Made in Python for a session; here a value.
#ifndef popart_optimizer_hpp
#define popart_optimizer_hpp

#include <popart/names.hpp>
#include <popart/optimizervalue.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

enum class OptimizerType { SGD = 0, Adam, Adaptive, NTYPES };

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
