// Registration and construction of operators written in C++.
// After popart/opmanager.hpp of PopART 3.
#ifndef popart_opmanager_hpp
#define popart_opmanager_hpp

#include <popart/attributes.hpp>
#include <popart/names.hpp>
#include <popart/op.hpp>
#include <popart/tensordata.hpp>
#include <popart/tensorinfo.hpp>
#include <popir/sdk.hpp>

#include <cstring>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Supported inputs, outputs and attributes of an operator. A model that violates them gives a
/// warning.
class OpDefinition {
 public:
  struct Input {
    Input(std::string name_, std::vector<DataType> types, bool constant_ = false)
        : name(std::move(name_)), supportedTensors(std::move(types)), constant(constant_) {}

    std::string name;
    std::vector<DataType> supportedTensors;
    /// True if the value must be known at compile time.
    bool constant;
  };
  struct Output {
    Output(std::string name_, std::vector<DataType> types)
        : name(std::move(name_)), supportedTensors(std::move(types)) {}

    std::string name;
    std::vector<DataType> supportedTensors;
  };
  struct Attribute {
    Attribute(std::string regex) : supportedValuesRegex(std::move(regex)) {}

    /// "*" accepts any value.
    std::string supportedValuesRegex;
  };

  using DataTypes = std::vector<DataType>;
  using Inputs = std::vector<Input>;
  using Outputs = std::vector<Output>;
  using Attributes = std::map<std::string, Attribute>;

  OpDefinition() = default;
  OpDefinition(Inputs i, Outputs o, Attributes a)
      : inputs(std::move(i)), outputs(std::move(o)), attributes(std::move(a)) {}

  Inputs inputs;
  Outputs outputs;
  Attributes attributes;
};

using OpDefinitions = std::map<OperatorIdentifier, OpDefinition, OperatorIdentifierLess>;

/// The arguments of an operator factory.
class OpCreatorInfo {
 public:
  OpCreatorInfo(const OperatorIdentifier& opid_, const Op::Settings& settings_,
                const Attributes& attributes_, const std::vector<TensorId>& inputIds,
                const std::vector<TensorId>& outputIds)
      : opid(opid_),
        settings(settings_),
        attributes(attributes_),
        inputIds_(inputIds),
        outputIds_(outputIds) {}

  const OperatorIdentifier& opid;
  const Op::Settings& settings;
  const Attributes& attributes;

  bool hasInputIds() const { return !inputIds_.empty(); }
  bool hasOutputIds() const { return !outputIds_.empty(); }
  /// Inputs in the order of the node; "" for an optional input that is left out.
  const std::vector<TensorId>& getInputIds() const { return inputIds_; }
  const std::vector<TensorId>& getOutputIds() const { return outputIds_; }
  bool hasInputTensor(int index) const;
  /// \throws error if the node has no such input
  Tensor* getInputTensor(int index) const;
  TensorInfo& getInputTensorInfo(int index) const;
  /// The elements of a constant input with the data type of T.
  /// \throws error if the input is missing, not constant, or has another type
  template <typename T>
  std::vector<T> getInputData(int index) const {
    const TensorData& data = inputData(index, getDataType<T>());
    std::vector<T> values(data.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), data.data(), values.size() * sizeof(T));
    return values;
  }
  /// Like getInputData(), for an input with one element.
  template <typename T>
  T getInputScalarValue(int index) const {
    const std::vector<T> values = getInputData<T>(index);
    checkScalar(index, values.size());
    return values[0];
  }
  /// Returns `defaultValue` if the input is left out.
  template <typename T>
  T getInputScalarValue(int index, T defaultValue) const {
    return hasInputTensor(index) ? getInputScalarValue<T>(index) : defaultValue;
  }
  std::string debugName() const;

 private:
  const TensorData& inputData(int index, DataType type) const;
  void checkScalar(int index, std::size_t elements) const;

  const std::vector<TensorId>& inputIds_;
  const std::vector<TensorId>& outputIds_;
};

/// The registry of operators.
class OpManager {
 public:
  using OpFactoryFunc = std::function<std::unique_ptr<Op>(const OpCreatorInfo&)>;
  /// Creates and connects one or more operators in the graph, and returns the last one.
  using ComplexOpFactoryFunc = std::function<Op*(const OpCreatorInfo&, Graph&)>;

  class OpInfo {
   public:
    OpInfo(const OperatorIdentifier& id_, bool isPublic_, const OpDefinition& details_,
           OpFactoryFunc factory)
        : isPublic(isPublic_), id(id_), details(details_), simpleFactory(std::move(factory)) {}
    OpInfo(const OperatorIdentifier& id_, bool isPublic_, const OpDefinition& details_,
           ComplexOpFactoryFunc factory)
        : isPublic(isPublic_), id(id_), details(details_), complexFactory(std::move(factory)) {}

    bool isPublic;
    OperatorIdentifier id;
    OpDefinition details;
    /// Exactly one of the two factories is set.
    OpFactoryFunc simpleFactory;
    ComplexOpFactoryFunc complexFactory;
    /// True if the class overrides getGradOps().
    bool hasGradOps = true;
  };

