// Base class of lowerings that use snap's tensors (SDK 2.3 to 3.1). After popart/popx/popopx.hpp of
// PopART 3. Sources that include it speak to these SDKs: bases of lowerings that headers declare
// behind it (popart/popx/op/collectives/collectivesx.hpp) are PopOpxs for them.
#ifndef popart_popx_popopx_hpp
#define popart_popx_popopx_hpp

#include <popart/popx/snapopx.hpp>

#endif
