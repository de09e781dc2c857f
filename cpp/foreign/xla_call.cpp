#include "foreign/xla_call.hpp"

#include <atomic>
#include <cstring>
#include <stdexcept>

#include "foreign/xla_ffi.hpp"
#include "foreign/xla_stream.hpp"

/// The object behind XlaCustomCallStatus. It is laid out as XLA's own, so that one library can be
/// called by both.
struct XlaCustomCallStatus_ {
  std::optional<std::string> message;
};

#define POPIR_VISIBLE __attribute__((visibility("default")))

/// The call has succeeded, which is the default.
extern "C" POPIR_VISIBLE void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus_* status) {
  status->message = std::nullopt;
}

/// The call has failed: `message` has `length` bytes, or ends before at a NUL.
extern "C" POPIR_VISIBLE void XlaCustomCallStatusSetFailure(XlaCustomCallStatus_* status,
                                                            const char* message,
                                                            std::size_t length) {
  status->message = std::string(message, strnlen(message, length));
}

namespace popir::foreign::xla {

std::size_t Shape::leaves() const {
  if (!tuple) return 1;
  std::size_t sum = 0;
  for (const Shape& each : elements) sum += each.leaves();
  return sum;
}

const char* nameOf(int code) {
  static const char* const names[] = {"OK",
                                      "CANCELLED",
                                      "UNKNOWN",
                                      "INVALID_ARGUMENT",
                                      "DEADLINE_EXCEEDED",
                                      "NOT_FOUND",
                                      "ALREADY_EXISTS",
                                      "PERMISSION_DENIED",
                                      "RESOURCE_EXHAUSTED",
                                      "FAILED_PRECONDITION",
                                      "ABORTED",
                                      "OUT_OF_RANGE",
                                      "UNIMPLEMENTED",
                                      "INTERNAL",
                                      "UNAVAILABLE",
                                      "DATA_LOSS",
                                      "UNAUTHENTICATED"};
  const bool known = code >= 0 && code <= ffi::kUnauthenticated;
  return known ? names[code] : "UNKNOWN";
}

namespace {

/// Memory for a few items, on the stack where it is enough.
template <class T, std::size_t N = 24>
class Few {
 public:
  explicit Few(std::size_t count) : more_(count > N ? count : 0) {}
  T* data() { return more_.empty() ? few_ : more_.data(); }

 private:
  T few_[N];
  std::vector<T> more_;
};

bool isToken(const Shape& shape) { return !shape.tuple && shape.type == Shape::kToken; }

void addLeaves(const Shape& shape, std::vector<const Shape*>& leaves) {
  if (!shape.tuple) leaves.push_back(&shape);
  for (const Shape& each : shape.elements) addLeaves(each, leaves);
}

/// Operands or results as a flat list of leaves, and where their tables of pointers lie.
class Leaves {
 public:
  Leaves() = default;
  explicit Leaves(const std::vector<Shape>& shapes) : shapes_(shapes) {
    std::vector<const Shape*> found;
    for (const Shape& each : shapes_) addLeaves(each, found);
    for (const Shape* each : found) tokens_.push_back(isToken(*each));
    for (const Shape& each : shapes_) entries_ += entriesOf(each);
    for (const bool token : tokens_) plain_ = plain_ && !token;
    for (const Shape& each : shapes_) plain_ = plain_ && !each.tuple;
  }
  Leaves(const Leaves&) = delete;
  Leaves& operator=(const Leaves&) = delete;

  std::size_t count() const { return tokens_.size(); }
  const std::vector<Shape>& shapes() const { return shapes_; }
  /// Whether there are neither tuples nor tokens: then the leaves are what the target gets.
  bool plain() const { return plain_; }
  /// The pointer of a leaf, as the target gets it.
  void* pointer(void* const* leaves, std::size_t i) const {
    return tokens_[i] ? nullptr : leaves[i];
  }

  /// The number of pointers in all tables.
  std::size_t entries() const { return entries_; }
  /// Writes for each shape the pointer to its data, or to its table, which lies in `tables`.
  void tables(void* const* leaves, void** top, void** tables) const {
    std::size_t leaf = 0;
    for (std::size_t i = 0; i < shapes_.size(); ++i)
      top[i] = walk(shapes_[i], leaves, leaf, tables);
  }

 private:
  static std::size_t entriesOf(const Shape& shape) {
    std::size_t sum = shape.elements.size();
    for (const Shape& each : shape.elements) sum += entriesOf(each);
    return sum;
  }
  void* walk(const Shape& shape, void* const* leaves, std::size_t& leaf, void**& free) const {
    if (!shape.tuple) {
      void* found = pointer(leaves, leaf);
      ++leaf;
      return found;
    }
    void** table = free;
    free += shape.elements.size();
    for (std::size_t i = 0; i < shape.elements.size(); ++i)
      table[i] = walk(shape.elements[i], leaves, leaf, free);
    return table;
  }

