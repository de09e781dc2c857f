// The kinds of device. After poplar/TargetType.hpp of the Poplar SDK 3.
#ifndef poplar_TargetType_hpp
#define poplar_TargetType_hpp

#include <string>

#pragma GCC visibility push(default)

namespace poplar {

enum class TargetType { IPU, IPU_MODEL, CPU };

std::string toString(TargetType t);

}  // namespace poplar

#pragma GCC visibility pop

#endif
