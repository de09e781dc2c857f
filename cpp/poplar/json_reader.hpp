// Reads JSON.
#ifndef popir_poplar_json_reader_hpp
#define popir_poplar_json_reader_hpp

#include <poplar/ProfileValue.hpp>

#include <string>

namespace popir {

/// The value of a JSON text; null counts as an empty string.
/// \throws poplar::poplar_error that begins with `who`, for what is no JSON
poplar::ProfileValue readJson(const char* who, const std::string& text);

}  // namespace popir

#endif
