// A budget for compile-time work, counted in units. The count depends on the model only, not on the
// machine. One unit is about a microsecond.
#ifndef popir_support_budget_hpp
#define popir_support_budget_hpp

#include <poplar/exceptions.hpp>

#include <cstdint>

namespace popir {

/// Thrown when a thread exceeds its work limit.
struct work_limit_error : poplar::poplar_error {
  using poplar::poplar_error::poplar_error;
};

/// The units that one thread has spent, and the most that it may spend.
struct Budget {
  std::uint64_t spent = 0, limit = ~std::uint64_t{0};
};

__attribute__((visibility("default"))) Budget budgetOfThread();
__attribute__((visibility("default"))) void setBudgetOfThread(const Budget& budget);

/// Adds `units` to what the thread has spent.
/// \throws work_limit_error if that exceeds the thread's limit.
__attribute__((visibility("default"))) void spend(std::uint64_t units);

/// Units for a vertex, a variable and a program step. Each contiguous region of a view costs one
/// unit.
constexpr std::uint64_t kWorkOfVertex = 50, kWorkOfVariable = 10, kWorkOfStep = 20;

}  // namespace popir

#endif
