// Estimators of element-wise vertices, as in PopLibs' popops. Each of the six workers has a sixth
// of the elements, and processes them at the rate of the operator.
#include <array>

#include "machine/estimators/formulas.hpp"

namespace popir {
namespace {

// The loop of an operator takes `cycles` for `unroll` elements. Two values of `unroll` are special:
constexpr unsigned kVector = 0;     // one vector; cycles of loads and stores are added
constexpr unsigned kScalar = 1000;  // one element; 4 cycles are added
struct Rate {
  unsigned cycles, unroll;
};

struct Row {
  Operator op;
  Rate single, half;                // out of place
  Rate singleInPlace, halfInPlace;  // {}: as out of place
  Rate singleScalar, halfScalar;    // second operand of one element; {}: as out of place
};

// clang-format off
constexpr Row kRows[] = {
    // Unary. Rates of trigonometric functions and powers are means over random arguments.
    {Operator::EXPONENT, {6, 2}, {4, 4}, {}, {}, {}, {}},
    {Operator::EXPONENT2, {6, 2}, {4, 4}, {}, {}, {}, {}},
    {Operator::EXPONENT_MINUS_ONE, {4, kScalar}, {5, kVector}, {}, {}, {}, {}},
    {Operator::LOGARITHM, {12, 2}, {4, 4}, {14, 2}, {6, 4}, {}, {}},
    {Operator::LOGARITHM_ONE_PLUS, {18, kVector}, {18, kVector}, {}, {17, kVector}, {}, {}},
    {Operator::TANH, {12, 2}, {4, 4}, {10, 2}, {2, 4}, {}, {}},
    {Operator::SIGMOID, {12, 2}, {6, 4}, {10, 2}, {4, 4}, {}, {}},
    {Operator::RELU, {3, 2}, {3, 4}, {2, 2}, {2, 4}, {}, {}},
    {Operator::SQRT, {10, 2}, {23, 4}, {}, {}, {}, {}},
    {Operator::RSQRT, {8, 2}, {19, 4}, {}, {}, {}, {}},
    {Operator::INVERSE, {6, 2}, {15, 4}, {}, {}, {}, {}},
    {Operator::SQUARE, {2, 2}, {2, 4}, {}, {}, {}, {}},
    {Operator::NEGATE, {2, 2}, {2, 4}, {3, 2}, {3, 4}, {}, {}},
    {Operator::ABSOLUTE, {1, kScalar}, {1, kScalar}, {1, kVector}, {1, kVector}, {}, {}},
    {Operator::ERF, {41, 1}, {13, 1}, {}, {}, {}, {}},
    {Operator::GELU_ERF, {22, 1}, {16, 1}, {}, {}, {}, {}},
    {Operator::CEIL, {2, kVector}, {2, kVector}, {}, {}, {}, {}},
    {Operator::FLOOR, {2, kVector}, {2, kVector}, {}, {}, {}, {}},
    {Operator::ROUND, {2, kVector}, {2, kVector}, {}, {}, {}, {}},
    {Operator::NEARBY_INT, {2, kVector}, {2, kVector}, {}, {}, {}, {}},
    {Operator::TRUNC, {3, 2}, {11, 4}, {4, 2}, {}, {}, {}},
    {Operator::SIGNUM, {5, kVector}, {5, kVector}, {}, {}, {}, {}},
    {Operator::CBRT, {27, kVector}, {17, kVector}, {}, {}, {}, {}},
    {Operator::SIN, {2300, kScalar}, {25, 1}, {}, {}, {}, {}},
    {Operator::COS, {2300, kScalar}, {25, 1}, {}, {}, {}, {}},
    {Operator::TAN, {5100, 1}, {5700, 1}, {}, {}, {}, {}},
    {Operator::ASIN, {102, kScalar}, {102, kScalar}, {}, {}, {}, {}},
    {Operator::IS_FINITE, {5, kVector}, {5, kVector}, {}, {}, {}, {}},
    {Operator::IS_INF, {3, kVector}, {5, kVector}, {}, {}, {}, {}},
    {Operator::IS_NAN, {3, kVector}, {3, kVector}, {}, {}, {}, {}},
    // Binary.
    {Operator::ADD, {1, kVector}, {1, kVector}, {}, {}, {}, {}},
    {Operator::SUBTRACT, {1, kVector}, {1, kVector}, {}, {}, {}, {}},
    {Operator::MULTIPLY, {1, kVector}, {1, kVector}, {}, {}, {}, {}},
    {Operator::DIVIDE, {10, 2}, {21, 4}, {}, {}, {6, 2}, {8, 2}},
    {Operator::MAXIMUM, {3, 2}, {4, 4}, {4, 2}, {4, 4}, {3, 2}, {3, 4}},
    {Operator::MINIMUM, {3, 2}, {4, 4}, {4, 2}, {4, 4}, {3, 2}, {3, 4}},
    {Operator::EQUAL, {14, 4}, {9, 4}, {}, {}, {12, 4}, {8, 4}},
    {Operator::GREATER_THAN, {14, 4}, {9, 4}, {}, {}, {12, 4}, {8, 4}},
    {Operator::GREATER_THAN_EQUAL, {14, 4}, {9, 4}, {}, {}, {12, 4}, {8, 4}},
    {Operator::LESS_THAN, {14, 4}, {9, 4}, {}, {}, {12, 4}, {8, 4}},
    {Operator::LESS_THAN_EQUAL, {14, 4}, {9, 4}, {}, {}, {12, 4}, {8, 4}},
    {Operator::NOT_EQUAL, {20, 4}, {11, 4}, {}, {}, {18, 4}, {10, 4}},
    {Operator::POWER, {312, 1}, {325, 1}, {}, {}, {}, {}},
    {Operator::ATAN2, {272, 2}, {578, 4}, {}, {}, {}, {}},
    {Operator::REMAINDER, {133, 2}, {300, 4}, {}, {}, {}, {}},
    {Operator::INV_STD_DEV_TO_VARIANCE, {11, 2}, {10, 2}, {}, {}, {}, {}},
    {Operator::VARIANCE_TO_INV_STD_DEV, {12, 2}, {24, 4}, {}, {}, {}, {}},
    {Operator::SELECT, {5, 1}, {5, 1}, {}, {}, {}, {}},
    {Operator::CLAMP, {2, kVector}, {2, kVector}, {}, {}, {}, {}},
};
// clang-format on

enum class Form { OutOfPlace, InPlace, Scalar };

bool floating(poplar::Type t) {
  return t == poplar::FLOAT || t == poplar::HALF || t == poplar::BFLOAT16 || t == poplar::DOUBLE;
}

// The rate of an operator. Integers, and operators that PopLibs has no assembly for (not in kRows),
// take one element at a time.
Rate rateOf(Operator op, poplar::Type type, Form form) {
  if (op == Operator::CAST) return {2, 1};
  const unsigned oneByOne = form == Form::Scalar ? 6 : 7;
  const bool divides = op == Operator::DIVIDE || op == Operator::REMAINDER;
  if (!floating(type)) return {divides ? 277 : oneByOne, 1};
  const bool half = type.sizeInBytes() == 2;
  for (const auto& row : kRows) {
    if (op != row.op) continue;
    const auto special = form == Form::InPlace  ? (half ? row.halfInPlace : row.singleInPlace)
                         : form == Form::Scalar ? (half ? row.halfScalar : row.singleScalar)
                                                : Rate{};
    return special.cycles ? special : half ? row.half : row.single;
  }
  return {oneByOne, 1};
}

// Elements that a worker processes at a time. No IPU has types of 8 bytes: they count as two
// elements of 4 bytes, here and in perWorker().
Cycles lanes(const TargetSpec& spec, poplar::Type type) {
  return type.sizeInBytes() == 8 ? spec.dataPathWidth / 32 : vectorWidth(spec, type);
}
Cycles wordsOf(poplar::Type type) { return std::max<Cycles>(1, type.sizeInBytes() / 4); }
/// Elements of a worker; for types of 8 bytes, words of 4 bytes.
template <class W>
Cycles perWorker(const TargetSpec& spec, const W& w) {
  return ceilDiv(w.elements * wordsOf(w.type), spec.numWorkerContexts);
}

// Cycles of m elements, if a vector takes `cycles`; PopLibs rounds the product up, not the vectors.
Cycles overVectors(Cycles m, Cycles width, Cycles cycles) {
  return cycles * (m + width - 1) / width;
}

// Cycles of the loop over m elements. If the rate is kVector, each vector takes `loadStore` more.
Cycles loop(const TargetSpec& spec, const OperatorWork& w, Cycles m, Form form, Cycles loadStore) {
  const auto rate = rateOf(w.op, w.type, form);
  if (rate.unroll == kVector) return ceilDiv(m, lanes(spec, w.type)) * (rate.cycles + loadStore);
  if (rate.unroll == kScalar) return m * (rate.cycles + 4);
  return ceilDiv(m, rate.unroll) * rate.cycles;
}
// Whether PopLibs' binary vertex is written in assembly.
bool assembly(const OperatorWork& w) {
  return w.op == Operator::ADD || w.op == Operator::SUBTRACT || w.op == Operator::MULTIPLY;
}
// Cycles of the loop of a binary operator over the elements of a worker.
Cycles loopOfTwo(const TargetSpec& spec, const OperatorWork& w, Form form) {
  const Cycles loadStore = (assembly(w) ? 2 : 5) - (form == Form::Scalar ? 1 : 0);
  return loop(spec, w, perWorker(spec, w), form, loadStore);
}

Cycles loopOfOne(const TargetSpec& spec, const OperatorWork& w, Form form) {
  const auto rate = rateOf(w.op, w.type, form);
  const auto m = perWorker(spec, w);
  if (rate.unroll == kVector) return overVectors(m, lanes(spec, w.type), rate.cycles + 4);
  return loop(spec, w, m, form, 4);
}
Cycles unary(const TargetSpec& spec, const OperatorWork& w) {
  const Cycles start = w.op == Operator::EXPONENT ? 33 : 17;
  return supervised(spec, kSupervisorCall + 9, start + loopOfOne(spec, w, Form::OutOfPlace));
}
Cycles unaryInPlace(const TargetSpec& spec, const OperatorWork& w) {
  return supervised(spec, kSupervisorCall + 9, 55 + loopOfOne(spec, w, Form::InPlace));
}
Cycles binary(const TargetSpec& spec, const OperatorWork& w) {
  return supervised(spec, kSupervisorCall,
                    (w.type == poplar::HALF ? 26 : 29) + loopOfTwo(spec, w, Form::OutOfPlace));
}
Cycles binaryInPlace(const TargetSpec& spec, const OperatorWork& w) {
  return supervised(spec, kSupervisorCall, 58 + loopOfTwo(spec, w, Form::InPlace));
}
Cycles broadcastScalar(const TargetSpec& spec, const OperatorWork& w) {
  return supervised(spec, kSupervisorCall, 20 + loopOfTwo(spec, w, Form::Scalar));
}

// Row by row, with one element of the vector for each row (BroadcastVectorOuter). An inner vector
// costs the same if there is no assembly for it. `rows` are the rows of one worker.
Cycles byRow(const TargetSpec& spec, const OperatorWork& w, Cycles columns, Cycles rows) {
  const Cycles start = columns % lanes(spec, w.type) == 0 ? 7 : 25;
  const auto rate = rateOf(w.op, w.type, Form::Scalar);
  const auto n = columns * wordsOf(w.type);
  const auto row =
      start + (rate.unroll == kVector ? overVectors(n, lanes(spec, w.type), rate.cycles + 1)
                                      : loop(spec, w, n, Form::Scalar, 1));
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
  if (inner && assembly(w) && floating(w.type)) return byColumn(spec, w, columns, rows, inPlace);
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
  return supervised(spec, 0, 5 + 6 + overVectors(perWorker(spec, w), lanes(spec, w.type), 2));
}

// A generated codelet for several operators: one loop over vectors, which loads, computes and
// stores. PopLibs' own estimate ignores loads, stores and slow functions; this one includes them.
Cycles fused(const TargetSpec& spec, const ExpressionWork& w) {
  const auto width = lanes(spec, w.type);
  Cycles round = w.tensorsRead + w.tensorsWritten;
  for (const auto& [op, times] : w.operators) {
    const auto rate = rateOf(op, w.type, Form::OutOfPlace);
    auto cycles = rate.cycles;
    if (rate.unroll == kScalar) {
      cycles *= width;
    } else if (rate.unroll != kVector) {  // its cycles include a load and a store
      cycles = ceilDiv(cycles * width, rate.unroll);
      cycles = cycles > 3 ? cycles - 2 : 1;
    }
    round += cycles * times;
  }
  return supervised(spec, kSupervisorCall, 25 + ceilDiv(perWorker(spec, w), width) * round);
}

Cycles scaled(const TargetSpec& spec, const ElementsWork& w, Cycles axpby) {
  const auto n = w.elements;
  if (!floating(w.type)) return 53 + 26 * ceilDiv(n, 3);
  const auto width = lanes(spec, w.type), words = n * wordsOf(w.type);
  const auto vectors = words / width / spec.numWorkerContexts, over = words % width;
  // The worker that also has what no vector takes: floats one by one, halves in twos.
  const bool shortLoop = axpby > 0 && width == 2;
  const Cycles rest = over == 0    ? 0
                      : shortLoop  ? 5
                      : width == 2 ? 8
                                   : 5 + (over >= 2 ? 7 : 0) + (over == 3 ? 6 : 0);
  const Cycles supervisor = kSupervisorCall + 21 + (over == 0 ? 7 : 13) + 12 + 6 + axpby;
  return supervised(spec, supervisor,
                    (shortLoop ? 18 : 19) + (vectors > 0 ? 6 + 3 * (vectors - 1) : 0) + rest);
}
Cycles scaledAdd(const TargetSpec& spec, const ElementsWork& w) { return scaled(spec, w, 0); }
Cycles aXPlusbY(const TargetSpec& spec, const ElementsWork& w) { return scaled(spec, w, 12); }

Cycles cast(const TargetSpec& spec, const CastWork& w) {
  const auto m = perWorker(spec, w);
  const auto to = w.to;
  // Assembly for halves and small integers: a pipelined loop over fours, and 1 to 3 elements more.
  const auto byFours = [&](Cycles start, Cycles fill, Cycles each, std::array<Cycles, 4> more) {
    const auto loops = m / 4 > 0 ? fill + (m / 4 - 1) * each : 0;
    return supervised(spec, 12, 18 + start + loops + more[m % 4]);
  };
  if (w.type == poplar::UNSIGNED_CHAR && to == poplar::HALF)
    return byFours(4, 14, 9, {2, 12, 14, 22});
  if (w.type == poplar::HALF && to.sizeInBytes() == 1 && to != poplar::BOOL &&
      to != poplar::QUARTER)
    return byFours(8, 19, 16, {2, 14, 21, 29});
  Cycles vector = 1, cycles = 2;  // compiled C++
  if (w.type == poplar::FLOAT && to == poplar::HALF) vector = 4;
  if (w.type == poplar::HALF && to == poplar::FLOAT) vector = 2, cycles = 1;
  if (w.type == poplar::HALF && to == poplar::QUARTER) vector = 8;
  if (w.type == poplar::QUARTER && to == poplar::HALF) vector = 4, cycles = 1;
  Cycles rest = 0;
  for (Cycles bit = 1; bit < vector; bit *= 2) rest += m % vector & bit ? 3 : 1;
  return supervised(spec, 12, 18 + 19 + cycles * (m / vector) + rest);
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

}  // namespace

Cycles scaledAddOfTwoElements(const TargetSpec& spec, Cycles n) {
  const auto width = vectorWidth(spec, poplar::FLOAT), over = n % width;
  const auto vectors = n / width / spec.numWorkerContexts;
  const Cycles loop = vectors >= 16 ? 1 : 2;
  return supervised(spec, kSupervisorCall + 21 + 6 + (over == 0 ? 7 : 13) + 12 + 6,
                    19 + (vectors > 0 ? 6 + loop * (vectors - 1) : 0) + (over == 0 ? 0 : 8));
}

std::vector<VertexClass> elementWiseClasses() {
  return {published("popops::UnaryOp1D", unary),
          published("popops::UnaryOp1DInPlace", unaryInPlace),
          published("popops::BinaryOp1D", binary),
          published("popops::BinaryOp1DInPlace", binaryInPlace),
          published("popops::BroadcastScalar1D", broadcastScalar),
          published("popops::BroadcastScalar1DInPlace", broadcastScalar),
          published("popops::BroadcastVectorInner", broadcastInner),
          published("popops::BroadcastVectorInnerInPlace", broadcastInnerInPlace),
          published("popops::BroadcastVectorOuter", broadcastOuter),
          published("popops::BroadcastVectorOuterInPlace", broadcastOuter),
          published("popops::Select", select),
          published("popops::SelectInPlace", select),
          published("popops::Clamp", clamp),
          published("popops::ClampInPlace", clamp),
          guessed("popops::MapExpr", fused),
          published("popops::ScaledAdd", scaledAdd),
          published("popops::aXPlusbY", aXPlusbY),
          published("popops::Cast1D", cast),
          published("popops::Cast1DInPlace", cast),
          vertexClass("popfloat::CastToGfloat", toGfloatFormula, toGfloat),
          vertexClass("popfloat::CastFromGfloat", fromGfloatFormula, fromGfloat),
          published("popops::Fill", fill)};
}

}  // namespace popir
