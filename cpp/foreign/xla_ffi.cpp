#include "foreign/xla_ffi.hpp"

#include <dlfcn.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <stdexcept>
#include <thread>

#include "foreign/xla_targets.hpp"

namespace popir::foreign::ffi {

void Future::finish(std::unique_ptr<Error> with) {
  const std::lock_guard lock(mutex);
  done = true;
  error = std::move(with);
  changed.notify_all();
}

std::unique_ptr<Error> Future::wait() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return done; });
  return std::move(error);
}

void Object::reset() {
  if (object != nullptr && deleter != nullptr) deleter(object);
  object = nullptr;
}

Context::~Context() {
  for (void* each : memory) std::free(each);
}

namespace {

Error* refused(int code, std::string message) { return new Error{code, std::move(message)}; }

std::string text(const Bytes& bytes) { return std::string(bytes.data, bytes.size); }

/// Whether the caller's struct goes as far as `least` bytes.
Error* checkSize(const char* function, const Head* given, std::size_t least) {
  if (given->size >= least) return nullptr;
  return refused(kInvalidArgument, std::string(function) + ": its arguments have " +
                                       std::to_string(given->size) + " bytes; expected are " +
                                       std::to_string(least));
}

Error* errorCreate(ErrorCreate* args) {
  return refused(args->code, args->message == nullptr ? "" : args->message);
}
void errorMessage(ErrorMessage* args) { args->message = args->error->message.c_str(); }
void errorDestroy(ErrorDestroy* args) { delete args->error; }

Error* handlerRegister(HandlerRegister* args) {
  if (Error* error = checkSize("XLA_FFI_Handler_Register", args, sizeof(HandlerRegister) - 8))
    return error;
  xla::Target target;
  target.name = text(args->name);
  target.platform = text(args->platform);
  target.typed = true;
  target.bundle = args->bundle;
  xla::Targets::instance().setOrigin(target, target.address());
  xla::Targets::instance().add(std::move(target));
  return nullptr;
}

Error* streamGet(StreamGet* args) {
  if (args->context == nullptr || args->context->stream == nullptr)
    return refused(kUnimplemented,
                   "there is no stream: the custom call runs on the platform Host. Register it "
                   "for CUDA to get one");
  args->stream = args->context->stream;
  return nullptr;
}

struct Types {
  std::mutex mutex;
  std::vector<std::string> names;
  /// By id, from 1.
  std::map<std::int64_t, void (*)(void*)> deleters;
};

Types& types() {
  static Types known;
  return known;
}

/// What deletes objects of a type; null if the caller does not say. The size of the arguments does
/// not tell: it ends before `info` in all versions, though version 0.1 has no such member. So what
/// lies there is read only as far as there is memory, and believed if it is a TypeInfo.
void (*deleterIn(const TypeRegister& args))(void*) {
  TypeInfo info;
  iovec to{&info, sizeof(info)};
  iovec from{const_cast<TypeInfo*>(args.info), sizeof(info)};
  if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != sizeof(info)) return nullptr;
  Dl_info where;
  const bool right = info.size == sizeof(info) && info.extensions == nullptr &&
                     dladdr(reinterpret_cast<void*>(info.deleter), &where) != 0;
  return right ? info.deleter : nullptr;
}

/// Returns what is wrong, or "".
std::string addType(const std::string& name, TypeId* typeId, void (*deleter)(void*)) {
  Types& known = types();
  const std::lock_guard lock(known.mutex);
  auto& names = known.names;
  const auto at = std::find(names.begin(), names.end(), name);
  const auto id = static_cast<std::int64_t>(at - names.begin()) + 1;
  if (typeId->id != 0 && typeId->id != id)
    return "the type " + name + " is registered with the id " + std::to_string(typeId->id) +
           "; ids are given here";
  if (at == names.end()) names.push_back(name);
  typeId->id = id;
  known.deleters[id] = deleter;  // A library that is loaded again brings one of its own.
  return "";
}

Error* typeRegister(TypeRegister* args) {
  const std::string wrong = addType(text(args->name), args->id, deleterIn(*args));
  return wrong.empty() ? nullptr : refused(kInvalidArgument, wrong);
}

Error* contextGet(ContextGet* args) {
  args->data = nullptr;
  return refused(kNotFound, "no object of that type was given to the execution context");
}

Object* stateOf(Context* context, int stage) {
  const bool known = context != nullptr && stage >= kInstantiate && stage < kExecute;
  return known ? context->states[static_cast<std::size_t>(stage)] : nullptr;
}

Error* setState(Object* state, const TypeId& id, void* object, void (*deleter)(void*)) {
  if (state == nullptr) return refused(kInvalidArgument, "the stage has no state to be set");
  if (state->object != nullptr) return refused(kFailedPrecondition, "the state is already set");
  state->type = id.id;
  state->object = object;
  state->deleter = deleter;
  return nullptr;
}

void (*deleterOf(const TypeId& id))(void*) {
  const std::lock_guard lock(types().mutex);
  const auto found = types().deleters.find(id.id);
  return found == types().deleters.end() ? nullptr : found->second;
}

