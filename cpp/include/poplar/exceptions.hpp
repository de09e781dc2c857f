// The exceptions of this layer. After poplar/exceptions.hpp of the Poplar SDK 3.
#ifndef poplar_exceptions_hpp
#define poplar_exceptions_hpp

#include <poplar/Error.hpp>

#include <cstddef>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace poplar {

struct DebugContext;

/// Base class of all of them.
struct poplar_error : std::runtime_error {
  explicit poplar_error(const std::string& s);
  explicit poplar_error(const char* s);
  ~poplar_error() noexcept override;

  /// Adds to the message where in a source something was made, and its name.
  void attachSourceLocation(const DebugContext& context);
  const char* what() const noexcept override;

  /// The name of the class.
  std::string type;

 private:
  std::string located_;  // the message with its places; empty before there is one
};

#define POPIR_POPLAR_ERROR(NAME, BASE)   \
  struct NAME : BASE {                   \
    explicit NAME(const std::string& s); \
    explicit NAME(const char* s);        \
    ~NAME() noexcept override;           \
  };

// An error of two facts, of which a message is made.
#define POPIR_POPLAR_ERROR_OF(NAME, BASE, ...) \
  struct NAME : BASE {                         \
    explicit NAME(const std::string& s);       \
    explicit NAME(const char* s);              \
    NAME(__VA_ARGS__);                         \
    ~NAME() noexcept override;                 \
  };

/// An index, slice or shape does not fit a tensor.
POPIR_POPLAR_ERROR_OF(index_error, poplar_error, const std::string& what, std::size_t index)
/// An option is unknown, or has an invalid or refused value.
POPIR_POPLAR_ERROR(invalid_option, poplar_error)
/// A tensor element has no tile (found when an Engine is created), or a mapping is invalid.
POPIR_POPLAR_ERROR(invalid_tile_mapping, poplar_error)
/// A figure that no machine has.
POPIR_POPLAR_ERROR(invalid_machine_model, invalid_option)
/// A vertex type or field is unknown, or a field cannot take the given value.
POPIR_POPLAR_ERROR(graph_connection_error, poplar_error)
POPIR_POPLAR_ERROR(unknown_vertex_type, graph_connection_error)
POPIR_POPLAR_ERROR_OF(unknown_field, graph_connection_error, const std::string& field,
                      const std::string& vertexType)
/// A list of edges needs Graph::setFieldSize first.
POPIR_POPLAR_ERROR_OF(no_size_specified, graph_connection_error, const std::string& field,
                      const std::string& vertexType)
/// The program needs more memory than a tile or the host has.
struct graph_memory_allocation_error : poplar_error {
  explicit graph_memory_allocation_error(const std::string& s);
  explicit graph_memory_allocation_error(const char* s);
  graph_memory_allocation_error(const std::string& s, std::string profilePath);
  graph_memory_allocation_error(const graph_memory_allocation_error&) = default;
  ~graph_memory_allocation_error() noexcept override;

  /// The profile that the options of autoReport asked for; else empty.
  std::string profilePath;
};
/// No estimate of a vertex's cycles is known.
POPIR_POPLAR_ERROR(missing_perf_estimate, poplar_error)
/// Codelets cannot be compiled or loaded.
POPIR_POPLAR_ERROR(graph_program_compilation_error, poplar_error)
/// A file of compiled codelets is damaged, or of another format.
POPIR_POPLAR_ERROR_OF(graph_object_load_error, graph_program_compilation_error,
                      const std::string& path, const std::string& why)
/// A file cannot be read.
POPIR_POPLAR_ERROR(file_load_error, graph_program_compilation_error)
/// Codelets use functions or variables that are nowhere defined.
struct link_error : graph_program_compilation_error {
  explicit link_error(const std::string& s, const std::string& output = "");
  explicit link_error(const char* s, const char* output = "");
  ~link_error() noexcept override;

