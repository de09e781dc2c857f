// Programs of XLA, built operator by operator. What is built is the text of an HLO module;
// popir.custom_ops.xla_programs() calls the function that builds, and makes models of it.
//
// A function gets an error for what does not fit. The builder keeps the first one, and Build()
// returns it. Long, because XLA has the builder and all operators in this one header; those that call
// computations, contract or index are in another one, which this includes.
#ifndef XLA_HLO_BUILDER_XLA_BUILDER_H_
#define XLA_HLO_BUILDER_XLA_BUILDER_H_

#include <atomic>
#include <cctype>
#include <cstdio>
#include <memory>
#include <set>

#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/status.h"
#include "xla/util.h"

extern "C" void popir_xla_computation(const char* name, const char* text, const char* error);

namespace xla {

class XlaBuilder;

/// A value of a program. It is valid while its builder lives.
class XlaOp {
 public:
  XlaOp() = default;
  XlaOp(XlaBuilder* builder, int64 handle) : builder_(builder), handle_(handle) {}
  XlaBuilder* builder() const { return builder_; }
  int64 handle() const { return handle_; }
  bool valid() const { return builder_ != nullptr; }

 private:
  XlaBuilder* builder_ = nullptr;
  int64 handle_ = -1;
};

/// A program that has been built.
class XlaComputation {
 public:
  XlaComputation() = default;
  XlaComputation(std::string name, Shape result, std::string body, std::vector<std::string> called)
      : name_(std::move(name)),
        result_(std::move(result)),
        body_(std::move(body)),
        called_(std::move(called)) {}
  const std::string& name() const { return name_; }
  /// The shape of what it returns.
  const Shape& result() const { return result_; }
  bool IsNull() const { return body_.empty(); }
  /// The text of the module.
  std::string ToString() const {
    std::string text = "HloModule " + name_ + "\n\n";
    for (const std::string& each : called_) text += each + "\n";
    return text + "ENTRY " + body_;
  }
  /// Its own text, and those of the programs that it calls.
  const std::string& body() const { return body_; }
  const std::vector<std::string>& called() const { return called_; }

 private:
  std::string name_;
  Shape result_;
  std::string body_;
  std::vector<std::string> called_;
};

/// What one result of a custom call shares with an operand: the index of the result in the tuple,
/// and the operand with the index in it.
using OutputOperandAliasing = std::pair<std::vector<int64>, std::pair<int64, std::vector<int64>>>;

class XlaBuilder {
 public:
  explicit XlaBuilder(std::string computation_name)
      : name_(named(std::move(computation_name))), outer_(innermost()) {
    innermost() = this;
  }
  XlaBuilder(const XlaBuilder&) = delete;
  XlaBuilder& operator=(const XlaBuilder&) = delete;
  ~XlaBuilder() {
    if (innermost() == this) innermost() = outer_;
    if (!built_ && !inner_ && !lines_.empty()) report(made(XlaOp(this, last())), first_error_);
  }

  const std::string& name() const { return name_; }
  const Status& first_error() const { return first_error_; }
  Status GetCurrentStatus() const { return first_error_; }
  /// Keeps the first error. Returns a value that no operator takes.
  XlaOp ReportError(const Status& error) {
    if (first_error_.ok()) first_error_ = error;
    return XlaOp(this, -1);
  }

  StatusOr<Shape> GetShape(XlaOp op) const {
    if (!knows(op)) return Status::InvalidArgument("the value is not of the builder " + name_);
    return shapeOf(op);
  }
  const Shape* GetShapePtr(XlaOp op) const { return knows(op) ? &shapeOf(op) : nullptr; }

  /// The program whose result is the operator added last, or `root`.
  StatusOr<XlaComputation> Build() { return Build(XlaOp(this, last())); }
  StatusOr<XlaComputation> Build(XlaOp root) {
    built_ = true;
    if (first_error_.ok() && !knows(root))
      ReportError(Status::InvalidArgument("the program " + name_ + " has no result"));
    if (!first_error_.ok()) {
      report(XlaComputation(), first_error_);
      return first_error_;
    }
    XlaComputation computation = made(root);
    report(computation, first_error_);
    return computation;
  }
  XlaComputation BuildAndNoteError() {
    auto built = Build();
    return built.ok() ? built.value() : XlaComputation();
  }
  /// A builder for a program that this one calls.
  std::unique_ptr<XlaBuilder> CreateSubBuilder(const std::string& computation_name) {
    static std::atomic<int> number{0};  // Several computations may be given one name.
    auto builder = std::make_unique<XlaBuilder>(computation_name + "." + std::to_string(++number));
    builder->inner_ = true;
    return builder;
  }

  /// Batch, then features, then space; of the filters output features, input features, space.
  static ConvolutionDimensionNumbers CreateDefaultConvDimensionNumbers(int num_spatial_dims = 2) {
    ConvolutionDimensionNumbers made;
    made.set_input_feature_dimension(1);
    made.set_kernel_input_feature_dimension(1);
    made.set_output_feature_dimension(1);
    for (int d = 2; d < num_spatial_dims + 2; ++d) {
      made.add_input_spatial_dimensions(d);
      made.add_kernel_spatial_dimensions(d);
      made.add_output_spatial_dimensions(d);
    }
    return made;
  }

