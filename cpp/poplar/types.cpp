// Small value types of Poplar's interface.
#include <poplar/DebugContext.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/StreamCallback.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/Type.hpp>
#include <poplar/exceptions.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

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

StreamCallbackBase::~StreamCallbackBase() = default;
StreamCallback::~StreamCallback() = default;

struct ResumableStreamCallback::Waiting {
  std::mutex mutex;
  std::condition_variable changed;
  bool is = false;
};
ResumableStreamCallback::ResumableStreamCallback() : waiting_(std::make_unique<Waiting>()) {}
ResumableStreamCallback::~ResumableStreamCallback() = default;
void ResumableStreamCallback::notify() {
  {
    const std::lock_guard<std::mutex> guard(waiting_->mutex);
    waiting_->is = false;
  }
  waiting_->changed.notify_all();
}
bool ResumableStreamCallback::isAwaiting() const {
  const std::lock_guard<std::mutex> guard(waiting_->mutex);
  return waiting_->is;
}
void ResumableStreamCallback::wait() {
  std::unique_lock<std::mutex> guard(waiting_->mutex);
  waiting_->is = true;
  waiting_->changed.wait(guard, [this] { return !waiting_->is; });
}

// Not inline, so that each exception type has one type_info and can be caught across libraries.
poplar_error::poplar_error(const std::string& s) : std::runtime_error(s), type("poplar_error") {}
poplar_error::poplar_error(const char* s) : std::runtime_error(s), type("poplar_error") {}
poplar_error::~poplar_error() noexcept = default;
const char* poplar_error::what() const noexcept {
  return located_.empty() ? std::runtime_error::what() : located_.c_str();
}
void poplar_error::attachSourceLocation(const DebugContext& context) {
  std::string place = context.getPathName();
  if (!place.empty()) place = "'" + place + "'";
  if (context.location.isValid())
    place += std::string(place.empty() ? "" : ", ") + context.location.getFileName() + ":" +
             std::to_string(context.location.getLineNumber());
  if (!place.empty()) located_ = std::string(what()) + " (made by " + place + ")";
}

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
runtime_error::runtime_error(const std::string& s, std::vector<ErrorInfo> errors)
    : poplar_error(s), errors_(std::move(errors)) {
  type = "runtime_error";
}
runtime_error::runtime_error(const char* s) : runtime_error(std::string(s)) {}
runtime_error::~runtime_error() noexcept = default;
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

index_error::index_error(const std::string& what, std::size_t index)
    : index_error(what + ": index " + std::to_string(index) + " is outside of it") {}
unknown_field::unknown_field(const std::string& field, const std::string& vertexType)
    : unknown_field("Vertex type '" + vertexType + "' has no field '" + field + "'") {}
no_size_specified::no_size_specified(const std::string& field, const std::string& vertexType)
    : no_size_specified("Field '" + field + "' of vertex type '" + vertexType +
                        "' has no size; call Graph::setFieldSize first") {}
graph_object_load_error::graph_object_load_error(const std::string& path, const std::string& why)
    : graph_object_load_error("'" + path + "' cannot be loaded: " + why) {}
symbol_error::symbol_error(const std::string& name, unsigned tile)
    : symbol_error("Tile " + std::to_string(tile) + " has no symbol '" + name + "'") {}

namespace {

constexpr std::pair<ErrorCode, const char*> kErrorCodes[] = {
    {ErrorCode::NONE, "NONE"},
    {ErrorCode::UNKNOWN, "UNKNOWN"},
    {ErrorCode::TRAP, "TRAP"},
    {ErrorCode::FLOATING_POINT_INVALID_OPERATION, "FLOATING_POINT_INVALID_OPERATION"},
    {ErrorCode::FLOATING_POINT_DIVIDE_BY_ZERO, "FLOATING_POINT_DIVIDE_BY_ZERO"},
    {ErrorCode::FLOATING_POINT_OVERFLOW, "FLOATING_POINT_OVERFLOW"},
    {ErrorCode::TILE_MEMORY_BANK_CONFLICT, "TILE_MEMORY_BANK_CONFLICT"},
    {ErrorCode::INVALID_EXCHANGE_CONFIGURATION, "INVALID_EXCHANGE_CONFIGURATION"},
    {ErrorCode::INVALID_ADDRESS, "INVALID_ADDRESS"},
    {ErrorCode::INVALID_OPERAND, "INVALID_OPERAND"},
    {ErrorCode::INVALID_PROGRAM_COUNTER, "INVALID_PROGRAM_COUNTER"},
    {ErrorCode::INVALID_INSTRUCTION, "INVALID_INSTRUCTION"},
    {ErrorCode::EXCHANGE_ERROR, "EXCHANGE_ERROR"},
    {ErrorCode::MEMORY_ERROR, "MEMORY_ERROR"},
    {ErrorCode::IPUSOFTERR, "IPUSOFTERR"},
    {ErrorCode::LINK_DOWN, "LINK_DOWN"},
    {ErrorCode::HOST_LINK_DOWN, "HOST_LINK_DOWN"},
    {ErrorCode::HOST_SYNC_TIMEOUT, "HOST_SYNC_TIMEOUT"},
    {ErrorCode::IPU_MEMORY_FAILURE, "IPU_MEMORY_FAILURE"},
};

}  // namespace

std::string errorCodeToString(ErrorCode code) {
  for (const auto& [each, name] : kErrorCodes)
    if (each == code) return name;
  return "ErrorCode(" + std::to_string(static_cast<unsigned>(code)) + ")";
}
ErrorCode errorCodeFromString(StringRef name) {
  std::string known;
  for (const auto& [code, each] : kErrorCodes) {
    if (name.str() == each) return code;
    known += (known.empty() ? "" : ", ") + std::string(each);
  }
  throw poplar_error("errorCodeFromString: there is no error '" + name.str() +
                     "'; take one of: " + known);
}

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
