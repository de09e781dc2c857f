// Field types of codelets. After poplar/InOutTypes.hpp of the Poplar SDK 3.
#ifndef poplar_InOutTypes_hpp
#define poplar_InOutTypes_hpp

#include <poplar/Vertex.hpp>

#endif
