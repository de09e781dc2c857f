// Operator schemas, with which a library registers its operators with ONNX. After
// onnx/defs/schema.h of ONNX.
//
// Registered schemas appear in Python's onnx.defs, so that onnx.checker and onnx.shape_inference
// know the operators. ONNX's C++ library is not needed. Functions with code in libpopir are in an
// inline namespace, so that their symbols do not clash with ONNX's.
#ifndef onnx_defs_schema_h
#define onnx_defs_schema_h

#include <onnx/defs/shape_inference.h>
#include <onnx/onnx_pb.h>
#include <popir/sdk.hpp>

#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace ONNX_NAMESPACE {

constexpr const char* ONNX_DOMAIN = "";
constexpr const char* AI_ONNX_DOMAIN = "ai.onnx";
constexpr const char* AI_ONNX_ML_DOMAIN = "ai.onnx.ml";

inline namespace popir_sdk {

using OperatorSetVersion = int;

/// The schema of an operator: inputs, outputs, attributes. Setters return the schema, for chaining.
class OpSchema {
 public:
  static constexpr int kUninitializedSinceVersion = -1;

  enum FormalParameterOption : uint8_t { Single = 0, Optional = 1, Variadic = 2 };
  enum DifferentiationCategory : uint8_t { Unknown = 0, Differentiable = 1, NonDifferentiable = 2 };
  enum class SupportType : uint8_t { COMMON, EXPERIMENTAL };

  struct FormalParameter {
    std::string name;
    std::string typeStr;
    std::string description;
    FormalParameterOption option;
    bool isHomogeneous;
    int minArity;
  };
  struct Attribute {
    std::string name;
    std::string description;
    AttributeProto::AttributeType type;
    bool required;
    /// Has type `type` if there is a default.
    AttributeProto defaultValue;
  };
  struct TypeConstraintParam {
    std::string typeParamStr;
    std::vector<std::string> allowedTypeStrs;
    std::string description;
  };

  OpSchema() = default;
  OpSchema(std::string name, std::string file, int line)
      : name_(std::move(name)), file_(std::move(file)), line_(line) {}

  OpSchema& SetName(std::string name);
  OpSchema& SetDomain(std::string domain);
  OpSchema& SinceVersion(OperatorSetVersion version);
  OpSchema& SetLocation(std::string file, int line);
  OpSchema& SetDoc(const std::string& doc);
  OpSchema& SetSupportLevel(SupportType) { return *this; }
  OpSchema& Deprecate() { return *this; }
  OpSchema& AllowUncheckedAttributes() { return *this; }
  OpSchema& NumInputs(int) { return *this; }
  OpSchema& NumInputs(int, int) { return *this; }
  OpSchema& NumOutputs(int) { return *this; }
  OpSchema& NumOutputs(int, int) { return *this; }

  /// Adds parameter `n`. Call in ascending order of n.
  OpSchema& Input(int n, std::string name, const std::string& description, std::string typeStr,
                  FormalParameterOption option = Single, bool isHomogeneous = true,
                  int minArity = 1, DifferentiationCategory = Unknown);
  OpSchema& Output(int n, std::string name, const std::string& description, std::string typeStr,
                   FormalParameterOption option = Single, bool isHomogeneous = true,
                   int minArity = 1, DifferentiationCategory = Unknown);
  OpSchema& TypeConstraint(std::string typeStr, std::vector<std::string> allowed,
                           std::string description);

  OpSchema& Attr(std::string name, std::string description, AttributeProto::AttributeType type,
                 bool required = true);
  // With a default value.
  OpSchema& Attr(std::string name, std::string description, AttributeProto::AttributeType type,
                 int64_t value);
  OpSchema& Attr(std::string name, std::string description, AttributeProto::AttributeType type,
                 int value) {
    return Attr(std::move(name), std::move(description), type, static_cast<int64_t>(value));
  }
  OpSchema& Attr(std::string name, std::string description, AttributeProto::AttributeType type,
                 float value);
  OpSchema& Attr(std::string name, std::string description, AttributeProto::AttributeType type,
                 const char* value);
  OpSchema& Attr(std::string name, std::string description, AttributeProto::AttributeType type,
                 const std::string& value);
  OpSchema& Attr(std::string name, std::string description, AttributeProto::AttributeType type,
                 const std::vector<int64_t>& value);
  OpSchema& Attr(std::string name, std::string description, AttributeProto::AttributeType type,
                 const std::vector<float>& value);
  OpSchema& Attr(std::string name, std::string description, AttributeProto::AttributeType type,
                 const std::vector<std::string>& value);

  OpSchema& TypeAndShapeInferenceFunction(InferenceFunction function);
  /// Calls `populate` on this schema immediately.
  OpSchema& FillUsing(const std::function<void(OpSchema&)>& populate);

  static const std::vector<std::string>& all_numeric_types();
  static const std::vector<std::string>& all_float_types();
  static const std::vector<std::string>& all_tensor_types();

  const std::string& Name() const { return name_; }
  const std::string& domain() const { return domain_; }
  OperatorSetVersion SinceVersion() const { return sinceVersion_; }
  const std::string& doc() const { return doc_; }
  const std::string& file() const { return file_; }
  int line() const { return line_; }
  const std::vector<FormalParameter>& inputs() const { return inputs_; }
  const std::vector<FormalParameter>& outputs() const { return outputs_; }
  const std::map<std::string, Attribute>& attributes() const { return attributes_; }
  const std::vector<TypeConstraintParam>& typeConstraintParams() const { return constraints_; }
  bool has_type_and_shape_inference_function() const { return static_cast<bool>(inference_); }
  const InferenceFunction& GetTypeAndShapeInferenceFunction() const { return inference_; }

 private:
  std::string name_;
  std::string domain_;
  OperatorSetVersion sinceVersion_ = 1;
  std::string doc_;
  std::string file_;
  int line_ = 0;
  std::vector<FormalParameter> inputs_;
  std::vector<FormalParameter> outputs_;
  std::map<std::string, Attribute> attributes_;
  std::vector<TypeConstraintParam> constraints_;
  InferenceFunction inference_;
};

/// The schemas registered by libraries.
class OpSchemaRegistry {
 public:
  /// The versions of each domain.
  class DomainToVersionRange {
   public:
    static DomainToVersionRange& Instance();
    /// Stores the versions for queries. It is not needed for registration: Python's onnx.defs adds
    /// a domain with its first schema.
    void AddDomainToVersion(const std::string& domain, int minVersion, int maxVersion,
                            int lastReleaseVersion = -1);
    void UpdateDomainToVersion(const std::string& domain, int minVersion, int maxVersion,
                               int lastReleaseVersion = -1) {
      AddDomainToVersion(domain, minVersion, maxVersion, lastReleaseVersion);
    }
    const std::unordered_map<std::string, std::pair<int, int>>& Map() const { return ranges_; }

   private:
    std::unordered_map<std::string, std::pair<int, int>> ranges_;
  };

  /// Registers a schema when its library is loaded: define a static object of this type.
  class OpSchemaRegisterOnce {
   public:
    OpSchemaRegisterOnce(const OpSchema& schema);
  };

  /// The registered schema of this name with the highest version not above `maxInclusiveVersion`.
  /// Null if there is none.
  static const OpSchema* Schema(const std::string& name, int maxInclusiveVersion,
                                const std::string& domain = ONNX_DOMAIN);
};

/// Registers a schema. Never throws: errors are reported at the next use of popir's registry.
/// `where` is an address in the library that contains the schema.
void RegisterSchema(const OpSchema& schema, int opsetVersionToLoad = 0, bool failDuplicate = true,
                    bool failWithException = false, const void* where = nullptr) noexcept;

}  // namespace popir_sdk