  /// The builder made last of those that live; null if there is none.
  static XlaBuilder*& innermost() {
    static thread_local XlaBuilder* builder = nullptr;
    return builder;
  }

  // What the functions below use.

  bool knows(XlaOp op) const {
    return op.builder() == this && op.handle() >= 0 &&
           op.handle() < static_cast<int64>(shapes_.size());
  }
  const Shape& shapeOf(XlaOp op) const { return shapes_[static_cast<std::size_t>(op.handle())]; }
  static std::string quoted(const std::string& text) {
    std::string made = "\"";
    for (const char each : text) {
      const auto byte = static_cast<unsigned char>(each);
      if (each == '"' || each == '\\') {
        made += '\\';
        made += each;
      } else if (byte < 32 || byte > 126) {
        char octal[8];
        std::snprintf(octal, sizeof(octal), "\\%03o", byte);
        made += octal;
      } else {
        made += each;
      }
    }
    return made + "\"";
  }
  static std::string listed(Span<int64> numbers) {
    std::string text;
    for (const int64 each : numbers) text += (text.empty() ? "" : ",") + std::to_string(each);
    return "{" + text + "}";
  }
  /// Adds an operator. `content` is what stands in place of operands, for constants and parameters.
  XlaOp add(const char* opcode, const Shape& shape, Span<XlaOp> operands,
            const std::string& attributes = "", const std::string& content = "") {
    if (negative(shape))
      return fail(std::string(opcode) + ": " + shape.ToString() + " has a negative size");
    std::string text = content;
    for (const XlaOp each : operands) {
      if (!knows(each))
        return ReportError(Status::InvalidArgument(std::string("an operand of ") + opcode +
                                                   " is not of the builder " + name_));
      text += (text.empty() ? "" : ", ") + nameOf(each);
    }
    lines_.push_back(" = " + shape.ToString() + " " + opcode + "(" + text + ")" +
                     (attributes.empty() ? "" : ", " + attributes));
    opcodes_.push_back(opcode);
    shapes_.push_back(shape);
    return XlaOp(this, last());
  }
  XlaOp fail(const std::string& message) { return ReportError(Status::InvalidArgument(message)); }
  bool takeParameter(int64 number) { return parameters_.insert(number).second; }
  void call(const XlaComputation& computation) {
    for (const std::string& each : computation.called()) addCalled(each);
    addCalled(computation.body());
  }

 private:
  static std::string named(std::string name) {
    for (char& each : name)
      if (!std::isalnum(static_cast<unsigned char>(each)) && each != '_' && each != '.') each = '_';
    return name.empty() ? "computation" : name;
  }
  static bool negative(const Shape& shape) {
    for (const int64 size : shape.dimensions())
      if (size < 0) return true;
    for (const Shape& each : shape.tuple_shapes())
      if (negative(each)) return true;
    return false;
  }
  int64 last() const { return static_cast<int64>(shapes_.size()) - 1; }
  std::string nameOf(XlaOp op) const {
    return opcodes_[static_cast<std::size_t>(op.handle())] + "." + std::to_string(op.handle());
  }
  void addCalled(const std::string& body) {
    for (const std::string& each : called_)
      if (each == body) return;
    called_.push_back(body);
  }
  XlaComputation made(XlaOp root) const {
    std::string body = name_ + " {\n";
    for (int64 i = 0; i <= last(); ++i)
      body += (i == root.handle() ? "  ROOT " : "  ") +
              nameOf(XlaOp(const_cast<XlaBuilder*>(this), i)) +
              lines_[static_cast<std::size_t>(i)] + "\n";
    return XlaComputation(name_, shapeOf(root), body + "}\n", called_);
  }
  void report(const XlaComputation& computation, const Status& error) const {
    if (inner_) return;
    popir_xla_computation(name_.c_str(), error.ok() ? computation.ToString().c_str() : "",
                          error.error_message().c_str());
  }

