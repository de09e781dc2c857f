// PopLibs' tables of element-wise operators.
#include "machine/estimators/rates.hpp"

namespace popir {
namespace {

constexpr unsigned kVector = Rate::kVector, kElement = Rate::kElement;

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
    {Operator::EXPONENT_MINUS_ONE, {4, kElement}, {5, kVector}, {}, {}, {}, {}},
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
    {Operator::ABSOLUTE, {1, kElement}, {1, kElement}, {1, kVector}, {1, kVector}, {}, {}},
    {Operator::ERF, {41, 1}, {13, 1}, {}, {}, {}, {}},
    {Operator::GELU_ERF, {22, 1}, {16, 1}, {}, {}, {}, {}},
    {Operator::CEIL, {2, kVector}, {2, kVector}, {}, {}, {}, {}},
    {Operator::FLOOR, {2, kVector}, {2, kVector}, {}, {}, {}, {}},
    {Operator::ROUND, {2, kVector}, {2, kVector}, {}, {}, {}, {}},
    {Operator::NEARBY_INT, {2, kVector}, {2, kVector}, {}, {}, {}, {}},
    {Operator::TRUNC, {3, 2}, {11, 4}, {4, 2}, {}, {}, {}},
    {Operator::SIGNUM, {5, kVector}, {5, kVector}, {}, {}, {}, {}},
    {Operator::CBRT, {27, kVector}, {17, kVector}, {}, {}, {}, {}},
    {Operator::SIN, {2300, kElement}, {25, 1}, {}, {}, {}, {}},
    {Operator::COS, {2300, kElement}, {25, 1}, {}, {}, {}, {}},
    {Operator::TAN, {5100, 1}, {5700, 1}, {}, {}, {}, {}},
    {Operator::ASIN, {102, kElement}, {102, kElement}, {}, {}, {}, {}},
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
    {Operator::REMAINDER, {133, 2}, {300, 4}, {}, {}, {93, 2}, {225, 4}},
    {Operator::INV_STD_DEV_TO_VARIANCE, {11, 2}, {10, 2}, {}, {}, {}, {}},
    {Operator::VARIANCE_TO_INV_STD_DEV, {12, 2}, {24, 4}, {}, {}, {}, {}},
    {Operator::SELECT, {5, 1}, {5, 1}, {}, {}, {}, {}},
    {Operator::CLAMP, {2, kVector}, {2, kVector}, {}, {}, {}, {}},
};
// clang-format on

// Types that rows of integers are for.
enum Types : unsigned {
  kInt = 1,
  kUnsigned = 2,
  kLong = 4,
  kUnsignedLong = 8,
  kShorts = 16,
  kBool = 32,
  kInts = kInt | kUnsigned,
  kLongs = kLong | kUnsignedLong
};

struct IntegerRow {
  Operator op;
  unsigned types;
  Rate rate;
  Rate inPlace = {};        // {}: as out of place
  Rate scalar = {};         // {}: as out of place
  Rate scalarInPlace = {};  // {}: as scalar
};

// clang-format off
constexpr IntegerRow kIntegerRows[] = {
    // Unary.
    {Operator::ABSOLUTE, kInt, {2, kElement}},
    {Operator::ABSOLUTE, kLong, {10, kElement}},
    {Operator::BITWISE_NOT, kInts, {1, kVector}},
    {Operator::BITWISE_NOT, kLongs, {3, kVector}},
    {Operator::BITWISE_NOT, kShorts, {2, 4}},
    {Operator::COUNT_LEADING_ZEROS, kInts, {1, kElement}},
    {Operator::LOGICAL_NOT, kBool, {17, kElement}, {17, kVector}},
    {Operator::NEGATE, kInt, {2, kElement}},
    {Operator::NEGATE, kLong, {5, kElement}},
    {Operator::POPCOUNT, kInts, {1, kElement}},
    {Operator::SIGNUM, kInt, {5, kElement}},
    {Operator::SQRT, kInt, {110, kElement}},
    {Operator::SQUARE, kInts, {1, kVector}},
    // Binary. Powers are those of an exponent of 9, as PopLibs takes it.
    {Operator::ADD, kInts, {7, 1}, {}, {6, 1}},
    {Operator::ADD, kLongs, {11, 1}, {}, {9, 1}},
    {Operator::SUBTRACT, kInts, {7, 1}, {}, {6, 1}},
    {Operator::SUBTRACT, kLongs, {11, 1}, {}, {9, 1}},
    {Operator::MULTIPLY, kInts, {7, 1}, {}, {6, 1}},
    {Operator::MULTIPLY, kLongs, {30, 1}, {28, 1}, {26, 1}},
    {Operator::DIVIDE, kInt, {277, 1}},
    {Operator::DIVIDE, kUnsigned, {265, 1}, {264, 1}, {260, 1}},
    {Operator::DIVIDE, kLong, {130, 1}, {}, {103, 1}},
    {Operator::DIVIDE, kUnsignedLong, {115, 1}, {113, 1}, {148, 1}},
    {Operator::REMAINDER, kInt, {292, 1}, {}, {280, 1}},
    {Operator::REMAINDER, kUnsigned, {282, 1}, {}, {267, 1}},
    {Operator::REMAINDER, kLong, {166, 1}, {165, 1}, {137, 1}, {135, 1}},
    {Operator::REMAINDER, kUnsignedLong, {149, 1}, {146, 1}, {178, 1}, {179, 1}},
    {Operator::POWER, kInt, {32, 1}, {34, 1}, {23, 1}, {25, 1}},
    {Operator::MAXIMUM, kInt, {7, 1}, {}, {6, 1}},
    {Operator::MAXIMUM, kUnsigned, {8, 1}, {}, {7, 1}},
    {Operator::MAXIMUM, kLong, {15, 1}, {}, {14, 1}},
    {Operator::MAXIMUM, kUnsignedLong, {13, 1}, {}, {11, 1}},
    {Operator::MINIMUM, kInt, {7, 1}, {}, {6, 1}},
    {Operator::MINIMUM, kUnsigned, {8, 1}},
    {Operator::MINIMUM, kLong, {15, 1}, {}, {14, 1}},
    {Operator::MINIMUM, kUnsignedLong, {13, 1}},
    {Operator::BITWISE_AND, kInts, {7, 1}, {}, {6, 1}},
    {Operator::BITWISE_AND, kLongs, {9, 1}, {}, {7, 1}},
    {Operator::BITWISE_AND, kShorts, {3, 4}, {}, {2, 4}},
    {Operator::BITWISE_OR, kInts, {7, 1}, {}, {6, 1}},
    {Operator::BITWISE_OR, kLongs, {9, 1}, {}, {7, 1}},
    {Operator::BITWISE_OR, kShorts, {3, 4}, {}, {2, 4}},
    {Operator::BITWISE_XOR, kInts, {7, 1}, {}, {6, 1}},
    {Operator::BITWISE_XOR, kLongs, {9, 1}, {}, {7, 1}},
    {Operator::BITWISE_XOR, kShorts, {5, 2}, {}, {4, 2}},
    {Operator::BITWISE_XNOR, kInts, {7, 1}, {}, {6, 1}},
    {Operator::BITWISE_XNOR, kLongs, {9, 1}, {}, {7, 1}},
    {Operator::BITWISE_XNOR, kShorts, {6, 2}, {}, {4, 2}},
    {Operator::SHIFT_LEFT, kInts, {7, 1}, {}, {6, 1}},
    {Operator::SHIFT_LEFT, kLongs, {18, 1}, {16, 1}, {16, 1}},
    {Operator::SHIFT_RIGHT, kInts, {7, 1}, {}, {6, 1}},
    {Operator::SHIFT_RIGHT, kLongs, {6, 1}, {}, {5, 1}},
    {Operator::SHIFT_RIGHT_SIGN_EXTEND, kInt, {7, 1}, {}, {6, 1}},
    {Operator::SHIFT_RIGHT_SIGN_EXTEND, kLong, {19, 1}, {17, 1}, {17, 1}},
    {Operator::LOGICAL_AND, kBool, {5, 4}, {}, {4, 4}},
    {Operator::LOGICAL_OR, kBool, {5, 4}, {}, {4, 4}},
    {Operator::EQUAL, kInts | kShorts, {22, 4}, {}, {16, 4}},
    {Operator::EQUAL, kLongs, {48, 4}, {}, {32, 4}},
    {Operator::EQUAL, kBool, {6, 4}, {}, {14, 4}, {5, 4}},
    {Operator::NOT_EQUAL, kInts | kShorts, {22, 4}, {}, {16, 4}},
    {Operator::NOT_EQUAL, kLongs, {48, 4}, {}, {32, 4}},
    {Operator::NOT_EQUAL, kBool, {5, 4}, {}, {4, 4}},
    {Operator::GREATER_THAN, kInts, {22, 4}, {}, {16, 4}},
    {Operator::GREATER_THAN, kLongs, {56, 4}, {}, {38, 4}},
    {Operator::GREATER_THAN, kBool, {31, 4}, {}, {12, 4}},
    {Operator::GREATER_THAN_EQUAL, kInts, {26, 4}, {}, {20, 4}},
    {Operator::GREATER_THAN_EQUAL, kLongs, {62, 4}, {}, {50, 4}},
    {Operator::GREATER_THAN_EQUAL, kBool, {28, 4}, {}, {12, 4}},
    {Operator::LESS_THAN, kInts, {22, 4}, {}, {16, 4}},
    {Operator::LESS_THAN, kLongs, {56, 4}, {}, {38, 4}},
    {Operator::LESS_THAN, kBool, {28, 4}, {}, {16, 4}},
    {Operator::LESS_THAN_EQUAL, kInts, {26, 4}, {}, {20, 4}},
    {Operator::LESS_THAN_EQUAL, kLongs, {62, 4}, {}, {50, 4}},
    {Operator::LESS_THAN_EQUAL, kBool, {28, 4}, {}, {16, 4}},
};
// clang-format on

unsigned typesOf(poplar::Type type) {
  using Kind = poplar::Type::Kind;
  switch (type.kind()) {
    case Kind::Int: return kInt;
    case Kind::UnsignedInt: return kUnsigned;
    case Kind::Longlong: return kLong;
    case Kind::UnsignedLonglong: return kUnsignedLong;
    case Kind::Short:
    case Kind::UnsignedShort: return kShorts;
    case Kind::Bool: return kBool;
    default: return 0;
  }
}

// The first of two rates that a row has.
Rate either(Rate special, Rate other) { return special.cycles ? special : other; }

std::optional<Rate> integerRate(Operator op, poplar::Type type, RateForm form) {
  for (const auto& row : kIntegerRows) {
    if (row.op != op || !(row.types & typesOf(type))) continue;
    const auto scalar = either(row.scalar, row.rate);
    switch (form) {
      case RateForm::OutOfPlace: return row.rate;
      case RateForm::InPlace: return either(row.inPlace, row.rate);
      case RateForm::Scalar: return scalar;
      case RateForm::ScalarInPlace: return either(row.scalarInPlace, scalar);
    }
  }
  return std::nullopt;
}

// The rate of floats and halves, which double and bfloat16 take, too.
std::optional<Rate> floatingRate(Operator op, poplar::Type type, RateForm form) {
  const bool half = type.sizeInBytes() == 2;
  for (const auto& row : kRows) {
    if (op != row.op) continue;
    const auto whole = half ? row.half : row.single;
    switch (form) {
      case RateForm::OutOfPlace: return whole;
      case RateForm::InPlace: return either(half ? row.halfInPlace : row.singleInPlace, whole);
      default: return either(half ? row.halfScalar : row.singleScalar, whole);
    }
  }
  return std::nullopt;
}

}  // namespace

bool isFloating(poplar::Type type) { return type.isFloatingPoint() && type != poplar::QUARTER; }

std::optional<Rate> publishedRate(Operator op, poplar::Type type, RateForm form) {
  if (type == poplar::FLOAT || type == poplar::HALF) return floatingRate(op, type, form);
  return integerRate(op, type, form);
}

Rate rateOf(Operator op, poplar::Type type, RateForm form) {
  if (op == Operator::CAST) return {2, 1};
  const auto known = isFloating(type) ? floatingRate(op, type, form) : integerRate(op, type, form);
  if (known) return *known;
  const bool scalar = form == RateForm::Scalar || form == RateForm::ScalarInPlace;
  const bool divides = op == Operator::DIVIDE || op == Operator::REMAINDER;
  const unsigned words = isFloating(type) || type.sizeInBytes() < 8 ? 1 : 2;
  return {words * (divides && !isFloating(type) ? 277u : scalar ? 6u : 7u), 1};
}

}  // namespace popir
