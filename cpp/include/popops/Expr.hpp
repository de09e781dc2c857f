// Element-wise expressions. After popops/Expr.hpp of PopLibs 3.
//
// An expression is a tree of small objects, passed to popops::map. Example, a leaky ReLU:
//   Select(Mul(Const(0.1f), _1), _1, Lt(_1, Const(0.0f)))
// C++ operators build the same nodes: _1 * 0.1f is Mul(_1, Const(0.1f)). ExprOp.hpp defines the
// operators.
//
// Types: a placeholder has the type of its tensor. A constant takes the type required by its
// context, and must be representable in it (0.5 is not an INT). Without such a context it keeps the
// type it was created with. Operands of different types are an error; use Cast.
#ifndef popops_Expr_hpp
#define popops_Expr_hpp

#include <cassert>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <ostream>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <popops/ExprOp.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popops {
namespace expr {

class Const;
class Cast;
class PlaceHolder;
class UnaryOp;
class BinaryOp;
class TernaryOp;

/// A node of an expression. There are six node classes. Add, Tanh, ... are BinaryOp, UnaryOp, ...
/// with a shorter constructor.
class Expr {
 public:
  enum class Kind { Const, Cast, PlaceHolder, Unary, Binary, Ternary };

  virtual ~Expr();
  Kind kind() const { return kind_; }
  template <class T>
  bool isA() const {
    return kind_ == T::kKind;
  }
  /// This node as a `T`, or null if it has another class.
  template <class T>
  const T* getAs() const {
    return isA<T>() ? static_cast<const T*>(this) : nullptr;
  }
  template <class T>
  T* getAs() {
    return isA<T>() ? static_cast<T*>(this) : nullptr;
  }

  virtual std::unique_ptr<Expr> clone() const = 0;
  /// A one-line name, different for different expressions over `inputs`.
  std::string name(const std::vector<poplar::Tensor>& inputs) const;
  /// True for equal trees with equal operators, and equal constants of equal type.
  bool deepEquals(const Expr& other) const;
  /// Writes "Add(_1, Const(0.5f))". With prettyPrint: one node per line, indented.
  void print(std::ostream& os, unsigned indent = 0, bool prettyPrint = true) const;

 protected:
  explicit Expr(Kind kind) : kind_(kind) {}
  Expr(const Expr&) = default;
  Expr& operator=(const Expr&) = default;

 private:
  Kind kind_;
};

std::ostream& operator<<(std::ostream& os, const Expr& expr);
bool deepEquals(const Expr& a, const Expr& b);

/// Base of the six node classes, with the functions that depend on the class.
template <class T>
class ExprType : public Expr {
 public:
  std::unique_ptr<Expr> clone() const override {
    return std::unique_ptr<Expr>(new T(static_cast<const T&>(*this)));
  }

 protected:
  explicit ExprType(Kind kind) : Expr(kind) {}
};

/// Holds any expression, where the class of the root is known only at run time.
class Any {
 public:
  Any(const Expr& expr) : expr_(expr.clone()) {}
  Any(const Any& other) : expr_(other.expr_->clone()) {}
  Any(Any&&) = default;
  Any& operator=(const Any& other) {
    expr_ = other.expr_->clone();
    return *this;
  }
  Any& operator=(Any&&) = default;

  operator Expr&() { return *expr_; }
  operator const Expr&() const { return *expr_; }
  std::string name(const std::vector<poplar::Tensor>& inputs) const { return expr_->name(inputs); }

 private:
  std::unique_ptr<Expr> expr_;
};

/// A constant.
class Const : public ExprType<Const> {
 public:
  static constexpr Kind kKind = Kind::Const;

  /// A constant of the device type equivalent to T (FLOAT for float, INT for int, ...).
  template <typename T,
            typename = typename std::enable_if<poplar::TypeTraits::isSimpleType<T>()>::type>
  Const(T x) : Const(poplar::equivalent_device_type<T>::value, x) {}
  /// A constant that has type `type` unless its context requires another one.
  template <typename T,
            typename = typename std::enable_if<poplar::TypeTraits::isSimpleType<T>()>::type>
  Const(const poplar::Type& type, T x)
      : ExprType<Const>(kKind),
        type_(type),
        real_(static_cast<double>(x)),
        integer_(Integer<T, std::is_integral<T>::value>::bits(x)),
        integral_(std::is_integral<T>::value),
        negative_(integral_ && static_cast<double>(x) < 0),
        hostBytes_(sizeof(T)) {
    std::memcpy(data_, &x, sizeof x);
  }

  /// The same from the bytes of a value of the host that `traits` describe.
  /// \throws poplar::poplar_error if they describe no number
  Const(poplar::TypeTraits traits, poplar::Type type, const char* data);

