// Formats of saved graphs. After poplar/SerializationFormat.hpp of the Poplar SDK 3.
#ifndef poplar_SerializationFormat_hpp
#define poplar_SerializationFormat_hpp

namespace poplar {

enum class SerializationFormat { Binary, JSON };

}  // namespace poplar

#endif
