// Connectionist temporal classification, on the host.
#include <popnn/CTCInference.hpp>
#include <popnn/CTCLoss.hpp>
#include <popnn/LogSoftmax.hpp>
#include <popops/Cast.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "program/host_call.hpp"

namespace popnn {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

constexpr double kNever = -std::numeric_limits<double>::infinity();

double logAdd(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kNever ? a : a + std::log1p(std::exp(b - a));
}

[[noreturn]] void refuseCtc(const char* who, const std::string& what) {
  throw poputil::poplibs_error(std::string("popnn::") + who + ": " + what);
}

bool isCount(const poplar::Type& type) {
  return type == poplar::INT || type == poplar::UNSIGNED_INT || type == poplar::UNSIGNED_SHORT ||
         type == poplar::SHORT;
}

void checkData(const char* who, const Tensor& data, unsigned blank) {
  if (data.rank() != 3 ||
      (data.elementType() != poplar::FLOAT && data.elementType() != poplar::HALF))
    refuseCtc(who, "the data are " + data.elementType().toString() + " " + data.shapeToString() +
                       "; give FLOAT or HALF [time, batch, classes]");
  if (blank >= data.dim(2))
    refuseCtc(who,
              "the blank class is " + std::to_string(blank) + " of " + std::to_string(data.dim(2)));
}

void checkLengths(const char* who, const Tensor& t, std::size_t batch) {
  if (t.rank() != 1 || t.dim(0) != batch || !isCount(t.elementType()))
    refuseCtc(who, "lengths are " + t.elementType().toString() + " " + t.shapeToString() +
                       "; give integers [" + std::to_string(batch) + "]");
}

void checkPlanOptions(const char* who, const poplar::OptionFlags& options) {
  for (const auto& each : options)
    if (each.first != "partialsType" && each.first != "availableMemoryProportion")
      throw poplar::invalid_option(std::string(who) + ": there is no option " + each.first +
                                   "; the options are partialsType and availableMemoryProportion");
}

Tensor ints(Graph& graph, const Tensor& t, Sequence& prog, const DebugContext& context) {
  return t.elementType() == poplar::INT ? t : popops::cast(graph, t, poplar::INT, prog, context);
}

Tensor inType(Graph& graph, const Tensor& t, const poplar::Type& type, Sequence& prog,
              const DebugContext& context) {
  return t.elementType() == type ? t : popops::cast(graph, t, type, prog, context);
}

Tensor madeLinear(Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape,
                  const DebugContext& context) {
  return graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, context);
}

struct Sizes {
  std::size_t time, batch, classes, labels;
};

struct LossOptions {
  bool ofLogits = true, zeroInfinity = false;
};

