#include <popops/ElementWise.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <poprand/RandomGen.hpp>

#include <limits>
#include <memory>
#include <sstream>
#include <vector>

#include "kernels/random/random.hpp"
#include "kernels/random/sampler.hpp"
#include "poplar/bulk_vertex.hpp"
#include "poplar/rounding_program.hpp"
#include "poprand/hw_seeds.hpp"

namespace poprand {
namespace {

using popir::Access;
using popir::RandomLaw;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;

std::string text(double x) {
  std::ostringstream os;
  os.precision(17);
  os << x;
  return os.str();
}

/// One library call: checks the arguments and adds the vertex.
class Call {
 public:
  Call(Graph& graph, const char* function, const Tensor* seed, std::uint32_t seedModifier,
       Sequence& prog, const DebugContext& debugContext)
      : graph_(graph),
        function_(function),
        seed_(seed),
        seedModifier_(seedModifier),
        prog_(prog),
        debugContext_(debugContext) {
    const std::string path = debugContext.getPathName();
    who_ = std::string("poprand::") + function + (path.empty() ? "" : " '" + path + "'") + ": ";
    if (!seed) return;
    check(seed->valid(), "the seed is not a valid tensor");
    check(seed->elementType() == poplar::UNSIGNED_INT && seed->rank() == 1 && seed->dim(0) == 2,
          "the seed must be unsigned int [2], not " + seed->elementType().toString() + " " +
              seed->shapeToString());
  }

  void check(bool good, const std::string& what) const {
    if (!good) throw poputil::poplibs_error(who_ + what);
  }

  void checkTensor(const char* name, const Tensor& t) const {
    check(t.valid(), std::string(name) + " is not a valid tensor");
  }

  void checkType(const Type& type, const std::vector<Type>& allowed) const {
    std::string names;
    for (const Type& t : allowed) {
      if (t == type) return;
      names += (names.empty() ? "" : t == allowed.back() ? " or " : ", ") + t.toString();
    }
    check(false, "the numbers can be of type " + names + ", not " + type.toString());
  }

  void checkProbability(const char* name, double p) const {
    check(p >= 0 && p <= 1, std::string(name) + " must be from 0 to 1, not " + text(p));
  }

  /// Checks that minVal, maxVal and their difference are representable in the type.
  void checkRange(const Type& type, double minVal, double maxVal) const {
    const std::string given = "minVal " + text(minVal) + " and maxVal " + text(maxVal);
    if (type == poplar::INT || type == poplar::UNSIGNED_INT) {
      const bool isSigned = type == poplar::INT;
      const double least = isSigned ? std::numeric_limits<std::int32_t>::min() : 0;
      const double greatest = isSigned ? std::numeric_limits<std::int32_t>::max()
                                       : std::numeric_limits<std::uint32_t>::max();
      check(minVal >= least && minVal <= maxVal && maxVal <= greatest &&
                std::trunc(minVal) == minVal && std::trunc(maxVal) == maxVal,
            "integers of type " + type.toString() + " with minVal <= maxVal are expected, not " +
                given);
      return;
    }
    const double greatest = type == poplar::DOUBLE  ? std::numeric_limits<double>::max()
                            : type == poplar::FLOAT ? std::numeric_limits<float>::max()
                                                    : 65504.0;
    check(minVal < maxVal && minVal >= -greatest && maxVal <= greatest &&
              maxVal - minVal <= (type == poplar::HALF ? 2 : 1) * greatest,
          "minVal < maxVal, no further apart than the greatest " + type.toString() +
              ", are expected, not " + given);
    checkBounds(type, minVal, maxVal, true);
  }

  void checkBounds(const Type& type, double a, double b, bool open) const {
    const popir::Bounds bounds = popir::boundsIn(type, a, b, open);
    check(bounds.least <= bounds.greatest,
          "no number of type " + type.toString() + " lies from " + text(a) + " to " + text(b));
  }

  void checkNormal(double mean, double stdDev) const {
    check(std::isfinite(mean), "the mean must be finite, not " + text(mean));
    check(std::isfinite(stdDev) && stdDev >= 0,
          "the standard deviation must be finite and not negative, not " + text(stdDev));
  }

