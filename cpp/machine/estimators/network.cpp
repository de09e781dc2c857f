// Estimators of popnn's functions that are composed of reductions, slices and element-wise
// vertices; of pooling; and of random numbers.
#include "machine/estimators/formulas.hpp"

namespace popir {
namespace {

// Whether the vertices of extrema are in assembly.
bool isInAssembly(poplar::Type type) { return type == poplar::FLOAT || type == poplar::HALF; }

// Elements of a row that a worker looks through.
Cycles extremumEach(const TargetSpec& spec, Cycles columns) {
  constexpr Cycles kLeast = 32;
  const Cycles workers = spec.numWorkerContexts;
  return columns / workers < kLeast ? kLeast : ceilDiv(columns, workers);
}

}  // namespace

Cycles extremumPartials(const TargetSpec& spec, Cycles columns) {
  return ceilDiv(columns, extremumEach(spec, columns));
}
Cycles extremumOfRows(const TargetSpec& spec, const RowsWork& w) {
  if (w.rows * w.columns == 0) return 0;
  const auto words = std::max<Cycles>(1, w.type.sizeInBytes() / 4);
  const auto each = extremumEach(spec, w.columns);
  const auto row = isInAssembly(w.type)
                       ? 30 + 3 * (std::min(each, w.columns) - 1)
                       : 22 + extremumPartials(spec, w.columns) * (25 + 6 * each * words);
  return w.rows * supervised(spec, 9, row);
}
Cycles extremumOfPartials(poplar::Type type, Cycles partials) {
  return isInAssembly(type) ? 27 + 3 * (partials - 1) : 23 + 6 * partials;
}

namespace {

// Cycles of operations on a matrix [rows, columns] of one tile. No row is divided over tiles.
class Rows {
 public:
  Rows(const TargetSpec& spec, const RowsWork& w)
      : spec_(spec), type_(w.type), rows_(w.rows), columns_(w.columns) {}

  Cycles reduce() const {
    return estimateCycles(spec_, "popops::Reduce", ReduceWork{type_, all(), rows_, columns_});
  }
  // A binary operator whose second operand has one element for each row.
  Cycles withColumn(Operator op) const {
    return estimateCycles(spec_, "popops::BroadcastVectorOuterInPlace",
                          OperatorWork{type_, all(), op, columns_});
  }
  Cycles binary(Operator op) const {
    return estimateCycles(spec_, "popops::BinaryOp1D", OperatorWork{type_, all(), op});
  }
  Cycles unary(Operator op) const {
    return estimateCycles(spec_, "popops::UnaryOp1DInPlace", OperatorWork{type_, all(), op});
  }
  Cycles unaryOfRows(Operator op) const {
    return estimateCycles(spec_, "popops::UnaryOp1DInPlace", OperatorWork{type_, rows_, op});
  }

 private:
  Cycles all() const { return rows_ * columns_; }

