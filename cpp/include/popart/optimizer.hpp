// Base class of optimizers. After popart/optimizer.hpp of PopART 3.
#ifndef popart_optimizer_hpp
#define popart_optimizer_hpp

#include <popart/clipnormsettings.hpp>
#include <popart/datatype.hpp>
#include <popart/debugcontext.hpp>
#include <popart/error.hpp>
#include <popart/names.hpp>
#include <popart/optimizervalue.hpp>
#include <popart/optimizervaluemap.hpp>
#include <popart/vendored/optional.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Graph;
class Op;
class Tensor;
struct SessionOptions;

enum class OptimizerType { SGD = 0, Adam, Adaptive, NTYPES };
enum class WeightDecayMode { Decay, L2Regularization };
std::ostream& operator<<(std::ostream& os, const WeightDecayMode& mode);
/// What is summed over replicas: nothing, each gradient, the momentum, or sums over micro-batches.
enum class OptimizerReductionType { None, GradReduce, AcclReduce, AccumReduce };

/// One optimizer is given in the place of another, and does not fit.
class optimizer_replacement_error : public error {
 public:
  using error::error;
  ~optimizer_replacement_error() override;
};

/// Values of hyperparameters, which a TrainingSession gives to the compiler; that checks them.
class Optimizer {
 public:
  using Params = std::map<std::string, std::pair<float, bool>>;
  using Values = std::map<std::string, OptimizerValue>;

  virtual ~Optimizer();

  virtual OptimizerType type() const = 0;
  virtual std::string type_s() const = 0;
  virtual std::unique_ptr<Optimizer> clone() const = 0;
  const OptimizerValue& lossScaling() const { return lossScaling_; }
  float getLossScalingVal() const { return lossScaling_.val(); }
  const std::vector<ClipNormSettings>& getClipNormSettings() const { return clip_; }
  DebugContext getDebugContext() const { return debugContext_; }
  bool hasSpecific() const;
  /// Whether the weight has values of its own.
  bool hasSpecific(const Tensor& weight) const;
  /// A value of a weight by its name, as in "learningRate"; "lossScaling" is the same for all.
  /// \throws error for a name that the optimizer does not have
  OptimizerValue value(const std::string& name, const TensorId& weight) const;

  /// Whether an optimizer may take the place of this one while a session trains: of the same kind,
  /// with the same clipping, and with the same values where this one's are constant.
  /// \throws optimizer_replacement_error that says what is not the same
  void validReplacement(const Optimizer& other) const;

  // ---- What sums over micro-batches and replicas become. \throws error before the first. ----
  /// Reads the options that say it.
  void setFactorsFromOptions(const SessionOptions& options);
  bool gradientAccumulationEnabled() const { return factors().isAccumulated; }
  /// True if gradients are means over micro-batches and replicas.
  bool meanReductionEnabled() const { return factors().isMean; }
  /// True if sums are divided after accumulation, or after the sum over replicas.
  bool postMeanAccumulationEnabled() const;
  bool postMeanReplicationEnabled() const;
  int64_t getReplicatedGraphCount() const { return factors().replicas; }
  int64_t getAccumulationFactor() const { return factors().batches; }
  /// Sets values of one weight, by the names "learningRate", "weightDecay", "momentum", ...
  void insertSpecific(const TensorId& weight, const Params& params);

  // ---- For graphs that a program makes: a step as one operator. ----
  /// The operator of a weight's step, SGD0ComboOp or its kin, which is in no graph.
  /// \throws error before setFactorsFromOptions()
  virtual std::unique_ptr<Op> createOp(const Tensor& weight, Graph& graph) const;
  /// Its inputs: the weight, the gradient, and the tensors of its numbers, "" where these are
  /// constant.
  virtual std::vector<TensorId> getInputIds(const Tensor& weight) const;
  /// The tensors of its numbers that are not constant, each a FLOAT scalar, and their values.
  virtual std::map<TensorId, float> getOptimizerInputs(const Tensor& weight) const;

  /// The compiler's optimizer of the same values.
  std::shared_ptr<void> handle() const;

 protected:
  /// `defaults` has the default of each value by its name, as in "learningRate".
  Optimizer(OptimizerValue lossScaling, const Values& defaults,
            std::vector<ClipNormSettings> clipNormSettings, const DebugContext& debugContext);

  void insert(const TensorId& weight, const Values& values);
  const OptimizerValueMap& values(const char* name) const { return values_.at(name); }
  /// The value of "defaultX" in `params` for "x", by default `otherwise`.
  /// \throws error for a name in `params` that is no key of `otherwise` or "lossScaling"
  static Values complete(const Params& params, const Values& otherwise);

 private:
  /// The compiler's arguments other than the values, by name.
  struct Arguments;
  virtual void describe(Arguments& arguments) const = 0;
  /// What must be the same in an optimizer that takes the place of this one: enumerators by name.
  virtual std::map<std::string, int> form() const = 0;
  friend class SGD;
  friend class Adam;
  friend class Adaptive;

  struct Factors {
    bool isAccumulated, isMean, isDividedAfter;
    int64_t batches, replicas;
  };
  const Factors& factors() const;

  OptimizerValue lossScaling_;
  nonstd::optional<Factors> factors_;
  std::map<std::string, OptimizerValueMap> values_;
  std::vector<ClipNormSettings> clip_;
  DebugContext debugContext_;
};

}  // namespace popart

#pragma GCC visibility pop

// As PopART 1's, this header brings SGD.
#include <popart/sgd.hpp>

#endif
