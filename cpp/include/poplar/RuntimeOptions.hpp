// Options of running engines. After poplar/RuntimeOptions.hpp of the Poplar SDK 3.
#ifndef poplar_RuntimeOptions_hpp
#define poplar_RuntimeOptions_hpp

#include <poplar/OptionFlags.hpp>

#endif