Error* stateSet(State* args) {
  if (args->context != nullptr && args->context->minor < 3) {
    const auto* old = reinterpret_cast<OldState*>(args);
    const bool carries = old->size >= sizeof(OldState);
    return setState(stateOf(old->context, kInstantiate), *old->id, old->state,
                    carries ? old->deleter : deleterOf(*old->id));
  }
  if (Error* error = checkSize("XLA_FFI_State_Set", args, sizeof(State))) return error;
  return setState(stateOf(args->context, args->stage), *args->id, args->state,
                  deleterOf(*args->id));
}

Error* getState(const Object* state, const TypeId& id, void*& object) {
  object = nullptr;
  if (state == nullptr || state->object == nullptr)
    return refused(kNotFound, "the state is not set: the stage that sets it has no handler");
  if (state->type != id.id) return refused(kInvalidArgument, "the state has another type");
  object = state->object;
  return nullptr;
}

Error* stateGet(State* args) {
  if (args->context != nullptr && args->context->minor < 3) {
    auto* old = reinterpret_cast<OldState*>(args);
    return getState(stateOf(old->context, kInstantiate), *old->id, old->state);
  }
  if (Error* error = checkSize("XLA_FFI_State_Get", args, sizeof(State))) return error;
  return getState(stateOf(args->context, args->stage), *args->id, args->state);
}

Error* memoryAllocate(MemoryAllocate* args) {
  const std::size_t alignment = std::max<std::size_t>(args->alignment, 64);
  if ((alignment & (alignment - 1)) != 0)
    return refused(kInvalidArgument, "scratch memory: the alignment " +
                                         std::to_string(args->alignment) + " is no power of 2");
  args->data = nullptr;
  if (args->bytes == 0) return nullptr;
  // The least size that aligned_alloc takes; 0 if that does not fit.
  const std::size_t bytes = (args->bytes + alignment - 1) & ~(alignment - 1);
  args->data = bytes == 0 ? nullptr : std::aligned_alloc(alignment, bytes);
  if (args->data == nullptr)
    return refused(kResourceExhausted, "there is no memory for " + std::to_string(args->bytes) +
                                           " bytes of scratch memory");
  args->context->memory.push_back(args->data);
  return nullptr;
}

/// Nothing: what is queued may still use it.
Error* memoryFree(MemoryFree*) { return nullptr; }

/// Threads for the tasks of handlers, made when the first task comes.
class Pool {
 public:
  /// Of this process: threads are not there in a forked child.
  static Pool& instance() {
    static std::mutex mutex;
    static std::map<pid_t, Pool*>* pools = new std::map<pid_t, Pool*>;
    const std::lock_guard lock(mutex);
    Pool*& pool = (*pools)[getpid()];
    if (pool == nullptr) pool = new Pool;  // Its threads may outlive static objects.
    return *pool;
  }
  static std::int64_t threads() {
    return std::max<std::int64_t>(1, std::thread::hardware_concurrency());
  }

  void add(void (*task)(void*), void* data) {
    const std::lock_guard lock(mutex_);
    tasks_.emplace_back([=] { task(data); });
    changed_.notify_one();
  }

 private:
  Pool() {
    for (std::int64_t i = 0; i < threads(); ++i) std::thread([this] { work(); }).detach();
  }
  [[noreturn]] void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !tasks_.empty(); });
      const auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
};

Error* poolSchedule(PoolSchedule* args) {
  Pool::instance().add(args->task, args->data);
  return nullptr;
}
Error* poolThreads(PoolThreads* args) {
  *args->threads = Pool::threads();
  return nullptr;
}

Error* futureCreate(FutureCreate* args) {
  args->future = new Future;
  return nullptr;
}
Error* futureAvailable(FutureAvailable* args) {
  args->future->finish(nullptr);
  return nullptr;
}
Error* futureError(FutureError* args) {
  args->future->finish(std::unique_ptr<Error>(args->error));
  return nullptr;
}

Error* runIdGet(RunIdGet* args) {
  args->run = args->context->run;
  return nullptr;
}
Error* ordinalGet(OrdinalGet* args) {
  args->ordinal = 0;
  return nullptr;
}

Api table() {
  Api made;
  made.version.major = kMajor;
  made.version.minor = kMinor;
  made.errorCreate = errorCreate;
  made.errorMessage = errorMessage;
  made.errorDestroy = errorDestroy;
  made.handlerRegister = handlerRegister;
  made.streamGet = streamGet;
  made.typeRegister = typeRegister;
  made.contextGet = contextGet;
  made.stateSet = stateSet;
  made.stateGet = stateGet;
  made.memoryAllocate = memoryAllocate;
  made.memoryFree = memoryFree;
  made.poolSchedule = poolSchedule;
  made.poolThreads = poolThreads;
  made.futureCreate = futureCreate;
  made.futureAvailable = futureAvailable;
  made.futureError = futureError;
  made.runIdGet = runIdGet;
  made.ordinalGet = ordinalGet;
  return made;
}

}  // namespace

void registerType(const std::string& name, TypeId* id, const TypeInfo* info) {
  const std::string wrong = addType(name, id, info == nullptr ? nullptr : info->deleter);
  if (!wrong.empty()) throw std::invalid_argument(wrong);
}

const Api& api() {
  static const Api made = table();
  return made;
}

}  // namespace popir::foreign::ffi

/// What the registration macros of XLA's headers ask for.
extern "C" __attribute__((visibility("default"))) const void* XLA_FFI_GetApi() {
  return &popir::foreign::ffi::api();
}
