// Terms of boolean variables.
#include <popart/boollogic.hpp>
#include <popart/error.hpp>

#include <algorithm>
#include <sstream>
#include <tuple>
#include <utility>

namespace popart {
namespace boollogic {

std::ostream& operator<<(std::ostream& os, const Type& type) {
  static const char* const names[] = {"Not", "And", "Or", "Var", "True", "False"};
  return os << names[static_cast<int>(type)];
}

Term::Term(Type type, std::string var, std::set<Term> terms)
    : type_(type), var_(std::move(var)), terms_(std::move(terms)) {}

bool Term::operator==(const Term& other) const {
  return type_ == other.type_ && var_ == other.var_ && terms_ == other.terms_;
}

bool Term::operator<(const Term& other) const {
  return std::tie(type_, var_, terms_) < std::tie(other.type_, other.var_, other.terms_);
}

Term Term::with(const std::vector<Term>& terms) const {
  return Term(type_, var_, {terms.begin(), terms.end()});
}

Term Term::pushNots() const { return pushed(false); }

Term Term::pushed(bool isNegated) const {
  switch (type_) {
    case Type::Not: return terms_.begin()->pushed(!isNegated);
    case Type::Var: return isNegated ? notTerm(*this) : *this;
    case Type::True:
    case Type::False: return Term((type_ == Type::True) != isNegated);
    default: break;
  }
  std::set<Term> terms;
  for (const Term& term : terms_) terms.insert(term.pushed(isNegated));
  return (type_ == Type::And) != isNegated ? andTerm(terms) : orTerm(terms);
}

Term Term::flatten() const {
  if (terms_.empty() && type_ != Type::And && type_ != Type::Or) return *this;
  std::set<Term> terms;
  for (const Term& term : terms_) {
    const Term flat = term.flatten();
    if (type_ != Type::Not && flat.type_ == type_)
      terms.insert(flat.terms_.begin(), flat.terms_.end());
    else
      terms.insert(flat);
  }
  if (type_ == Type::Not) {
    const Term& only = *terms.begin();
    if (only.type_ == Type::True || only.type_ == Type::False)
      return Term(only.type_ != Type::True);
    return notTerm(only);
  }
  // The constant that decides the operation, and the one that has no effect.
  const Term decides(type_ == Type::Or), neutral(type_ == Type::And);
  if (terms.count(decides) != 0) return decides;
  terms.erase(neutral);
  if (terms.empty()) return neutral;
  return terms.size() == 1 ? *terms.begin() : Term(type_, "", terms);
}

Term Term::distribute(Type type) const {
  if (type != Type::And && type != Type::Or)
    throw error("Term::distribute: a law of distribution is for And and Or, not for {}", type);
  std::vector<Term> inner;
  for (const Term& term : terms_) inner.push_back(term.distribute(type));
  const Type other = type == Type::And ? Type::Or : Type::And;
  const Term same = with(inner).flatten();
  const auto isOther = [&](const Term& term) { return term.type_ == other; };
  if (same.type_ != type || std::none_of(same.terms_.begin(), same.terms_.end(), isOther))
    return same;
  // One of each operation of the other kind, in all ways.
  std::vector<std::set<Term>> ways = {{}};
  for (const Term& term : same.terms_) {
    const std::set<Term> choices = isOther(term) ? term.terms_ : std::set<Term>{term};
    std::vector<std::set<Term>> more;
    for (const auto& way : ways)
      for (const Term& choice : choices) {
        more.push_back(way);
        more.back().insert(choice);
      }
    ways = std::move(more);
  }
  std::set<Term> terms;
  for (const auto& way : ways) terms.insert(Term(type, "", way).flatten());
  return Term(other, "", terms).flatten();
}

Term Term::getCNF() const { return pushNots().flatten().distribute(Type::Or); }
Term Term::getDNF() const { return pushNots().flatten().distribute(Type::And); }

Term Term::replace(const std::map<std::string, Term>& terms) const {
  if (type_ == Type::Var) {
    const auto found = terms.find(var_);
    return found == terms.end() ? *this : found->second;
  }
  std::vector<Term> inner;
  for (const Term& term : terms_) inner.push_back(term.replace(terms));
  return with(inner);
}

bool Term::evaluate(const std::map<std::string, bool>& values) const {
  const auto isTrue = [&](const Term& term) { return term.evaluate(values); };
  switch (type_) {
    case Type::Not: return !isTrue(*terms_.begin());
    case Type::And: return std::all_of(terms_.begin(), terms_.end(), isTrue);
    case Type::Or: return std::any_of(terms_.begin(), terms_.end(), isTrue);
    case Type::Var: break;
    default: return type_ == Type::True;
  }
  const auto found = values.find(var_);
  if (found == values.end()) throw error("The variable '{}' of {} has no value", var_, str());
  return found->second;
}

std::string Term::str() const {
  switch (type_) {
    case Type::Var: return var_;
    case Type::True: return "true";
    case Type::False: return "false";
    case Type::Not: return "!" + terms_.begin()->str();
    default: break;
  }
  std::string text;
  for (const Term& term : terms_) {
    if (!text.empty()) text += type_ == Type::And ? " && " : " || ";
    text += term.str();
  }
  return "(" + text + ")";
}

std::ostream& operator<<(std::ostream& os, const Term& term) { return os << term.str(); }

}  // namespace boollogic
}  // namespace popart