  const poplar::Type& getType() const { return type_; }
  double getDataAsDouble() const { return real_; }
  /// The value as 64 bits, two's complement. Only for constants created from an integer or bool.
  std::uint64_t getDataForUnsignedIntegral() const { return integer_; }
  /// True if created from an integer or bool, so that getDataForUnsignedIntegral() is exact.
  bool isIntegral() const { return integral_; }
  bool isNegative() const { return integral_ ? negative_ : real_ < 0; }
  /// The bytes of the value in its host type, to read. They are not const, as in PopLibs, since
  /// programs cast the pointer to one of their type.
  char* getData() const { return const_cast<char*>(data_); }
  std::size_t getDataSize() const { return hostBytes_; }
  std::string printValue() const;

 private:
  template <typename T, bool integral>
  struct Integer {
    static std::uint64_t bits(T x) { return static_cast<std::uint64_t>(x); }
  };
  template <typename T>
  struct Integer<T, false> {
    static std::uint64_t bits(T) { return 0; }
  };

  poplar::Type type_;
  double real_;
  std::uint64_t integer_;
  bool integral_;
  bool negative_;
  std::size_t hostBytes_;
  char data_[8] = {};
};

/// A constant of type HALF.
class ConstHalf : public Const {
 public:
  ConstHalf(float x) : Const(poplar::HALF, x) {}
};

inline ConstHalf operator"" _half(long double x) {
  assert(x <= std::numeric_limits<float>::max());
  return ConstHalf(static_cast<float>(x));
}

/// An operand: tensor number `index` of map()'s list, counted from 1.
class PlaceHolder : public ExprType<PlaceHolder> {
 public:
  static constexpr Kind kKind = Kind::PlaceHolder;
  PlaceHolder(unsigned index) : ExprType<PlaceHolder>(kKind), index_(index) {}
  unsigned getIndex() const { return index_; }

 private:
  unsigned index_;
};

const PlaceHolder _1(1);
const PlaceHolder _2(2);
const PlaceHolder _3(3);
const PlaceHolder _4(4);
const PlaceHolder _5(5);
const PlaceHolder _6(6);
const PlaceHolder _7(7);
const PlaceHolder _8(8);
const PlaceHolder _9(9);
const PlaceHolder _10(10);
const PlaceHolder _11(11);
const PlaceHolder _12(12);
const PlaceHolder _13(13);
const PlaceHolder _14(14);
const PlaceHolder _15(15);
const PlaceHolder _16(16);
const PlaceHolder _17(17);
const PlaceHolder _18(18);
const PlaceHolder _19(19);
const PlaceHolder _20(20);

/// Converts `a` to another type.
class Cast : public ExprType<Cast> {
 public:
  static constexpr Kind kKind = Kind::Cast;
  Cast(const Expr& a, const poplar::Type& type)
      : ExprType<Cast>(kKind), a_(a.clone()), type_(type) {}
  Cast(const Cast& o) : Cast(*o.a_, o.type_) {}
  Cast(Cast&&) = default;
  Cast& operator=(Cast o) {
    a_ = std::move(o.a_);
    type_ = o.type_;
    return *this;
  }

  const Expr& getLHS() const { return *a_; }
  const poplar::Type& getRHSType() const { return type_; }

 private:
  std::unique_ptr<Expr> a_;
  poplar::Type type_;
};

/// An operator with one operand.
class UnaryOp : public ExprType<UnaryOp> {
 public:
  static constexpr Kind kKind = Kind::Unary;
  UnaryOp(UnaryOpType type, const Expr& a) : ExprType<UnaryOp>(kKind), type_(type), a_(a.clone()) {}
  UnaryOp(const UnaryOp& o) : UnaryOp(o.type_, *o.a_) {}
  UnaryOp(UnaryOp&&) = default;
  UnaryOp& operator=(UnaryOp o) {
    type_ = o.type_;
    a_ = std::move(o.a_);
    return *this;
  }

  UnaryOpType getOpType() const { return type_; }
  const Expr& getArg() const { return *a_; }

 private:
  UnaryOpType type_;
  std::unique_ptr<Expr> a_;
};

/// An operator with two operands.
class BinaryOp : public ExprType<BinaryOp> {
 public:
  static constexpr Kind kKind = Kind::Binary;
  BinaryOp(BinaryOpType type, const Expr& a, const Expr& b)
      : ExprType<BinaryOp>(kKind), type_(type), a_(a.clone()), b_(b.clone()) {}
  BinaryOp(const BinaryOp& o) : BinaryOp(o.type_, *o.a_, *o.b_) {}
  BinaryOp(BinaryOp&&) = default;
  BinaryOp& operator=(BinaryOp o) {
    type_ = o.type_;
    a_ = std::move(o.a_);
    b_ = std::move(o.b_);
    return *this;
  }

  BinaryOpType getOpType() const { return type_; }
  const Expr& getLHS() const { return *a_; }
  const Expr& getRHS() const { return *b_; }

