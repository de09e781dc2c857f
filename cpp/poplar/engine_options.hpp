// Options of engines.
#ifndef popir_poplar_engine_options_hpp
#define popir_poplar_engine_options_hpp

#include "poplar/option_table.hpp"

namespace popir {

/// Every option that an engine knows. A new one is a row in engine_options.cpp.
__attribute__((visibility("default"))) const std::vector<OptionRow>& engineOptionTable();

/// `options` and, over them, those of POPLAR_ENGINE_OPTIONS, checked; those that have no meaning
/// are noted. \throws as checkOptions, and poplar::invalid_option if the variable holds no JSON
/// object of strings.
poplar::OptionFlags engineOptions(const poplar::OptionFlags& options);

/// The value of an option of type Flag.
bool flagFrom(const poplar::OptionFlags& options, const char* name, bool otherwise = true);

}  // namespace popir

#endif
