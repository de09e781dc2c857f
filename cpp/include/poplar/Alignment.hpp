// Sources include it beside poplar/Vertex.hpp for the alignment of fields, which they give as
// arguments of Vector there. After poplar/Alignment.hpp of the Poplar SDK 3.
#ifndef poplar_Alignment_hpp
#define poplar_Alignment_hpp

#include <poplar/Vertex.hpp>

#endif
