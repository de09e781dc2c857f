// Registration of patterns written in C++. After popart/patterns/patterns.hpp of PopART 3.
#ifndef popart_patterns_patterns_hpp
#define popart_patterns_patterns_hpp

#include <popart/error.hpp>
#include <popart/patterns/pattern.hpp>
#include <popir/sdk.hpp>

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The registry of patterns.
class PreAliasPatternManager {
 public:
  using Factory = std::function<std::unique_ptr<PreAliasPattern>()>;

  /// Registers a pattern. `where` is an address in the library that contains it. Never throws; a
  /// duplicate name is reported at the next use of the registry.
  static void registerPattern(std::type_index type, const std::string& name, bool enabled,
                              bool mandatory, const Factory& factory,
                              const void* where = nullptr) noexcept;
};

enum class PatternsLevel { NoPatterns = 0, Minimal, Default, All };

/// The patterns that a session runs. Sessions are created in Python; here the settings are only
/// stored.
class Patterns {
 public:
  Patterns() = default;
  Patterns(PatternsLevel level) : level_(level) {}
  explicit Patterns(std::vector<std::string> patterns)
      : level_(PatternsLevel::NoPatterns), named_(std::move(patterns)) {}
  static Patterns create(std::vector<std::string> patterns) { return Patterns(patterns); }

  Patterns& enableRuntimeAsserts(bool) { return *this; }
  Patterns& enablePattern(const std::string& name, bool on) {
    switched_[name] = on;
    return *this;
  }
  bool isPatternEnabled(const std::string& name) const {
    const auto found = switched_.find(name);
    if (found != switched_.end()) return found->second;
    return std::find(named_.begin(), named_.end(), name) != named_.end();
  }

 private:
  PatternsLevel level_ = PatternsLevel::Default;
  std::vector<std::string> named_;
  std::map<std::string, bool> switched_;
};

/// Registers a pattern when its library is loaded: define a static object of this type. Session
/// options enable or disable the pattern by name unless it is mandatory.
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
