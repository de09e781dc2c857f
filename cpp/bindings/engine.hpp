// popir.poplar: engines, executables, host functions, and options of engines.
#ifndef popir_bindings_engine_hpp
#define popir_bindings_engine_hpp

#include <pybind11/pybind11.h>

#include <poplar/Engine.hpp>

namespace popir {

class EngineImpl;

/// Call it after Graph and program.Call are bound: it adds methods to them. It binds the others.
void bindEngine(pybind11::module_& m);
void bindHostFunctions(pybind11::module_& m);
void bindOptions(pybind11::module_& m);
/// Memory, work and threads of this process.
void bindProcess(pybind11::module_& m);
void bindExecutable(pybind11::module_& m);
/// The fields of MachineReport (machine/report.hpp) by name, and its text as "summary".
/// \throws poplar::control_program_error if the engine has no such program
pybind11::dict machineReport(const EngineImpl& engine, unsigned program,
                             const poplar::ProgressFunc& progress);

}  // namespace popir

#endif
