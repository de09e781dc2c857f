// Terms of boolean variables. After popart/boollogic.hpp of PopART 3.
#ifndef popart_boollogic_hpp
#define popart_boollogic_hpp

#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace boollogic {

enum class Type { Not = 0, And, Or, Var, True, False };

std::ostream& operator<<(std::ostream& os, const Type& type);

/// A variable, a constant, or an operation on terms, of which none is there twice.
class Term {
 public:
  Term(std::string var) : Term(Type::Var, std::move(var), {}) {}
  Term(const char* var) : Term(std::string(var)) {}
  Term(bool value) : Term(value ? Type::True : Type::False, "", {}) {}
  static Term trueTerm() { return Term(true); }
  static Term falseTerm() { return Term(false); }
  static Term varTerm(const std::string& var) { return Term(var); }
  static Term notTerm(Term term) { return Term(Type::Not, "", {term}); }
  static Term andTerm(const std::set<Term>& terms) { return Term(Type::And, "", terms); }
  static Term orTerm(const std::set<Term>& terms) { return Term(Type::Or, "", terms); }
  static Term andTermFromVector(const std::vector<Term>& terms) {
    return andTerm({terms.begin(), terms.end()});
  }
  static Term orTermFromVector(const std::vector<Term>& terms) {
    return orTerm({terms.begin(), terms.end()});
  }

  Type getType() const { return type_; }
  const std::set<Term>& getTerms() const { return terms_; }
  std::vector<Term> getTermsAsVector() const { return {terms_.begin(), terms_.end()}; }
  std::string getVar() const { return var_; }

  /// Negates variables alone.
  Term pushNots() const;
  /// An operation on operations of its kind as one, without constants unless it is one.
  Term flatten() const;
  /// A conjunction of disjunctions, and the reverse, of variables and negated variables.
  Term getCNF() const;
  Term getDNF() const;
  /// Makes each disjunction (`type` Or) or conjunction (And) one of terms that have none of the other
  /// kind inside it, by the law of distribution.
  Term distribute(Type type) const;
  /// Each of these variables as a term.
  Term replace(const std::map<std::string, Term>& terms) const;
  /// \throws error for a variable without a value
  bool evaluate(const std::map<std::string, bool>& values) const;

  Term operator&&(const Term& other) const { return andTerm({*this, other}); }
  Term operator||(const Term& other) const { return orTerm({*this, other}); }
  Term operator!() const { return notTerm(*this); }
  bool operator==(const Term& other) const;
  bool operator<(const Term& other) const;
  /// "(a && !b)".
  std::string str() const;

 private:
  Term(Type type, std::string var, std::set<Term> terms);
  Term pushed(bool isNegated) const;
  Term with(const std::vector<Term>& terms) const;

  Type type_;
  std::string var_;
  std::set<Term> terms_;
};

std::ostream& operator<<(std::ostream& os, const Term& term);

}  // namespace boollogic
}  // namespace popart

#pragma GCC visibility pop

#endif
