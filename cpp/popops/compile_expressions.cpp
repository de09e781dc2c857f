#include "popops/compile_expressions.hpp"

#include <poputil/exceptions.hpp>

#include <cmath>
#include <cstring>
#include <sstream>
#include <unordered_map>

namespace popir {

namespace pe = popops::expr;
using poplar::Type;

namespace {

bool isFloating(Lane lane) { return lane >= Lane::F32; }

bool givesBool(VecOp op) { return resultLane(op, Lane::F32) == Lane::Bool; }

bool isLogical(VecOp op) { return op == VecOp::Not || op == VecOp::And || op == VecOp::Or; }

/// An operator node: its operator and its operands.
struct Node {
  VecOp op;
  std::vector<const pe::Expr*> args;
};
constexpr int kUnaryRows = 0
#define POPIR_COUNT(NODE, OP, FUNCTION) +1
    POPOPS_EXPR_UNARY_OPS(POPIR_COUNT);
constexpr int kBinaryRows = 0 POPOPS_EXPR_BINARY_OPS(POPIR_COUNT);
#undef POPIR_COUNT

Node nodeOf(const pe::Expr& e) {
  if (const auto* u = e.getAs<pe::UnaryOp>())
    return {static_cast<VecOp>(u->getOpType()), {&u->getArg()}};
  if (const auto* b = e.getAs<pe::BinaryOp>())
    return {static_cast<VecOp>(kUnaryRows + static_cast<int>(b->getOpType())),
            {&b->getLHS(), &b->getRHS()}};
  const auto* t = e.getAs<pe::TernaryOp>();
  return {static_cast<VecOp>(kUnaryRows + kBinaryRows + static_cast<int>(t->getOpType())),
          {&t->getArg0(), &t->getArg1(), &t->getArg2()}};
}

class Compiler {
 public:
  Compiler(const std::vector<Type>& inputTypes, const std::string& who)
      : inputTypes_(inputTypes), who_(who) {}

  CompiledExpressions run(const std::vector<const pe::Expr*>& expressions) {
    CompiledExpressions result;
    std::vector<int> values;
    for (const pe::Expr* e : expressions) {
      root_ = e;
      const Type type = settle(*e, Type());
      values.push_back(program_.convert(compile(*e, type), storageLane(type)));
      result.types.push_back(type);
    }
    for (int v : values) program_.output(v);
    result.program = program_.trimmed();
    return result;
  }

 private:
  [[noreturn]] void fail(const pe::Expr& at, const std::string& what) const {
    std::ostringstream os;
    os << who_ << ": " << at << ": " << what;
    if (&at != root_) os << " (in " << *root_ << ")";
    throw poputil::poplibs_error(os.str());
  }

  /// The type of an expression without context; Invalid if it contains only constants.
  Type typeOf(const pe::Expr& e) {
    const auto known = types_.find(&e);
    if (known != types_.end()) return known->second;
    const Type type = findType(e);
    types_.emplace(&e, type);
    return type;
  }

  Type findType(const pe::Expr& e) {
    if (e.isA<pe::Const>()) return Type();
    if (const auto* c = e.getAs<pe::Cast>()) return c->getRHSType();
    if (const auto* p = e.getAs<pe::PlaceHolder>()) {
      const std::size_t i = p->getIndex();
      if (i == 0 || i > inputTypes_.size())
        fail(e, "there is no such tensor; " + std::to_string(inputTypes_.size()) + " were given");
      return inputTypes_[i - 1];
    }
    const Node n = nodeOf(e);
    if (givesBool(n.op)) return poplar::BOOL;
    return operandType(e, n);
  }

  /// The common type of those operands that must have the same type, or Invalid.
  Type operandType(const pe::Expr& e, const Node& n) {
    const std::size_t count = n.op == VecOp::Select ? 2 : n.args.size();
    Type type;
    for (std::size_t i = 0; i < count; ++i) {
      const Type t = typeOf(*n.args[i]);
      if (t == Type()) continue;
      if (type != Type() && t != type)
        fail(e, "operands have types " + type.toString() + " and " + t.toString() +
                    "; they must have one type, so Cast one of them");
      type = t;
    }
    return type;
  }