/// The loss of a sample and, unless null, its gradient. Forward and backward sums over the labels
/// with blanks between them.
double lossOf(const float* data, const int* labels, std::size_t steps, std::size_t count,
              const Sizes& s, std::size_t sample, std::size_t blank, const LossOptions& options,
              float* gradient) {
  const auto logp = [&](std::size_t t, std::size_t c) {
    return static_cast<double>(data[(t * s.batch + sample) * s.classes + c]);
  };
  const std::size_t n = 2 * count + 1;
  const auto symbol = [&](std::size_t i) {
    return i % 2 == 0 ? blank : static_cast<std::size_t>(labels[i / 2]);
  };
  const auto skips = [&](std::size_t i) {
    return i >= 2 && i % 2 == 1 && symbol(i) != symbol(i - 2);
  };
  std::vector<double> alpha(steps * n, kNever), beta(steps * n, kNever);
  for (std::size_t t = 0; t < steps; ++t)
    for (std::size_t i = 0; i < n; ++i) {
      double sum = kNever;
      if (t == 0) {
        sum = i < 2 ? 0.0 : kNever;
      } else {
        const double* before = &alpha[(t - 1) * n];
        sum = before[i];
        if (i >= 1) sum = logAdd(sum, before[i - 1]);
        if (skips(i)) sum = logAdd(sum, before[i - 2]);
      }
      alpha[t * n + i] = sum + logp(t, symbol(i));
    }
  double whole = kNever;
  if (steps == 0)
    whole = count == 0 ? 0.0 : kNever;
  else
    for (std::size_t i = n - std::min<std::size_t>(n, 2); i < n; ++i)
      whole = logAdd(whole, alpha[(steps - 1) * n + i]);
  const bool never = whole == kNever;
  if (gradient != nullptr && !(never && options.zeroInfinity)) {
    for (std::size_t t = steps; t-- > 0;)
      for (std::size_t i = n; i-- > 0;) {
        double sum = kNever;
        if (t + 1 == steps) {
          sum = i + 2 >= n ? 0.0 : kNever;
        } else {
          const double* after = &beta[(t + 1) * n];
          const auto next = [&](std::size_t j) { return after[j] + logp(t + 1, symbol(j)); };
          sum = next(i);
          if (i + 1 < n) sum = logAdd(sum, next(i + 1));
          if (i + 2 < n && skips(i + 2)) sum = logAdd(sum, next(i + 2));
        }
        beta[t * n + i] = sum;
      }
    std::vector<double> share(s.classes);
    for (std::size_t t = 0; t < steps; ++t) {
      std::fill(share.begin(), share.end(), kNever);
      for (std::size_t i = 0; i < n; ++i)
        share[symbol(i)] = logAdd(share[symbol(i)], alpha[t * n + i] + beta[t * n + i]);
      for (std::size_t c = 0; c < s.classes; ++c) {
        const double posterior = share[c] == kNever ? 0.0 : std::exp(share[c] - whole);
        const double p = options.ofLogits ? std::exp(logp(t, c)) : 0.0;
        gradient[(t * s.batch + sample) * s.classes + c] = static_cast<float>(p - posterior);
      }
    }
  }
  return never && options.zeroInfinity ? 0.0 : -whole;
}

LossOptions lossOptions(const char* who, const poplar::OptionFlags& options) {
  LossOptions made;
  poplar::OptionFlags rest;
  for (const auto& each : options) {
    const bool known = each.first == "includeSoftmaxGradient" || each.first == "zeroInfinity";
    if (!known) {
      rest.set(each.first, each.second);
    } else if (each.second != "true" && each.second != "false") {
      throw poplar::invalid_option(std::string(who) + ": " + each.first +
                                   " is true or false, not '" + each.second + "'");
    } else {
      (each.first == "zeroInfinity" ? made.zeroInfinity : made.ofLogits) = each.second == "true";
    }
  }
  checkPlanOptions(who, rest);
  return made;
}

