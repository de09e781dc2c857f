// What compiling costs, counted: the same for the same model on every machine. A unit is about a
// microsecond.
#ifndef popir_poplar_budget_hpp
#define popir_poplar_budget_hpp

#include <poplar/exceptions.hpp>

#include <cstdint>

namespace popir {

/// More work than the limit of the thread.
struct work_limit_error : poplar::poplar_error {
  using poplar::poplar_error::poplar_error;
};

/// Of one thread: what it has done, and may do at most.
struct Budget {
  std::uint64_t spent = 0, limit = ~std::uint64_t{0};
};

__attribute__((visibility("default"))) Budget budgetOfThread();
__attribute__((visibility("default"))) void setBudgetOfThread(const Budget& budget);

/// Counts what the thread does. Throws work_limit_error beyond its limit.
__attribute__((visibility("default"))) void spend(std::uint64_t units);

/// What things cost besides the pieces of views, each of which is one.
constexpr std::uint64_t kWorkOfVertex = 50, kWorkOfVariable = 10, kWorkOfStep = 20;

}  // namespace popir

#endif
