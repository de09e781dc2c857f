// popart/patterns/patterns.hpp: how patterns written in C++ are made known.
#ifndef popart_patterns_patterns_hpp
#define popart_patterns_patterns_hpp

#include <popart/error.hpp>
#include <popart/patterns/pattern.hpp>
#include <popir/sdk.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

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

enum class PatternsLevel { NoPatterns = 0, Minimal, Default, All };

/// Which patterns a session runs; a session is made in Python, so here they are kept.
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