  std::string name_;
  XlaBuilder* outer_;
  bool built_ = false, inner_ = false;
  Status first_error_;
  std::vector<std::string> lines_, opcodes_, called_;
  std::vector<Shape> shapes_;
  std::set<int64> parameters_;
};

// Operators. Each is added to the builder of its operands.

inline XlaOp Parameter(XlaBuilder* builder, int64 number, const Shape& shape,
                       const std::string& name) {
  if (number < 0 || !builder->takeParameter(number))
    return builder->fail("parameter " + std::to_string(number) + " ('" + name +
                         "') is there twice, or its number is negative");
  return builder->add("parameter", shape, {}, "metadata={op_name=" + XlaBuilder::quoted(name) + "}",
                      std::to_string(number));
}
/// In the builder made last.
inline XlaOp Parameter(int64 number, const Shape& shape, const std::string& name) {
  XlaBuilder* builder = XlaBuilder::innermost();
  if (builder == nullptr) throw std::runtime_error("Parameter() is called without an XlaBuilder");
  return Parameter(builder, number, shape, name);
}

inline XlaOp ConstantLiteral(XlaBuilder* builder, const Literal& literal) {
  if (!literal.IsComplete())
    return builder->fail("a literal of the shape " + literal.shape().ToString() +
                         " has another number of values");
  return builder->add("constant", literal.shape(), {}, "", literal.ToString());
}
template <class T>
XlaOp ConstantR0(XlaBuilder* builder, T value) {
  return ConstantLiteral(builder, LiteralUtil::CreateR0<T>(value));
}
template <class T>
XlaOp ConstantR1(XlaBuilder* builder, Span<T> values) {
  return ConstantLiteral(builder, LiteralUtil::CreateR1<T>(values));
}
template <class T>
XlaOp ConstantR2(XlaBuilder* builder, std::initializer_list<std::initializer_list<T>> values) {
  return ConstantLiteral(builder, LiteralUtil::CreateR2<T>(values));
}

namespace xla_builder_internal {

/// The builder of an operand; an operand without one is the programmer's mistake.
inline XlaBuilder* of(XlaOp op) {
  if (!op.valid()) throw std::runtime_error("an operand is an XlaOp that no function has made");
  return op.builder();
}
inline Shape typed(const Shape& shape, PrimitiveType type) {
  return Shape(type, shape.dimensions());
}
inline bool checked(XlaBuilder* b, std::initializer_list<XlaOp> operands, const char* opcode) {
  for (const XlaOp each : operands)
    if (!b->knows(each)) {
      b->fail(std::string("an operand of ") + opcode + " is not of the builder " + b->name());
      return false;
    }
  return true;
}

}  // namespace xla_builder_internal

/// Dimension `broadcast_dimensions[i]` of the result is dimension i of the operand.
inline XlaOp BroadcastInDim(XlaOp operand, Span<int64> out_dim_size,
                            Span<int64> broadcast_dimensions) {
  XlaBuilder* b = xla_builder_internal::of(operand);
  if (!xla_builder_internal::checked(b, {operand}, "broadcast")) return XlaOp(b, -1);
  const Shape from = b->shapeOf(operand);
  if (static_cast<std::size_t>(from.rank()) != broadcast_dimensions.size())
    return b->fail("broadcast: " + from.ToString() + " has other dimensions than " +
                   XlaBuilder::listed(broadcast_dimensions));
  for (std::size_t i = 0; i < broadcast_dimensions.size(); ++i) {
    const int64 to = broadcast_dimensions[i], size = from.dimensions()[i];
    if (to < 0 || to >= static_cast<int64>(out_dim_size.size()) ||
        (size != out_dim_size[static_cast<std::size_t>(to)] && size != 1))
      return b->fail("broadcast: dimension " + std::to_string(i) + " of " + from.ToString() +
                     " does not fit dimension " + std::to_string(to) + " of " +
                     XlaBuilder::listed(out_dim_size));
  }
  return b->add("broadcast", Shape(from.element_type(), out_dim_size), {operand},
                "dimensions=" + XlaBuilder::listed(broadcast_dimensions));
}
/// New dimensions in front.
inline XlaOp Broadcast(XlaOp operand, Span<int64> broadcast_sizes) {
  XlaBuilder* b = xla_builder_internal::of(operand);
  if (!xla_builder_internal::checked(b, {operand}, "broadcast")) return XlaOp(b, -1);
  std::vector<int64> sizes = broadcast_sizes, dims;
  for (const int64 size : b->shapeOf(operand).dimensions()) {
    dims.push_back(static_cast<int64>(sizes.size()));
    sizes.push_back(size);
  }
  return BroadcastInDim(operand, sizes, dims);
}

namespace xla_builder_internal {

/// The operand with the dimensions of `to`: a scalar everywhere, else as `dims` says, or as it is.
inline XlaOp matched(XlaOp operand, const Shape& to, Span<int64> dims) {
  XlaBuilder* b = of(operand);
  const Shape& from = b->shapeOf(operand);
  if (from.dimensions() == to.dimensions()) return operand;
  if (from.rank() == 0) return BroadcastInDim(operand, to.dimensions(), {});
  return dims.empty() ? operand : BroadcastInDim(operand, to.dimensions(), dims);
}

inline XlaOp binary(const char* opcode, XlaOp lhs, XlaOp rhs, Span<int64> dims,
                    const std::string& attributes = "", bool compares = false) {
  XlaBuilder* b = of(lhs);
  if (!checked(b, {lhs, rhs}, opcode)) return XlaOp(b, -1);
  const bool left = b->shapeOf(lhs).rank() >= b->shapeOf(rhs).rank();
  const Shape to = b->shapeOf(left ? lhs : rhs);
  lhs = matched(lhs, to, dims);
  rhs = matched(rhs, to, dims);
  if (!b->knows(lhs) || !b->knows(rhs)) return XlaOp(b, -1);
  if (b->shapeOf(lhs) != b->shapeOf(rhs))
    return b->fail(std::string(opcode) + ": the operands are " + b->shapeOf(lhs).ToString() +
                   " and " + b->shapeOf(rhs).ToString());
  return b->add(opcode, typed(to, compares ? PRED : to.element_type()), {lhs, rhs}, attributes);
}

inline XlaOp unary(const char* opcode, XlaOp operand) {
  XlaBuilder* b = of(operand);
  if (!checked(b, {operand}, opcode)) return XlaOp(b, -1);
  return b->add(opcode, typed(b->shapeOf(operand), b->shapeOf(operand).element_type()), {operand});
}

}  // namespace xla_builder_internal

#define XLA_BUILDER_BINARY(NAME, OPCODE)                                           \
  inline XlaOp NAME(XlaOp lhs, XlaOp rhs, Span<int64> broadcast_dimensions = {}) { \
    return xla_builder_internal::binary(OPCODE, lhs, rhs, broadcast_dimensions);   \
  }
XLA_BUILDER_BINARY(Add, "add")
XLA_BUILDER_BINARY(Sub, "subtract")
XLA_BUILDER_BINARY(Mul, "multiply")
XLA_BUILDER_BINARY(Div, "divide")
XLA_BUILDER_BINARY(Rem, "remainder")
XLA_BUILDER_BINARY(Max, "maximum")
XLA_BUILDER_BINARY(Min, "minimum")
XLA_BUILDER_BINARY(Pow, "power")
XLA_BUILDER_BINARY(And, "and")
XLA_BUILDER_BINARY(Or, "or")
XLA_BUILDER_BINARY(Xor, "xor")
XLA_BUILDER_BINARY(Atan2, "atan2")
XLA_BUILDER_BINARY(ShiftLeft, "shift-left")
XLA_BUILDER_BINARY(ShiftRightArithmetic, "shift-right-arithmetic")
XLA_BUILDER_BINARY(ShiftRightLogical, "shift-right-logical")
#undef XLA_BUILDER_BINARY

#define XLA_BUILDER_COMPARE(NAME, DIRECTION)                                       \
  inline XlaOp NAME(XlaOp lhs, XlaOp rhs, Span<int64> broadcast_dimensions = {}) { \
    return xla_builder_internal::binary("compare", lhs, rhs, broadcast_dimensions, \
                                        "direction=" DIRECTION, true);             \
  }
XLA_BUILDER_COMPARE(Eq, "EQ")
XLA_BUILDER_COMPARE(Ne, "NE")
XLA_BUILDER_COMPARE(Ge, "GE")
XLA_BUILDER_COMPARE(Gt, "GT")
XLA_BUILDER_COMPARE(Le, "LE")
XLA_BUILDER_COMPARE(Lt, "LT")
#undef XLA_BUILDER_COMPARE

#define XLA_BUILDER_UNARY(NAME, OPCODE) \
  inline XlaOp NAME(XlaOp operand) { return xla_builder_internal::unary(OPCODE, operand); }
XLA_BUILDER_UNARY(Abs, "abs")
XLA_BUILDER_UNARY(Cbrt, "cbrt")
XLA_BUILDER_UNARY(Ceil, "ceil")
XLA_BUILDER_UNARY(Clz, "count-leading-zeros")
XLA_BUILDER_UNARY(Cos, "cosine")
XLA_BUILDER_UNARY(Erf, "erf")
XLA_BUILDER_UNARY(Exp, "exponential")
XLA_BUILDER_UNARY(Expm1, "exponential-minus-one")
XLA_BUILDER_UNARY(Floor, "floor")
XLA_BUILDER_UNARY(Log, "log")
XLA_BUILDER_UNARY(Log1p, "log-plus-one")
XLA_BUILDER_UNARY(Logistic, "logistic")
XLA_BUILDER_UNARY(Neg, "negate")
XLA_BUILDER_UNARY(Not, "not")
XLA_BUILDER_UNARY(PopulationCount, "popcnt")
XLA_BUILDER_UNARY(Round, "round-nearest-afz")
XLA_BUILDER_UNARY(RoundNearestEven, "round-nearest-even")
XLA_BUILDER_UNARY(Rsqrt, "rsqrt")
XLA_BUILDER_UNARY(Sign, "sign")
XLA_BUILDER_UNARY(Sin, "sine")
XLA_BUILDER_UNARY(Sqrt, "sqrt")
XLA_BUILDER_UNARY(Tan, "tan")
XLA_BUILDER_UNARY(Tanh, "tanh")
#undef XLA_BUILDER_UNARY

/// Whether each element is neither infinite nor NaN.
inline XlaOp IsFinite(XlaOp operand) {
  XlaBuilder* b = xla_builder_internal::of(operand);
  if (!xla_builder_internal::checked(b, {operand}, "is-finite")) return XlaOp(b, -1);
  return b->add("is-finite", xla_builder_internal::typed(b->shapeOf(operand), PRED), {operand});
}

inline XlaOp operator-(XlaOp x) { return Neg(x); }
inline XlaOp operator+(XlaOp x, XlaOp y) { return Add(x, y); }
inline XlaOp operator-(XlaOp x, XlaOp y) { return Sub(x, y); }
inline XlaOp operator*(XlaOp x, XlaOp y) { return Mul(x, y); }
inline XlaOp operator/(XlaOp x, XlaOp y) { return Div(x, y); }

inline XlaOp ConvertElementType(XlaOp operand, PrimitiveType type) {
  XlaBuilder* b = xla_builder_internal::of(operand);
  if (!xla_builder_internal::checked(b, {operand}, "convert")) return XlaOp(b, -1);
  return b->add("convert", xla_builder_internal::typed(b->shapeOf(operand), type), {operand});
}

inline XlaOp Select(XlaOp pred, XlaOp on_true, XlaOp on_false) {
  XlaBuilder* b = xla_builder_internal::of(pred);
  if (!xla_builder_internal::checked(b, {pred, on_true, on_false}, "select")) return XlaOp(b, -1);
  const Shape to = b->shapeOf(on_true);
  pred = xla_builder_internal::matched(pred, to, {});
  if (b->shapeOf(pred) != Shape(PRED, to.dimensions()) || b->shapeOf(on_false) != to)
    return b->fail("select: the operands are " + b->shapeOf(pred).ToString() + ", " +
                   to.ToString() + " and " + b->shapeOf(on_false).ToString());
  return b->add("select", xla_builder_internal::typed(to, to.element_type()),
                {pred, on_true, on_false});
}

/// The elements of `operand`, at least those of `min` and at most those of `max`, which may be
/// scalars.
inline XlaOp Clamp(XlaOp min, XlaOp operand, XlaOp max) {
  XlaBuilder* b = xla_builder_internal::of(operand);
  if (!xla_builder_internal::checked(b, {min, operand, max}, "clamp")) return XlaOp(b, -1);
  const Shape to = b->shapeOf(operand);
  for (const XlaOp each : {min, max}) {
    const Shape& bound = b->shapeOf(each);
    if (bound.element_type() != to.element_type() || (bound.rank() != 0 && bound != to))
      return b->fail("clamp: the bounds of " + to.ToString() + " are " +
                     b->shapeOf(min).ToString() + " and " + b->shapeOf(max).ToString());
  }
  return b->add("clamp", xla_builder_internal::typed(to, to.element_type()), {min, operand, max});
}

/// The elements along each of `dimensions` in the opposite order.
inline XlaOp Rev(XlaOp operand, Span<int64> dimensions) {
  XlaBuilder* b = xla_builder_internal::of(operand);
  if (!xla_builder_internal::checked(b, {operand}, "reverse")) return XlaOp(b, -1);
  const Shape from = b->shapeOf(operand);
  const std::set<int64> seen(dimensions.begin(), dimensions.end());
  if (seen.size() != dimensions.size() ||
      (!seen.empty() && (*seen.begin() < 0 || *seen.rbegin() >= from.rank())))
    return b->fail("reverse: " + XlaBuilder::listed(dimensions) + " are no dimensions of " +
                   from.ToString());
  return b->add("reverse", xla_builder_internal::typed(from, from.element_type()), {operand},
                "dimensions=" + XlaBuilder::listed(dimensions));
}

/// Copies of `padding_value` before, behind and between the elements of each dimension; fewer
/// elements where the first two numbers are negative.
inline XlaOp Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& padding_config) {
  XlaBuilder* b = xla_builder_internal::of(operand);
  if (!xla_builder_internal::checked(b, {operand, padding_value}, "pad")) return XlaOp(b, -1);
  const Shape from = b->shapeOf(operand);
  if (padding_config.dimensions_size() != static_cast<int>(from.rank()) ||
      b->shapeOf(padding_value) != Shape(from.element_type(), {}))
    return b->fail("pad: " + from.ToString() + " is padded in " +
                   std::to_string(padding_config.dimensions_size()) + " dimensions with " +
                   b->shapeOf(padding_value).ToString());
  std::vector<int64> sizes;
  std::string text;
  for (int d = 0; d < padding_config.dimensions_size(); ++d) {
    const PaddingConfig::PaddingConfigDimension& pad = padding_config.dimensions(d);
    const int64 low = pad.edge_padding_low(), high = pad.edge_padding_high();
    const int64 size = from.dimensions(d), between = pad.interior_padding();
    if (between < 0)
      return b->fail("pad: the padding between elements of dimension " + std::to_string(d) +
                     " is negative");
    sizes.push_back(size + low + high + (size > 1 ? (size - 1) * between : 0));
    text += (text.empty() ? "" : "x") + std::to_string(low) + "_" + std::to_string(high) + "_" +
            std::to_string(between);
  }
  return b->add("pad", Shape(from.element_type(), sizes), {operand, padding_value},
                "padding=" + text);
}
inline XlaOp PadInDim(XlaOp operand, XlaOp padding_value, int64 dimno, int64 pad_lo, int64 pad_hi) {
  XlaBuilder* b = xla_builder_internal::of(operand);
  if (!xla_builder_internal::checked(b, {operand}, "pad")) return XlaOp(b, -1);
  const Shape from = b->shapeOf(operand);
  if (dimno < 0 || dimno >= from.rank())
    return b->fail("pad: " + from.ToString() + " has no dimension " + std::to_string(dimno));
  PaddingConfig padding = MakeNoPaddingConfig(from.rank());
  padding.mutable_dimensions(static_cast<int>(dimno))->set_edge_padding_low(pad_lo);
  padding.mutable_dimensions(static_cast<int>(dimno))->set_edge_padding_high(pad_hi);
  return Pad(operand, padding_value, padding);
}