/// Specialised by ONNX_OPERATOR_SET_SCHEMA_EX.
template <typename T>
OpSchema GetOpSchema();

/// Registers all schemas of a set. OperatorSet has a static ForEachSchema(function).
template <class OperatorSet>
void RegisterOpSetSchema(int = 0, bool = true, bool = false) {
  OperatorSet::ForEachSchema([](OpSchema&& schema) { RegisterSchema(schema); });
}

}  // namespace ONNX_NAMESPACE

#pragma GCC visibility pop

#define ONNX_OPERATOR_SET_SCHEMA_CLASS_NAME(domain, ver, name) name##_##domain##_ver##ver

/// Defines the schema that GetOpSchema<class name>() returns. Use it in ONNX_NAMESPACE.
#define ONNX_OPERATOR_SET_SCHEMA_EX(name, domain, domain_str, ver, in_static_opset, impl) \
  class ONNX_OPERATOR_SET_SCHEMA_CLASS_NAME(domain, ver, name);                           \
  template <>                                                                             \
  OpSchema GetOpSchema<ONNX_OPERATOR_SET_SCHEMA_CLASS_NAME(domain, ver, name)>() {        \
    return impl.SetName(#name)                                                            \
        .SetDomain(domain_str)                                                            \
        .SinceVersion(ver)                                                                \
        .SetLocation(__FILE__, __LINE__);                                                 \
  }
#define ONNX_OPERATOR_SET_SCHEMA(name, ver, impl) \
  ONNX_OPERATOR_SET_SCHEMA_EX(name, Onnx, ONNX_NAMESPACE::ONNX_DOMAIN, ver, true, impl)

#define POPIR_ONNX_JOIN_(a, b) a##b
#define POPIR_ONNX_JOIN(a, b) POPIR_ONNX_JOIN_(a, b)
#define ONNX_OPERATOR_SCHEMA(name)                                               \
  static ONNX_NAMESPACE::OpSchemaRegistry::OpSchemaRegisterOnce POPIR_ONNX_JOIN( \
      op_schema_register_once_##name, __COUNTER__) __attribute__((unused)) =     \
      ONNX_NAMESPACE::OpSchema(#name, __FILE__, __LINE__)

#endif
