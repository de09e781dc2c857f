// Field types of codelets. After poplar/FieldTypes.hpp of the Poplar SDK 3.
#ifndef poplar_FieldTypes_hpp
#define poplar_FieldTypes_hpp

#include <poplar/Vertex.hpp>

#endif
