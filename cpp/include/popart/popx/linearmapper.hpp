// LinearMapper, which popart/popx/irlowering.hpp has. After popart/popx/linearmapper.hpp of PopART 3.
#ifndef popart_popx_linearmapper_hpp
#define popart_popx_linearmapper_hpp

#include <popart/popx/irlowering.hpp>

#endif