  /// The type of an expression in a context that requires `wanted` (Invalid: no requirement).
  Type settle(const pe::Expr& e, const Type& wanted) {
    const Type own = typeOf(e);
    if (own != Type()) return own;
    if (wanted != Type()) return wanted;
    return constantType(e);
  }

  /// The type of an expression of constants only: the first floating-point type, if any.
  Type constantType(const pe::Expr& e) {
    if (const auto* c = e.getAs<pe::Const>()) return c->getType();
    const Node n = nodeOf(e);
    const std::size_t count = n.op == VecOp::Select ? 2 : n.args.size();
    Type type = constantType(*n.args[0]);
    for (std::size_t i = 1; i < count; ++i) {
      const Type t = constantType(*n.args[i]);
      if (isFloating(storageLane(t)) && !isFloating(storageLane(type))) type = t;
    }
    return type;
  }

  /// Compiles an expression to a value of computeLane(type), where `type` is the result of
  /// settle().
  int compile(const pe::Expr& e, const Type& type) {
    if (const auto* c = e.getAs<pe::Const>()) return constant(*c, type);
    if (const auto* p = e.getAs<pe::PlaceHolder>()) {
      const Lane lane = storageLane(typeOf(e));
      return program_.convert(program_.input(p->getIndex() - 1, lane), computeLane(lane));
    }
    if (const auto* c = e.getAs<pe::Cast>()) {
      const int from = compile(c->getLHS(), settle(c->getLHS(), Type()));
      const Lane to = storageLane(c->getRHSType());
      return program_.convert(program_.convert(from, to), computeLane(to));
    }
    return apply(e, nodeOf(e), type);
  }

  int apply(const pe::Expr& e, const Node& n, const Type& type) {
    if (isLogical(n.op)) {
      int args[2] = {};
      for (std::size_t i = 0; i < n.args.size(); ++i)
        args[i] = program_.convert(compile(*n.args[i], settle(*n.args[i], Type())), Lane::Bool);
      return n.args.size() == 1 ? program_.apply(n.op, Lane::Bool, {args[0]})
                                : program_.apply(n.op, Lane::Bool, {args[0], args[1]});
    }
    Type operand = type;
    if (givesBool(n.op)) {
      operand = operandType(e, n);
      if (operand == Type()) operand = constantType(*n.args[0]);
    }
    const Lane lane = computeLane(storageLane(operand));
    check(e, n, operand, lane);
    int args[3] = {};
    for (std::size_t i = 0; i < n.args.size(); ++i) {
      const bool condition = n.op == VecOp::Select && i == 2;
      args[i] = condition ? compileCondition(e, *n.args[i]) : compile(*n.args[i], operand);
    }
    switch (n.args.size()) {
      case 1: return program_.apply(n.op, lane, {args[0]});
      case 2:
        if (const int square = asSquare(n, lane, args[0], args[1]); square >= 0) return square;
        return program_.apply(n.op, lane, {args[0], args[1]});
      default:
        if (n.op == VecOp::Select) return select(args, storageLane(operand), lane);
        return program_.apply(n.op, lane, {args[0], args[1], args[2]});
    }
  }

  /// A Select between stored 16-bit floats needs no conversion to float.
  int select(const int* args, Lane storage, Lane lane) {
    int narrow[2];
    bool stored = storage != lane;
    for (int i = 0; i < 2; ++i) {
      const MapProgram::Value& v = program_[args[i]];
      stored = stored && v.kind == MapProgram::Kind::Apply && v.op == VecOp::Convert &&
               v.from == storage;
      narrow[i] = v.args[0];
    }
    if (!stored) return program_.apply(VecOp::Select, lane, {args[0], args[1], args[2]});
    const int v = program_.apply(VecOp::Select, storage, {narrow[0], narrow[1], args[2]});
    return program_.convert(v, lane);
  }

