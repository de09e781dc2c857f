// Cycles up to a step of a program, as SDK 1.0 and earlier had them in a library of their own.
#ifndef popsys_CycleStamp_hpp
#define popsys_CycleStamp_hpp

#include <poplar/CycleCount.hpp>

namespace popsys {

using poplar::cycleStamp;

}  // namespace popsys

#endif
