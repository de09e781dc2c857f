#include "popart/ir_calls.hpp"

#include <popart/error.hpp>

namespace popir {
namespace {

IrCalls& table() {
  static IrCalls calls{};
  return calls;
}

}  // namespace

void installIrCalls(const IrCalls& calls) { table() = calls; }

const IrCalls& irCalls() {
  if (table().tensor == nullptr)
    throw popart::internal_error(
        "An operator asked for its graph, but no compiler is there: import popir");
  return table();
}

}  // namespace popir
