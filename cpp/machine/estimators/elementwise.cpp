// Estimators of element-wise vertices, as in PopLibs' popops. Each of the six workers has a sixth
// of the elements, and processes them at the rate of the operator.
#include <array>

#include "machine/estimators/formulas.hpp"
#include "machine/estimators/rates.hpp"

namespace popir {
namespace {

// Elements that a worker processes at a time. No IPU has doubles: they count as two floats, here
// and in perWorker().
Cycles lanes(const TargetSpec& spec, poplar::Type type) {
  return type == poplar::DOUBLE ? spec.dataPathWidth / 32 : vectorWidth(spec, type);
}
Cycles wordsOf(poplar::Type type) { return type == poplar::DOUBLE ? 2 : 1; }
/// Elements of a worker; of doubles, floats.
template <class W>
Cycles perWorker(const TargetSpec& spec, const W& w) {
  return ceilDiv(w.elements * wordsOf(w.type), spec.numWorkerContexts);
}

// Cycles of m elements, if a vector takes `cycles`; PopLibs rounds the product up, not the vectors.
Cycles overVectors(Cycles m, Cycles width, Cycles cycles) {
  return cycles * (m + width - 1) / width;
}

// Cycles of the loop over m elements, of which each vector takes `loadStore` more if the rate is one
// of vectors.
Cycles loop(const TargetSpec& spec, const OperatorWork& w, Cycles m, RateForm form,
            Cycles loadStore) {
  const auto rate = rateOf(w.op, w.type, form);
  if (rate.unroll == Rate::kVector)
    return ceilDiv(m, lanes(spec, w.type)) * (rate.cycles + loadStore);
  if (rate.unroll == Rate::kElement) return m * (rate.cycles + 4);
  return ceilDiv(m, rate.unroll) * rate.cycles;
}
// Whether PopLibs' binary vertex is written in assembly.
bool assembly(const OperatorWork& w) {
  return w.op == Operator::ADD || w.op == Operator::SUBTRACT || w.op == Operator::MULTIPLY;
}
bool isScalar(RateForm form) { return form == RateForm::Scalar || form == RateForm::ScalarInPlace; }
// Cycles of the loop of a binary operator over the elements of a worker.
Cycles loopOfTwo(const TargetSpec& spec, const OperatorWork& w, RateForm form) {
  const Cycles loadStore = (assembly(w) ? 2 : 5) - (isScalar(form) ? 1 : 0);
  return loop(spec, w, perWorker(spec, w), form, loadStore);
}

Cycles loopOfOne(const TargetSpec& spec, const OperatorWork& w, RateForm form) {
  const auto rate = rateOf(w.op, w.type, form);
  const auto m = perWorker(spec, w);
  if (rate.unroll == Rate::kVector) return overVectors(m, lanes(spec, w.type), rate.cycles + 4);
  return loop(spec, w, m, form, 4);
}
Cycles unary(const TargetSpec& spec, const OperatorWork& w) {
  const Cycles start = w.op == Operator::EXPONENT ? 33 : 17;
  return supervised(spec, kSupervisorCall + 9, start + loopOfOne(spec, w, RateForm::OutOfPlace));
}
Cycles unaryInPlace(const TargetSpec& spec, const OperatorWork& w) {
  return supervised(spec, kSupervisorCall + 9, 55 + loopOfOne(spec, w, RateForm::InPlace));
}
Cycles binary(const TargetSpec& spec, const OperatorWork& w) {
  return supervised(spec, kSupervisorCall,
                    (w.type == poplar::FLOAT ? 29 : 26) + loopOfTwo(spec, w, RateForm::OutOfPlace));
}
Cycles binaryInPlace(const TargetSpec& spec, const OperatorWork& w) {
  return supervised(spec, kSupervisorCall, 58 + loopOfTwo(spec, w, RateForm::InPlace));
}
Cycles scalarOperand(const TargetSpec& spec, const OperatorWork& w, RateForm form) {
  return supervised(spec, kSupervisorCall, 20 + loopOfTwo(spec, w, form));
}
Cycles broadcastScalar(const TargetSpec& spec, const OperatorWork& w) {
  return scalarOperand(spec, w, RateForm::Scalar);
}
Cycles broadcastScalarInPlace(const TargetSpec& spec, const OperatorWork& w) {
  return scalarOperand(spec, w, RateForm::ScalarInPlace);
}

Formula known(bool isKnown) { return isKnown ? Formula::Published : Formula::Guess; }
// Operators and types that PopLibs' tables have.
Formula ofOperator(const OperatorWork& w) {
  return known(publishedRate(w.op, w.type, RateForm::OutOfPlace).has_value());
}
// Its vertices for a vector: sums, differences and products of floats and halves; of an inner one
// quotients, too.
Formula ofVector(const OperatorWork& w) {
  return known(assembly(w) && (w.type == poplar::FLOAT || w.type == poplar::HALF));
}
Formula ofInnerVector(const OperatorWork& w) {
  auto as = w;
  if (w.op == Operator::DIVIDE) as.op = Operator::MULTIPLY;
  return ofVector(as);
}

// Row by row, with one element of the vector for each row (BroadcastVectorOuter). An inner vector
// costs the same if there is no assembly for it. `rows` are the rows of one worker.
Cycles byRow(const TargetSpec& spec, const OperatorWork& w, Cycles columns, Cycles rows) {
  const Cycles start = columns % lanes(spec, w.type) == 0 ? 7 : 25;
  const auto rate = rateOf(w.op, w.type, RateForm::Scalar);
  const auto n = columns * wordsOf(w.type);
  const auto row =
      start + (rate.unroll == Rate::kVector ? overVectors(n, lanes(spec, w.type), rate.cycles + 1)
                                            : loop(spec, w, n, RateForm::Scalar, 1));
  return supervised(spec, kSupervisorCall, 15 + rows * row);
}

// Worker cycles of PopLibs' assembly that adds a vector of halves to each of `rows`.
Cycles addToRows(Cycles columns, Cycles rows) {
  constexpr Cycles kMost = 2048;
  const auto oneByOne = [&](Cycles checks) { return checks + 6 + columns * (5 + 9 * rows); };
  if (columns > kMost) return oneByOne(3);
  if (columns % 8 == 0)
    return rows == 1 ? 11 + 7 * (columns / 8) : 12 + columns / 8 * (15 + 2 * (rows - 1));
  if (rows < 2) return oneByOne(7);
  if (columns % 4 != 0) return oneByOne(9);
  return 15 + columns / 4 * (13 + 2 * (rows / 2 - 1) + rows % 2);
}
// The same for a product with the vector. A pipelined loop takes results elsewhere.
Cycles multiplyRows(Cycles columns, Cycles rows, bool inPlace) {
  constexpr Cycles kMost = 2044;
  if (columns % 4 != 0) return 8 + columns * (5 + 9 * rows);
  const auto slow = [&](Cycles checks) { return checks + 4 + columns / 4 * (7 + 2 * rows); };
  if (inPlace) return slow(5);
  if (columns > kMost) return slow(7);
  if (rows < 2) return slow(9);
  return 13 + columns / 4 * (9 + rows);
}

// Column by column, with the vector along each row (BroadcastVectorInner): PopLibs' assembly for
// additions and multiplications. `rows` are the rows of one worker.
Cycles byColumn(const TargetSpec& spec, const OperatorWork& w, Cycles columns, Cycles rows,
                bool inPlace) {
  const bool half = w.type.sizeInBytes() == 2, product = w.op == Operator::MULTIPLY;
  const Cycles core = !half     ? 7 + columns * wordsOf(w.type) * (8 + 2 * rows)
                      : product ? multiplyRows(columns, rows, inPlace)
                                : addToRows(columns, rows);
  const Cycles start =
      (half ? 19 : 17) + (half && columns % 2 != 0 ? 7 : 0) + (product ? (half ? 24 : 17) : 0);
  // What one operator enters at, and the others branch to.
  const bool first = inPlace ? w.op == Operator::ADD : product;
  return supervised(spec, first ? 13 : 19, start + (first ? 2 : 3) + core);
}

// If no worker has two rows: a binary vertex, as if the vector were repeated in memory.
Cycles broadcastVector(const TargetSpec& spec, const OperatorWork& w, bool inner, bool inPlace) {
  const auto columns = std::max<Cycles>(std::min(w.columns, w.elements), 1);
  const auto rows =
      std::max<Cycles>(1, ceilDiv(ceilDiv(w.elements, columns), spec.numWorkerContexts));
  if (rows == 1) return binary(spec, w);
  if (inner && assembly(w) && isFloating(w.type)) return byColumn(spec, w, columns, rows, inPlace);
  return byRow(spec, w, columns, rows);
}
Cycles broadcastInner(const TargetSpec& spec, const OperatorWork& w) {
  return broadcastVector(spec, w, true, false);
}
Cycles broadcastInnerInPlace(const TargetSpec& spec, const OperatorWork& w) {
  return broadcastVector(spec, w, true, true);
}
Cycles broadcastOuter(const TargetSpec& spec, const OperatorWork& w) {
  return broadcastVector(spec, w, false, false);
}

// As PopLibs' 2D vertices: for three operands it has no others.
Cycles select(const TargetSpec& spec, const ElementsWork& w) {
  return supervised(spec, 0, 5 + 6 + 5 * perWorker(spec, w));
}
Cycles clamp(const TargetSpec& spec, const ElementsWork& w) {
  const auto m = perWorker(spec, w);
  return supervised(spec, 0,
                    5 + 6 + (isFloating(w.type) ? overVectors(m, lanes(spec, w.type), 2) : 7 * m));
}

Formula clampFormula(const ElementsWork& w) {
  return known(w.type == poplar::FLOAT || w.type == poplar::HALF || w.type == poplar::INT);
}
Formula selectFormula(const ElementsWork& w) {
  return known(clampFormula(w) == Formula::Published || w.type == poplar::UNSIGNED_INT ||
               w.type == poplar::BOOL);
}

// A generated codelet for several operators: one loop over vectors, which loads, computes and
// stores. PopLibs' own estimate ignores loads, stores and slow functions; this one includes them.
Cycles fused(const TargetSpec& spec, const ExpressionWork& w) {
  const auto width = lanes(spec, w.type);
  Cycles round = w.tensorsRead + w.tensorsWritten;
  for (const auto& [op, times] : w.operators) {
    const auto rate = rateOf(op, w.type, RateForm::OutOfPlace);
    auto cycles = rate.cycles;
    if (rate.unroll == Rate::kElement) {
      cycles *= width;
    } else if (rate.unroll != Rate::kVector) {  // its cycles include a load and a store
      cycles = ceilDiv(cycles * width, rate.unroll);
      cycles = cycles > 3 ? cycles - 2 : 1;
    }
    round += cycles * times;
  }
  return supervised(spec, kSupervisorCall, 25 + ceilDiv(perWorker(spec, w), width) * round);
}

bool isInt8(poplar::Type type) {
  return type == poplar::CHAR || type == poplar::SIGNED_CHAR || type == poplar::UNSIGNED_CHAR;
}

// Assembly for halves, quarters and small integers: a pipelined loop over `atom` elements at a time,
// of which the first turn takes `first`, and what is left over. Of one to three elements that is
// `rest`, of more the first of these for each; PopLibs' table has no more.
struct AtomLoop {
  Cycles atom, first, each;
  std::array<Cycles, 3> rest;