  std::vector<Shape> shapes_;
  std::vector<bool> tokens_;
  std::size_t entries_ = 0;
  bool plain_ = true;
};

/// What every version has: the operands, the result, memory that they share, and a stream.
class Callee {
 public:
  explicit Callee(const Call& call)
      : call_(call), operands_(call_.operands), results_({call_.result}) {
    std::vector<const Shape*> leaves;
    addLeaves(call_.result, leaves);
    for (const auto& [out, in] : call_.aliases) {
      if (out >= results_.count() || in >= operands_.count())
        throw std::invalid_argument("output_operand_aliasing names result " + std::to_string(out) +
                                    " and operand " + std::to_string(in) + " of " +
                                    std::to_string(results_.count()) + " and " +
                                    std::to_string(operands_.count()));
      shared_.push_back({out, in, bytesOf(*leaves[out])});
    }
    if (call_.target.platform != "Host") stream_ = std::make_unique<Stream>();
  }
  virtual ~Callee() = default;

  void run(const void* const* inputs, void* const* outputs) const {
    auto* const in = const_cast<void* const*>(inputs);
    if (shared_.empty()) {
      finish(in, outputs);
      return;
    }
    Few<void*> changed(operands_.count());
    std::copy(in, in + operands_.count(), changed.data());
    for (const Shared& each : shared_) {
      if (each.bytes > 0) std::memcpy(outputs[each.out], in[each.in], each.bytes);
      changed.data()[each.in] = outputs[each.out];
    }
    finish(changed.data(), outputs);
  }

 protected:
  virtual void call(void* const* inputs, void* const* outputs) const = 0;

  struct Shared {
    std::size_t out, in, bytes;
  };
  static std::size_t bytesOf(const Shape& shape);

  void finish(void* const* inputs, void* const* outputs) const {
    if (stream_ == nullptr) {
      call(inputs, outputs);
      return;
    }
    try {
      call(inputs, outputs);
    } catch (...) {
      stream_->synchronize();
      try {
        stream_->finish();
      } catch (...) {  // The first error is the one to be told.
      }
      throw;
    }
    stream_->finish();
  }

  const Call call_;
  const Leaves operands_, results_;
  std::vector<Shared> shared_;
  std::unique_ptr<Stream> stream_;
};

std::size_t bytesOfType(int type) {
  switch (type) {
    case 4:
    case 8:
    case 11: return 4;
    case 3:
    case 7:
    case 10:
    case 16: return 2;
    case 5:
    case 9:
    case 12:
    case 15: return 8;
    case 18: return 16;
    case Shape::kToken: return 0;
    default: return 1;
  }
}

std::size_t Callee::bytesOf(const Shape& shape) {
  std::size_t bytes = bytesOfType(shape.type);
  for (const std::int64_t dim : shape.dims) bytes *= static_cast<std::size_t>(dim);
  return bytes;
}

void check(const XlaCustomCallStatus_& status) {
  if (status.message) throw std::runtime_error("INTERNAL: " + *status.message);
}

/// void f(void* out, const void** in), with a status, or opaque bytes and a status.
class OnHost final : public Callee {
 public:
  using Callee::Callee;

 private:
  void call(void* const* inputs, void* const* outputs) const override {
    if (operands_.plain() && results_.plain()) {
      call(outputs[0], const_cast<void**>(inputs));
      return;
    }
    const std::size_t count = operands_.shapes().size();
    Few<void*> tables(count + operands_.entries() + 1 + results_.entries());
    void** const in = tables.data();
    operands_.tables(inputs, in, in + count);
    void** const out = in + count + operands_.entries();
    results_.tables(outputs, out, out + 1);
    call(*out, in);
  }

  void call(void* out, void** pointers) const {
    const auto in = const_cast<const void**>(pointers);
    void* function = call_.target.function;
    if (call_.apiVersion == 1) {
      reinterpret_cast<void (*)(void*, const void**)>(function)(out, in);
      return;
    }
    XlaCustomCallStatus_ status;
    if (call_.apiVersion == 2)
      reinterpret_cast<void (*)(void*, const void**, XlaCustomCallStatus_*)>(function)(out, in,
                                                                                       &status);
    else
      reinterpret_cast<void (*)(void*, const void**, const char*, std::size_t,
                                XlaCustomCallStatus_*)>(function)(out, in, call_.opaque.data(),
                                                                  call_.opaque.size(), &status);
    check(status);
  }
};

/// void f(stream, void** buffers, const char* opaque, size_t opaque_len), or with a status.
class OnDevice final : public Callee {
 public:
  using Callee::Callee;