inline XlaOp Reshape(XlaOp operand, Span<int64> dimensions) {
  XlaBuilder* b = xla_builder_internal::of(operand);
  if (!xla_builder_internal::checked(b, {operand}, "reshape")) return XlaOp(b, -1);
  const Shape to(b->shapeOf(operand).element_type(), dimensions);
  if (ShapeUtil::ElementsIn(to) != ShapeUtil::ElementsIn(b->shapeOf(operand)))
    return b->fail("reshape: " + b->shapeOf(operand).ToString() +
                   " has another number of elements than " + to.ToString());
  return b->add("reshape", to, {operand});
}

inline XlaOp Transpose(XlaOp operand, Span<int64> permutation) {
  XlaBuilder* b = xla_builder_internal::of(operand);
  if (!xla_builder_internal::checked(b, {operand}, "transpose")) return XlaOp(b, -1);
  const Shape from = b->shapeOf(operand);
  std::vector<int64> sizes;
  std::set<int64> seen;
  for (const int64 d : permutation) {
    if (d < 0 || d >= from.rank() || !seen.insert(d).second) break;
    sizes.push_back(from.dimensions()[static_cast<std::size_t>(d)]);
  }
  if (static_cast<int64>(sizes.size()) != from.rank() || sizes.size() != permutation.size())
    return b->fail("transpose: " + XlaBuilder::listed(permutation) + " is no permutation of " +
                   from.ToString());
  return b->add("transpose", Shape(from.element_type(), sizes), {operand},
                "dimensions=" + XlaBuilder::listed(permutation));
}

