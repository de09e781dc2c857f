#include <popart/attributes.hpp>

#include <algorithm>

#include "popart/attribute_error.hpp"

namespace popir {

AttributeError::~AttributeError() = default;

}  // namespace popir

namespace popart {

namespace {

const char* nameOf(Attributes::Type type) {
  static const char* const names[] = {"INT",    "INTS",    "FLOAT", "FLOATS",
                                      "STRING", "STRINGS", "GRAPH", "GRAPHS"};
  return names[static_cast<int>(type)];
}

bool isList(Attributes::Type type) {
  return type == Attributes::Type::Ints || type == Attributes::Type::Floats ||
         type == Attributes::Type::Strings || type == Attributes::Type::Graphs;
}

}  // namespace

Attributes::Attributes(const NodeAttributes& attributes) {
  using Proto = ONNX_NAMESPACE::AttributeProto;
  for (const Proto& each : attributes) {
    const std::string& name = each.name();
    const Proto::AttributeType type = each.has_type() ? each.type() : Proto::UNDEFINED;
    const auto is = [&](Proto::AttributeType asked, bool isSet) {
      return type == asked || (type == Proto::UNDEFINED && isSet);
    };
    if (is(Proto::INT, each.has_i()))
      setAttribute(name, each.i());
    else if (is(Proto::FLOAT, each.has_f()))
      setAttribute(name, each.f());
    else if (is(Proto::STRING, each.has_s()))
      setAttribute(name, each.s());
    else if (is(Proto::GRAPH, each.has_g()))
      setAttribute(name, each.g());
    else if (is(Proto::INTS, each.ints_size() > 0))
      setAttribute(name, each.ints());
    else if (is(Proto::FLOATS, each.floats_size() > 0))
      setAttribute(name, each.floats());
    else if (is(Proto::STRINGS, each.strings_size() > 0))
      setAttribute(name, each.strings());
    else if (is(Proto::GRAPHS, each.graphs_size() > 0))
      setAttribute(name, each.graphs());
    else
      throw error(
          "Attributes: '{}' is no integer, float, string or graph, and no list of one of these",
          name);
  }
}

bool Attributes::Value::isEmptyList() const {
  return isList(type) && ints.empty() && floats.empty() && strings.empty() && graphs.empty();
}

Attributes::Type Attributes::getType(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end())
    throw popir::AttributeError("There is no attribute '{}'; there are {}", key, names_);
  return found->second.type;
}

const Attributes::Value& Attributes::find(const std::string& key, Type type) const {
  const std::string who = owner_.empty() ? "" : owner_ + ": ";
  const auto found = values_.find(key);
  if (found == values_.end())
    throw popir::AttributeError(
        "{}the attribute '{}' ({}) is required, and was not given; given were {}", who, key,
        nameOf(type), names_);
  if (found->second.type != type && !(isList(type) && found->second.isEmptyList()))
    throw popir::AttributeError("{}the attribute '{}' must be of type {}; given was one of type {}",
                                who, key, nameOf(type), nameOf(found->second.type));
  return found->second;
}

Attributes::Value& Attributes::put(const std::string& key, Type type) {
  if (!hasAttribute(key)) names_.push_back(key);
  Value& value = values_[key];
  value = Value();
  value.type = type;
  return value;
}

void Attributes::takeAttribute(const std::string& key, const Attributes& from) {
  const auto found = from.values_.find(key);
  if (found != from.values_.end()) put(key, found->second.type) = found->second;
}

#define POPIR_ATTRIBUTE(TYPE, MEMBER)                                                    \
  template <>                                                                            \
  Attributes::TYPE Attributes::getAttribute(const std::string& key) const {              \
    return find(key, Type::TYPE).MEMBER;                                                 \
  }                                                                                      \
  template <>                                                                            \
  void Attributes::setAttribute(const std::string& key, const Attributes::TYPE& value) { \
    put(key, Type::TYPE).MEMBER = value;                                                 \
  }
POPIR_ATTRIBUTE(Int, i)
POPIR_ATTRIBUTE(Ints, ints)
POPIR_ATTRIBUTE(Float, f)
POPIR_ATTRIBUTE(Floats, floats)
POPIR_ATTRIBUTE(String, s)
POPIR_ATTRIBUTE(Strings, strings)
POPIR_ATTRIBUTE(Graphs, graphs)
#undef POPIR_ATTRIBUTE

template <>
Attributes::Graph Attributes::getAttribute(const std::string& key) const {
  return find(key, Type::Graph).graphs.front();
}

template <>
void Attributes::setAttribute(const std::string& key, const Attributes::Graph& value) {
  put(key, Type::Graph).graphs = {value};
}

Attributes::Graphs Attributes::getAllGraphAttributes() const {
  Graphs all;
  for (Type type : {Type::Graph, Type::Graphs})
    for (const std::string& name : names_) {
      const Value& value = values_.at(name);
      if (value.type == type) all.insert(all.end(), value.graphs.begin(), value.graphs.end());
    }
  return all;
}

template <>
bool Attributes::getAttribute(const std::string& key) const {
  const Int value = getAttribute<Int>(key);
  if (value != 0 && value != 1)
    throw popir::AttributeError("{}{}the attribute '{}' must be 0 or 1; given was {}", owner_,
                                owner_.empty() ? "" : ": ", key, value);
  return value == 1;
}

}  // namespace popart
