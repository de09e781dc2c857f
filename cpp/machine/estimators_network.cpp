// What popnn composes of reductions, slices and element-wise vertices; pooling; random numbers.
#include "machine/formulas.hpp"

namespace popir {
namespace {

// Steps over rows of a matrix; what one row shares does not leave its tile.
class Rows {
 public:
  Rows(const TargetSpec& spec, const VertexWork& w)
      : spec_(spec), type_(w.type), rows_(w.size(0)), columns_(w.size(1)) {}

  Cycles reduce() const {
    return estimateCycles(spec_, "popops::Reduce", {type_, {all(), rows_, columns_}});
  }
  // With one element for each row.
  Cycles withColumn(const char* op) const {
    return estimateCycles(spec_, "popops::BroadcastVectorOuterInPlace",
                          {type_, {all(), operatorRow(op), columns_}});
  }
  Cycles binary(const char* op) const {
    return estimateCycles(spec_, "popops::BinaryOp1D", {type_, {all(), operatorRow(op)}});
  }
  Cycles unary(const char* op) const {
    return estimateCycles(spec_, "popops::UnaryOp1DInPlace", {type_, {all(), operatorRow(op)}});
  }
  Cycles unaryOfRows(const char* op) const {
    return estimateCycles(spec_, "popops::UnaryOp1DInPlace", {type_, {rows_, operatorRow(op)}});
  }

 private:
  Cycles all() const { return rows_ * columns_; }

