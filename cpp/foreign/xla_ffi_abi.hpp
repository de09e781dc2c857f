// The C interface of XLA's typed FFI, as handlers see it: version 0.3, and what differs in older
// ones. Handlers are compiled against XLA's own headers; these are the same structs by our names.
//
// Every struct begins with its size and a list of extensions. A size says how much of the struct
// the other side knows.
#ifndef popir_foreign_xla_ffi_abi_hpp
#define popir_foreign_xla_ffi_abi_hpp

#include <cstddef>
#include <cstdint>

namespace popir::foreign::ffi {

inline constexpr int kMajor = 0;
inline constexpr int kMinor = 3;

struct Extension {
  std::size_t size = sizeof(Extension);
  int type = 0;
  Extension* next = nullptr;
};
inline constexpr int kMetadata = 1;  ///< Extension::type

struct Version {
  std::size_t size = sizeof(Version);
  Extension* extensions = nullptr;
  int major = 0;
  int minor = 0;
};

struct Error;    ///< ours; handlers only pass it on
struct Context;  ///< ours, likewise
struct Future;   ///< ours, likewise

/// The codes of absl::Status.
enum Code : int {
  kOk = 0,
  kCancelled,
  kUnknown,
  kInvalidArgument,
  kDeadlineExceeded,
  kNotFound,
  kAlreadyExists,
  kPermissionDenied,
  kResourceExhausted,
  kFailedPrecondition,
  kAborted,
  kOutOfRange,
  kUnimplemented,
  kInternal,
  kUnavailable,
  kDataLoss,
  kUnauthenticated,
};

/// A tensor.
struct Buffer {
  std::size_t size = sizeof(Buffer);
  Extension* extensions = nullptr;
  int type = 0;  ///< as in xla::PrimitiveType
  void* data = nullptr;
  std::int64_t rank = 0;
  const std::int64_t* dims = nullptr;
};

struct Bytes {
  const char* data = nullptr;
  std::size_t size = 0;
};
struct Scalar {
  int type = 0;
  const void* value = nullptr;
};
struct Array {
  int type = 0;
  std::size_t size = 0;
  const void* data = nullptr;
};

/// Arguments, or results: `kinds` says that each is a Buffer.
struct Buffers {
  std::size_t structSize = sizeof(Buffers);
  Extension* extensions = nullptr;
  std::int64_t count = 0;
  const int* kinds = nullptr;
  void* const* buffers = nullptr;
};
inline constexpr int kBuffer = 1;

enum AttributeKind : int { kArray = 1, kDictionary = 2, kScalar = 3, kString = 4 };
/// Attributes, sorted by name. A value is an Array, an Attributes, a Scalar or Bytes.
struct Attributes {
  std::size_t structSize = sizeof(Attributes);
  Extension* extensions = nullptr;
  std::int64_t count = 0;
  const int* kinds = nullptr;
  Bytes* const* names = nullptr;
  void* const* values = nullptr;
};

enum Stage : int { kInstantiate = 0, kPrepare = 1, kInitialize = 2, kExecute = 3 };

struct Api;
/// Handlers compare it: that of the frame up to its attributes, since `future` came later.
inline constexpr std::size_t kFrameSize =
    5 * sizeof(void*) + 2 * sizeof(Buffers) + sizeof(Attributes);
struct CallFrame {
  std::size_t size = kFrameSize;
  Extension* extensions = nullptr;
  const Api* api = nullptr;
  Context* context = nullptr;
  int stage = kExecute;
  Buffers arguments;
  Buffers results;
  Attributes attributes;
  Future* future = nullptr;  ///< out
};
static_assert(kFrameSize == offsetof(CallFrame, future));
using Handler = Error*(CallFrame*);
struct Bundle {
  Handler* instantiate = nullptr;
  Handler* prepare = nullptr;
  Handler* initialize = nullptr;
  Handler* execute = nullptr;
};

struct TypeId {
  std::int64_t id = 0;
};
struct TypeInfo {
  std::size_t size = sizeof(TypeInfo);
  Extension* extensions = nullptr;
  void (*deleter)(void* object) = nullptr;
};

/// What a handler answers to a frame with this extension, in place of its work.
struct Metadata {
  std::size_t size = sizeof(Metadata);
  Version version;
  std::uint32_t traits = 0;
  TypeId state;
};
struct MetadataExtension {
  Extension base;
  Metadata* metadata = nullptr;
};

// The arguments of the functions below.
struct Head {
  std::size_t size;
  Extension* extensions;
};
struct ErrorCreate : Head {
  const char* message;
  int code;
};
struct ErrorMessage : Head {
  Error* error;
  const char* message;
};
struct ErrorDestroy : Head {
  Error* error;
};
struct HandlerRegister : Head {
  Bytes name;
  Bytes platform;
  Bundle bundle;
  std::uint32_t traits;
};
struct StreamGet : Head {
  Context* context;
  void* stream;
};
struct TypeRegister : Head {
  Bytes name;
  TypeId* id;
  const TypeInfo* info;  ///< not before version 0.2, and `size` never counts it
};
struct ContextGet : Head {
  Context* context;
  TypeId* id;
  void* data;
};
struct State : Head {
  Context* context;
  int stage;
  TypeId* id;
  void* state;
};
/// State before version 0.3: of the stage that instantiates. Setting had `deleter` before 0.2.
struct OldState : Head {
  Context* context;
  TypeId* id;
  void* state;
  void (*deleter)(void*);
};
struct MemoryAllocate : Head {
  Context* context;
  std::size_t bytes;
  std::size_t alignment;
  void* data;
};
struct MemoryFree : Head {
  Context* context;
  std::size_t bytes;
  void* data;
};
struct PoolSchedule : Head {
  Context* context;
  void (*task)(void*);
  void* data;
};
struct PoolThreads : Head {
  Context* context;
  std::int64_t* threads;
};
struct FutureCreate : Head {
  Future* future;
};
struct FutureAvailable : Head {
  Future* future;
};
struct FutureError : Head {
  Future* future;
  Error* error;
};
struct RunIdGet : Head {
  Context* context;
  std::int64_t run;
};
struct OrdinalGet : Head {
  Context* context;
  std::int32_t ordinal;
};

struct Api {
  std::size_t size = sizeof(Api);
  Extension* extensions = nullptr;
  Version version;
  const void* internal = nullptr;
  Error* (*errorCreate)(ErrorCreate*);
  void (*errorMessage)(ErrorMessage*);
  void (*errorDestroy)(ErrorDestroy*);
  Error* (*handlerRegister)(HandlerRegister*);
  Error* (*streamGet)(StreamGet*);
  Error* (*typeRegister)(TypeRegister*);
  Error* (*contextGet)(ContextGet*);
  Error* (*stateSet)(State*);
  Error* (*stateGet)(State*);
  Error* (*memoryAllocate)(MemoryAllocate*);
  Error* (*memoryFree)(MemoryFree*);
  Error* (*poolSchedule)(PoolSchedule*);
  Error* (*poolThreads)(PoolThreads*);
  Error* (*futureCreate)(FutureCreate*);
  Error* (*futureAvailable)(FutureAvailable*);
  Error* (*futureError)(FutureError*);
  Error* (*runIdGet)(RunIdGet*);
  Error* (*ordinalGet)(OrdinalGet*);
};

}  // namespace popir::foreign::ffi

#endif
