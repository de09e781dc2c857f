// Element-wise vertices: PopLibs' popops estimators. A worker has its sixth of the elements, and
// goes through them at the rate of its operator.
#include <iterator>
#include <popops/ExprOp.hpp>

#include "machine/formulas.hpp"

namespace popir {
namespace {

// `cycles` for each round of the loop, which does `unroll` elements, or:
constexpr unsigned kVector = 0;     // one vector; loads and stores come on top
constexpr unsigned kScalar = 1000;  // one element; 4 cycles come on top
struct Rate {
  unsigned cycles, unroll;
};

struct Row {
  const char* op;
  Rate single, half;                // out of place
  Rate singleInPlace, halfInPlace;  // {} for the same
  Rate singleScalar, halfScalar;    // second operand of one element; {} for the same
};

// clang-format off
constexpr Row kRows[] = {
    // Unary. Trigonometry and powers: averages over random arguments.
    {"EXPONENT", {6, 2}, {4, 4}, {}, {}, {}, {}},
    {"EXPONENT2", {6, 2}, {4, 4}, {}, {}, {}, {}},
    {"EXPONENT_MINUS_ONE", {4, kScalar}, {5, kVector}, {}, {}, {}, {}},
    {"LOGARITHM", {12, 2}, {4, 4}, {14, 2}, {6, 4}, {}, {}},
    {"LOGARITHM_ONE_PLUS", {18, kVector}, {18, kVector}, {}, {}, {}, {}},
    {"TANH", {12, 2}, {4, 4}, {10, 2}, {2, 4}, {}, {}},
    {"SIGMOID", {12, 2}, {6, 4}, {10, 2}, {4, 4}, {}, {}},
    {"RELU", {3, 2}, {3, 4}, {2, 2}, {2, 4}, {}, {}},
    {"SQRT", {10, 2}, {23, 4}, {}, {}, {}, {}},
    {"RSQRT", {8, 2}, {19, 4}, {}, {}, {}, {}},
    {"INVERSE", {6, 2}, {15, 4}, {}, {}, {}, {}},
    {"SQUARE", {2, 2}, {2, 4}, {}, {}, {}, {}},
    {"NEGATE", {2, 2}, {2, 4}, {3, 2}, {3, 4}, {}, {}},
    {"ABSOLUTE", {1, kScalar}, {1, kScalar}, {1, kVector}, {1, kVector}, {}, {}},
    {"ERF", {41, 1}, {13, 1}, {}, {}, {}, {}},
    {"GELU_ERF", {22, 1}, {16, 1}, {}, {}, {}, {}},
    {"CEIL", {2, kVector}, {2, kVector}, {}, {}, {}, {}},
    {"FLOOR", {2, kVector}, {2, kVector}, {}, {}, {}, {}},
    {"ROUND", {2, kVector}, {2, kVector}, {}, {}, {}, {}},
    {"NEARBY_INT", {2, kVector}, {2, kVector}, {}, {}, {}, {}},
    {"TRUNC", {3, 2}, {11, 4}, {}, {}, {}, {}},
    {"SIGNUM", {5, kVector}, {5, kVector}, {}, {}, {}, {}},
    {"CBRT", {27, kVector}, {17, kVector}, {}, {}, {}, {}},
    {"SIN", {2300, kScalar}, {25, 1}, {}, {}, {}, {}},
    {"COS", {2300, kScalar}, {25, 1}, {}, {}, {}, {}},
    {"TAN", {5100, 1}, {5700, 1}, {}, {}, {}, {}},
    {"ASIN", {102, kScalar}, {102, kScalar}, {}, {}, {}, {}},
    {"IS_FINITE", {5, kVector}, {5, kVector}, {}, {}, {}, {}},
    {"IS_INF", {3, kVector}, {5, kVector}, {}, {}, {}, {}},
    {"IS_NAN", {3, kVector}, {3, kVector}, {}, {}, {}, {}},
    // Binary.
    {"ADD", {1, kVector}, {1, kVector}, {}, {}, {}, {}},
    {"SUBTRACT", {1, kVector}, {1, kVector}, {}, {}, {}, {}},
    {"MULTIPLY", {1, kVector}, {1, kVector}, {}, {}, {}, {}},
    {"DIVIDE", {10, 2}, {21, 4}, {}, {}, {6, 2}, {8, 2}},
    {"MAXIMUM", {3, 2}, {4, 4}, {4, 2}, {4, 4}, {3, 2}, {3, 4}},
    {"MINIMUM", {3, 2}, {4, 4}, {4, 2}, {4, 4}, {3, 2}, {3, 4}},
    {"EQUAL", {14, 4}, {9, 4}, {}, {}, {12, 4}, {8, 4}},
    {"GREATER_THAN", {14, 4}, {9, 4}, {}, {}, {12, 4}, {8, 4}},
    {"GREATER_THAN_EQUAL", {14, 4}, {9, 4}, {}, {}, {12, 4}, {8, 4}},
    {"LESS_THAN", {14, 4}, {9, 4}, {}, {}, {12, 4}, {8, 4}},
    {"LESS_THAN_EQUAL", {14, 4}, {9, 4}, {}, {}, {12, 4}, {8, 4}},
    {"NOT_EQUAL", {20, 4}, {11, 4}, {}, {}, {18, 4}, {10, 4}},
    {"POWER", {312, 1}, {325, 1}, {}, {}, {}, {}},
    {"ATAN2", {272, 2}, {578, 4}, {}, {}, {}, {}},
    {"REMAINDER", {133, 2}, {300, 4}, {}, {}, {}, {}},
    {"INV_STD_DEV_TO_VARIANCE", {11, 2}, {10, 2}, {}, {}, {}, {}},
    {"VARIANCE_TO_INV_STD_DEV", {12, 2}, {24, 4}, {}, {}, {}, {}},
    {"SELECT", {5, 1}, {5, 1}, {}, {}, {}, {}},
    {"CLAMP", {2, kVector}, {2, kVector}, {}, {}, {}, {}},
};
// clang-format on

constexpr const char* kOps[] = {
#define POPIR_NAME(NODE, OP, FUNCTION) #OP,
    POPOPS_EXPR_UNARY_OPS(POPIR_NAME) POPOPS_EXPR_BINARY_OPS(POPIR_NAME)
        POPOPS_EXPR_TERNARY_OPS(POPIR_NAME)
#undef POPIR_NAME
};

std::string nameOf(Cycles op) { return op < std::size(kOps) ? kOps[op] : "CAST"; }

enum class Form { OutOfPlace, InPlace, Scalar };

bool floating(poplar::Type t) {
  return t == poplar::FLOAT || t == poplar::HALF || t == poplar::BFLOAT16 || t == poplar::DOUBLE;
}

// Integers go one by one. So do the operators that PopLibs leaves to the compiler.
Rate rateOf(Cycles op, poplar::Type type, Form form) {
  const auto name = nameOf(op);
  if (name == "CAST") return {2, 1};
  const unsigned oneByOne = form == Form::Scalar ? 6 : 7;
  if (!floating(type)) return {name == "DIVIDE" || name == "REMAINDER" ? 277 : oneByOne, 1};
  const bool half = type.sizeInBytes() == 2;
  for (const auto& row : kRows) {
    if (name != row.op) continue;
    const auto special = form == Form::InPlace  ? (half ? row.halfInPlace : row.singleInPlace)
                         : form == Form::Scalar ? (half ? row.halfScalar : row.singleScalar)
                                                : Rate{};
    return special.cycles ? special : half ? row.half : row.single;
  }
  return {oneByOne, 1};
}

// What goes by in one step. Types of 8 bytes, which no IPU has, count as two elements of 4.
Cycles lanes(const TargetSpec& spec, poplar::Type type) {
  return type.sizeInBytes() == 8 ? spec.dataPathWidth / 32 : vectorWidth(spec, type);
}
Cycles wordsOf(poplar::Type type) { return std::max<Cycles>(1, type.sizeInBytes() / 4); }
Cycles perWorker(const TargetSpec& spec, const VertexWork& w) {
  return ceilDiv(w.size(0) * wordsOf(w.type), spec.numWorkerContexts);
}

// The loop over m elements; `loadStore` comes on top of each vector.
Cycles loop(const TargetSpec& spec, const VertexWork& w, Cycles m, Form form, Cycles loadStore) {
  const auto rate = rateOf(w.size(1), w.type, form);
  if (rate.unroll == kVector) return ceilDiv(m, lanes(spec, w.type)) * (rate.cycles + loadStore);
  if (rate.unroll == kScalar) return m * (rate.cycles + 4);
  return ceilDiv(m, rate.unroll) * rate.cycles;
}
// Additions and multiplications are written in assembly.
bool assembly(const VertexWork& w) {
  const auto op = nameOf(w.size(1));
  return op == "ADD" || op == "SUBTRACT" || op == "MULTIPLY";
}
// The same for a binary operator.
Cycles loopOfTwo(const TargetSpec& spec, const VertexWork& w, Form form) {
  const Cycles loadStore = (assembly(w) ? 2 : 5) - (form == Form::Scalar ? 1 : 0);
  return loop(spec, w, perWorker(spec, w), form, loadStore);
}

Cycles unary(const TargetSpec& spec, const VertexWork& w) {
  const Cycles start = nameOf(w.size(1)) == "EXPONENT" ? 33 : 17;
  return supervised(spec, kSupervisorCall + 9,
                    start + loop(spec, w, perWorker(spec, w), Form::OutOfPlace, 4));
}
Cycles unaryInPlace(const TargetSpec& spec, const VertexWork& w) {
  return supervised(spec, kSupervisorCall + 9,
                    55 + loop(spec, w, perWorker(spec, w), Form::InPlace, 4));
}
Cycles binary(const TargetSpec& spec, const VertexWork& w) {
  return supervised(spec, kSupervisorCall,
                    (w.type == poplar::HALF ? 26 : 29) + loopOfTwo(spec, w, Form::OutOfPlace));
}
Cycles binaryInPlace(const TargetSpec& spec, const VertexWork& w) {
  return supervised(spec, kSupervisorCall, 58 + loopOfTwo(spec, w, Form::InPlace));
}
Cycles broadcastScalar(const TargetSpec& spec, const VertexWork& w) {
  return supervised(spec, kSupervisorCall, 20 + loopOfTwo(spec, w, Form::Scalar));
}

// An element of the vector for each row: by row, which workers share.
Cycles byRow(const TargetSpec& spec, const VertexWork& w, Cycles columns, Cycles rows) {
  const Cycles start = columns % lanes(spec, w.type) == 0 ? 7 : 25;
  const auto row = start + loop(spec, w, columns * wordsOf(w.type), Form::Scalar, 1);
  return supervised(spec, kSupervisorCall, 15 + rows * row);
}

// The vector along each row: additions and multiplications go down the columns, in assembly.
Cycles byColumn(const TargetSpec& spec, const VertexWork& w, Cycles columns, Cycles rows) {
  if (w.type.sizeInBytes() != 2)
    return supervised(spec, 13, 17 + 7 + columns * wordsOf(w.type) * (8 + 2 * rows));
  const auto core =
      columns % 8 == 0 ? 11 + columns / 8 * (15 + 2 * (rows - 1)) : columns * (5 + 9 * rows);
  return supervised(spec, 13, 19 + core);
}

// Where no worker has two rows, a plain vertex with the vector written out.
Cycles broadcastVector(const TargetSpec& spec, const VertexWork& w, bool inner) {
  const auto columns = std::max<Cycles>(std::min(w.size(2), w.size(0)), 1);
  const auto rows =
      std::max<Cycles>(1, ceilDiv(ceilDiv(w.size(0), columns), spec.numWorkerContexts));
  if (rows == 1) return binary(spec, w);
  inner = inner && assembly(w) && floating(w.type);
  return (inner ? byColumn : byRow)(spec, w, columns, rows);
}
Cycles broadcastInner(const TargetSpec& spec, const VertexWork& w) {
  return broadcastVector(spec, w, true);
}
Cycles broadcastOuter(const TargetSpec& spec, const VertexWork& w) {
  return broadcastVector(spec, w, false);
}

// PopLibs' 2D vertices, all it has for three operands.
Cycles select(const TargetSpec& spec, const VertexWork& w) {
  return supervised(spec, 0, 5 + 6 + 5 * perWorker(spec, w));
}
Cycles clamp(const TargetSpec& spec, const VertexWork& w) {
  return supervised(spec, 0, 5 + 6 + 2 * ceilDiv(perWorker(spec, w), lanes(spec, w.type)));
}

// A generated codelet: one loop over vectors that loads, computes and stores. PopLibs' own estimate
// leaves loads, stores and slow functions out; this one does not.
Cycles fused(const TargetSpec& spec, const VertexWork& w) {
  const auto width = lanes(spec, w.type);
  Cycles round = w.size(1) + w.size(2);
  for (std::size_t i = 4; i + 1 < w.sizes.size(); i += 2) {
    const auto rate = rateOf(w.sizes[i], w.type, Form::OutOfPlace);
    auto cycles = rate.cycles;
    if (rate.unroll == kScalar) {
      cycles *= width;
    } else if (rate.unroll != kVector) {  // the row's cycles contain a load and a store
      cycles = ceilDiv(cycles * width, rate.unroll);
      cycles = cycles > 3 ? cycles - 2 : 1;
    }
    round += cycles * w.sizes[i + 1];
  }
  return supervised(spec, kSupervisorCall, 25 + ceilDiv(perWorker(spec, w), width) * round);
}

Cycles scaled(const TargetSpec& spec, const VertexWork& w, Cycles axpby) {
  const auto n = w.size(0);
  if (!floating(w.type)) return 53 + 26 * ceilDiv(n, 3);
  const auto width = lanes(spec, w.type);
  const auto vectors = ceilDiv(perWorker(spec, w), width);
  const Cycles rest = n % width == 0 ? 0 : width == 2 ? 8 : 18;
  const Cycles supervisor = kSupervisorCall + 21 + (n % width == 0 ? 7 : 13) + 12 + 6 + axpby;
  return supervised(spec, supervisor, 15 + 6 + 3 * (std::max<Cycles>(vectors, 1) - 1) + 3 + rest);
}
Cycles scaledAdd(const TargetSpec& spec, const VertexWork& w) { return scaled(spec, w, 0); }
Cycles aXPlusbY(const TargetSpec& spec, const VertexWork& w) { return scaled(spec, w, 12); }

Cycles cast(const TargetSpec& spec, const VertexWork& w) {
  const auto m = perWorker(spec, w);
  const poplar::Type to(static_cast<poplar::Type::Kind>(w.size(2)));
  Cycles vector = 1, cycles = 2;  // left to the compiler
  if (w.type == poplar::FLOAT && to == poplar::HALF) vector = 4;
  if (w.type == poplar::HALF && to == poplar::FLOAT) vector = 2, cycles = 1;
  if (w.type.sizeInBytes() == 1 && to == poplar::HALF) vector = 4, cycles = 4 + 14 + 9;
  if (w.type == poplar::HALF && to.sizeInBytes() == 1 && to != poplar::BOOL)
    vector = 4, cycles = 4 + 19 + 16;
  Cycles rest = 0;
  for (Cycles bit = 1; bit < vector; bit *= 2) rest += m % vector & bit ? 3 : 1;
  return supervised(spec, 12, 18 + 19 + cycles * (m / vector) + rest);
}

Cycles fill(const TargetSpec& spec, const VertexWork& w) {
  const auto m = ceilDiv(w.size(0), spec.numWorkerContexts);
  Cycles worker;
  switch (w.type.sizeInBytes()) {
    case 1: worker = m < 64 ? 28 + ceilDiv(m, 4) : 39 + ceilDiv(m, 8); break;
    case 2: worker = m == 1 ? 15 : m == 2 ? 21 : 26 + ceilDiv(m, 4); break;
    case 4: worker = 23 + m / 2 + m % 2; break;
    default: worker = 5 + m;
  }
  return supervised(spec, 0, worker);
}

}  // namespace

Cycles operatorRow(const char* enumerator) {
  return static_cast<Cycles>(std::find(std::begin(kOps), std::end(kOps), std::string(enumerator)) -
                             std::begin(kOps));
}

std::vector<VertexClass> elementWiseClasses() {
  const auto row = [](const char* name, auto cycles) {
    return VertexClass{name, Sharing::Proportional, cycles};
  };
  return {row("popops::UnaryOp1D", unary),
          row("popops::UnaryOp1DInPlace", unaryInPlace),
          row("popops::BinaryOp1D", binary),
          row("popops::BinaryOp1DInPlace", binaryInPlace),
          row("popops::BroadcastScalar1D", broadcastScalar),
          row("popops::BroadcastScalar1DInPlace", broadcastScalar),
          row("popops::BroadcastVectorInner", broadcastInner),
          row("popops::BroadcastVectorInnerInPlace", broadcastInner),
          row("popops::BroadcastVectorOuter", broadcastOuter),
          row("popops::BroadcastVectorOuterInPlace", broadcastOuter),
          row("popops::Select", select),
          row("popops::SelectInPlace", select),
          row("popops::Clamp", clamp),
          row("popops::ClampInPlace", clamp),
          row("popops::MapExpr", fused),
          row("popops::ScaledAdd", scaledAdd),
          row("popops::aXPlusbY", aXPlusbY),
          row("popops::Cast1D", cast),
          row("popops::Cast1DInPlace", cast),
          row("popops::Fill", fill)};
}

}  // namespace popir
