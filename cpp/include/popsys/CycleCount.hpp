// Cycles of programs, as SDK 1.0 and earlier had them in a library of their own.
#ifndef popsys_CycleCount_hpp
#define popsys_CycleCount_hpp

#include <poplar/CycleCount.hpp>

namespace popsys {

using poplar::cycleCount;

}  // namespace popsys

#endif
