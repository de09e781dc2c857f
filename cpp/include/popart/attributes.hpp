// Attributes of a node. After popart/attributes.hpp of PopART 3.
#ifndef popart_attributes_hpp
#define popart_attributes_hpp

#include <onnx/onnx_pb.h>
#include <popart/error.hpp>
#include <popart/names.hpp>

#include <map>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Named attributes. As in an ONNX node, each has one of eight types.
class Attributes {
 public:
  using Ints = std::vector<int64_t>;
  using Int = int64_t;
  using Floats = std::vector<float>;
  using Float = float;
  using Strings = std::vector<std::string>;
  using String = std::string;
  using Graphs = std::vector<ONNX_NAMESPACE::GraphProto>;
  using Graph = ONNX_NAMESPACE::GraphProto;

  enum class Type { Int, Ints, Float, Floats, String, Strings, Graph, Graphs };

  Attributes() = default;
  /// Those of a node of a model. Of one without a type, the field that is set says it.
  /// \throws error for an attribute of another type, such as a tensor
  explicit Attributes(const NodeAttributes& attributes);

  /// In the order of definition.
  const std::vector<std::string>& getNames() const { return names_; }
  bool hasAttribute(const std::string& key) const { return values_.count(key) != 0; }
  /// \throws error if the attribute is missing
  Type getType(const std::string& key) const;

  /// Returns an attribute. T is one of the types above, or bool for an Int that is 0 or 1.
  /// \throws error if the attribute is missing or has another type
  template <typename T>
  T getAttribute(const std::string& key) const;
  /// Returns `defaultValue` if the attribute is missing.
  /// \throws error if it has another type
  template <typename T>
  T getAttribute(const std::string& key, const T& defaultValue) const {
    return hasAttribute(key) ? getAttribute<T>(key) : defaultValue;
  }
  /// Like getAttribute(), into `value`.
  template <typename T>
  void set(T& value, const std::string& key) const {
    value = getAttribute<T>(key);
  }
  /// Like set(), but leaves `value` unchanged if the attribute is missing.
  template <typename T>
  void setIfPresent(T& value, const std::string& key) const {
    if (hasAttribute(key)) value = getAttribute<T>(key);
  }

  /// The graphs of all attributes of type Graph, followed by those of type Graphs.
  Graphs getAllGraphAttributes() const;

  /// Adds or replaces an attribute.
  template <typename T>
  void setAttribute(const std::string& key, const T& value);
  /// Copies one attribute of `from`, if it exists.
  void takeAttribute(const std::string& key, const Attributes& from);
  /// The attributes with names that satisfy `predicate`.
  template <typename Predicate>
  Attributes filter(Predicate predicate) const {
    Attributes result;
    for (const std::string& name : names_)
      if (predicate(name)) result.takeAttribute(name, *this);
    return result;
  }

  /// Sets the owner's name, for error messages.
  void setOwner(std::string owner) { owner_ = std::move(owner); }

 private:
  struct Value {
    Type type = Type::Int;
    Int i = 0;
    Float f = 0;
    String s;
    Ints ints;
    Floats floats;
    Strings strings;
    Graphs graphs;

    /// An empty list matches every list type.
    bool isEmptyList() const;
  };
  const Value& find(const std::string& key, Type type) const;
  Value& put(const std::string& key, Type type);

  std::map<std::string, Value> values_;
  std::vector<std::string> names_;
  std::string owner_;
};

template <>
Attributes::Int Attributes::getAttribute(const std::string& key) const;
template <>
Attributes::Ints Attributes::getAttribute(const std::string& key) const;
template <>
Attributes::Float Attributes::getAttribute(const std::string& key) const;
template <>
Attributes::Floats Attributes::getAttribute(const std::string& key) const;
template <>
Attributes::String Attributes::getAttribute(const std::string& key) const;
template <>
Attributes::Strings Attributes::getAttribute(const std::string& key) const;
template <>
Attributes::Graph Attributes::getAttribute(const std::string& key) const;
template <>
Attributes::Graphs Attributes::getAttribute(const std::string& key) const;
template <>
bool Attributes::getAttribute(const std::string& key) const;
template <>
void Attributes::setAttribute(const std::string& key, const Attributes::Int& value);
template <>
void Attributes::setAttribute(const std::string& key, const Attributes::Ints& value);
template <>
void Attributes::setAttribute(const std::string& key, const Attributes::Float& value);
template <>
void Attributes::setAttribute(const std::string& key, const Attributes::Floats& value);
template <>
void Attributes::setAttribute(const std::string& key, const Attributes::String& value);
template <>
void Attributes::setAttribute(const std::string& key, const Attributes::Strings& value);
template <>
void Attributes::setAttribute(const std::string& key, const Attributes::Graph& value);
template <>
void Attributes::setAttribute(const std::string& key, const Attributes::Graphs& value);

}  // namespace popart

#pragma GCC visibility pop

#endif