  const TargetSpec& spec_;
  poplar::Type type_;
  Cycles rows_, columns_;
};

// What PopLibs has for floats and halves alone, and what it has for integers of 32 bits, too.
template <class W>
Formula ofFloats(const W& w) {
  return w.type == poplar::FLOAT || w.type == poplar::HALF ? Formula::Published : Formula::Guess;
}
Formula ofWords(const RowsWork& w) {
  const bool integers = w.type == poplar::INT || w.type == poplar::UNSIGNED_INT;
  return integers ? Formula::Published : ofFloats(w);
}

// exp(x - max) / sum
Cycles softmax(const TargetSpec& spec, const RowsWork& w) {
  const Rows r(spec, w);
  return 2 * r.reduce() + r.withColumn(Operator::SUBTRACT) + r.unary(Operator::EXPONENT) +
         r.unaryOfRows(Operator::INVERSE) + r.withColumn(Operator::MULTIPLY);
}
// x - max - log(sum)
Cycles logSoftmax(const TargetSpec& spec, const RowsWork& w) {
  const Rows r(spec, w);
  return 2 * (r.reduce() + r.withColumn(Operator::SUBTRACT)) + r.unary(Operator::EXPONENT) +
         r.unaryOfRows(Operator::LOGARITHM);
}
// y (g - sum(g y))
Cycles softmaxGrad(const TargetSpec& spec, const RowsWork& w) {
  const Rows r(spec, w);
  return 2 * r.binary(Operator::MULTIPLY) + r.reduce() + r.withColumn(Operator::SUBTRACT);
}
// g - exp(y) sum(g)
Cycles logSoftmaxGrad(const TargetSpec& spec, const RowsWork& w) {
  const Rows r(spec, w);
  return r.reduce() + r.unary(Operator::EXPONENT) + r.withColumn(Operator::MULTIPLY) +
         r.binary(Operator::SUBTRACT);
}

// As popops' MultiSlice and MultiUpdateAdd, with one element for each row. Rows are divided among
// workers.
Cycles slices(const TargetSpec& spec, Cycles rows) {
  return supervised(spec, 0, 30 + ceilDiv(rows, spec.numWorkerContexts) * (19 + 2));
}
Cycles updates(const TargetSpec& spec, Cycles rows) {
  return supervised(spec, 0, 3 + 30 + ceilDiv(rows, spec.numWorkerContexts) * 11);
}

// What follows, row by row, from weights of classes, which are gathered and multiplied with, and
// from a label that does not count: where labels are another one, as numbers to multiply with.
Cycles scales(const TargetSpec& spec, const NllWork& w) {
  const auto product = estimateCycles(spec, "popops::BinaryOp1DInPlace",
                                      OperatorWork{w.type, w.rows, Operator::MULTIPLY});
  Cycles cycles = 0;
  if (w.weighted) cycles += slices(spec, w.rows) + product;
  if (w.ignores)
    cycles += estimateCycles(spec, "popops::BroadcastScalar1D",
                             OperatorWork{poplar::INT, w.rows, Operator::NOT_EQUAL}) +
              estimateCycles(spec, "popops::Cast1D", CastWork{poplar::BOOL, w.rows, w.type}) +
              product;
  return cycles;
}
unsigned scalePhases(const NllWork& w) { return 2 * w.weighted + 3 * w.ignores; }
Cycles sumOfRows(const TargetSpec& spec, const NllWork& w) {
  return estimateCycles(spec, "popops::Reduce", ReduceWork{w.type, w.rows, 1, w.rows});
}
Cycles ofRows(const TargetSpec& spec, const NllWork& w, Operator op) {
  return estimateCycles(spec, "popops::UnaryOp1DInPlace", OperatorWork{w.type, w.rows, op});
}

// -log(p[label]) of each row, or the sum of them, with what the mean is divided by. The sum has the
// sign as its scale.
Cycles nll(const TargetSpec& spec, const NllWork& w) {
  auto cycles = slices(spec, w.rows) + scales(spec, w);
  if (w.logs) cycles += ofRows(spec, w, Operator::LOGARITHM);
  if (!w.summed) return cycles + ofRows(spec, w, Operator::NEGATE);
  return cycles + (w.counts() ? 2 : 1) * sumOfRows(spec, w);
}
unsigned nllPhases(const NllWork& w) {
  return 2 + w.logs + scalePhases(w) + (w.summed && w.counts());
}
// -g / p at the label, 0 elsewhere
Cycles nllGrad(const TargetSpec& spec, const NllWork& w) {
  auto cycles = estimateCycles(spec, "popops::Fill", ElementsWork{w.type, w.rows * w.columns}) +
                scales(spec, w) + updates(spec, w.rows);
  if (w.logs) cycles += slices(spec, w.rows) + ofRows(spec, w, Operator::INVERSE);
  return w.counts() ? cycles + sumOfRows(spec, w) : cycles;
}
unsigned nllGradPhases(const NllWork& w) { return 2 + 2 * w.logs + scalePhases(w) + w.counts(); }
// g p, less g at the label
Cycles nllSoftmaxGrad(const TargetSpec& spec, const NllWork& w) {
  auto cycles = Rows(spec, {w.type, w.rows, w.columns}).withColumn(Operator::MULTIPLY) +
                scales(spec, w) + updates(spec, w.rows);
  if (!w.logs)
    cycles += estimateCycles(spec, "popops::UnaryOp1DInPlace",
                             OperatorWork{w.type, w.rows * w.columns, Operator::EXPONENT});
  return w.counts() ? cycles + sumOfRows(spec, w) : cycles;
}
unsigned nllSoftmaxGradPhases(const NllWork& w) {
  return 2 + !w.logs + scalePhases(w) + w.counts();
}

// PopLibs' vertices of activations: a pipelined loop over vectors, and one worker with what is left
// over. A turn of the loop takes `each` cycles, the operation by itself `alone`.
struct ActivationRate {
  Cycles alone, each;
};
ActivationRate activationRate(Activation activation, bool isFloat) {
  switch (activation) {
    case Activation::Swish: return isFloat ? ActivationRate{6, 11} : ActivationRate{3, 5};
    case Activation::SwishGrad: return isFloat ? ActivationRate{10, 15} : ActivationRate{7, 9};
    case Activation::Gelu:
    case Activation::GeluGrad: return isFloat ? ActivationRate{10, 10} : ActivationRate{5, 5};
    case Activation::GeluErfGrad: return isFloat ? ActivationRate{30, 30} : ActivationRate{15, 15};
    default: return {3, 3};
  }
}
struct ActivationShare {
  Cycles vectors, rest;  // vectors of a worker, elements that no vector takes
  bool isFloat;
  ActivationRate rate;