inline XlaOp Slice(XlaOp operand, Span<int64> start_indices, Span<int64> limit_indices,
                   Span<int64> strides) {
  XlaBuilder* b = xla_builder_internal::of(operand);
  if (!xla_builder_internal::checked(b, {operand}, "slice")) return XlaOp(b, -1);
  const Shape from = b->shapeOf(operand);
  const auto rank = static_cast<std::size_t>(from.rank());
  if (start_indices.size() != rank || limit_indices.size() != rank || strides.size() != rank)
    return b->fail("slice: " + from.ToString() + " needs an index for each dimension");
  std::vector<int64> sizes;
  std::string text;
  for (std::size_t d = 0; d < rank; ++d) {
    const int64 from_ = start_indices[d], to = limit_indices[d], step = strides[d];
    if (from_ < 0 || to < from_ || to > from.dimensions()[d] || step < 1)
      return b->fail("slice: the indices of dimension " + std::to_string(d) + " are outside of " +
                     from.ToString());
    sizes.push_back((to - from_ + step - 1) / step);
    text += (text.empty() ? "[" : ", [") + std::to_string(from_) + ":" + std::to_string(to) + ":" +
            std::to_string(step) + "]";
  }
  return b->add("slice", Shape(from.element_type(), sizes), {operand}, "slice={" + text + "}");
}
inline XlaOp SliceInDim(XlaOp operand, int64 start_index, int64 limit_index, int64 stride,
                        int64 dimno) {
  XlaBuilder* b = xla_builder_internal::of(operand);
  if (!xla_builder_internal::checked(b, {operand}, "slice")) return XlaOp(b, -1);
  std::vector<int64> limits = b->shapeOf(operand).dimensions();
  if (dimno < 0 || dimno >= static_cast<int64>(limits.size()))
    return b->fail("slice: " + b->shapeOf(operand).ToString() + " has no dimension " +
                   std::to_string(dimno));
  std::vector<int64> starts(limits.size(), 0), strides(limits.size(), 1);
  const auto d = static_cast<std::size_t>(dimno);
  starts[d] = start_index, limits[d] = limit_index, strides[d] = stride;
  return Slice(operand, starts, limits, strides);
}

