// Where and when a new operator runs, from those around it. After popart/opattributehelper.hpp of
// PopART 3.
#ifndef popart_opattributehelper_hpp
#define popart_opattributehelper_hpp

#include <popart/op.hpp>

#pragma GCC visibility push(default)

namespace popart {

class AliasModel;

/// Gives an operator that is connected what its neighbours have: virtual graph, pipeline stage,
/// execution phase, execution context and, if asked, the phase of a serialized batch.
class InheritOpAttributeHelper {
 public:
  /// Takes each from the nearest operator that has it, producers before consumers of the same
  /// distance. Neighbours are those that compute or read a tensor of the operator, or one that
  /// shares elements with it by the alias model, and so on. A virtual graph, a stage or a phase is
  /// taken if the session has such. What nobody has stays as it is.
  static void apply(Op* op, bool inheritSerializations, AliasModel& aliasModel);
};

}  // namespace popart

#pragma GCC visibility pop

#endif
