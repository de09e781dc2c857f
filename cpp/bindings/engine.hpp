#ifndef popir_bindings_engine_hpp
#define popir_bindings_engine_hpp

#include <pybind11/pybind11.h>

#include <poplar/Engine.hpp>

namespace popir {

class EngineImpl;

void bindEngine(pybind11::module_& m);
/// MachineReport as a dict of its fields, with its text as "summary".
pybind11::dict machineReport(const EngineImpl& engine, unsigned program,
                             const poplar::ProgressFunc& progress);

}  // namespace popir

#endif