inline XlaOp ConcatInDim(XlaBuilder* b, Span<XlaOp> operands, int64 dimension) {
  if (operands.empty()) return b->fail("concatenate: there are no operands");
  Shape to;
  for (const XlaOp each : operands) {
    if (!xla_builder_internal::checked(b, {each}, "concatenate")) return XlaOp(b, -1);
    const Shape& shape = b->shapeOf(each);
    if (dimension < 0 || dimension >= shape.rank())
      return b->fail("concatenate: " + shape.ToString() + " has no dimension " +
                     std::to_string(dimension));
    if (!to.IsArray()) {
      to = xla_builder_internal::typed(shape, shape.element_type());
      continue;
    }
    std::vector<int64> sizes = to.dimensions(), others = shape.dimensions();
    const auto d = static_cast<std::size_t>(dimension);
    if (sizes.size() == others.size()) {
      sizes[d] += others[d];
      others[d] = sizes[d];
    }
    if (sizes != others || shape.element_type() != to.element_type())
      return b->fail("concatenate: the operands are " + to.ToString() + " and " + shape.ToString());
    to = Shape(to.element_type(), sizes);
  }
  return b->add("concatenate", to, operands, "dimensions={" + std::to_string(dimension) + "}");
}

inline XlaOp Iota(XlaBuilder* b, const Shape& shape, int64 iota_dimension) {
  if (iota_dimension < 0 || iota_dimension >= shape.rank())
    return b->fail("iota: " + shape.ToString() + " has no dimension " +
                   std::to_string(iota_dimension));
  return b->add("iota", shape, {}, "iota_dimension=" + std::to_string(iota_dimension));
}
inline XlaOp Iota(XlaBuilder* b, PrimitiveType type, int64 size) {
  return Iota(b, ShapeUtil::MakeShape(type, {size}), 0);
}

/// The product of vectors and matrices.
inline XlaOp Dot(XlaOp lhs, XlaOp rhs) {
  XlaBuilder* b = xla_builder_internal::of(lhs);
  if (!xla_builder_internal::checked(b, {lhs, rhs}, "dot")) return XlaOp(b, -1);
  const Shape left = b->shapeOf(lhs), right = b->shapeOf(rhs);
  const bool ranks = left.rank() >= 1 && left.rank() <= 2 && right.rank() >= 1 && right.rank() <= 2;
  if (!ranks || left.dimensions().back() != right.dimensions().front() ||
      left.element_type() != right.element_type())
    return b->fail("dot: the operands are " + left.ToString() + " and " + right.ToString());
  std::vector<int64> sizes;
  if (left.rank() == 2) sizes.push_back(left.dimensions()[0]);
  if (right.rank() == 2) sizes.push_back(right.dimensions()[1]);
  return b->add(
      "dot", Shape(left.element_type(), sizes), {lhs, rhs},
      "lhs_contracting_dims={" + std::to_string(left.rank() - 1) + "}, rhs_contracting_dims={0}");
}