  ActivationShare(const TargetSpec& spec, const ActivationWork& w)
      : vectors(ceilDiv(w.elements / vectorWidth(spec, w.type), spec.numWorkerContexts)),
        rest(w.elements % vectorWidth(spec, w.type)),
        isFloat(w.type.sizeInBytes() >= 4),
        rate(activationRate(w.activation, isFloat)) {}
};
Cycles activation(const TargetSpec& spec, const ActivationWork& w, Cycles start) {
  const ActivationShare s(spec, w);
  Cycles worker = start;
  if (s.vectors > 0) worker += 2 + 2 * s.rate.alone + 1 + (s.vectors - 1) * s.rate.each;
  if (s.isFloat)
    worker += 3 + (s.rest > 0 ? 2 + s.rate.alone : 0);
  else
    worker += 4 + (s.rest & 2 ? 2 + s.rate.alone : 0) + (s.rest & 1 ? 3 + s.rate.alone : 0);
  return supervised(spec, 9, worker);
}
Cycles activationInPlace(const TargetSpec& spec, const ActivationWork& w) {
  return activation(spec, w, w.activation == Activation::Swish ? 21 : 20);
}
// Only of swish is there a vertex with a result of its own; for others the operand is copied before.
Cycles activationOutOfPlace(const TargetSpec& spec, const ActivationWork& w) {
  if (w.activation == Activation::Swish) return activation(spec, w, 20);
  const CopyWork copied{w.type, w.elements * w.type.sizeInBytes()};
  return estimateCycles(spec, "poplar::Copy", copied) + activationInPlace(spec, w);
}
Cycles activationGradient(const TargetSpec& spec, const ActivationWork& w) {
  const ActivationShare s(spec, w);
  Cycles worker = 20;
  if (s.vectors > 0) worker += 4 + (s.vectors - 1) * s.rate.each + 1;
  if (s.isFloat)
    worker += 4 + (s.rest > 0 ? s.rate.alone + 1 : 0);
  else
    worker += 6 + (s.rest & 2 ? s.rate.alone + 2 : 0) + (s.rest & 1 ? s.rate.alone + 4 : 0);
  return supervised(spec, 9, worker);
}

// PopLibs' transforms, which compute a loss and its gradient. A vertex of a worker takes `start`
// cycles, and `each` for a float or two halves, for at most 4095 elements.
Cycles lossTransform(const TargetSpec& spec, const RowsWork& w, Cycles start, Cycles each) {
  constexpr Cycles kMost = 0xFFF;
  const auto vertex = [&](Cycles n) {
    if (w.type.sizeInBytes() >= 4) return start + each * n * (w.type.sizeInBytes() / 4);
    return start + 3 + each * (n / 2) + (n % 2) * (each + 2);
  };
  const auto grain = vectorWidth(spec, w.type);
  const auto n = ceilDiv(ceilDiv(w.rows * w.columns, grain), spec.numWorkerContexts) * grain;
  return supervised(spec, 0, n / kMost * vertex(kMost) + (n % kMost > 0 ? vertex(n % kMost) : 0));
}
Cycles sumSquared(const TargetSpec& spec, const RowsWork& w) {
  return lossTransform(spec, w, 19, 4);
}
Cycles crossEntropy(const TargetSpec& spec, const RowsWork& w) {
  return lossTransform(spec, w, 20, 9);
}

// The index of an extremum on one tile: both stages.
Cycles classGather(const TargetSpec& spec, const RowsWork& w) {
  const auto partials = extremumPartials(spec, w.columns);
  const auto second =
      partials > 1 ? ceilDiv(w.rows, spec.numWorkerContexts) * extremumOfPartials(w.type, partials)
                   : 0;
  return extremumOfRows(spec, w) + supervised(spec, 0, second);
}

// A pooling vertex: in what a worker differs from one class to the other.
struct PoolingLoop {
  Cycles first, each;  // of a stretch of points: its first one, each of the others
  Cycles setUp = 0;    // to begin with
  Cycles group = 0;    // for each group of channels but the first
};

// Six workers share the points; each takes those of a row together, for each kernel element and
// channel. Every point is written once before. Of a gradient with fewer windows than cover a point
// elsewhere, kernel elements that meet no window at a row's points are left out, as in PopLibs'
// vertices.
Cycles pooling(const TargetSpec& spec, const PoolingWork& w, PoolingLoop loop) {
  const auto vectors = ceilDiv(w.groupChannels, vectorWidth(spec, w.type));
  const auto groups = ceilDiv(w.channels, w.groupChannels);
  const auto fewWindows = [&](const FieldDim& d) {
    return w.gradient && d.output > 0 && d.output * d.stride < d.kernel;
  };
  Cycles points = w.batch, kernel = 1, width = 1;  // kernel: elements of the dimensions of rows
  FieldDim row;                                    // along a row
  for (const auto& d : w.field) {
    kernel *= static_cast<Cycles>(fewWindows(row) ? row.output : row.kernel);
    width = static_cast<Cycles>(w.resultOf(d));
    points *= width;
    row = d;
  }
  if (points * groups == 0) return 0;
  const bool few = fewWindows(row);
  const auto step = w.gradient ? static_cast<Cycles>(row.stride) : 1,
             windows = static_cast<Cycles>(std::max<std::int64_t>(row.output, 1)),
             along = static_cast<Cycles>(row.kernel);
  // Of points of one row.
  const auto stretch = [&](Cycles length) {
    const auto positions = few ? std::min(along, length + (windows - 1) * step) : along;
    const auto steps = few ? std::min(windows, length) : ceilDiv(length, step);
    return kernel * positions *
           (23 + 2 * groups + (4 + loop.group) * (groups - 1) +
            groups * vectors * (3 + loop.first + (steps - 1) * loop.each));
  };
  const Cycles workers = spec.numWorkerContexts;
  const auto cleared = 4 + points * vectors / workers + 1;
  Cycles slowest = 0;
  for (Cycles i = 0; i < workers; ++i) {
    const auto begin = i * points / workers, end = (i + 1) * points / workers;
    Cycles cycles = 28 + cleared * groups;
    if (begin < end) {
      const auto head = std::min(end, ceilDiv(begin, width) * width) - begin;
      const auto rows = (end - begin - head) / width, tail = (end - begin - head) % width;
      cycles += 13 + loop.setUp + 15 * ((head > 0) + rows + (tail > 0));
      cycles += rows * stretch(width);
      if (head > 0) cycles += stretch(head);
      if (tail > 0) cycles += stretch(tail);
    }
    slowest = std::max(slowest, cycles);
  }
  return supervised(spec, 7 + 6, slowest);
}
Cycles maxPooling(const TargetSpec& spec, const PoolingWork& w) { return pooling(spec, w, {4, 3}); }
Cycles sumPooling(const TargetSpec& spec, const PoolingWork& w) {
  return pooling(spec, w, {5, 3, 1});
}
Cycles maxPoolingGradient(const TargetSpec& spec, const PoolingWork& w) {
  return pooling(spec, w, {7, 5, 10, 2});
}
// Not PopLibs': where the maximum of each window is, 7 cycles an element as other loops of the
// compiler's.
Cycles maxPoolingIndex(const TargetSpec& spec, const WindowsWork& w) {
  const auto words = std::max<Cycles>(1, w.type.sizeInBytes() / 4);
  const auto perWorker = ceilDiv(w.elements, spec.numWorkerContexts);
  return supervised(spec, kSupervisorCall, 30 + perWorker * (12 + 7 * words * w.window));
}
// Not PopLibs' either: regions of an image; the window of one result is what it reads. An element is
// loaded from where it is and weighted; the gradient adds to what is there.
Cycles roiPooling(const TargetSpec& spec, const WindowsWork& w) { return maxPoolingIndex(spec, w); }
Cycles roiPoolingGradient(const TargetSpec& spec, const WindowsWork& w) {
  return maxPoolingIndex(spec, {w.type, w.elements, 2 * w.window});
}

// PopLibs' vertices of CTC have other formulas. Here a step of a sample is a row, and a state of it, a
// label or a blank, or an extended prefix, a column; the logarithm of a sum of two probabilities is
// two exponentials and a logarithm.
Cycles sumsOfLogarithms(const TargetSpec& spec, const RowsWork& w, Cycles sums) {
  const auto each = [&](Operator op, Cycles times) {
    const OperatorWork work{w.type, sums * times * w.rows * w.columns, op};
    return estimateCycles(spec, "popops::UnaryOp1D", work);
  };
  return each(Operator::EXPONENT, 2) + each(Operator::LOGARITHM, 1);
}
// Forward: a state is reached from three others.
Cycles ctcAlpha(const TargetSpec& spec, const RowsWork& w) { return sumsOfLogarithms(spec, w, 2); }
// Backward, too, and what a state adds to its class's gradient.
Cycles ctcGradient(const TargetSpec& spec, const RowsWork& w) {
  return sumsOfLogarithms(spec, w, 5);
}
// A prefix is extended by a label, or by a blank.
Cycles ctcSearch(const TargetSpec& spec, const RowsWork& w) { return sumsOfLogarithms(spec, w, 2); }

Formula ofRandomNumbers(const ElementsWork& w) {
  const bool known = w.type == poplar::FLOAT || w.type == poplar::HALF || w.type == poplar::INT;
  return known ? Formula::Published : Formula::Guess;
}
// Each worker takes `start` cycles; the tile takes `each` cycles for `width` numbers, and `rest` if
// these do not divide the numbers.
Cycles random(const TargetSpec& spec, Cycles elements, Cycles width, Cycles start, Cycles each,
              Cycles rest) {
  return 4 + start * spec.numWorkerContexts + each * (elements + width - 1) / width +
         (elements % width > 0 ? rest : 0);
}
// PopLibs' formulas of these two have 32 floats or 16 halves at a time, which is more than a tile can
// store: they divide the data path by 2 or 4, not by an element's bits. The loops of their assembly
// store 64 bits, as here. Uniform integers are those of a range that is not all of 32 bits.
Cycles uniform(const TargetSpec& spec, const ElementsWork& w) {
  if (w.type == poplar::INT)
    return 4 + 22 * spec.numWorkerContexts + 6 * (w.elements / 2) + 2 * (w.elements % 2);
  const bool half = w.type.sizeInBytes() == 2;
  return random(spec, w.elements, vectorWidth(spec, w.type), half ? 24 : 22, 4, half ? 12 : 4);
}
Cycles bernoulli(const TargetSpec& spec, const ElementsWork& w) {
  const bool half = w.type.sizeInBytes() == 2;
  return random(spec, w.elements, vectorWidth(spec, w.type), half ? 21 : 23, 1, half ? 9 : 1);
}
Cycles normal(const TargetSpec& spec, const ElementsWork& w) {
  const bool half = w.type.sizeInBytes() == 2;
  return random(spec, w.elements, vectorWidth(spec, w.type), half ? 24 : 22, 4, half ? 12 : 3);
}
Cycles dropout(const TargetSpec& spec, const ElementsWork& w) {
  return 2 + random(spec, w.elements, vectorWidth(spec, w.type), 24, 2,
                    w.type.sizeInBytes() == 2 ? 9 : 1);
}
// Within two standard deviations, where PopLibs draws each number three times. The cost grows for a
// narrower range, of which the work says nothing.
Cycles truncatedNormal(const TargetSpec& spec, const ElementsWork& w) {
  constexpr Cycles kDraws = 3;
  const auto width = vectorWidth(spec, w.type);
  if (w.type.sizeInBytes() == 2)
    return random(spec, w.elements, width, 28, 12 * kDraws + 5, 12 * kDraws + 10);
  return random(spec, w.elements, width, 26, 11 * kDraws + 5, 13 * kDraws + 2);
}
// PopLibs has no such vertex: uniform numbers, then their exponentials.
Cycles logUniform(const TargetSpec& spec, const ElementsWork& w) {
  return uniform(spec, w) + estimateCycles(spec, "popops::UnaryOp1DInPlace",
                                           OperatorWork{w.type, w.elements, Operator::EXPONENT});
}

}  // namespace

std::vector<VertexClass> networkClasses() {
  return {vertexClass("popnn::Softmax", ofFloats<RowsWork>, softmax, 6),
          vertexClass("popnn::LogSoftmax", ofFloats<RowsWork>, logSoftmax, 6),
          vertexClass("popnn::SoftmaxGrad", ofFloats<RowsWork>, softmaxGrad, 4),
          vertexClass("popnn::LogSoftmaxGrad", ofFloats<RowsWork>, logSoftmaxGrad, 4),
          vertexClass<NllWork>("popnn::Nll", ofFloats<NllWork>, nll, nllPhases),
          vertexClass<NllWork>("popnn::NllGrad", ofFloats<NllWork>, nllGrad, nllGradPhases),
          vertexClass<NllWork>("popnn::NllSoftmaxGrad", ofFloats<NllWork>, nllSoftmaxGrad,
                               nllSoftmaxGradPhases),
          vertexClass("popnn::NonLinearity1D", ofFloats<ActivationWork>, activationOutOfPlace),
          vertexClass("popnn::NonLinearity1DInPlace", ofFloats<ActivationWork>, activationInPlace),
          vertexClass("popnn::NonLinearityGrad1D", ofFloats<ActivationWork>, activationGradient),
          vertexClass("popnn::LossSumSquaredTransform", ofFloats<RowsWork>, sumSquared),
          vertexClass("popnn::LossCrossEntropyTransform", ofFloats<RowsWork>, crossEntropy),
          vertexClass("popnn::ReduceMaxClassGather", ofWords, classGather, 2),
          vertexClass("popnn::ReduceMinClassGather", ofWords, classGather, 2),
          vertexClass("poprand::Uniform", ofRandomNumbers, uniform),
          guessed("poprand::LogUniform", logUniform, 2),
          vertexClass("poprand::Bernoulli", ofRandomNumbers, bernoulli),
          vertexClass("poprand::Normal", ofFloats<ElementsWork>, normal),
          vertexClass("poprand::TruncatedNormal", ofFloats<ElementsWork>, truncatedNormal),
          vertexClass("poprand::Dropout", ofFloats<ElementsWork>, dropout),
          vertexClass("popnn::MaxPooling", ofFloats<PoolingWork>, maxPooling),
          vertexClass("popnn::SumPooling", ofFloats<PoolingWork>, sumPooling),
          vertexClass("popnn::MaxPoolingGradient", ofFloats<PoolingWork>, maxPoolingGradient),
          guessed("popnn::MaxPoolingIndex", maxPoolingIndex),
          guessed("popnn::RoiPooling", roiPooling),
          guessed("popnn::RoiPoolingGradient", roiPoolingGradient),
          guessed("popnn::CTCAlpha", ctcAlpha),
          guessed("popnn::CTCGradGivenAlpha", ctcGradient, 2),
          guessed("popnn::CTCGenerateExtendCandidates", ctcSearch)};
}

}  // namespace popir
