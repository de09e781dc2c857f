#include <popart/attributes.hpp>

#include <algorithm>

#include "popart/attribute_error.hpp"

namespace popir {

AttributeError::~AttributeError() = default;

}  // namespace popir

namespace popart {

const char* Attributes::kindName(Value::Kind kind) {
  static const char* const names[] = {"INT", "INTS", "FLOAT", "FLOATS", "STRING", "STRINGS"};
  return names[static_cast<int>(kind)];
}

const Attributes::Value& Attributes::find(const std::string& key, Value::Kind kind) const {
  const std::string who = owner_.empty() ? "" : owner_ + ": ";
  const auto found = values_.find(key);
  if (found == values_.end())
    throw popir::AttributeError(
        "{}the attribute '{}' ({}) is required, and was not given; given were {}", who, key,
        kindName(kind), names_);
  if (found->second.kind != kind)
    throw popir::AttributeError("{}the attribute '{}' must be of type {}; given was one of type {}",
                                who, key, kindName(kind), kindName(found->second.kind));
  return found->second;
}

Attributes::Value& Attributes::put(const std::string& key, Value::Kind kind) {
  if (!hasAttribute(key)) names_.push_back(key);
  Value& value = values_[key];
  value = Value();
  value.kind = kind;
  return value;
}

void Attributes::takeAttribute(const std::string& key, const Attributes& from) {
  const auto found = from.values_.find(key);
  if (found != from.values_.end()) put(key, found->second.kind) = found->second;
}

#define POPIR_ATTRIBUTE(TYPE, MEMBER)                                                    \
  template <>                                                                            \
  Attributes::TYPE Attributes::getAttribute(const std::string& key) const {              \
    return find(key, Value::Kind::TYPE).MEMBER;                                          \
  }                                                                                      \
  template <>                                                                            \
  void Attributes::setAttribute(const std::string& key, const Attributes::TYPE& value) { \
    put(key, Value::Kind::TYPE).MEMBER = value;                                          \
  }
POPIR_ATTRIBUTE(Int, i)
POPIR_ATTRIBUTE(Ints, ints)
POPIR_ATTRIBUTE(Float, f)
POPIR_ATTRIBUTE(Floats, floats)
POPIR_ATTRIBUTE(String, s)
POPIR_ATTRIBUTE(Strings, strings)
#undef POPIR_ATTRIBUTE

template <>
bool Attributes::getAttribute(const std::string& key) const {
  const Int value = getAttribute<Int>(key);
  if (value != 0 && value != 1)
    throw popir::AttributeError("{}{}the attribute '{}' must be 0 or 1; given was {}", owner_,
                                owner_.empty() ? "" : ": ", key, value);
  return value == 1;
}

}  // namespace popart