std::pair<Tensor, Tensor> lossAndGradient(const char* who, Graph& graph,
                                          const poplar::Type& outType, const Tensor& logProbs,
                                          const Tensor& labels, const Tensor& dataLengths,
                                          const Tensor& labelLengths, Sequence& prog,
                                          unsigned blank, bool wantsGradient,
                                          const poplar::OptionFlags& flags,
                                          const DebugContext& context) {
  checkData(who, logProbs, blank);
  const std::size_t batch = logProbs.dim(1);
  checkLengths(who, dataLengths, batch);
  checkLengths(who, labelLengths, batch);
  if (labels.rank() != 2 || labels.dim(0) != batch || !isCount(labels.elementType()))
    refuseCtc(who, "labels are " + labels.elementType().toString() + " " + labels.shapeToString() +
                       "; give integers [" + std::to_string(batch) + ", most labels]");
  const LossOptions options = lossOptions(who, flags);
  const Sizes s = {logProbs.dim(0), batch, logProbs.dim(2), labels.dim(1)};
  const Tensor loss = madeLinear(graph, poplar::FLOAT, {batch}, {context, "loss"});
  const Tensor gradient = madeLinear(graph, poplar::FLOAT, logProbs.shape(), {context, "gradient"});
  const std::string name = std::string("popnn::") + who;
  const auto call = [=](const void* const* in, void* const* out) {
    const auto* data = static_cast<const float*>(in[0]);
    const auto* all = static_cast<const int*>(in[1]);
    const auto* steps = static_cast<const int*>(in[2]);
    const auto* counts = static_cast<const int*>(in[3]);
    auto* losses = static_cast<float*>(out[0]);
    auto* gradients = static_cast<float*>(out[1]);
    std::fill(gradients, gradients + s.time * s.batch * s.classes, 0.0f);
    for (std::size_t b = 0; b < s.batch; ++b) {
      if (steps[b] < 0 || static_cast<std::size_t>(steps[b]) > s.time || counts[b] < 0 ||
          static_cast<std::size_t>(counts[b]) > s.labels)
        throw std::out_of_range("sample " + std::to_string(b) + " has " + std::to_string(steps[b]) +
                                " steps and " + std::to_string(counts[b]) +
                                " labels; there is room for " + std::to_string(s.time) + " and " +
                                std::to_string(s.labels));
      const int* own = all + b * s.labels;
      for (int i = 0; i < counts[b]; ++i)
        if (own[i] < 0 || static_cast<std::size_t>(own[i]) >= s.classes)
          throw std::out_of_range("label " + std::to_string(own[i]) + " of " +
                                  std::to_string(s.classes) + " classes");
      losses[b] = static_cast<float>(lossOf(data, own, static_cast<std::size_t>(steps[b]),
                                            static_cast<std::size_t>(counts[b]), s, b, blank,
                                            options, wantsGradient ? gradients : nullptr));
    }
  };
  popir::HostCallOptions once;
  once.hasEffects = false;
  popir::addHostCall(
      graph, prog, name, call,
      {inType(graph, logProbs, poplar::FLOAT, prog, context), ints(graph, labels, prog, context),
       ints(graph, dataLengths, prog, context), ints(graph, labelLengths, prog, context)},
      {loss, gradient}, context, once);
  return {inType(graph, loss, outType, prog, context),
          inType(graph, gradient, outType, prog, context)};
}

// ---- Decoding ----

struct Path {
  double blank = kNever,
         label = kNever;  // probabilities to end with a blank, or with the last label
  double whole() const { return logAdd(blank, label); }
};
using Prefix = std::vector<unsigned>;
using Beams = std::map<Prefix, Path>;

std::vector<std::pair<Prefix, double>> decoded(const float* data, std::size_t steps, const Sizes& s,
                                               std::size_t sample, std::size_t blank,
                                               std::size_t width) {
  Beams beams;
  beams[{}].blank = 0.0;
  std::vector<std::pair<Prefix, double>> best;
  for (std::size_t t = 0; t < steps; ++t) {
    const auto logp = [&](std::size_t c) {
      return static_cast<double>(data[(t * s.batch + sample) * s.classes + c]);
    };
    Beams next;
    for (const auto& each : beams) {
      const Prefix& prefix = each.first;
      const Path& path = each.second;
      Path& same = next[prefix];
      same.blank = logAdd(same.blank, path.whole() + logp(blank));
      if (!prefix.empty()) same.label = logAdd(same.label, path.label + logp(prefix.back()));
      for (std::size_t c = 0; c < s.classes; ++c) {
        if (c == blank) continue;
        Prefix longer = prefix;
        longer.push_back(static_cast<unsigned>(c));
        // A label that repeats follows a blank.
        const double from = !prefix.empty() && prefix.back() == c ? path.blank : path.whole();
        Path& extended = next[longer];
        extended.label = logAdd(extended.label, from + logp(c));
      }
    }
    std::vector<Beams::iterator> order;
    for (auto at = next.begin(); at != next.end(); ++at) order.push_back(at);
    const std::size_t kept = std::min(width, order.size());
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
        [](const auto& a, const auto& b) { return a->second.whole() > b->second.whole(); });
    beams.clear();
    for (std::size_t i = 0; i < kept; ++i)
      if (order[i]->second.whole() != kNever) beams.insert(*order[i]);
  }
  for (const auto& each : beams) best.push_back({each.first, each.second.whole()});
  std::stable_sort(best.begin(), best.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return best;
}

}  // namespace