  /// Creates a tensor with the layout of `reference`, and fills it with random values.
  Tensor add(popir::RandomNumbers numbers, const Tensor& reference, const Type& outType,
             const Tensor* input = nullptr) {
    const Tensor out = popops::createOutputForElementWiseOp(graph_, {reference}, outType,
                                                            {debugContext_, function_});
    const auto cs = graph_.addComputeSet({debugContext_, function_});
    Tensor seed;
    if (seed_) {
      seed = *seed_;
      numbers.stream[0] = seedModifier_;
    } else {
      seed = graph_.addVariable(poplar::UNSIGNED_INT, {2}, {debugContext_, "runs"});
      graph_.setTileMapping(seed, 0);
      graph_.setInitialValue(seed, std::vector<unsigned>{0, 0});
      numbers.stream[0] = cs.getId();
      numbers.stream[1] = 1;  // distinct from the streams of seeds
      numbers.countRuns = true;
    }
    std::vector<popir::BulkOperand> operands = {{out, Access::Write},
                                                {seed, seed_ ? Access::Read : Access::ReadWrite}};
    if (input) operands.push_back({*input, Access::Read});
    popir::addBulkVertex(graph_, cs, std::make_shared<popir::RandomKernel>(numbers),
                         std::move(operands), debugContext_.getPathName());
    prog_.add(poplar::program::Execute(cs, debugContext_));
    return out;
  }