  Cycles of(Cycles m) const {
    const auto left = m % atom;
    const Cycles loops = m / atom > 0 ? first + (m / atom - 1) * each : 0;
    return 4 + loops + (left == 0 ? 2 : left <= 3 ? rest[left - 1] : rest[0] * left);
  }
};

// Cycles of a worker that casts m elements.
Cycles castElements(poplar::Type from, poplar::Type to, Cycles m) {
  using poplar::HALF, poplar::FLOAT, poplar::QUARTER;
  if (to == poplar::LONGLONG || to == poplar::UNSIGNED_LONGLONG) {
    const bool extended = from == poplar::INT || from == poplar::CHAR || from == poplar::SHORT;
    return 3 + m * (extended ? 5 : 4);
  }
  if (from == poplar::UNSIGNED_CHAR && to == HALF) return AtomLoop{4, 14, 9, {12, 14, 22}}.of(m);
  if (from == HALF && isInt8(to)) return 4 + AtomLoop{4, 19, 16, {14, 21, 29}}.of(m);
  if (from == QUARTER && isInt8(to)) return AtomLoop{8, 0, 28, {5, 5, 5}}.of(m);
  if (isInt8(from) && to == QUARTER) return AtomLoop{8, 0, 37, {7, 7, 7}}.of(m);
  if (from == QUARTER && to == QUARTER) return AtomLoop{8, 0, 13, {5, 5, 5}}.of(m);
  Cycles vector = 1, cycles = 2;  // compiled C++
  if (from == FLOAT && to == FLOAT) vector = 2, cycles = 1;
  if (from == FLOAT && to == HALF) vector = 4;
  if (from == HALF && to == FLOAT) vector = 2, cycles = 1;
  if (from == HALF && to == HALF) vector = 4, cycles = 1;
  if (from == HALF && to == QUARTER) vector = 8;
  if (from == QUARTER && to == HALF) vector = 4, cycles = 1;
  Cycles rest = 0;
  for (Cycles bit = 1; bit < vector; bit *= 2) rest += m % vector & bit ? 3 : 1;
  return 19 + cycles * (m / vector) + rest;
}
Cycles cast(const TargetSpec& spec, const CastWork& w) {
  const auto m = ceilDiv(w.elements, spec.numWorkerContexts) * wordsOf(w.type);
  return supervised(spec, 12, 18 + castElements(w.type, w.to, m));
}
// PopLibs' vertices read no types of 8 bytes.
Formula castFormula(const CastWork& w) {
  const auto known = [](poplar::Type type) {
    return type != poplar::BFLOAT16 && type != poplar::DOUBLE;
  };
  return known(w.to) && known(w.type) && w.type.sizeInBytes() < 8 ? Formula::Published
                                                                  : Formula::Guess;
}

// popfloat's casts of native types, by the steps that PopLibs counts for each: they take four halves
// or two floats at a time. Its estimators leave rounding out.
Cycles toGfloat(const TargetSpec&, const GfloatWork& w) {
  const bool packed = w.packing != GfloatPacking::None;
  Cycles start, each;
  if (w.halves) {
    start = (w.savedBits == 8 ? 4 + 8 : 5) + 15;
    each = 1 + (w.type == poplar::FLOAT ? 7 : 6 + 7) + 4 + 8 + 7 + 5 + 6;
    if (packed) each += w.packing == GfloatPacking::OneFiveTwo ? 9 : 14;
    if (w.noise != GfloatNoise::None) each += w.noise == GfloatNoise::Full ? 3 : 8;
  } else {
    start = 35 + (w.savedBits < 32 ? 11 : 0);
    each = 7 + 7 + 10 + (w.savedBits < 32 ? 5 : 3);
    if (packed)
      each += w.packing == GfloatPacking::Bfloat16      ? 5
              : w.packing == GfloatPacking::NoDenormals ? 13
                                                        : 19;
    if (w.noise != GfloatNoise::None) each += w.noise == GfloatNoise::Full ? 9 : 5;
  }
  return start + each * ceilDiv(w.elements, w.halves ? 4 : 2);
}
// Those without an estimator: noise, in place, and what packs.
Formula toGfloatFormula(const GfloatWork& w) {
  return w.noise == GfloatNoise::None && !w.inPlace && w.packing == GfloatPacking::None
             ? Formula::Published
             : Formula::Guess;
}
Cycles fromGfloat(const TargetSpec& spec, const GfloatWork& w) {
  const auto native = w.savedBits == 16 ? poplar::HALF : poplar::FLOAT;
  switch (w.packing) {
    case GfloatPacking::None: return cast(spec, CastWork{native, w.elements, w.type});
    case GfloatPacking::OneFiveTwo: return 14 + 5 * ceilDiv(w.elements, 4);
    case GfloatPacking::MaxNormAlign: return 14 + (8 + 9) * ceilDiv(w.elements, 4);
    case GfloatPacking::MinNormAlign: return 14 + (8 + 15) * ceilDiv(w.elements, 4);
    case GfloatPacking::Bfloat16: return 25 + 3 * ceilDiv(w.elements, 2);
    case GfloatPacking::NoDenormals: return 25 + (9 + 15) * ceilDiv(w.elements, 2);
    case GfloatPacking::Denormals: return 25 + (9 + 16) * ceilDiv(w.elements, 2);
  }
  return 0;
}
// 8 bits that are computed in float have none: they take what 16 bits with denormals do.
Formula fromGfloatFormula(const GfloatWork& w) {
  return w.packing == GfloatPacking::Denormals && w.savedBits == 8 ? Formula::Guess
                                                                   : Formula::Published;
}

Cycles fill(const TargetSpec& spec, const ElementsWork& w) {
  const auto m = ceilDiv(w.elements, spec.numWorkerContexts);
  Cycles worker;
  switch (w.type.sizeInBytes()) {
    case 1: worker = m < 64 ? 28 + m / 4 : 39 + m / 8; break;
    case 2: worker = m == 1 ? 15 : m == 2 ? 21 : 26 + m / 4; break;
    case 4: worker = 23 + m / 2 + m % 2; break;
    default: worker = 5 + m;
  }
  return supervised(spec, 0, worker);
}

// A tile has one stretch, of which each worker takes four elements or more.
Cycles iota(const TargetSpec& spec, const ElementsWork& w) {
  const auto each = std::max(perWorker(spec, w), std::min<Cycles>(w.elements, 4));
  return supervised(spec, 0, 10 + 4 + 3 * ceilDiv(each, vectorWidth(spec, w.type)));
}
Formula iotaFormula(const ElementsWork& w) {
  return known(w.type == poplar::INT || w.type == poplar::UNSIGNED_INT);
}

// PopLibs' vertex for one stretch of a tile: workers share the levels, or the elements, whichever
// takes fewer cycles. Each level is compared with each element.
Cycles histogram(const TargetSpec& spec, const HistogramWork& w) {
  const bool half = w.type.sizeInBytes() == 2;
  const Cycles levels = w.levels, absolute = w.absolute, each = 3 + absolute;
  const auto vectors = w.elements / vectorWidth(spec, w.type);
  const Cycles odd = w.elements & 1, pair = half ? w.elements >> 1 & 1 : 0;
  const auto byLevels =
      19 + 3 +
      ceilDiv(levels, spec.numWorkerContexts) *
          ((half ? 17 : 11) + odd * (half ? each : each - 1) + pair * each + each * vectors) +
      8 + 2 * levels;
  const auto byElements = 23 + (half ? 5 : 4) +
                          levels * ((half ? 19 : 17) + (odd + pair) * each +
                                    each * ceilDiv(vectors, spec.numWorkerContexts)) +
                          10;
  return supervised(spec, 0, std::min(byLevels, byElements));
}
Formula histogramFormula(const HistogramWork& w) {
  return known(w.type == poplar::FLOAT || w.type == poplar::HALF);
}

}  // namespace

std::vector<VertexClass> elementWiseClasses() {
  return {vertexClass("popops::UnaryOp1D", ofOperator, unary),
          vertexClass("popops::UnaryOp1DInPlace", ofOperator, unaryInPlace),
          vertexClass("popops::BinaryOp1D", ofOperator, binary),
          vertexClass("popops::BinaryOp1DInPlace", ofOperator, binaryInPlace),
          vertexClass("popops::BroadcastScalar1D", ofOperator, broadcastScalar),
          vertexClass("popops::BroadcastScalar1DInPlace", ofOperator, broadcastScalarInPlace),
          vertexClass("popops::BroadcastVectorInner", ofInnerVector, broadcastInner),
          vertexClass("popops::BroadcastVectorInnerInPlace", ofInnerVector, broadcastInnerInPlace),
          vertexClass("popops::BroadcastVectorOuter", ofVector, broadcastOuter),
          vertexClass("popops::BroadcastVectorOuterInPlace", ofVector, broadcastOuter),
          vertexClass("popops::Select", selectFormula, select),
          vertexClass("popops::SelectInPlace", selectFormula, select),
          vertexClass("popops::Clamp", clampFormula, clamp),
          vertexClass("popops::ClampInPlace", clampFormula, clamp),
          vertexClass("popops::BroadcastClamp", clampFormula, clamp),
          vertexClass("popops::BroadcastClampInPlace", clampFormula, clamp),
          guessed("popops::MapExpr", fused),
          vertexClass("popops::Cast1D", castFormula, cast),
          vertexClass("popops::Cast1DInPlace", castFormula, cast),
          vertexClass("popfloat::CastToGfloat", toGfloatFormula, toGfloat),
          vertexClass("popfloat::CastFromGfloat", fromGfloatFormula, fromGfloat),
          vertexClass("popops::Iota", iotaFormula, iota),
          vertexClass("popops::Histogram1D", histogramFormula, histogram),
          published("popops::Fill", fill)};
}

}  // namespace popir
