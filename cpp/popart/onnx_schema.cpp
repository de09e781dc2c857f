#include <onnx/defs/schema.h>
#include <popart/error.hpp>

#include "popart/registry.hpp"

namespace ONNX_NAMESPACE {
inline namespace popir_sdk {

OpSchema& OpSchema::SetName(std::string name) {
  name_ = std::move(name);
  return *this;
}
OpSchema& OpSchema::SetDomain(std::string domain) {
  domain_ = std::move(domain);
  return *this;
}
OpSchema& OpSchema::SinceVersion(OperatorSetVersion version) {
  sinceVersion_ = version;
  return *this;
}
OpSchema& OpSchema::SetLocation(std::string file, int line) {
  file_ = std::move(file);
  line_ = line;
  return *this;
}
OpSchema& OpSchema::SetDoc(const std::string& doc) {
  doc_ = doc;
  return *this;
}

namespace {

void add(std::vector<OpSchema::FormalParameter>& all, int n, const char* kind,
         OpSchema::FormalParameter parameter) {
  if (n < 0) throw popart::error("The schema's {} has the index {}", kind, n);
  const auto index = static_cast<std::size_t>(n);
  if (index >= all.size()) all.resize(index + 1);
  all[index] = std::move(parameter);
}

}  // namespace

OpSchema& OpSchema::Input(int n, std::string name, const std::string& description,
                          std::string typeStr, FormalParameterOption option, bool isHomogeneous,
                          int minArity, DifferentiationCategory) {
  add(inputs_, n, "input",
      {std::move(name), std::move(typeStr), description, option, isHomogeneous, minArity});
  return *this;
}

OpSchema& OpSchema::Output(int n, std::string name, const std::string& description,
                           std::string typeStr, FormalParameterOption option, bool isHomogeneous,
                           int minArity, DifferentiationCategory) {
  add(outputs_, n, "output",
      {std::move(name), std::move(typeStr), description, option, isHomogeneous, minArity});
  return *this;
}

OpSchema& OpSchema::TypeConstraint(std::string typeStr, std::vector<std::string> allowed,
                                   std::string description) {
  constraints_.push_back({std::move(typeStr), std::move(allowed), std::move(description)});
  return *this;
}

OpSchema& OpSchema::Attr(std::string name, std::string description,
                         AttributeProto::AttributeType type, bool required) {
  attributes_[name] = {name, std::move(description), type, required, AttributeProto()};
  return *this;
}

namespace {

AttributeProto defaultOf(const std::string& name, AttributeProto::AttributeType type) {
  AttributeProto a;
  a.set_name(name);
  a.set_type(type);
  return a;
}

}  // namespace

OpSchema& OpSchema::Attr(std::string name, std::string description,
                         AttributeProto::AttributeType type, int64_t value) {
  // An integer is accepted for a float.
  if (type == AttributeProto::FLOAT)
    return Attr(std::move(name), std::move(description), type, static_cast<float>(value));
  AttributeProto a = defaultOf(name, type);
  a.set_i(value);
  attributes_[name] = {name, std::move(description), type, false, std::move(a)};
  return *this;
}

OpSchema& OpSchema::Attr(std::string name, std::string description,
                         AttributeProto::AttributeType type, float value) {
  AttributeProto a = defaultOf(name, type);
  a.set_f(value);
  attributes_[name] = {name, std::move(description), type, false, std::move(a)};
  return *this;
}

OpSchema& OpSchema::Attr(std::string name, std::string description,
                         AttributeProto::AttributeType type, const char* value) {
  return Attr(std::move(name), std::move(description), type, std::string(value));
}

OpSchema& OpSchema::Attr(std::string name, std::string description,
                         AttributeProto::AttributeType type, const std::string& value) {
  AttributeProto a = defaultOf(name, type);
  a.set_s(value);
  attributes_[name] = {name, std::move(description), type, false, std::move(a)};
  return *this;
}

OpSchema& OpSchema::Attr(std::string name, std::string description,
                         AttributeProto::AttributeType type, const std::vector<int64_t>& value) {
  AttributeProto a = defaultOf(name, type);
  *a.mutable_ints() = value;
  attributes_[name] = {name, std::move(description), type, false, std::move(a)};
  return *this;
}

OpSchema& OpSchema::Attr(std::string name, std::string description,
                         AttributeProto::AttributeType type, const std::vector<float>& value) {
  AttributeProto a = defaultOf(name, type);
  *a.mutable_floats() = value;
  attributes_[name] = {name, std::move(description), type, false, std::move(a)};
  return *this;
}

OpSchema& OpSchema::Attr(std::string name, std::string description,
                         AttributeProto::AttributeType type,
                         const std::vector<std::string>& value) {
  AttributeProto a = defaultOf(name, type);
  *a.mutable_strings() = value;
  attributes_[name] = {name, std::move(description), type, false, std::move(a)};
  return *this;
}

OpSchema& OpSchema::TypeAndShapeInferenceFunction(InferenceFunction function) {
  inference_ = std::move(function);
  return *this;
}

OpSchema& OpSchema::FillUsing(const std::function<void(OpSchema&)>& populate) {
  populate(*this);
  return *this;
}

namespace {

std::vector<std::string> tensors(std::initializer_list<const char*> elements) {
  std::vector<std::string> types;
  for (const char* element : elements) types.push_back(std::string("tensor(") + element + ")");
  return types;
}

}  // namespace

const std::vector<std::string>& OpSchema::all_float_types() {
  static const auto types = tensors({"float", "float16", "double"});
  return types;
}

const std::vector<std::string>& OpSchema::all_numeric_types() {
  static const auto types = tensors({"uint8", "uint16", "uint32", "uint64", "int8", "int16",
                                     "int32", "int64", "float16", "float", "double"});
  return types;
}

const std::vector<std::string>& OpSchema::all_tensor_types() {
  static const auto types =
      tensors({"uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16",
               "float", "double", "string", "bool", "complex64", "complex128"});
  return types;
}

OpSchemaRegistry::DomainToVersionRange& OpSchemaRegistry::DomainToVersionRange::Instance() {
  static DomainToVersionRange ranges;
  return ranges;
}

void OpSchemaRegistry::DomainToVersionRange::AddDomainToVersion(const std::string& domain,
                                                                int minVersion, int maxVersion,
                                                                int) {
  ranges_[domain] = {minVersion, maxVersion};
}

OpSchemaRegistry::OpSchemaRegisterOnce::OpSchemaRegisterOnce(const OpSchema& schema) {
  RegisterSchema(schema, 0, true, false, this);
}

const OpSchema* OpSchemaRegistry::Schema(const std::string& name, int maxInclusiveVersion,
                                         const std::string& domain) {
  const OpSchema* best = nullptr;
  for (const popir::SchemaRecord& record : popir::Registry::instance().schemas()) {
    const OpSchema& schema = record.schema;
    if (schema.Name() == name && schema.domain() == domain &&
        schema.SinceVersion() <= maxInclusiveVersion &&
        (best == nullptr || best->SinceVersion() < schema.SinceVersion()))
      best = &schema;
  }
  return best;
}

void RegisterSchema(const OpSchema& schema, int, bool, bool, const void* where) noexcept {
  const void* caller = __builtin_return_address(0);
  popir::record("a schema", [&] {
    popir::Registry::instance().addSchema(schema, popir::Origin::of(where, caller));
  });
}

}  // namespace popir_sdk
}  // namespace ONNX_NAMESPACE
