// Handlers of XLA's typed interface, compiled with its own headers.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace {

ffi::Error axpyImpl(float a, ffi::Buffer<ffi::F32> x, ffi::Buffer<ffi::F32> y,
                    ffi::ResultBuffer<ffi::F32> out) {
  for (size_t i = 0; i < x.element_count(); ++i)
    out->typed_data()[i] = a * x.typed_data()[i] + y.typed_data()[i];
  return ffi::Error::Success();
}

// y = x / sqrt(mean(x * x) + eps) over the last dimension, and the factor as a residual.
ffi::Error normImpl(float eps, ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y,
                    ffi::ResultBuffer<ffi::F32> factor) {
  const auto dims = x.dimensions();
  if (dims.size() == 0) return ffi::Error::InvalidArgument("norm: its operand is a scalar");
  const int64_t n = dims.back();
  const int64_t rows = static_cast<int64_t>(x.element_count()) / std::max<int64_t>(n, 1);
  for (int64_t r = 0; r < rows; ++r) {
    float sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += x.typed_data()[r * n + i] * x.typed_data()[r * n + i];
    const float f = 1 / std::sqrt(sum / static_cast<float>(n) + eps);
    factor->typed_data()[r] = f;
    for (int64_t i = 0; i < n; ++i) y->typed_data()[r * n + i] = x.typed_data()[r * n + i] * f;
  }
  return ffi::Error::Success();
}

// dx = f dy - x f^3 mean(x dy)
ffi::Error normGradImpl(ffi::Buffer<ffi::F32> factor, ffi::Buffer<ffi::F32> x,
                        ffi::Buffer<ffi::F32> dy, ffi::ResultBuffer<ffi::F32> dx) {
  const int64_t n = x.dimensions().back();
  const int64_t rows = static_cast<int64_t>(x.element_count()) / n;
  for (int64_t r = 0; r < rows; ++r) {
    const float* xs = x.typed_data() + r * n;
    const float* ds = dy.typed_data() + r * n;
    const float f = factor.typed_data()[r];
    float mean = 0;
    for (int64_t i = 0; i < n; ++i) mean += xs[i] * ds[i] / static_cast<float>(n);
    for (int64_t i = 0; i < n; ++i)
      dx->typed_data()[r * n + i] = f * ds[i] - xs[i] * f * f * f * mean;
  }
  return ffi::Error::Success();
}

// All attributes as text, and all arguments, so that nothing is lost on the way.
template <class T>
void tell(std::ostream& to, ffi::Dictionary values, const char* name) {
  const auto value = values.get<T>(name);
  if (value.has_value()) {
    if constexpr (sizeof(T) == 1)
      to << name << "=" << static_cast<int>(*value) << ";";
    else
      to << name << "=" << *value << ";";
  }
}
template <class T>
void tellAll(std::ostream& to, ffi::Dictionary values, const char* name) {
  const auto value = values.get<ffi::Span<const T>>(name);
  if (!value.has_value()) return;
  to << name << "=[";
  for (const T each : *value) to << +each << " ";
  to << "];";
}
ffi::Error attributesImpl(ffi::Dictionary attributes, ffi::RemainingArgs arguments,
                          ffi::ResultBuffer<ffi::U8> out) {
  std::ostringstream text;
  tell<bool>(text, attributes, "pred");
  tell<int8_t>(text, attributes, "s8");
  tell<int32_t>(text, attributes, "s32");
  tell<int64_t>(text, attributes, "s64");
  tell<uint16_t>(text, attributes, "u16");
  tell<uint64_t>(text, attributes, "u64");
  text.precision(17);
  tell<float>(text, attributes, "f32");
  tell<double>(text, attributes, "f64");
  tell<std::string_view>(text, attributes, "text");
  tellAll<int32_t>(text, attributes, "s32s");
  tellAll<int64_t>(text, attributes, "s64s");
  tellAll<float>(text, attributes, "f32s");
  tellAll<double>(text, attributes, "f64s");
  const auto inner = attributes.get<ffi::Dictionary>("inner");
  if (inner.has_value()) {
    text << "inner={";
    tell<int64_t>(text, *inner, "s64");
    tell<std::string_view>(text, *inner, "text");
    text << "};";
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto buffer = arguments.get<ffi::AnyBuffer>(i);
    text << buffer->element_type() << "(";
    for (const int64_t d : buffer->dimensions()) text << d << " ";
    text << ");";
  }
  const std::string found = text.str();
  std::fill_n(out->typed_data(), out->element_count(), 0);
  std::copy_n(found.data(), std::min(found.size(), out->element_count()), out->typed_data());
  return ffi::Error::Success();
}

