#include <poplar/exceptions.hpp>
#include <popops/Expr.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ostream>
#include <sstream>

namespace popops {
namespace expr {

namespace {

#define POPOPS_NAME(NODE, OP, FUNCTION) #NODE,
constexpr const char* kUnaryNames[] = {POPOPS_EXPR_UNARY_OPS(POPOPS_NAME)};
constexpr const char* kBinaryNames[] = {POPOPS_EXPR_BINARY_OPS(POPOPS_NAME)};
constexpr const char* kTernaryNames[] = {POPOPS_EXPR_TERNARY_OPS(POPOPS_NAME)};
#undef POPOPS_NAME

/// The name of a node, and its contents.
struct Description {
  std::string name;
  std::vector<const Expr*> args;
  /// Printed after the arguments.
  std::string rest;
};

Description describe(const Expr& e) {
  switch (e.kind()) {
    case Expr::Kind::Const: return {"Const", {}, e.getAs<Const>()->printValue()};
    case Expr::Kind::Cast:
      return {"Cast", {&e.getAs<Cast>()->getLHS()}, e.getAs<Cast>()->getRHSType().toString()};
    case Expr::Kind::PlaceHolder:
      return {"_" + std::to_string(e.getAs<PlaceHolder>()->getIndex()), {}, ""};
    case Expr::Kind::Unary: {
      const auto* u = e.getAs<UnaryOp>();
      return {kUnaryNames[static_cast<int>(u->getOpType())], {&u->getArg()}, ""};
    }
    case Expr::Kind::Binary: {
      const auto* b = e.getAs<BinaryOp>();
      return {kBinaryNames[static_cast<int>(b->getOpType())], {&b->getLHS(), &b->getRHS()}, ""};
    }
    case Expr::Kind::Ternary: {
      const auto* t = e.getAs<TernaryOp>();
      return {kTernaryNames[static_cast<int>(t->getOpType())],
              {&t->getArg0(), &t->getArg1(), &t->getArg2()},
              ""};
    }
  }
  return {};
}

template <class T>
Const valueAt(const poplar::Type& type, const char* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return Const(type, value);
}

Const ofBytes(const poplar::TypeTraits& traits, const poplar::Type& type, const char* data) {
  if (traits.isFloat) {
    if (traits.size == 2) return valueAt<popir::Half>(type, data);
    if (traits.size == 4) return valueAt<float>(type, data);
    if (traits.size == 8) return valueAt<double>(type, data);
  } else if (traits.isIntegral) {
    const bool sign = traits.isSigned;
    switch (traits.size) {
      case 1:
        if (type == poplar::BOOL && !sign) return valueAt<bool>(type, data);
        return sign ? valueAt<std::int8_t>(type, data) : valueAt<std::uint8_t>(type, data);
      case 2: return sign ? valueAt<std::int16_t>(type, data) : valueAt<std::uint16_t>(type, data);
      case 4: return sign ? valueAt<std::int32_t>(type, data) : valueAt<std::uint32_t>(type, data);
      case 8: return sign ? valueAt<std::int64_t>(type, data) : valueAt<std::uint64_t>(type, data);
      default: break;
    }
  }
  throw poplar::poplar_error("popops::expr::Const: TypeTraits describe a value of " +
                             std::to_string(traits.size) + " bytes that is no number");
}

void printNode(std::ostream& os, const Expr& e, unsigned indent, bool pretty) {
  const Description d = describe(e);
  os << std::string(pretty ? 2 * indent : 0, ' ') << d.name;
  if (d.args.empty() && d.rest.empty()) return;
  os << '(';
  const char* separator = "";
  for (const Expr* arg : d.args) {
    os << separator;
    if (pretty) os << '\n';
    printNode(os, *arg, indent + 1, pretty);
    separator = pretty ? "," : ", ";
  }
  if (!d.rest.empty()) os << (d.args.empty() ? "" : ", ") << d.rest;
  os << ')';
}

}  // namespace

Expr::~Expr() = default;

void Expr::print(std::ostream& os, unsigned indent, bool prettyPrint) const {
  printNode(os, *this, indent, prettyPrint);
}

std::string Expr::name(const std::vector<poplar::Tensor>& inputs) const {
  std::ostringstream os;
  print(os, 0, false);
  for (const poplar::Tensor& t : inputs) os << ' ' << t.elementType();
  return os.str();
}

bool Expr::deepEquals(const Expr& other) const {
  const Description a = describe(*this), b = describe(other);
  if (kind_ != other.kind_ || a.name != b.name || a.rest != b.rest) return false;
  if (kind_ == Kind::Const &&
      (getAs<Const>()->getType() != other.getAs<Const>()->getType() ||
       getAs<Const>()->getDataAsDouble() != other.getAs<Const>()->getDataAsDouble()))
    return false;
  for (std::size_t i = 0; i < a.args.size(); ++i)
    if (!a.args[i]->deepEquals(*b.args[i])) return false;
  return true;
}

std::ostream& operator<<(std::ostream& os, const Expr& expr) {
  expr.print(os, 0, false);
  return os;
}

bool deepEquals(const Expr& a, const Expr& b) { return a.deepEquals(b); }

Const::Const(poplar::TypeTraits traits, poplar::Type type, const char* data)
    : Const(ofBytes(traits, type, data)) {}

std::string Const::printValue() const {
  if (type_ == poplar::BOOL) return real_ != 0 ? "true" : "false";
  if (integral_)
    return negative_ ? std::to_string(static_cast<std::int64_t>(integer_))
                     : std::to_string(integer_);
  // The shortest text that reads back as this value.
  char text[32];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, real_);
    const double read = std::strtod(text, nullptr);
    if (type_ == poplar::DOUBLE ? read == real_
                                : static_cast<float>(read) == static_cast<float>(real_))
      break;
  }
  return text;
}

}  // namespace expr
}  // namespace popops
