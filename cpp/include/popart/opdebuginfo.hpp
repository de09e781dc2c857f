// What an operator says of itself in a file of debug information.
// After popart/opdebuginfo.hpp of PopART 3.
#ifndef popart_opdebuginfo_hpp
#define popart_opdebuginfo_hpp

#include <popart/debugcontext.hpp>

#pragma GCC visibility push(default)

namespace popart {

class Op;

/// Of the layer "popart", with "category", "instanceId" and "opid"; finalize() adds the rest. The
/// operator must outlive it. poplar::DebugInfo::initializeStreamer() says where it is written.
class OpDebugInfo : public DebugInfo {
 public:
  OpDebugInfo(const DebugContext& debugContext, const Op& op);
  /// Sets "discard": 0 after finalize(), else 1.
  ~OpDebugInfo() override;

  /// Sets "inputs", "outputs", "attributes" and "graphId", as the operator has them now.
  void finalize();

 private:
  const Op& op_;
  bool isFinal_ = false;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
