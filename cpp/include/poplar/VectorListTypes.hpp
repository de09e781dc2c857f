// Field types of codelets. After poplar/VectorListTypes.hpp of the Poplar SDK 3.
#ifndef poplar_VectorListTypes_hpp
#define poplar_VectorListTypes_hpp

#include <poplar/Vertex.hpp>

#endif
