// Nested name scopes of operators. After popart/scope.hpp of PopART 3.
#ifndef popart_scope_hpp
#define popart_scope_hpp

#include <popart/names.hpp>

#include <ostream>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Op;

/// A list of names, outermost first.
class Scope {
 public:
  static std::string delimiter() { return sNameDelimiter; }

  bool empty() const { return names_.empty(); }
  std::size_t depth() const { return names_.size(); }
  const std::vector<std::string>& getScopeNames() const { return names_; }
  /// "outer/inner"; "" for the outermost scope.
  std::string str() const;
  /// The scope `name` inside of this one.
  Scope operator/(const std::string& name) const;
  /// Removes the innermost name.
  /// \throws error for the outermost scope
  void pop();
  /// The innermost scope that holds this one and the other.
  Scope getCommonParent(const Scope& other) const;
  /// The innermost scope that holds the operators; the outermost one for none.
  static Scope getCommonParent(const std::vector<Op*>& ops);
  /// Whether this scope is `other`, or lies in it.
  bool isSubscope(const Scope& other) const;

  bool operator==(const Scope& o) const { return names_ == o.names_; }
  bool operator!=(const Scope& o) const { return !(*this == o); }

 private:
  std::vector<std::string> names_;
};

std::ostream& operator<<(std::ostream& os, const Scope& scope);

}  // namespace popart

#pragma GCC visibility pop

#endif