  /// Registers an operator. `where` is an address in the library that contains it. Never throws; a
  /// duplicate identifier is reported at the next use of the registry.
  static void registerOp(const OpInfo& opInfo, const void* where = nullptr) noexcept;

  /// Creates an operator as for a node of a model: the highest version not above `opid.version`,
  /// registered by a library or built in.
  /// \throws error if there is none
  static std::unique_ptr<Op> createOp(const OperatorIdentifier& opid, Graph& graph,
                                      const std::string& name = "",
                                      const Attributes& attributes = {});

  /// The operators registered by libraries.
  static const std::vector<OperatorIdentifier> getSupportedOperations(bool includePrivate);
  /// The same with what they say of their inputs, outputs and attributes.
  static const OpDefinitions getSupportedOperationsDefinition(bool includePrivate);
};

/// Registers an operator when its library is loaded: define a static object of this type. It is
/// created by the factory, or without one by its constructor from identifier and settings.
template <class OP>
class OpCreator {
 public:
  OpCreator(const OpDefinitions& definitions) : OpCreator(definitions, true) {}
  template <class BOOL, typename = typename std::enable_if<  // not for a lambda, which may be one
                            std::is_same<BOOL, bool>::value>::type>
  OpCreator(const OpDefinitions& definitions, BOOL isPublic) {
    add(definitions, isPublic, OpManager::OpFactoryFunc([](const OpCreatorInfo& info) {
          return std::unique_ptr<Op>(new OP(info.opid, info.settings));
        }));
  }
  OpCreator(const OpDefinitions& definitions, OpManager::OpFactoryFunc factory,
            bool isPublic = true) {
    add(definitions, isPublic, factory);
  }
  OpCreator(const OpDefinitions& definitions, OpManager::ComplexOpFactoryFunc factory,
            bool isPublic = true) {
    add(definitions, isPublic, factory);
  }
  // As in SDK 1: without a definition, and with factories that do not know the inputs.
  using AttributesFactoryFunc = std::function<std::unique_ptr<Op>(
      const OperatorIdentifier&, const Op::Settings&, const Attributes&)>;
  // An identifier is given as such: what stands in braces are definitions.
  template <class ID>
  using IfIdentifier =
      typename std::enable_if<std::is_same<ID, OperatorIdentifier>::value, bool>::type;
  template <class ID>
  OpCreator(const ID& opid, IfIdentifier<ID> isPublic = true)
      : OpCreator(OpDefinitions({{opid, OpDefinition()}}), isPublic) {}
  template <class ID>
  OpCreator(const ID& opid, AttributesFactoryFunc factory, IfIdentifier<ID> isPublic = true)
      : OpCreator(OpDefinitions({{opid, OpDefinition()}}), std::move(factory), isPublic) {}
  // Several, or one in braces.
  OpCreator(std::initializer_list<OperatorIdentifier> opids, bool isPublic = true)
      : OpCreator(withoutDefinition(opids), isPublic) {}
  OpCreator(std::initializer_list<OperatorIdentifier> opids, AttributesFactoryFunc factory,
            bool isPublic = true)
      : OpCreator(withoutDefinition(opids), std::move(factory), isPublic) {}
  OpCreator(const std::vector<OperatorIdentifier>& opids, bool isPublic = true)
      : OpCreator(withoutDefinition(opids), isPublic) {}
  OpCreator(const std::vector<OperatorIdentifier>& opids, AttributesFactoryFunc factory,
            bool isPublic = true)
      : OpCreator(withoutDefinition(opids), std::move(factory), isPublic) {}
  OpCreator(const OpDefinitions& definitions, AttributesFactoryFunc factory, bool isPublic = true) {
    add(definitions, isPublic, OpManager::OpFactoryFunc([factory](const OpCreatorInfo& info) {
          return factory(info.opid, info.settings, info.attributes);
        }));
  }

 private:
  template <class IDS>
  static OpDefinitions withoutDefinition(const IDS& opids) {
    OpDefinitions definitions;
    for (const OperatorIdentifier& opid : opids) definitions.emplace(opid, OpDefinition());
    return definitions;
  }

  template <typename Factory>
  void add(const OpDefinitions& definitions, bool isPublic, const Factory& factory) {
    for (const auto& d : definitions)
      OpManager::registerOp(withGradOps(OpManager::OpInfo(d.first, isPublic, d.second, factory)),
                            this);
  }

  // Detects whether OP inherits getGradOps(): the type of a member pointer names the class that
  // declares it. If it is not public, it cannot be examined, and counts as overridden.
  template <class C>
  static std::is_same<decltype(&C::getGradOps), std::vector<std::unique_ptr<Op>> (Op::*)()>
  inheritsGradOps(const C*);
  static std::false_type inheritsGradOps(...);

  static OpManager::OpInfo withGradOps(OpManager::OpInfo info) {
    info.hasGradOps = !decltype(inheritsGradOps(static_cast<const OP*>(nullptr)))::value;
    return info;
  }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