  /// What the linker said.
  std::string output;
};
POPIR_POPLAR_ERROR(graph_cycle_error, poplar_error)
/// An element type is wrong.
POPIR_POPLAR_ERROR(type_error, poplar_error)
/// A tensor of QUARTER has no metadata, or several.
POPIR_POPLAR_ERROR(tensor_metadata_error, type_error)
/// A stream is unknown, not connected, or does not fit its buffer or tensor.
POPIR_POPLAR_ERROR(stream_connection_error, poplar_error)
/// A handle of writeTensor() or readTensor() is unknown, or its buffer has the wrong size.
POPIR_POPLAR_ERROR(tensor_io_state_error, poplar_error)
/// A program or its use of control flow is invalid.
POPIR_POPLAR_ERROR(control_program_error, poplar_error)
/// Functions call one another in a circle.
POPIR_POPLAR_ERROR(graph_recursion_error, control_program_error)
/// A graph of no replicas.
POPIR_POPLAR_ERROR(graph_replication_error, poplar_error)
/// The Engine did not record what is asked for; an option enables it.
POPIR_POPLAR_ERROR(profiling_disabled, poplar_error)
/// A failure while an Engine runs. application_runtime_error: in codelets or user code.
struct runtime_error : poplar_error {
  /// One error of a device.
  struct ErrorInfo {
    ErrorCode code;
    ErrorLocation location;
  };
  explicit runtime_error(const std::string& s, std::vector<ErrorInfo> errors = {});
  explicit runtime_error(const char* s);
  ~runtime_error() noexcept override;
  /// The errors of the device that ended the run; none for other faults.
  const std::vector<ErrorInfo>& errors() const { return errors_; }
  /// For popir itself: the same fault, of these errors.
  void attachErrors(std::vector<ErrorInfo> errors) { errors_ = std::move(errors); }

 private:
  std::vector<ErrorInfo> errors_;
};
POPIR_POPLAR_ERROR(application_runtime_error, runtime_error)
POPIR_POPLAR_ERROR(system_runtime_error, runtime_error)
/// What brings a device back.
enum class RecoveryAction { IPU_RESET, LINK_RESET, PARTITION_RESET, FULL_RESET };
/// "IPU_RESET" and so on.
std::string toString(RecoveryAction action);
std::ostream& operator<<(std::ostream& os, RecoveryAction action);
/// A fault after which the device can be used again. No device of this library has one.
struct recoverable_runtime_error : system_runtime_error {
  explicit recoverable_runtime_error(const std::string& s,
                                     RecoveryAction action = RecoveryAction::IPU_RESET);
  recoverable_runtime_error(RecoveryAction action, const std::string& s);
  ~recoverable_runtime_error() noexcept override;
  RecoveryAction getRecoveryAction() const { return action_; }

 private:
  RecoveryAction action_;
};
POPIR_POPLAR_ERROR(unrecoverable_runtime_error, system_runtime_error)
POPIR_POPLAR_ERROR(unknown_runtime_error, system_runtime_error)

// Those that programs may catch and no function here throws: there are no devices with their faults,
// no environment of a driver, and no constraints that memory could fail to meet.
POPIR_POPLAR_ERROR(graph_object_creation_error, poplar_error)
POPIR_POPLAR_ERROR(no_environment, poplar_error)
POPIR_POPLAR_ERROR(missing_profile_data, poplar_error)
POPIR_POPLAR_ERROR(missing_graph_profile, poplar_error)
POPIR_POPLAR_ERROR(tensor_creation_error, poplar_error)
POPIR_POPLAR_ERROR(overflow_error, poplar_error)
POPIR_POPLAR_ERROR(memory_elem_constraints_error, poplar_error)
POPIR_POPLAR_ERROR(stream_memory_allocation_error, poplar_error)
POPIR_POPLAR_ERROR_OF(symbol_error, poplar_error, const std::string& name, unsigned tile)
POPIR_POPLAR_ERROR(parse_error, poplar_error)

#undef POPIR_POPLAR_ERROR
#undef POPIR_POPLAR_ERROR_OF

}  // namespace poplar

#pragma GCC visibility pop

#endif
