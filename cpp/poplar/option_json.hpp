// Options as JSON.
#ifndef popir_poplar_option_json_hpp
#define popir_poplar_option_json_hpp

#include <poplar/OptionFlags.hpp>

#include <string>

namespace popir {

/// Sets the options of a JSON object. Messages begin with `who`.
/// \throws poplar::invalid_option for other text
void readOptions(const char* who, const std::string& text, poplar::OptionFlags& options);

}  // namespace popir

#endif
