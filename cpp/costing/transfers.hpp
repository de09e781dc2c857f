// The time of transfers between the IPUs and what is beyond them: the host, and streaming memory.
#ifndef popir_costing_transfers_hpp
#define popir_costing_transfers_hpp

#include <vector>

#include "costing/steps.hpp"
#include "program/flat_program.hpp"

namespace popir {

/// Bytes a second of the streaming memory at all gateways of a machine.
double streamingRate(const TargetSpec& spec);

/// Fills in the report's transfers and their seconds. `leaves` are those of the report's steps.
///
/// Transfers follow one another, those with the host apart from those with streaming memory. One of
/// tensors on IO tiles, those without a vertex in the program, goes on beside the steps after it, up to
/// the next one that uses its variables. All others wait for the steps before them, and steps wait for
/// them. Steps that follow one another and are executed equally often are one loop.
void addTransfers(const GraphImpl& graph, StepCosts& costs, const std::vector<Leaf>& leaves,
                  MachineReport& report);

}  // namespace popir

#endif
