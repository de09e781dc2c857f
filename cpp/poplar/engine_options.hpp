// Options of engines.
#ifndef popir_poplar_engine_options_hpp
#define popir_poplar_engine_options_hpp

#include <poplar/OptionFlags.hpp>

#include <string>

namespace popir {

/// `options` and, over them, those of POPLAR_ENGINE_OPTIONS.
/// \throws poplar::invalid_option if that is no JSON object of strings.
poplar::OptionFlags withEnvironment(const poplar::OptionFlags& options);

/// \throws poplar::invalid_option for a value other than true and false.
bool flagFrom(const poplar::OptionFlags& options, const char* name, bool otherwise = true);

}  // namespace popir

#endif
