#include "support/budget.hpp"

#include <limits>
#include <string>

namespace popir {
namespace {

thread_local Budget budget;

}  // namespace

Budget budgetOfThread() { return budget; }

void setBudgetOfThread(const Budget& given) { budget = given; }

void spend(std::uint64_t units) {
  const auto most = std::numeric_limits<std::uint64_t>::max();
  budget.spent = units > most - budget.spent ? most : budget.spent + units;
  if (budget.spent > budget.limit)
    throw work_limit_error("more than " + std::to_string(budget.limit) + " units of work");
}

}  // namespace popir