 private:
  Graph& graph_;
  const char* function_;
  const Tensor* seed_;
  std::uint32_t seedModifier_;
  Sequence& prog_;
  const DebugContext& debugContext_;
  std::string who_;
};

const std::vector<Type> kScaled = {poplar::FLOAT, poplar::HALF, poplar::BFLOAT16, poplar::DOUBLE};
const std::vector<Type> kReal = {poplar::FLOAT, poplar::HALF, poplar::DOUBLE};

}  // namespace

void setSeed(Graph& graph, const Tensor& masterSeed, std::uint32_t seedModifier, Sequence& prog,
             const DebugContext& debugContext) {
  prog.add(popir::seedProgram(masterSeed, seedModifier, debugContext));
  popir::seedWorkers(graph, masterSeed, seedModifier, prog, debugContext);
}

Tensor uniform(Graph& graph, const Tensor* seed, std::uint32_t seedModifier,
               const Tensor& reference, const Type& outType, double minVal, double maxVal,
               Sequence& prog, const DebugContext& debugContext) {
  Call call(graph, "uniform", seed, seedModifier, prog, debugContext);
  call.checkTensor("the reference", reference);
  call.checkType(outType,
                 {poplar::FLOAT, poplar::HALF, poplar::DOUBLE, poplar::INT, poplar::UNSIGNED_INT});
  call.checkRange(outType, minVal, maxVal);
  return call.add({RandomLaw::Uniform, minVal, maxVal}, reference, outType);
}

Tensor logUniform(Graph& graph, const Tensor* seed, std::uint32_t seedModifier,
                  const Tensor& reference, const Type& outType, double minVal, double maxVal,
                  Sequence& prog, double base, const DebugContext& debugContext) {
  Call call(graph, "logUniform", seed, seedModifier, prog, debugContext);
  call.checkTensor("the reference", reference);
  call.checkType(outType, {poplar::FLOAT, poplar::HALF, poplar::DOUBLE, poplar::INT});
  call.check(minVal >= 1 && minVal < maxVal, "1 <= minVal < maxVal are expected, not minVal " +
                                                 text(minVal) + " and maxVal " + text(maxVal));
  call.checkRange(outType, minVal, maxVal);
  // The distribution does not depend on the base.
  call.check(base > 1 && std::isfinite(base),
             "the base must be a number greater than 1, not " + text(base));
  return call.add({RandomLaw::LogUniform, minVal, maxVal}, reference, outType);
}

Tensor bernoulli(Graph& graph, const Tensor* seed, std::uint32_t seedModifier,
                 const Tensor& reference, const Type& outType, double prob, Sequence& prog,
                 const DebugContext& debugContext) {
  Call call(graph, "bernoulli", seed, seedModifier, prog, debugContext);
  call.checkTensor("the reference", reference);
  call.checkType(outType, {poplar::FLOAT, poplar::HALF, poplar::DOUBLE, poplar::INT,
                           poplar::UNSIGNED_INT, poplar::BOOL});
  call.checkProbability("the probability", prob);
  return call.add({RandomLaw::Bernoulli, prob}, reference, outType);
}

Tensor normal(Graph& graph, const Tensor* seed, std::uint32_t seedModifier, const Tensor& reference,
              const Type& outType, double mean, double stdDev, Sequence& prog,
              const DebugContext& debugContext) {
  Call call(graph, "normal", seed, seedModifier, prog, debugContext);
  call.checkTensor("the reference", reference);
  call.checkType(outType, kReal);
  call.checkNormal(mean, stdDev);
  return call.add({RandomLaw::Normal, mean, stdDev}, reference, outType);
}

Tensor truncatedNormal(Graph& graph, const Tensor* seed, std::uint32_t seedModifier,
                       const Tensor& reference, const Type& outType, double mean, double stdDev,
                       double alpha, Sequence& prog, const DebugContext& debugContext) {
  Call call(graph, "truncatedNormal", seed, seedModifier, prog, debugContext);
  call.checkTensor("the reference", reference);
  call.checkType(outType, kReal);
  call.checkNormal(mean, stdDev);
  call.check(alpha > 0 && std::isfinite(alpha),
             "alpha must be a number greater than 0, not " + text(alpha));
  call.checkBounds(outType, mean - alpha * stdDev, mean + alpha * stdDev, false);
  return call.add({RandomLaw::TruncatedNormal, mean, stdDev, alpha}, reference, outType);
}

Tensor dropout(Graph& graph, const Tensor* seed, std::uint32_t seedModifier, const Tensor& input,
               const Tensor& reference, double keepProbability, double scale, bool outputClonesRef,
               Sequence& prog, const DebugContext& debugContext) {
  Call call(graph, "dropout", seed, seedModifier, prog, debugContext);
  call.checkTensor("the input", input);
  call.checkTensor("the reference", reference);
  call.checkType(input.elementType(), kScaled);
  call.check(input.shape() == reference.shape(), "the reference has shape " +
                                                     reference.shapeToString() + ", the input " +
                                                     input.shapeToString());
  call.checkProbability("keepProbability", keepProbability);
  return call.add({RandomLaw::Dropout, keepProbability, scale}, outputClonesRef ? reference : input,
                  input.elementType(), &input);
}

Tensor dropout(Graph& graph, const Tensor* seed, std::uint32_t seedModifier, const Tensor& input,
               const Tensor& reference, double keepProbability, double scale, Sequence& prog,
               const DebugContext& debugContext) {
  return dropout(graph, seed, seedModifier, input, reference, keepProbability, scale, true, prog,
                 debugContext);
}

Tensor shapedDropout(Graph& graph, const Tensor* seed, std::uint32_t seedModifier,
                     const Tensor& input, const Tensor& reference, double keepProbability,
                     double scale, Sequence& prog, const DebugContext& debugContext) {
  namespace pe = popops::expr;
  Call call(graph, "shapedDropout", seed, seedModifier, prog, debugContext);
  call.checkTensor("the input", input);
  call.checkTensor("the reference", reference);
  call.checkType(input.elementType(), kScaled);
  call.checkProbability("keepProbability", keepProbability);
  bool fits = reference.rank() <= input.rank();
  for (unsigned d = 1; fits && d <= reference.rank(); ++d) {
    const std::size_t size = reference.dim(reference.rank() - d);
    fits = size == 1 || size == input.dim(input.rank() - d);
  }
  call.check(fits, "the reference's shape " + reference.shapeToString() +
                       " cannot be broadcast to the input's, " + input.shapeToString());
  const Tensor kept = call.add({RandomLaw::Bernoulli, keepProbability}, reference, poplar::BOOL);
  const pe::Const factor(input.elementType(), scale), zero(input.elementType(), 0.0);
  return popops::map(graph, pe::Select(pe::_1 * factor, zero, pe::_2), {input, kept}, prog,
                     {debugContext, "shapedDropout"});
}

}  // namespace poprand
