// The counter of a hardware loop. After poplar/Loops.hpp of the Poplar SDK 3.
#ifndef poplar_Loops_hpp
#define poplar_Loops_hpp

/// Counts the repetitions of a hardware loop; a tile has 16 bits for it, the host more.
using rptsize_t = unsigned;

#endif
