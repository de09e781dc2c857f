// The time of transfers between the IPUs and what is beyond them: the host, and streaming memory.
#ifndef popir_costing_transfers_hpp
#define popir_costing_transfers_hpp

#include <array>
#include <vector>

#include "costing/steps.hpp"
#include "program/flat_program.hpp"

namespace popir {

/// The seconds of transfers. Steps that follow one another with the same partner in one direction
/// are one transfer. Each gateway has its own part of it, all at the same time; the servers have all
/// of one with the host.
class TransferClock {
 public:
  explicit TransferClock(const TargetSpec& spec) : spec_(spec) {}

  /// The seconds that a step adds, which is a transfer. `follows`: no step is between it and the one
  /// that was given before, and it is executed as often.
  double add(const StepAlone& step, bool follows);
  /// Did the last step that was given begin a transfer?
  bool begun() const { return begun_; }
  /// The transfer so far.
  const TransferCost& transfer() const { return transfer_; }

 private:
  const TargetSpec& spec_;
  std::array<bool, 4> ways_{};  // to and from the host, to and from streaming memory
  std::vector<std::uint64_t> gateways_;
  TransferCost transfer_;
  bool begun_ = false;
};

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
