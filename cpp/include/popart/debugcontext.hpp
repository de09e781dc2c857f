// Names and source positions, for reports. After popart/debugcontext.hpp of PopART 3.
#ifndef popart_debugcontext_hpp
#define popart_debugcontext_hpp

#include <poplar/DebugContext.hpp>

namespace popart {

using DebugInfo = poplar::DebugInfo;
using DebugNameAndId = poplar::DebugNameAndId;
using ProfileValue = poplar::ProfileValue;
using SourceLocation = poplar::SourceLocation;

/// As Poplar's, which it is.
class DebugContext : public poplar::DebugContext {
 public:
  using poplar::DebugContext::DebugContext;
  DebugContext(SourceLocation loc = SourceLocation::Current()) : poplar::DebugContext(loc) {}
  DebugContext(const poplar::DebugContext& context) : poplar::DebugContext(context) {}
};

}  // namespace popart

#endif
