// Small value types of Poplar's interface.
#include <poplar/DebugContext.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/StreamCallback.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/Type.hpp>
#include <poplar/exceptions.hpp>

namespace poplar {
namespace {

struct TypeRow {
  const char* name;
  std::size_t bytes;
};

// In the order of Type::Kind.
constexpr TypeRow kTypes[] = {{"bool", 1},
                              {"char", 1},
                              {"unsigned char", 1},
                              {"signed char", 1},
                              {"unsigned short", 2},
                              {"short", 2},
                              {"unsigned int", 4},
                              {"int", 4},
                              {"unsigned long long", 8},
                              {"long long", 8},
                              {"quarter", 1},
                              {"half", 2},
                              {"bfloat16", 2},
                              {"float", 4},
                              {"double", 8},
                              {"invalid", 0}};

}  // namespace

std::string Type::toString() const { return kTypes[static_cast<std::size_t>(kind_)].name; }
std::size_t Type::sizeInBytes() const { return kTypes[static_cast<std::size_t>(kind_)].bytes; }
std::ostream& operator<<(std::ostream& os, const Type& t) { return os << t.toString(); }

std::string toString(TargetType t) {
  return t == TargetType::IPU ? "IPU" : t == TargetType::IPU_MODEL ? "IPU_MODEL" : "CPU";
}

OptionFlags::OptionFlags(initializer_list&& list) {
  set(std::move(list));  // NOLINT: the interface takes it by rvalue
}
void OptionFlags::set(initializer_list&& list) {
  for (const auto& flag : list) set(flag);
}
void OptionFlags::set(const std::string& option, const std::string& value) {
  values_[option] = value;
}
const std::string& OptionFlags::at(const std::string& option) const {
  const auto found = values_.find(option);
  if (found == values_.end()) throw invalid_option("option '" + option + "' is not set");
  return found->second;
}
std::ostream& operator<<(std::ostream& os, const OptionFlags& options) {
  os << "{";
  for (const auto& o : options)
    os << (o.first == options.begin()->first ? "" : ", ") << o.first << ": " << o.second;
  return os << "}";
}

std::ostream& operator<<(std::ostream& os, const DebugContext& context) {
  return os << context.getPathName();
}
std::ostream& operator<<(std::ostream& os, const DebugNameAndId& dnai) {
  return os << dnai.getPathName();
}

StreamCallback::~StreamCallback() = default;

// Not inline, so that each exception type has one type_info and can be caught across libraries.
poplar_error::poplar_error(const std::string& s) : std::runtime_error(s), type("poplar_error") {}
poplar_error::poplar_error(const char* s) : std::runtime_error(s), type("poplar_error") {}
poplar_error::~poplar_error() noexcept = default;

#define POPIR_POPLAR_ERROR(NAME, BASE)                         \
  NAME::NAME(const std::string& s) : BASE(s) { type = #NAME; } \
  NAME::NAME(const char* s) : BASE(s) { type = #NAME; }        \
  NAME::~NAME() noexcept = default;
POPIR_POPLAR_ERROR(index_error, poplar_error)
POPIR_POPLAR_ERROR(invalid_option, poplar_error)
POPIR_POPLAR_ERROR(invalid_machine_model, invalid_option)
POPIR_POPLAR_ERROR(invalid_tile_mapping, poplar_error)
POPIR_POPLAR_ERROR(graph_connection_error, poplar_error)
POPIR_POPLAR_ERROR(unknown_vertex_type, graph_connection_error)
POPIR_POPLAR_ERROR(unknown_field, graph_connection_error)
POPIR_POPLAR_ERROR(no_size_specified, graph_connection_error)
graph_memory_allocation_error::graph_memory_allocation_error(const std::string& s)
    : graph_memory_allocation_error(s, "") {}
graph_memory_allocation_error::graph_memory_allocation_error(const char* s)
    : graph_memory_allocation_error(s, "") {}
graph_memory_allocation_error::graph_memory_allocation_error(const std::string& s, std::string path)
    : poplar_error(s), profilePath(std::move(path)) {
  type = "graph_memory_allocation_error";
}
graph_memory_allocation_error::~graph_memory_allocation_error() noexcept = default;
POPIR_POPLAR_ERROR(graph_program_compilation_error, poplar_error)
POPIR_POPLAR_ERROR(graph_object_load_error, graph_program_compilation_error)
POPIR_POPLAR_ERROR(file_load_error, graph_program_compilation_error)
link_error::link_error(const std::string& s, const std::string& said)
    : graph_program_compilation_error(s), output(said) {
  type = "link_error";
}
link_error::link_error(const char* s, const char* said)
    : link_error(std::string(s), std::string(said)) {}
link_error::~link_error() noexcept = default;
POPIR_POPLAR_ERROR(graph_cycle_error, poplar_error)
POPIR_POPLAR_ERROR(type_error, poplar_error)
POPIR_POPLAR_ERROR(tensor_metadata_error, type_error)
POPIR_POPLAR_ERROR(stream_connection_error, poplar_error)
POPIR_POPLAR_ERROR(tensor_io_state_error, poplar_error)
POPIR_POPLAR_ERROR(control_program_error, poplar_error)
POPIR_POPLAR_ERROR(graph_recursion_error, control_program_error)
POPIR_POPLAR_ERROR(graph_replication_error, poplar_error)
POPIR_POPLAR_ERROR(profiling_disabled, poplar_error)
POPIR_POPLAR_ERROR(missing_perf_estimate, poplar_error)
POPIR_POPLAR_ERROR(runtime_error, poplar_error)
POPIR_POPLAR_ERROR(application_runtime_error, runtime_error)
POPIR_POPLAR_ERROR(system_runtime_error, runtime_error)
recoverable_runtime_error::recoverable_runtime_error(const std::string& s, RecoveryAction action)
    : system_runtime_error(s), action_(action) {
  type = "recoverable_runtime_error";
}
recoverable_runtime_error::recoverable_runtime_error(RecoveryAction action, const std::string& s)
    : recoverable_runtime_error(s, action) {}
recoverable_runtime_error::~recoverable_runtime_error() noexcept = default;
POPIR_POPLAR_ERROR(unrecoverable_runtime_error, system_runtime_error)
POPIR_POPLAR_ERROR(unknown_runtime_error, system_runtime_error)
POPIR_POPLAR_ERROR(graph_object_creation_error, poplar_error)
POPIR_POPLAR_ERROR(no_environment, poplar_error)
POPIR_POPLAR_ERROR(missing_profile_data, poplar_error)
POPIR_POPLAR_ERROR(missing_graph_profile, poplar_error)
POPIR_POPLAR_ERROR(tensor_creation_error, poplar_error)
POPIR_POPLAR_ERROR(overflow_error, poplar_error)
POPIR_POPLAR_ERROR(memory_elem_constraints_error, poplar_error)
POPIR_POPLAR_ERROR(stream_memory_allocation_error, poplar_error)
POPIR_POPLAR_ERROR(symbol_error, poplar_error)
POPIR_POPLAR_ERROR(parse_error, poplar_error)

std::string toString(RecoveryAction action) {
  switch (action) {
    case RecoveryAction::IPU_RESET: return "IPU_RESET";
    case RecoveryAction::LINK_RESET: return "LINK_RESET";
    case RecoveryAction::PARTITION_RESET: return "PARTITION_RESET";
    case RecoveryAction::FULL_RESET: return "FULL_RESET";
  }
  return "RecoveryAction(" + std::to_string(static_cast<int>(action)) + ")";
}
std::ostream& operator<<(std::ostream& os, RecoveryAction action) { return os << toString(action); }

}  // namespace poplar
