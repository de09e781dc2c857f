// Our side of XLA's typed FFI: the functions that handlers call, and the objects behind them.
#ifndef popir_foreign_xla_ffi_hpp
#define popir_foreign_xla_ffi_hpp

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "foreign/xla_ffi_abi.hpp"
#include "foreign/xla_stream.hpp"

namespace popir::foreign::ffi {

struct Error {
  int code;
  std::string message;
};

/// The end of work that goes on after the handler has returned.
struct Future {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::unique_ptr<Error> error;

  void finish(std::unique_ptr<Error> with);
  /// Waits for the end. Returns the error, or null.
  std::unique_ptr<Error> wait();
};

/// An object of a handler, and what deletes it.
class Object {
 public:
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  ~Object() { reset(); }
  void reset();

  std::int64_t type = 0;
  void* object = nullptr;
  void (*deleter)(void*) = nullptr;
};

/// What a handler finds behind the context of its frame.
struct Context {
  /// The version of the interface that the handler was compiled with.
  int minor = kMinor;
  /// The state of each stage before EXECUTE. That of INSTANTIATE belongs to the call and lasts.
  std::array<Object*, 3> states = {};
  /// Null on the host.
  xla::Stream* stream = nullptr;
  std::int64_t run = 0;
  /// Scratch memory of this call. It is freed after the stream has run.
  std::vector<void*> memory;

  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();
};

#pragma GCC visibility push(default)

/// The table of functions.
const Api& api();

/// Registers a type of handlers' states: gives `id` its number.
/// \throws std::invalid_argument if `id` has another number already
void registerType(const std::string& name, TypeId* id, const TypeInfo* info);

#pragma GCC visibility pop

}  // namespace popir::foreign::ffi

#endif
