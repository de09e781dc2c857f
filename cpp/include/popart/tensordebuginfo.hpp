// Includes the declaration of TensorId, for sources that expect it here.
// After popart/tensordebuginfo.hpp of PopART 3.
#ifndef popart_tensordebuginfo_hpp
#define popart_tensordebuginfo_hpp

#include <popart/names.hpp>

#endif