 private:
  BinaryOpType type_;
  std::unique_ptr<Expr> a_, b_;
};

/// An operator with three operands.
class TernaryOp : public ExprType<TernaryOp> {
 public:
  static constexpr Kind kKind = Kind::Ternary;
  TernaryOp(TernaryOpType type, const Expr& a, const Expr& b, const Expr& c)
      : ExprType<TernaryOp>(kKind), type_(type), a_(a.clone()), b_(b.clone()), c_(c.clone()) {}
  TernaryOp(const TernaryOp& o) : TernaryOp(o.type_, *o.a_, *o.b_, *o.c_) {}
  TernaryOp(TernaryOp&&) = default;
  TernaryOp& operator=(TernaryOp o) {
    type_ = o.type_;
    a_ = std::move(o.a_);
    b_ = std::move(o.b_);
    c_ = std::move(o.c_);
    return *this;
  }

  TernaryOpType getOpType() const { return type_; }
  const Expr& getArg0() const { return *a_; }
  const Expr& getArg1() const { return *b_; }
  const Expr& getArg2() const { return *c_; }

 private:
  TernaryOpType type_;
  std::unique_ptr<Expr> a_, b_, c_;
};

#define POPOPS_UNARY_NODE(NODE, OP, FUNCTION)            \
  class NODE : public UnaryOp {                          \
   public:                                               \
    NODE(const Expr& a) : UnaryOp(UnaryOpType::OP, a) {} \
  };
POPOPS_EXPR_UNARY_OPS(POPOPS_UNARY_NODE)
#undef POPOPS_UNARY_NODE

#define POPOPS_BINARY_NODE(NODE, OP, FUNCTION)                               \
  class NODE : public BinaryOp {                                             \
   public:                                                                   \
    NODE(const Expr& a, const Expr& b) : BinaryOp(BinaryOpType::OP, a, b) {} \
  };
POPOPS_EXPR_BINARY_OPS(POPOPS_BINARY_NODE)
#undef POPOPS_BINARY_NODE

#define POPOPS_TERNARY_NODE(NODE, OP, FUNCTION)                                                  \
  class NODE : public TernaryOp {                                                                \
   public:                                                                                       \
    NODE(const Expr& a, const Expr& b, const Expr& c) : TernaryOp(TernaryOpType::OP, a, b, c) {} \
  };
POPOPS_EXPR_TERNARY_OPS(POPOPS_TERNARY_NODE)
#undef POPOPS_TERNARY_NODE

#define POPOPS_UNARY_SYMBOL(NODE, SYMBOL) \
  inline NODE operator SYMBOL(const Expr& a) { return NODE(a); }
POPOPS_UNARY_SYMBOL(BitwiseNot, ~)
POPOPS_UNARY_SYMBOL(Not, !)
POPOPS_UNARY_SYMBOL(Neg, -)
#undef POPOPS_UNARY_SYMBOL

#define POPOPS_BINARY_SYMBOL(NODE, SYMBOL)                                                    \
  inline NODE operator SYMBOL(const Expr& a, const Expr& b) { return NODE(a, b); }            \
  template <typename T>                                                                       \
  typename std::enable_if<poplar::TypeTraits::isSimpleType<T>(), NODE>::type operator SYMBOL( \
      const T& a, const Expr& b) {                                                            \
    return NODE(Const(a), b);                                                                 \
  }                                                                                           \
  template <typename T>                                                                       \
  typename std::enable_if<poplar::TypeTraits::isSimpleType<T>(), NODE>::type operator SYMBOL( \
      const Expr& a, const T& b) {                                                            \
    return NODE(a, Const(b));                                                                 \
  }
POPOPS_BINARY_SYMBOL(Add, +)
POPOPS_BINARY_SYMBOL(And, &&)
POPOPS_BINARY_SYMBOL(BitwiseAnd, &)
POPOPS_BINARY_SYMBOL(BitwiseOr, |)
POPOPS_BINARY_SYMBOL(BitwiseXor, ^)
POPOPS_BINARY_SYMBOL(Divide, /)
POPOPS_BINARY_SYMBOL(Equal, ==)
POPOPS_BINARY_SYMBOL(Gt, >)
POPOPS_BINARY_SYMBOL(Gte, >=)
POPOPS_BINARY_SYMBOL(Lt, <)
POPOPS_BINARY_SYMBOL(Lte, <=)
POPOPS_BINARY_SYMBOL(Mul, *)
POPOPS_BINARY_SYMBOL(NotEqual, !=)
POPOPS_BINARY_SYMBOL(Or, ||)
POPOPS_BINARY_SYMBOL(Rem, %)
POPOPS_BINARY_SYMBOL(Shl, <<)
POPOPS_BINARY_SYMBOL(Shr, >>)
POPOPS_BINARY_SYMBOL(Sub, -)
#undef POPOPS_BINARY_SYMBOL

}  // namespace expr
}  // namespace popops

#pragma GCC visibility pop

#endif