namespace ctc {

Plan plan(const Graph&, const poplar::Type&, const poplar::Type&, unsigned, unsigned, unsigned,
          unsigned, const poplar::OptionFlags& options) {
  checkPlanOptions("popnn::ctc::plan", options);
  return {};
}

Tensor createDataInput(Graph& graph, const poplar::Type& type, const std::size_t batchSize,
                       const std::size_t maxTime, const std::size_t numClasses, const Plan&,
                       const DebugContext& debugContext) {
  return madeLinear(graph, type, {maxTime, batchSize, numClasses}, debugContext);
}

Tensor createLabelsInput(Graph& graph, const poplar::Type& type, const std::size_t batchSize,
                         const std::size_t maxLabelLength, const Plan&,
                         const DebugContext& debugContext) {
  return madeLinear(graph, type, {batchSize, maxLabelLength}, debugContext);
}

std::pair<Tensor, Tensor> calcLossAndGradientLogProbabilities(
    Graph& graph, const poplar::Type& outType, const Tensor& logProbs, const Tensor& labels,
    const Tensor& dataLengths, const Tensor& labelLengths, Sequence& prog,
    const unsigned blankClass, const Plan&, const DebugContext& debugContext,
    const poplar::OptionFlags& options) {
  return lossAndGradient("ctc::calcLossAndGradientLogProbabilities", graph, outType, logProbs,
                         labels, dataLengths, labelLengths, prog, blankClass, true, options,
                         {debugContext, "ctcLoss"});
}

std::pair<Tensor, Tensor> calcLossAndGradientLogits(Graph& graph, const poplar::Type& outType,
                                                    const Tensor& logits, const Tensor& labels,
                                                    const Tensor& dataLengths,
                                                    const Tensor& labelLengths, Sequence& prog,
                                                    const unsigned blankClass, const Plan&,
                                                    const DebugContext& debugContext,
                                                    const poplar::OptionFlags& options) {
  checkData("ctc::calcLossAndGradientLogits", logits, blankClass);
  const DebugContext context(debugContext, "ctcLoss");
  return lossAndGradient("ctc::calcLossAndGradientLogits", graph, outType,
                         logSoftmax(graph, logits, prog, context), labels, dataLengths,
                         labelLengths, prog, blankClass, true, options, context);
}

Tensor calcCTCLossLogProbabilities(Graph& graph, const poplar::Type& outType,
                                   const Tensor& logProbs, const Tensor& labels,
                                   const Tensor& dataLengths, const Tensor& labelLengths,
                                   Sequence& prog, const unsigned blankClass, const Plan&,
                                   const DebugContext& debugContext,
                                   const poplar::OptionFlags& options) {
  return lossAndGradient("ctc::calcCTCLossLogProbabilities", graph, outType, logProbs, labels,
                         dataLengths, labelLengths, prog, blankClass, false, options,
                         {debugContext, "ctcLoss"})
      .first;
}

Tensor calcCTCLossLogits(Graph& graph, const poplar::Type& outType, const Tensor& logits,
                         const Tensor& labels, const Tensor& dataLengths,
                         const Tensor& labelLengths, Sequence& prog, const unsigned blankClass,
                         const Plan&, const DebugContext& debugContext,
                         const poplar::OptionFlags& options) {
  checkData("ctc::calcCTCLossLogits", logits, blankClass);
  const DebugContext context(debugContext, "ctcLoss");
  return lossAndGradient("ctc::calcCTCLossLogits", graph, outType,
                         logSoftmax(graph, logits, prog, context), labels, dataLengths,
                         labelLengths, prog, blankClass, false, options, context)
      .first;
}

}  // namespace ctc