ffi::Error failImpl(std::string_view message, int64_t code, ffi::AnyBuffer,
                    ffi::Result<ffi::AnyBuffer>) {
  return ffi::Error(static_cast<ffi::ErrorCode>(code), std::string(message));
}

ffi::Error throwImpl(ffi::AnyBuffer, ffi::Result<ffi::AnyBuffer>) {
  throw std::runtime_error("thrown by the handler");
}

ffi::Error rankImpl(ffi::BufferR2<ffi::F32>, ffi::ResultBufferR0<ffi::F32> out) {
  *out->typed_data() = 2;
  return ffi::Error::Success();
}

ffi::Error swapImpl(ffi::BufferR0<ffi::F32> a, ffi::BufferR0<ffi::F32> b,
                    ffi::ResultBufferR0<ffi::F32> x, ffi::ResultBufferR0<ffi::F32> y) {
  *x->typed_data() = *b.typed_data();
  *y->typed_data() = *a.typed_data();
  return ffi::Error::Success();
}

// Stages with states.
struct Plan {
  static ffi::TypeId id;
  static ffi::TypeInfo info;
  explicit Plan(int64_t factor) : factor(factor) { ++alive; }
  ~Plan() { --alive; }
  int64_t factor;
  static inline int alive = 0;
};
ffi::TypeId Plan::id = {};
ffi::TypeInfo Plan::info = ffi::MakeTypeInfo<Plan>();

ffi::ErrorOr<std::unique_ptr<Plan>> planImpl(int64_t factor) {
  if (factor < 0) return ffi::Unexpected(ffi::Error::InvalidArgument("the factor is negative"));
  return std::make_unique<Plan>(factor);
}
int prepared = 0, initialized = 0;
ffi::Error prepareImpl() { return ++prepared, ffi::Error::Success(); }
ffi::Error initializeImpl(Plan* plan) {
  initialized += static_cast<int>(plan->factor > 0);
  return ffi::Error::Success();
}
ffi::Error planned(Plan* plan, ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  for (size_t i = 0; i < x.element_count(); ++i)
    y->typed_data()[i] = x.typed_data()[i] * static_cast<float>(plan->factor);
  return ffi::Error::Success();
}

// What runs in other threads, and ends after the handler has returned.
ffi::Future futureImpl(ffi::ThreadPool pool, ffi::Buffer<ffi::F32> x,
                       ffi::ResultBuffer<ffi::F32> y) {
  ffi::CountDownPromise promise(2);
  ffi::Future future(promise);
  const size_t half = x.element_count() / 2;
  const float* from = x.typed_data();
  float* to = y->typed_data();
  auto part = [=](size_t begin, size_t end) mutable {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (size_t i = begin; i < end; ++i) to[i] = from[i] + 1;
    promise.CountDown();
  };
  pool.Schedule([=]() mutable { part(0, half); });
  pool.Schedule([=]() mutable { part(half, 2 * half); });
  return future;
}
ffi::Future lateFailureImpl(ffi::ThreadPool pool, ffi::AnyBuffer, ffi::Result<ffi::AnyBuffer>) {
  ffi::Promise promise;
  ffi::Future future(promise);
  auto shared = std::make_shared<ffi::Promise>(std::move(promise));
  pool.Schedule([shared] { shared->SetError(ffi::Error::Internal("it failed later")); });
  return future;
}

ffi::Error scratchImpl(ffi::ScratchAllocator scratch, ffi::Buffer<ffi::F32> x,
                       ffi::ResultBuffer<ffi::F32> y) {
  const auto memory = scratch.Allocate(x.size_bytes(), 128);
  if (!memory.has_value() || reinterpret_cast<uintptr_t>(*memory) % 128 != 0)
    return ffi::Error::Internal("there is no aligned memory");
  float* held = static_cast<float*>(*memory);
  std::copy_n(x.typed_data(), x.element_count(), held);
  std::reverse_copy(held, held + x.element_count(), y->typed_data());
  return ffi::Error::Success();
}

ffi::Error streamImpl(ffi::ScratchAllocator scratch, void* stream, ffi::AnyBuffer,
                      ffi::ResultBufferR0<ffi::S32> out) {
  *out->typed_data() = stream != nullptr && scratch.Allocate(64).has_value();
  return ffi::Error::Success();
}