  int compileCondition(const pe::Expr& select, const pe::Expr& condition) {
    const Type type = settle(condition, Type());
    if (type != poplar::BOOL && !condition.isA<pe::Const>())
      fail(select,
           "the condition has type " + type.toString() + ", expected " + poplar::BOOL.toString());
    return program_.convert(compile(condition, type), Lane::Bool);
  }

  /// x^2 is a single multiplication, which is also more accurate than POWER.
  int asSquare(const Node& n, Lane lane, int x, int exponent) {
    if (n.op != VecOp::Pow || program_[exponent].kind != MapProgram::Kind::Constant) return -1;
    const int two = program_.convert(program_.constant(Lane::I32, 2), lane);
    return exponent == two ? program_.apply(VecOp::Square, lane, {x}) : -1;
  }

  void check(const pe::Expr& e, const Node& n, const Type& type, Lane lane) const {
    if (vectorOp(n.op, lane, 0) != nullptr) return;
    std::string known;
    for (const Type& t :
         {poplar::BOOL, poplar::SIGNED_CHAR, poplar::UNSIGNED_CHAR, poplar::SHORT,
          poplar::UNSIGNED_SHORT, poplar::INT, poplar::UNSIGNED_INT, poplar::LONGLONG,
          poplar::UNSIGNED_LONGLONG, poplar::HALF, poplar::BFLOAT16, poplar::FLOAT, poplar::DOUBLE})
      if (vectorOp(n.op, computeLane(storageLane(t)), 0) != nullptr)
        known += (known.empty() ? "" : ", ") + t.toString();
    fail(e, "there is no such operation on " + type.toString() + ", only on " + known);
  }

  int constant(const pe::Const& c, const Type& type) {
    const Lane storage = storageLane(type), lane = computeLane(storage);
    if (isFloating(storage)) {
      const double x = c.getDataAsDouble();
      std::uint64_t bits = 0;
      std::memcpy(&bits, &x, sizeof x);
      int v = program_.constant(Lane::F64, bits);
      if (c.isIntegral())
        v = program_.constant(c.isNegative() ? Lane::I64 : Lane::U64,
                              c.getDataForUnsignedIntegral());
      return program_.convert(program_.convert(v, storage), lane);
    }
    if (!fits(c, type, storage))
      fail(c, "the constant is used as " + type.toString() + ", which cannot hold it");
    const std::uint64_t bits =
        c.isIntegral() ? c.getDataForUnsignedIntegral()
        : c.isNegative()
            ? static_cast<std::uint64_t>(static_cast<std::int64_t>(c.getDataAsDouble()))
            : static_cast<std::uint64_t>(c.getDataAsDouble());
    return program_.constant(lane, lane == Lane::Bool ? bits != 0 : bits);
  }

  /// Integers may be given as signed or unsigned: -1 and the largest unsigned number are the same.
  static bool fits(const pe::Const& c, const Type& type, Lane lane) {
    if (type == poplar::BOOL) return c.getDataAsDouble() == 0 || c.getDataAsDouble() == 1;
    const double x = c.getDataAsDouble();
    const int width = 8 * static_cast<int>(laneBytes(lane));
    if (c.isIntegral() && width == 64) return true;
    return x == std::trunc(x) && x >= -std::ldexp(1.0, width - 1) && x < std::ldexp(1.0, width);
  }

  const std::vector<Type>& inputTypes_;
  const std::string& who_;
  const pe::Expr* root_ = nullptr;
  MapProgram program_;
  std::unordered_map<const pe::Expr*, Type> types_;
};

}  // namespace

CompiledExpressions compileExpressions(const std::vector<const pe::Expr*>& expressions,
                                       const std::vector<Type>& inputTypes,
                                       const std::string& who) {
  return Compiler(inputTypes, who).run(expressions);
}

}  // namespace popir
