// popart/patterns/patterns.hpp: how patterns written in C++ are made known.
#ifndef popart_patterns_patterns_hpp
#define popart_patterns_patterns_hpp

#include <popart/error.hpp>
#include <popart/patterns/pattern.hpp>
#include <popir/sdk.hpp>

#include <functional>
#include <memory>
#include <string>
#include <typeindex>

#pragma GCC visibility push(default)

namespace popart {

class PreAliasPatternManager {
 public:
  using Factory = std::function<std::unique_ptr<PreAliasPattern>()>;

  /// Records a pattern. `where` is an address in the library that brings it. Never throws: a name
  /// that is taken is reported when the registry is used next.
  static void registerPattern(std::type_index type, const std::string& name, bool enabled,
                              bool mandatory, const Factory& factory,
                              const void* where = nullptr) noexcept;
};

/// A static object of this type makes a pattern known when its library is loaded. A session's
/// options turn it on and off by name, unless it is mandatory.
template <class PATTERN>
class PatternCreator {
 public:
  PatternCreator(std::string name, bool enabled = true, bool mandatory = false) {
    PreAliasPatternManager::registerPattern(
        typeid(PATTERN), name, enabled, mandatory,
        [] { return std::unique_ptr<PreAliasPattern>(new PATTERN()); }, this);
  }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