/// `computation` combines two scalars.
inline XlaOp Reduce(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                    Span<int64> dimensions_to_reduce) {
  XlaBuilder* b = xla_builder_internal::of(operand);
  if (!xla_builder_internal::checked(b, {operand, init_value}, "reduce")) return XlaOp(b, -1);
  const Shape from = b->shapeOf(operand);
  const std::set<int64> gone(dimensions_to_reduce.begin(), dimensions_to_reduce.end());
  if (gone.size() != dimensions_to_reduce.size() ||
      (!gone.empty() && (*gone.begin() < 0 || *gone.rbegin() >= from.rank())) ||
      computation.IsNull())
    return b->fail("reduce: " + XlaBuilder::listed(dimensions_to_reduce) +
                   " are no dimensions of " + from.ToString() + ", or there is no computation");
  std::vector<int64> sizes;
  for (int64 d = 0; d < from.rank(); ++d)
    if (gone.count(d) == 0) sizes.push_back(from.dimensions()[static_cast<std::size_t>(d)]);
  b->call(computation);
  return b->add("reduce", Shape(from.element_type(), sizes), {operand, init_value},
                "dimensions=" + XlaBuilder::listed(dimensions_to_reduce) +
                    ", to_apply=" + computation.name());
}

/// The box of `slice_sizes` at `start_indices`, one number for each dimension.
inline XlaOp DynamicSlice(XlaOp operand, Span<XlaOp> start_indices, Span<int64> slice_sizes) {
  XlaBuilder* b = xla_builder_internal::of(operand);
  if (!xla_builder_internal::checked(b, {operand}, "dynamic-slice")) return XlaOp(b, -1);
  const Shape from = b->shapeOf(operand);
  if (slice_sizes.size() != from.dimensions().size() ||
      start_indices.size() != from.dimensions().size())
    return b->fail("dynamic-slice: " + from.ToString() + " is sliced in " +
                   std::to_string(slice_sizes.size()) + " dimensions from " +
                   std::to_string(start_indices.size()) + " starts");
  std::vector<XlaOp> operands{operand};
  operands.insert(operands.end(), start_indices.begin(), start_indices.end());
  return b->add("dynamic-slice", Shape(from.element_type(), slice_sizes), operands,
                "dynamic_slice_sizes=" + XlaBuilder::listed(slice_sizes));
}

/// The operand with `update` in place of the box at `start_indices`.
inline XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, Span<XlaOp> start_indices) {
  XlaBuilder* b = xla_builder_internal::of(operand);
  if (!xla_builder_internal::checked(b, {operand, update}, "dynamic-update-slice"))
    return XlaOp(b, -1);
  const Shape from = b->shapeOf(operand);
  std::vector<XlaOp> operands{operand, update};
  operands.insert(operands.end(), start_indices.begin(), start_indices.end());
  return b->add("dynamic-update-slice", from, operands);
}

/// `body` again and again, while `condition` of its result, at first `init`, is true.
inline XlaOp While(const XlaComputation& condition, const XlaComputation& body, XlaOp init) {
  XlaBuilder* b = xla_builder_internal::of(init);
  if (!xla_builder_internal::checked(b, {init}, "while")) return XlaOp(b, -1);
  if (condition.IsNull() || body.IsNull())
    return b->fail("while: there is no computation for the condition or the body");
  const Shape state = b->shapeOf(init);
  b->call(condition);
  b->call(body);
  return b->add("while", state, {init}, "condition=" + condition.name() + ", body=" + body.name());
}

inline XlaOp Tuple(XlaBuilder* b, Span<XlaOp> elements) {
  std::vector<Shape> shapes;
  for (const XlaOp each : elements) {
    if (!xla_builder_internal::checked(b, {each}, "tuple")) return XlaOp(b, -1);
    shapes.push_back(b->shapeOf(each));
  }
  return b->add("tuple", ShapeUtil::MakeTupleShape(shapes), elements);
}
inline XlaOp GetTupleElement(XlaOp tuple, int64 index) {
  XlaBuilder* b = xla_builder_internal::of(tuple);
  if (!xla_builder_internal::checked(b, {tuple}, "get-tuple-element")) return XlaOp(b, -1);
  const Shape from = b->shapeOf(tuple);
  if (!from.IsTuple() || index < 0 || index >= from.tuple_shapes_size())
    return b->fail("get-tuple-element: " + from.ToString() + " has no element " +
                   std::to_string(index));
  return b->add("get-tuple-element", from.tuple_shapes(static_cast<int>(index)), {tuple},
                "index=" + std::to_string(index));
}

