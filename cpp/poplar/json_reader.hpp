// Reads JSON: values, and options.
#ifndef popir_poplar_json_reader_hpp
#define popir_poplar_json_reader_hpp

#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>

#include <string>

namespace popir {

/// The value of a JSON text; null counts as an empty string.
/// \throws poplar::poplar_error that begins with `who`, for what is no JSON
poplar::ProfileValue readJson(const char* who, const std::string& text);

/// Sets the options of a JSON object of strings, numbers and booleans; a number counts as it is
/// written.
/// \throws poplar::invalid_option that begins with `who`, for other text
void readOptions(const char* who, const std::string& text, poplar::OptionFlags& options);

}  // namespace popir

#endif
