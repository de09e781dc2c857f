// poplar/exceptions.hpp: the errors of the device layer.
#ifndef poplar_exceptions_hpp
#define poplar_exceptions_hpp

#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)

namespace poplar {

/// Base of every error of this layer.
struct poplar_error : std::runtime_error {
  explicit poplar_error(const std::string& s);
  explicit poplar_error(const char* s);
  ~poplar_error() noexcept override;
};

#define POPIR_POPLAR_ERROR(NAME, BASE)   \
  struct NAME : BASE {                   \
    explicit NAME(const std::string& s); \
    explicit NAME(const char* s);        \
    ~NAME() noexcept override;           \
  };

/// An index, slice or shape outside of a tensor.
POPIR_POPLAR_ERROR(index_error, poplar_error)
POPIR_POPLAR_ERROR(invalid_option, poplar_error)
/// A tensor element without a tile, found when an Engine is made.
POPIR_POPLAR_ERROR(invalid_tile_mapping, poplar_error)
POPIR_POPLAR_ERROR(graph_connection_error, poplar_error)
POPIR_POPLAR_ERROR(graph_memory_allocation_error, poplar_error)
POPIR_POPLAR_ERROR(graph_program_compilation_error, poplar_error)
POPIR_POPLAR_ERROR(graph_cycle_error, poplar_error)
POPIR_POPLAR_ERROR(type_error, poplar_error)
POPIR_POPLAR_ERROR(stream_connection_error, poplar_error)
POPIR_POPLAR_ERROR(tensor_io_state_error, poplar_error)
POPIR_POPLAR_ERROR(control_program_error, poplar_error)
POPIR_POPLAR_ERROR(profiling_disabled, poplar_error)
POPIR_POPLAR_ERROR(runtime_error, poplar_error)
POPIR_POPLAR_ERROR(application_runtime_error, runtime_error)
POPIR_POPLAR_ERROR(system_runtime_error, runtime_error)
POPIR_POPLAR_ERROR(recoverable_runtime_error, system_runtime_error)
POPIR_POPLAR_ERROR(unrecoverable_runtime_error, system_runtime_error)
POPIR_POPLAR_ERROR(unknown_runtime_error, system_runtime_error)

#undef POPIR_POPLAR_ERROR

}  // namespace poplar

#pragma GCC visibility pop

#endif