 private:
  void call(void* const* inputs, void* const* outputs) const override {
    const std::size_t count = operands_.count();
    Few<void*> memory(count + results_.count());
    void** const buffers = memory.data();
    for (std::size_t i = 0; i < count; ++i) buffers[i] = operands_.pointer(inputs, i);
    for (std::size_t i = 0; i < results_.count(); ++i)
      buffers[count + i] = results_.pointer(outputs, i);
    void* function = call_.target.function;
    const char* opaque = call_.opaque.data();
    if (call_.apiVersion == 1) {
      reinterpret_cast<void (*)(void*, void**, const char*, std::size_t)>(function)(
          stream_.get(), buffers, opaque, call_.opaque.size());
      return;
    }
    XlaCustomCallStatus_ status;
    reinterpret_cast<void (*)(void*, void**, const char*, std::size_t, XlaCustomCallStatus_*)>(
        function)(stream_.get(), buffers, opaque, call_.opaque.size(), &status);
    check(status);
  }
};

/// A dictionary in the form in which handlers read it. It refers to the attributes.
class Dictionary {
 public:
  explicit Dictionary(const std::vector<std::pair<std::string, Attribute>>& items) {
    const std::size_t count = items.size();
    names_.resize(count);
    scalars_.resize(count);
    arrays_.resize(count);
    texts_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [name, value] = items[i];
      names_[i] = {name.data(), name.size()};
      namePointers_.push_back(&names_[i]);
      kinds_.push_back(value.kind);
      values_.push_back(valueOf(value, i));
    }
    frame_.count = static_cast<std::int64_t>(count);
    frame_.kinds = kinds_.data();
    frame_.names = namePointers_.data();
    frame_.values = values_.data();
  }
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;
  const ffi::Attributes& frame() const { return frame_; }

 private:
  void* valueOf(const Attribute& value, std::size_t i) {
    switch (value.kind) {
      case ffi::kScalar: scalars_[i] = {value.type, value.bytes.data()}; return &scalars_[i];
      case ffi::kArray:
        arrays_[i] = {value.type, value.count, value.bytes.data()};
        return &arrays_[i];
      case ffi::kString: texts_[i] = {value.bytes.data(), value.bytes.size()}; return &texts_[i];
      case ffi::kDictionary: break;
    }
    inner_.push_back(std::make_unique<Dictionary>(value.items));
    return &inner_.back()->frame_;
  }

  std::vector<ffi::Bytes> names_, texts_;
  std::vector<ffi::Bytes*> namePointers_;
  std::vector<int> kinds_;
  std::vector<void*> values_;
  std::vector<ffi::Scalar> scalars_;
  std::vector<ffi::Array> arrays_;
  std::vector<std::unique_ptr<Dictionary>> inner_;
  ffi::Attributes frame_;
};

std::string said(const ffi::Error& error) {
  return std::string(nameOf(error.code)) + ": " + error.message;
}

/// XLA_FFI_Error* f(XLA_FFI_CallFrame*).
class Typed final : public Callee {
 public:
  explicit Typed(const Call& given) : Callee(given), attributes_(call_.attributes) {
    for (const Shape& each : call_.operands) addLeaves(each, operandLeaves_);
    addLeaves(call_.result, resultLeaves_);
    kinds_.assign(operandLeaves_.size() + resultLeaves_.size(), ffi::kBuffer);
    const ffi::Bundle& handlers = call_.target.bundle;
    // Each says what is wrong with its types, too: a state that is not registered, for example.
    for (ffi::Handler* each : {handlers.instantiate, handlers.prepare, handlers.initialize})
      if (each != nullptr) versionOf(each);
    minor_ = versionOf(handlers.execute);
    if (handlers.instantiate == nullptr) return;
    ffi::Context context;
    context.minor = minor_;
    context.states[ffi::kInstantiate] = &state_;
    const std::vector<void*> none(kinds_.size());
    Frame frame(*this, none.data(), none.data() + operandLeaves_.size());
    const auto error = call(handlers.instantiate, ffi::kInstantiate, context, frame);
    if (error != nullptr) throw std::invalid_argument(said(*error));
  }

 private:
  /// The buffers of one call.
  class Frame {
   public:
    Frame(const Typed& call, void* const* inputs, void* const* outputs)
        : ins_(call.operandLeaves_.size()),
          outs_(call.resultLeaves_.size()),
          buffers_(ins_ + outs_),
          pointers_(ins_ + outs_) {
      for (std::size_t i = 0; i < ins_; ++i)
        fill(i, *call.operandLeaves_[i], call.operands_.pointer(inputs, i));
      for (std::size_t i = 0; i < outs_; ++i)
        fill(ins_ + i, *call.resultLeaves_[i], call.results_.pointer(outputs, i));
    }
    void setIn(ffi::CallFrame& frame, const int* kinds) {
      frame.arguments.count = static_cast<std::int64_t>(ins_);
      frame.arguments.kinds = kinds;
      frame.arguments.buffers = pointers_.data();
      frame.results.count = static_cast<std::int64_t>(outs_);
      frame.results.kinds = kinds;
      frame.results.buffers = pointers_.data() + ins_;
    }

