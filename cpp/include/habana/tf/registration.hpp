// How an operator library registers operators and kernels, with TensorFlow's macros.
#ifndef popir_habana_tf_registration_hpp
#define popir_habana_tf_registration_hpp

#include "shape_functions.hpp"

#pragma GCC visibility push(default)

namespace habana {
inline namespace v1 {
class BaseFunctor;
}
}  // namespace habana

namespace tensorflow {

typedef std::function<Status(shape_inference::InferenceContext*)> OpShapeInferenceFn;

/// What REGISTER_OP says of an operator.
class OpDefBuilder {
 public:
  explicit OpDefBuilder(std::string name) : name_(std::move(name)) {}
  OpDefBuilder& Input(std::string spec) { return put(inputs_, std::move(spec)); }
  OpDefBuilder& Output(std::string spec) { return put(outputs_, std::move(spec)); }
  OpDefBuilder& Attr(std::string spec) { return put(attributes_, std::move(spec)); }
  OpDefBuilder& SetShapeFn(OpShapeInferenceFn function) {
    shape_ = std::move(function);
    return *this;
  }
  OpDefBuilder& SetIsStateful() {
    stateful_ = true;
    return *this;
  }
  OpDefBuilder& SetIsCommutative() { return *this; }
  OpDefBuilder& SetIsAggregate() { return *this; }
  OpDefBuilder& SetAllowsUninitializedInput() { return *this; }
  OpDefBuilder& SetIsDistributedCommunication() { return SetIsStateful(); }
  /// What type inference of functions works with; there is none here.
  OpDefBuilder& SetForwardTypeFn(std::nullptr_t) { return *this; }
  /// The version of graphs that it is not for, and why.
  OpDefBuilder& Deprecated(int version, StringPiece explanation) {
    doc_ += absl::StrCat(doc_.empty() ? "" : "\n", "Deprecated since version ", version, ": ",
                         explanation);
    return *this;
  }
  OpDefBuilder& Doc(std::string text) {
    doc_ = std::move(text) + (doc_.empty() ? "" : "\n" + doc_);
    return *this;
  }

  std::string name_, doc_;
  std::vector<std::string> inputs_, outputs_, attributes_;
  OpShapeInferenceFn shape_;
  bool stateful_ = false;

 private:
  OpDefBuilder& put(std::vector<std::string>& to, std::string spec) {
    to.push_back(std::move(spec));
    return *this;
  }
};

/// What REGISTER_KERNEL_BUILDER says of a kernel.
class KernelDefBuilder {
 public:
  explicit KernelDefBuilder(std::string op) : op_(std::move(op)) {}
  KernelDefBuilder& Device(const char* device) {
    device_ = device;
    return *this;
  }
  template <class T>
  KernelDefBuilder& TypeConstraint(const char* attribute) {
    return TypeConstraint(attribute, DataTypeToEnum<T>::value);
  }
  KernelDefBuilder& TypeConstraint(const char* attribute, DataType allowed) {
    return TypeConstraint(attribute, DataTypeVector{allowed});
  }
  KernelDefBuilder& TypeConstraint(const char* attribute, DataTypeVector allowed) {
    constraints_.emplace_back(attribute, std::move(allowed));
    return *this;
  }
  KernelDefBuilder& HostMemory(const char* argument) {
    host_.push_back(argument);
    return *this;
  }
  KernelDefBuilder& Label(const char* label) {
    label_ = label;
    return *this;
  }
  KernelDefBuilder& Priority(std::int32_t priority) {
    priority_ = priority;
    return *this;
  }

  std::string op_, device_, label_;
  std::vector<std::pair<std::string, DataTypeVector>> constraints_;
  std::vector<std::string> host_;
  std::int32_t priority_ = 0;
};

namespace register_kernel {
typedef tensorflow::KernelDefBuilder KernelDefBuilder;
class Name : public KernelDefBuilder {
 public:
  explicit Name(const char* op) : KernelDefBuilder(op) {}
};
/// A kernel that runs on the accelerator.
class ForHpuWithName : public KernelDefBuilder {
 public:
  explicit ForHpuWithName(const char* op) : KernelDefBuilder(op) { Device("HPU"); }
};
}  // namespace register_kernel

typedef std::unique_ptr<::habana::BaseFunctor> (*FunctorFactory)();

/// Notes the operator, or the kernel, for the library in whose memory `library` lies. They do not
/// throw; what is wrong is said when the library is loaded.
struct OpRegistration {
  OpRegistration(const OpDefBuilder& definition) noexcept;
};
struct KernelRegistration {
  KernelRegistration(const KernelDefBuilder& definition, FunctorFactory functor) noexcept;
};

}  // namespace tensorflow

#define REGISTER_OP(name)                                                         \
  static const ::tensorflow::OpRegistration POPIR_TF_JOIN(popir_op_, __COUNTER__) \
      __attribute__((unused)) = ::tensorflow::OpDefBuilder(name)

#define TF_EXTRACT_KERNEL_NAME_ForHpuWithName(name_str) name_str, ForHpuWithName(name_str)

// It ends with its semicolon, for TF_CALL_FLOAT_TYPES(macro) and its like.
#define REGISTER_KERNEL_BUILDER(builder, ...)                                             \
  static const ::tensorflow::KernelRegistration POPIR_TF_JOIN(popir_kernel_, __COUNTER__) \
      __attribute__((unused)) (                                                           \
          [] {                                                                            \
            using namespace ::tensorflow::register_kernel;                                \
            return static_cast<const ::tensorflow::KernelDefBuilder&>(builder);           \
          }(),                                                                            \
          &__VA_ARGS__::makeFunctor);

#define OP_REQUIRES(context, condition, ...)                    \
  do {                                                          \
    if (!TF_PREDICT_TRUE(condition)) {                          \
      CheckNotInComputeAsync((context), "OP_REQUIRES_ASYNC");   \
      (context)->CtxFailure(__FILE__, __LINE__, (__VA_ARGS__)); \
      return;                                                   \
    }                                                           \
  } while (0)
#define OP_REQUIRES_OK(context, ...)                                      \
  do {                                                                    \
    const ::tensorflow::Status popir_status = (__VA_ARGS__);              \
    if (!TF_PREDICT_TRUE(popir_status.ok())) {                            \
      CheckNotInComputeAsync((context), "OP_REQUIRES_OK_ASYNC");          \
      (context)->CtxFailureWithWarning(__FILE__, __LINE__, popir_status); \
      return;                                                             \
    }                                                                     \
  } while (0)

/// Declares a variable with the value, or gives the error to the context.
#define OP_REQUIRES_VALUE(to, context, expression) \
  POPIR_TF_REQUIRES_VALUE(POPIR_TF_JOIN(popir_or_, __COUNTER__), to, context, expression)
#define POPIR_TF_REQUIRES_VALUE(name, to, context, expression) \
  auto name = (expression);                                    \
  OP_REQUIRES_OK(context, name.status());                      \
  to = std::move(name).value()

#pragma GCC visibility pop

#endif