namespace ctc_infer {

ctc::Plan plan(const Graph&, const poplar::Type&, unsigned, unsigned, unsigned, unsigned,
               const poplar::OptionFlags& options) {
  checkPlanOptions("popnn::ctc_infer::plan", options);
  return {};
}

Tensor createDataInput(Graph& graph, const poplar::Type& type, const std::size_t batchSize,
                       const std::size_t maxTime, const std::size_t numClasses, const ctc::Plan&,
                       const DebugContext& debugContext) {
  return madeLinear(graph, type, {maxTime, batchSize, numClasses}, debugContext);
}

std::tuple<Tensor, Tensor, Tensor> beamSearchDecoderLogProbabilities(
    Graph& graph, const Tensor& logProbs, const Tensor& dataLengths, Sequence& prog,
    unsigned blankClass, unsigned beamwidth, unsigned topPaths, const ctc::Plan&,
    const DebugContext& debugContext, const poplar::OptionFlags& options) {
  const char* who = "ctc_infer::beamSearchDecoderLogProbabilities";
  const DebugContext context(debugContext, "ctcBeamSearch");
  checkPlanOptions(who, options);
  checkData(who, logProbs, blankClass);
  const Sizes s = {logProbs.dim(0), logProbs.dim(1), logProbs.dim(2), 0};
  checkLengths(who, dataLengths, s.batch);
  if (beamwidth == 0 || topPaths > beamwidth)
    refuseCtc(who, std::to_string(topPaths) + " paths of a search with " +
                       std::to_string(beamwidth) + " prefixes");
  const Tensor probs =
      madeLinear(graph, poplar::FLOAT, {s.batch, topPaths}, {context, "probabilities"});
  const Tensor lengths =
      madeLinear(graph, poplar::UNSIGNED_INT, {s.batch, topPaths}, {context, "lengths"});
  const Tensor labels =
      madeLinear(graph, poplar::UNSIGNED_INT, {s.batch, topPaths, s.time}, {context, "labels"});
  const auto call = [=](const void* const* in, void* const* out) {
    const auto* data = static_cast<const float*>(in[0]);
    const auto* steps = static_cast<const int*>(in[1]);
    auto* p = static_cast<float*>(out[0]);
    auto* n = static_cast<unsigned*>(out[1]);
    auto* all = static_cast<unsigned*>(out[2]);
    std::fill(all, all + s.batch * topPaths * s.time, blankClass);
    for (std::size_t b = 0; b < s.batch; ++b) {
      if (steps[b] < 0 || static_cast<std::size_t>(steps[b]) > s.time)
        throw std::out_of_range("sample " + std::to_string(b) + " has " + std::to_string(steps[b]) +
                                " steps; there are " + std::to_string(s.time));
      const auto best =
          decoded(data, static_cast<std::size_t>(steps[b]), s, b, blankClass, beamwidth);
      for (std::size_t k = 0; k < topPaths; ++k) {
        const std::size_t at = b * topPaths + k;
        const bool is = k < best.size();
        p[at] = is ? static_cast<float>(-best[k].second) : std::numeric_limits<float>::infinity();
        n[at] = is ? static_cast<unsigned>(best[k].first.size()) : 0;
        if (is) std::copy(best[k].first.begin(), best[k].first.end(), all + at * s.time);
      }
    }
  };
  popir::HostCallOptions once;
  once.hasEffects = false;
  popir::addHostCall(graph, prog, std::string("popnn::") + who, call,
                     {inType(graph, logProbs, poplar::FLOAT, prog, context),
                      ints(graph, dataLengths, prog, context)},
                     {probs, lengths, labels}, context, once);
  return std::make_tuple(inType(graph, probs, logProbs.elementType(), prog, context), lengths,
                         labels);
}

std::tuple<Tensor, Tensor, Tensor> beamSearchDecoderLogits(
    Graph& graph, const Tensor& logits, const Tensor& dataLengths, Sequence& prog,
    unsigned blankClass, unsigned beamwidth, unsigned topPaths, const ctc::Plan& plan,
    const DebugContext& debugContext, const poplar::OptionFlags& options) {
  checkData("ctc_infer::beamSearchDecoderLogits", logits, blankClass);
  return beamSearchDecoderLogProbabilities(graph, logSoftmax(graph, logits, prog, debugContext),
                                           dataLengths, prog, blankClass, beamwidth, topPaths, plan,
                                           debugContext, options);
}

}  // namespace ctc_infer
}  // namespace popnn
