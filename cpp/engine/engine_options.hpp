// Options of engines.
#ifndef popir_engine_engine_options_hpp
#define popir_engine_engine_options_hpp

#include "support/option_table.hpp"

namespace popir {

/// Every option that an engine knows. To add one, add a row in engine_options.cpp.
__attribute__((visibility("default"))) const std::vector<OptionRow>& engineOptionTable();

/// `options` together with those of the environment variable POPLAR_ENGINE_OPTIONS, which take
/// precedence. \throws poplar::invalid_option if that is not a JSON object of strings.
__attribute__((visibility("default"))) poplar::OptionFlags withEnvironment(
    const poplar::OptionFlags& options);

/// As withEnvironment(). Checks the options, and notes those without effect. \throws as
/// withEnvironment() and checkOptions().
poplar::OptionFlags engineOptions(const poplar::OptionFlags& options);

/// Leaves out what no row knows.
poplar::OptionFlags knownEngineOptions(const poplar::OptionFlags& options);

/// Whether the engine should count what codelets execute: if it writes an execution profile, or if
/// the options "debug.instrument" and "debug.instrumentCompute" say so.
bool countsFrom(const poplar::OptionFlags& options);

}  // namespace popir

#endif