ffi::Error complexImpl(std::complex<float> c, ffi::BufferR0<ffi::F32>,
                       ffi::ResultBufferR0<ffi::F32> out) {
  *out->typed_data() = c.real() * 100 + c.imag();
  return ffi::Error::Success();
}

ffi::Error variadicImpl(ffi::RemainingArgs arguments, ffi::RemainingRets results) {
  for (size_t i = 0; i < results.size(); ++i) {
    const auto x = arguments.get<ffi::Buffer<ffi::F32>>(arguments.size() - 1 - i);
    auto y = results.get<ffi::Buffer<ffi::F32>>(i);
    if (!x.has_value()) return x.error();
    if (!y.has_value()) return y.error();
    std::copy_n(x->typed_data(), x->element_count(), (*y)->typed_data());
  }
  return ffi::Error::Success();
}

}  // namespace

#define F32S ffi::Buffer<ffi::F32>
#define ANY ffi::AnyBuffer
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Axpy, axpyImpl, ffi::Ffi::Bind().Attr<float>("a").Arg<F32S>().Arg<F32S>().Ret<F32S>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Norm, normImpl, ffi::Ffi::Bind().Attr<float>("eps").Arg<F32S>().Ret<F32S>().Ret<F32S>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(NormGrad, normGradImpl,
                              ffi::Ffi::Bind().Arg<F32S>().Arg<F32S>().Arg<F32S>().Ret<F32S>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Attributes, attributesImpl,
                              ffi::Ffi::Bind().Attrs().RemainingArgs().Ret<ffi::Buffer<ffi::U8>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Fail, failImpl,
    ffi::Ffi::Bind().Attr<std::string_view>("message").Attr<int64_t>("code").Arg<ANY>().Ret<ANY>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Throw, throwImpl, ffi::Ffi::Bind().Arg<ANY>().Ret<ANY>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Rank, rankImpl, ffi::Ffi::Bind().Arg<ffi::BufferR2<ffi::F32>>().Ret<ffi::BufferR0<ffi::F32>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Swap, swapImpl,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::BufferR0<ffi::F32>>()
                                  .Arg<ffi::BufferR0<ffi::F32>>()
                                  .Ret<ffi::BufferR0<ffi::F32>>()
                                  .Ret<ffi::BufferR0<ffi::F32>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(PlanInstantiate, planImpl,
                              ffi::Ffi::BindInstantiate().Attr<int64_t>("factor"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(PlanPrepare, prepareImpl, ffi::Ffi::BindPrepare());
XLA_FFI_DEFINE_HANDLER_SYMBOL(PlanInitialize, initializeImpl,
                              ffi::Ffi::BindInitialize().Ctx<ffi::State<Plan>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Planned, planned,
                              ffi::Ffi::Bind().Ctx<ffi::State<Plan>>().Arg<F32S>().Ret<F32S>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Future, futureImpl,
                              ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<F32S>().Ret<F32S>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(LateFailure, lateFailureImpl,
                              ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<ANY>().Ret<ANY>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Scratch, scratchImpl, ffi::Ffi::Bind().Ctx<ffi::ScratchAllocator>().Arg<F32S>().Ret<F32S>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Stream, streamImpl,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ScratchAllocator>()
                                  .Ctx<ffi::PlatformStream<void*>>()
                                  .Arg<ANY>()
                                  .Ret<ffi::BufferR0<ffi::S32>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Complex, complexImpl,
                              ffi::Ffi::Bind()
                                  .Attr<std::complex<float>>("c")
                                  .Arg<ffi::BufferR0<ffi::F32>>()
                                  .Ret<ffi::BufferR0<ffi::F32>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(Variadic, variadicImpl,
                              ffi::Ffi::Bind().RemainingArgs().RemainingRets());

// Registered when the library is loaded.
XLA_FFI_REGISTER_HANDLER(XLA_FFI_GetApi(), "test.axpy", "Host", Axpy);
XLA_FFI_REGISTER_HANDLER(XLA_FFI_GetApi(), "test.stream", "CUDA", Stream);
XLA_FFI_REGISTER_TYPE(XLA_FFI_GetApi(), "test.Plan", &Plan::id, &Plan::info);

extern "C" {
int plans_alive() { return Plan::alive; }
int stages(int which) { return which == 0 ? prepared : initialized; }
}
