// Names and source positions, for reports. After popart/debugcontext.hpp of PopART 3.
#ifndef popart_debugcontext_hpp
#define popart_debugcontext_hpp

#include <poplar/DebugContext.hpp>

namespace popart {

using DebugContext = poplar::DebugContext;
using DebugInfo = poplar::DebugInfo;
using DebugNameAndId = poplar::DebugNameAndId;
using ProfileValue = poplar::ProfileValue;
using SourceLocation = poplar::SourceLocation;

}  // namespace popart

#endif