inline XlaOp CreateToken(XlaBuilder* b) {
  return b->add("after-all", ShapeUtil::MakeTokenShape(), {});
}
inline XlaOp AfterAll(XlaBuilder* b, Span<XlaOp> tokens) {
  for (const XlaOp each : tokens)
    if (!b->knows(each) || !b->shapeOf(each).IsToken())
      return b->fail("after-all: an operand is no token");
  return b->add("after-all", ShapeUtil::MakeTokenShape(), tokens);
}

namespace xla_builder_internal {

inline const char* nameOf(CustomCallApiVersion version) {
  switch (version) {
    case API_VERSION_STATUS_RETURNING: return "API_VERSION_STATUS_RETURNING";
    case API_VERSION_STATUS_RETURNING_UNIFIED: return "API_VERSION_STATUS_RETURNING_UNIFIED";
    case API_VERSION_TYPED_FFI: return "API_VERSION_TYPED_FFI";
    default: return "API_VERSION_ORIGINAL";
  }
}

inline XlaOp customCall(XlaBuilder* b, const std::string& target, Span<XlaOp> operands,
                        const Shape& shape, const std::string& opaque, const Span<Shape>* layouts,
                        bool has_side_effect, Span<OutputOperandAliasing> aliasing,
                        const Literal* literal, CustomCallApiVersion api_version) {
  if (!target.empty() && target[0] == '$')
    return b->fail("Invalid custom_call_target \"" + target +
                   "\": Call targets that start with '$' are reserved for internal use.");
  if (literal != nullptr)
    return b->fail("the custom call to " + target +
                   " has a literal, which no target on Host, CUDA or ROCM gets");
  if (layouts != nullptr) {
    if (layouts->size() != operands.size())
      return b->fail(
          "Must specify a shape with layout for each operand for custom call with "
          "constrained layout; given " +
          std::to_string(layouts->size()) + " shapes, expected " + std::to_string(operands.size()));
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!b->knows(operands[i]) || !(b->shapeOf(operands[i]) == (*layouts)[i]))
        return b->fail("the shape with layout of operand " + std::to_string(i) + " is " +
                       (*layouts)[i].ToString() + ", which is not that of the operand");
      if ((*layouts)[i].IsArray() && (*layouts)[i].rank() > 0 && !(*layouts)[i].has_layout())
        return b->fail("No layout specified for operand " + std::to_string(i) +
                       " for custom call with constrained layout.");
    }
    if (shape.IsArray() && shape.rank() > 0 && !shape.has_layout())
      return b->fail("Result shape must have layout for custom call with constrained layout.");
  }
  std::string text = "custom_call_target=" + XlaBuilder::quoted(target);
  if (layouts != nullptr) {
    std::string shapes;
    for (const Shape& each : *layouts) shapes += (shapes.empty() ? "" : ", ") + each.ToString();
    text += ", operand_layout_constraints={" + shapes + "}";
  }
  if (has_side_effect) text += ", custom_call_has_side_effect=true";
  if (!aliasing.empty()) {
    std::string pairs;
    for (const auto& [result, operand] : aliasing)
      pairs += (pairs.empty() ? "" : ", ") + XlaBuilder::listed(result) + ": (" +
               std::to_string(operand.first) + ", " + XlaBuilder::listed(operand.second) + ")";
    text += ", output_to_operand_aliasing={" + pairs + "}";
  }
  if (api_version != API_VERSION_ORIGINAL && api_version != API_VERSION_UNSPECIFIED)
    text += std::string(", api_version=") + nameOf(api_version);
  if (!opaque.empty()) text += ", backend_config=" + XlaBuilder::quoted(opaque);
  return b->add("custom-call", shape, operands, text);
}

}  // namespace xla_builder_internal

/// Calls the target. `opaque` are bytes for it, also NULs.
inline XlaOp CustomCall(XlaBuilder* builder, const std::string& call_target_name,
                        Span<XlaOp> operands, const Shape& shape, const std::string& opaque = "",
                        bool has_side_effect = false,
                        Span<OutputOperandAliasing> output_operand_aliasing = {},
                        const Literal* literal = nullptr,
                        CustomCallSchedule /*schedule*/ = SCHEDULE_NONE,
                        CustomCallApiVersion api_version = API_VERSION_ORIGINAL) {
  return xla_builder_internal::customCall(builder, call_target_name, operands, shape, opaque,
                                          nullptr, has_side_effect, output_operand_aliasing,
                                          literal, api_version);
}
/// Each operand, and the result, in the layout of the shape that is given for it.
inline XlaOp CustomCallWithLayout(XlaBuilder* builder, const std::string& call_target_name,
                                  Span<XlaOp> operands, const Shape& shape_with_layout,
                                  Span<Shape> operand_shapes_with_layout,
                                  const std::string& opaque = "", bool has_side_effect = false,
                                  Span<OutputOperandAliasing> output_operand_aliasing = {},
                                  const Literal* literal = nullptr,
                                  CustomCallSchedule /*schedule*/ = SCHEDULE_NONE,
                                  CustomCallApiVersion api_version = API_VERSION_ORIGINAL) {
  return xla_builder_internal::customCall(builder, call_target_name, operands, shape_with_layout,
                                          opaque, &operand_shapes_with_layout, has_side_effect,
                                          output_operand_aliasing, literal, api_version);
}

}  // namespace xla

#include "xla/hlo/builder/xla_builder_operators.h"  // IWYU pragma: export

#endif  // XLA_HLO_BUILDER_XLA_BUILDER_H_
