// popart/tensordebuginfo.hpp: TensorId, where sources look for it.
#ifndef popart_tensordebuginfo_hpp
#define popart_tensordebuginfo_hpp

#include <popart/names.hpp>

#endif