   private:
    void fill(std::size_t i, const Shape& shape, void* data) {
      ffi::Buffer& buffer = buffers_.data()[i];
      buffer.type = shape.type;
      buffer.data = data;
      buffer.rank = static_cast<std::int64_t>(shape.dims.size());
      buffer.dims = shape.dims.data();
      pointers_.data()[i] = &buffer;
    }

    std::size_t ins_, outs_;
    Few<ffi::Buffer> buffers_;
    Few<void*> pointers_;
  };

  void call(void* const* inputs, void* const* outputs) const override {
    Frame frame(*this, inputs, outputs);
    static std::atomic<std::int64_t> runs{0};
    ffi::Object prepared, initialized;
    ffi::Context context;
    context.minor = minor_;
    context.states = {&state_, &prepared, &initialized};
    context.stream = stream_.get();
    context.run = ++runs;
    const ffi::Bundle& handlers = call_.target.bundle;
    std::unique_ptr<ffi::Error> error;
    if (handlers.prepare != nullptr) error = call(handlers.prepare, ffi::kPrepare, context, frame);
    if (error == nullptr && handlers.initialize != nullptr)
      error = call(handlers.initialize, ffi::kInitialize, context, frame);
    if (error == nullptr) error = call(handlers.execute, ffi::kExecute, context, frame);
    if (stream_ != nullptr) stream_->synchronize();  // before scratch memory is freed
    if (error != nullptr) throw std::runtime_error(said(*error));
  }

  std::unique_ptr<ffi::Error> call(ffi::Handler* handler, ffi::Stage stage, ffi::Context& context,
                                   Frame& buffers) const {
    ffi::CallFrame frame;
    frame.api = &ffi::api();
    frame.context = &context;
    frame.stage = stage;
    buffers.setIn(frame, kinds_.data());
    frame.attributes = attributes_.frame();
    std::unique_ptr<ffi::Error> error;
    try {
      error.reset(handler(&frame));
    } catch (const std::exception& e) {
      error = std::make_unique<ffi::Error>(
          ffi::Error{ffi::kUnknown, std::string("XLA FFI call failed: ") + e.what()});
    }
    const std::unique_ptr<ffi::Future> future(frame.future);
    if (error == nullptr && future != nullptr) error = future->wait();
    return error;
  }

  /// The minor version of the interface that the handler was compiled with.
  int versionOf(ffi::Handler* handler) const {
    ffi::Metadata metadata;
    ffi::MetadataExtension extension;
    extension.base.size = sizeof(extension);
    extension.base.type = ffi::kMetadata;
    extension.metadata = &metadata;
    ffi::CallFrame frame;
    frame.extensions = &extension.base;
    frame.api = &ffi::api();
    const std::unique_ptr<ffi::Error> error(handler(&frame));
    if (error != nullptr) throw std::invalid_argument(said(*error));
    const ffi::Version& version = metadata.version;
    if (version.major != ffi::kMajor || version.minor > ffi::kMinor)
      throw std::invalid_argument(
          "its handler was compiled with version " + std::to_string(version.major) + "." +
          std::to_string(version.minor) + " of XLA's FFI; known are 0.1 to 0." +
          std::to_string(ffi::kMinor));
    return version.minor;
  }

  std::vector<const Shape*> operandLeaves_, resultLeaves_;
  std::vector<int> kinds_;
  Dictionary attributes_;
  int minor_ = ffi::kMinor;
  mutable ffi::Object state_;
};

std::shared_ptr<const Callee> made(const Call& call) {
  if (call.apiVersion < 1 || call.apiVersion > 4)
    throw std::invalid_argument("the API version is " + std::to_string(call.apiVersion) +
                                "; known are 1 to 4");
  if (call.target.typed != (call.apiVersion == 4))
    throw std::invalid_argument(
        call.target.typed
            ? "it is registered as a handler of the typed FFI, which is API version 4; given was " +
                  std::to_string(call.apiVersion)
            : "it is registered as a plain function, for the API versions 1 to 3; given was 4. "
              "Register it as a typed handler");
  if (call.apiVersion == 4) return std::make_shared<Typed>(call);
  if (call.target.platform == "Host") return std::make_shared<OnHost>(call);
  return std::make_shared<OnDevice>(call);
}

}  // namespace

HostCall hostCall(const Call& call) {
  const std::shared_ptr<const Callee> callee = made(call);
  return
      [callee](const void* const* inputs, void* const* outputs) { callee->run(inputs, outputs); };
}

}  // namespace popir::foreign::xla