  const TargetSpec& spec_;
  poplar::Type type_;
  Cycles rows_, columns_;
};

// exp(x - max) / sum
Cycles softmax(const TargetSpec& spec, const VertexWork& w) {
  const Rows r(spec, w);
  return 2 * r.reduce() + r.withColumn("SUBTRACT") + r.unary("EXPONENT") +
         r.unaryOfRows("INVERSE") + r.withColumn("MULTIPLY");
}
// x - max - log(sum)
Cycles logSoftmax(const TargetSpec& spec, const VertexWork& w) {
  const Rows r(spec, w);
  return 2 * (r.reduce() + r.withColumn("SUBTRACT")) + r.unary("EXPONENT") +
         r.unaryOfRows("LOGARITHM");
}
// y (g - sum(g y))
Cycles softmaxGrad(const TargetSpec& spec, const VertexWork& w) {
  const Rows r(spec, w);
  return 2 * r.binary("MULTIPLY") + r.reduce() + r.withColumn("SUBTRACT");
}
// g - exp(y) sum(g)
Cycles logSoftmaxGrad(const TargetSpec& spec, const VertexWork& w) {
  const Rows r(spec, w);
  return r.reduce() + r.unary("EXPONENT") + r.withColumn("MULTIPLY") + r.binary("SUBTRACT");
}

// popops' MultiSlice and MultiUpdateAdd of one element for each row, which workers share.
Cycles slices(const TargetSpec& spec, Cycles rows) {
  return supervised(spec, 0, 30 + ceilDiv(rows, spec.numWorkerContexts) * (19 + 2));
}
Cycles updates(const TargetSpec& spec, Cycles rows) {
  return supervised(spec, 0, 3 + 30 + ceilDiv(rows, spec.numWorkerContexts) * 11);
}

// The label's element of each row, its logarithm, their sum
Cycles nll(const TargetSpec& spec, const VertexWork& w) {
  return slices(spec, w.size(0)) + Rows(spec, w).unaryOfRows("LOGARITHM") +
         estimateCycles(spec, "popops::Reduce", {w.type, {w.size(0), 1, w.size(0)}});
}
// Zeros; -g / p at the label
Cycles nllGrad(const TargetSpec& spec, const VertexWork& w) {
  return estimateCycles(spec, "popops::Fill", {w.type, {w.size(0) * w.size(1)}}) +
         slices(spec, w.size(0)) + Rows(spec, w).unaryOfRows("INVERSE") + updates(spec, w.size(0));
}
// g p; minus g at the label
Cycles nllSoftmaxGrad(const TargetSpec& spec, const VertexWork& w) {
  return Rows(spec, w).withColumn("MULTIPLY") + updates(spec, w.size(0));
}

// Losses and gradients of PopLibs' transforms, whose formulas are not published: by their steps.
// d = p - t, d * d / 2
Cycles sumSquared(const TargetSpec& spec, const VertexWork& w) {
  const Rows r(spec, w);
  return r.binary("SUBTRACT") + r.unary("SQUARE") + r.withColumn("MULTIPLY");
}
// p - t, log(p) t
Cycles crossEntropy(const TargetSpec& spec, const VertexWork& w) {
  const Rows r(spec, w);
  return r.binary("SUBTRACT") + r.unary("LOGARITHM") + r.binary("MULTIPLY");
}
// Not published either: a loop of the compiler's, 7 cycles an element as other such loops.
Cycles classGather(const TargetSpec& spec, const VertexWork& w) {
  const auto words = std::max<Cycles>(1, w.type.sizeInBytes() / 4);
  const auto perWorker = ceilDiv(w.size(0) * w.size(1), spec.numWorkerContexts);
  return supervised(spec, kSupervisorCall, 26 + 7 * words * perWorker);
}

Cycles pooling(const TargetSpec& spec, const VertexWork& w, Cycles start, Cycles each) {
  const auto vectors =
      ceilDiv(ceilDiv(w.size(0), spec.numWorkerContexts), vectorWidth(spec, w.type));
  return supervised(spec, 7 + 6, 30 + vectors * (start + each * w.size(1)));
}
Cycles maxPooling(const TargetSpec& spec, const VertexWork& w) { return pooling(spec, w, 4, 3); }
Cycles sumPooling(const TargetSpec& spec, const VertexWork& w) { return pooling(spec, w, 5, 3); }
Cycles maxPoolingGradient(const TargetSpec& spec, const VertexWork& w) {
  return pooling(spec, w, 7, 5);
}

// Whole-tile figures: a start, and some cycles for each vector of a worker.
Cycles random(const TargetSpec& spec, const VertexWork& w, Cycles start, Cycles each) {
  return 4 + start * spec.numWorkerContexts + each * ceilDiv(w.size(0), vectorWidth(spec, w.type));
}
Cycles uniform(const TargetSpec& spec, const VertexWork& w) { return random(spec, w, 24, 4); }
Cycles bernoulli(const TargetSpec& spec, const VertexWork& w) { return random(spec, w, 23, 1); }
Cycles dropout(const TargetSpec& spec, const VertexWork& w) { return random(spec, w, 24, 2) + 2; }
// Cut off by trying again: two tries on average.
Cycles truncatedNormal(const TargetSpec& spec, const VertexWork& w) {
  return random(spec, w, 28, 12 * 2 + 5);
}
// Not PopLibs': uniform numbers, raised to a power.
Cycles logUniform(const TargetSpec& spec, const VertexWork& w) {
  return uniform(spec, w) + estimateCycles(spec, "popops::UnaryOp1DInPlace",
                                           {w.type, {w.size(0), operatorRow("EXPONENT")}});
}

}  // namespace

std::vector<VertexClass> networkClasses() {
  return {{"popnn::Softmax", Sharing::Proportional, softmax, 6},
          {"popnn::LogSoftmax", Sharing::Proportional, logSoftmax, 6},
          {"popnn::SoftmaxGrad", Sharing::Proportional, softmaxGrad, 4},
          {"popnn::LogSoftmaxGrad", Sharing::Proportional, logSoftmaxGrad, 4},
          {"popnn::Nll", Sharing::Proportional, nll, 3},
          {"popnn::NllGrad", Sharing::Proportional, nllGrad, 4},
          {"popnn::NllSoftmaxGrad", Sharing::Proportional, nllSoftmaxGrad, 2},
          {"popnn::LossSumSquaredTransform", Sharing::Proportional, sumSquared},
          {"popnn::LossCrossEntropyTransform", Sharing::Proportional, crossEntropy},
          {"popnn::ReduceMaxClassGather", Sharing::Proportional, classGather},
          {"popnn::ReduceMinClassGather", Sharing::Proportional, classGather},
          {"poprand::Uniform", Sharing::Proportional, uniform},
          {"poprand::LogUniform", Sharing::Proportional, logUniform, 2},
          {"poprand::Bernoulli", Sharing::Proportional, bernoulli},
          {"poprand::Normal", Sharing::Proportional, uniform},
          {"poprand::TruncatedNormal", Sharing::Proportional, truncatedNormal},
          {"poprand::Dropout", Sharing::Proportional, dropout},
          {"popnn::MaxPooling", Sharing::Proportional, maxPooling},
          {"popnn::SumPooling", Sharing::Proportional, sumPooling},
          {"popnn::MaxPoolingGradient", Sharing::Proportional, maxPoolingGradient}};
}

}  // namespace popir
