// Targets of custom calls on the host, in all untyped API versions.
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"

namespace {

const float* floats(const void* pointer) { return static_cast<const float*>(pointer); }

void add2(void* out, const void** in) { *static_cast<float*>(out) = *floats(in[0]) + 2; }

void sum_2x2(void* out, const void** in) {
  const float* x = floats(in[0]);
  *static_cast<float*>(out) = x[0] + x[1] + x[2] + x[3];
}

void add1_to_values(void* out, const void** in) {
  for (int i = 0; i < 4; ++i) static_cast<float*>(out)[i] = floats(in[0])[i] + 1;
}

// The memory of its operand, as it lies there.
void copy_6(void* out, const void** in) { std::memcpy(out, in[0], 6 * sizeof(float)); }

void swap(void* out, const void** in) {
  void** results = static_cast<void**>(out);
  *static_cast<float*>(results[0]) = *floats(in[1]);
  *static_cast<float*>(results[1]) = *floats(in[0]);
}

// Operand 0 is (f32[2], (f32[1], f32[3]), f32[1]); the result is (f32[2], (f32[1], f32[7])). The
// last one is a temporary.
void nested(void* out, const void** in) {
  const auto* operand = static_cast<const void* const*>(in[0]);
  const auto* inner = static_cast<const void* const*>(operand[1]);
  auto* result = static_cast<void**>(out);
  auto* rest = static_cast<void**>(result[1]);
  float* temporary = static_cast<float*>(rest[1]);
  int at = 0;
  for (int i = 0; i < 2; ++i) temporary[at++] = floats(operand[0])[i];
  temporary[at++] = floats(inner[0])[0];
  for (int i = 0; i < 3; ++i) temporary[at++] = floats(inner[1])[i];
  temporary[at++] = floats(operand[2])[0];
  float sum = 0;
  for (int i = 0; i < 7; ++i) sum += temporary[i];
  static_cast<float*>(result[0])[0] = sum;
  static_cast<float*>(result[0])[1] = temporary[1];
  *static_cast<float*>(rest[0]) = temporary[6];
}

// y = x * x * x for n = 5 numbers, and its gradient 3 x x dy.
void cube(void* out, const void** in) {
  for (int i = 0; i < 5; ++i) {
    const float x = floats(in[0])[i];
    static_cast<float*>(out)[i] = x * x * x;
  }
}
void cube_grad(void* out, const void** in) {
  for (int i = 0; i < 5; ++i) {
    const float x = floats(in[0])[i];
    static_cast<float*>(out)[i] = 3 * x * x * floats(in[1])[i];
  }
}
void cube_grad_grad(void* out, const void** in) {  // operands: x, dy, and the gradient of 3 x x dy
  auto* results = static_cast<void**>(out);
  for (int i = 0; i < 5; ++i) {
    const float x = floats(in[0])[i], dy = floats(in[1])[i], g = floats(in[2])[i];
    static_cast<float*>(results[0])[i] = 6 * x * dy * g;
    static_cast<float*>(results[1])[i] = 3 * x * x * g;
  }
}

// r = sum(a * b), with what the default of a gradient gets: operands, result, gradient.
void dot3(void* out, const void** in) {
  float sum = 0;
  for (int i = 0; i < 3; ++i) sum += floats(in[0])[i] * floats(in[1])[i];
  *static_cast<float*>(out) = sum;
}
void dot3_grad(void* out, const void** in) {
  auto* results = static_cast<void**>(out);
  for (int i = 0; i < 3; ++i) {
    static_cast<float*>(results[0])[i] = floats(in[1])[i] * *floats(in[3]);
    static_cast<float*>(results[1])[i] = floats(in[0])[i] * *floats(in[3]);
  }
}

void fails(void* out, const void** in, XlaCustomCallStatus* status) {
  const std::string message = "Failed: " + std::to_string(*floats(in[0]));
  *static_cast<float*>(out) = 1;
  XlaCustomCallStatusSetFailure(status, message.data(), message.size());
}
void succeeds(void* out, const void** in, XlaCustomCallStatus* status) {
  *static_cast<float*>(out) = *floats(in[0]);
  XlaCustomCallStatusSetFailure(status, "for a while", 11);
  XlaCustomCallStatusSetSuccess(status);
}
void fails_until_nul(void*, const void**, XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetFailure(status, "before\0after", 12);
}

// The opaque bytes as numbers, behind their count.
void opaque_bytes(void* out, const void**, const char* opaque, size_t size, XlaCustomCallStatus*) {
  int* numbers = static_cast<int*>(out);
  std::memset(out, 0, 16 * sizeof(int));
  numbers[0] = static_cast<int>(size);
  for (size_t i = 0; i < size && i < 15; ++i)
    numbers[1 + i] = static_cast<unsigned char>(opaque[i]);
}
void fails_with_opaque(void*, const void**, const char* opaque, size_t size,
                       XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetFailure(status, opaque, size);
}

void throws(void*, const void**) { throw std::runtime_error("thrown by the target"); }
void throws_a_number(void*, const void**) { throw 42; }
void never_returns(void*, const void**) {
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

int calls = 0;
void counts(void* out, const void**) { *static_cast<int*>(out) = ++calls; }

// Whether operand and result are at one address; adds 1 in place.
void in_place(void* out, const void** in) {
  float* x = static_cast<float*>(out);
  const bool same = in[0] == out;
  for (int i = 0; i < 3; ++i) x[i] = floats(in[0])[i] + (same ? 1 : 1000);
}

// Which operands and results have memory: tokens have none.
void token_swap(void* out, const void** in) {
  auto* results = static_cast<void**>(out);
  const bool right = in[0] == nullptr && in[1] != nullptr && results[0] == nullptr;
  *static_cast<float*>(results[1]) = right ? *floats(in[1]) + 1 : -1;
}

template <class T>
void negated(void* out, const void** in) {
  for (int i = 0; i < 4; ++i)
    static_cast<T*>(out)[i] = static_cast<T>(-static_cast<const T*>(in[0])[i]);
}

void scalar_copy(void* out, const void** in) { std::memcpy(out, in[0], 4); }

}  // namespace

XLA_REGISTER_CUSTOM_CALL_TARGET(add2, "Host");
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(sum_2x2);
XLA_REGISTER_CUSTOM_CALL_TARGET(add1_to_values, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(copy_6, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("test.swap", swap, "Host");
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("test.nested", nested);
XLA_REGISTER_CUSTOM_CALL_TARGET(cube, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(cube_grad, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(cube_grad_grad, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(dot3, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(dot3_grad, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(fails, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(succeeds, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(fails_until_nul, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(opaque_bytes, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(fails_with_opaque, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(throws, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(throws_a_number, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(never_returns, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(counts, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(in_place, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(token_swap, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("negated.s8", negated<signed char>, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("negated.s16", negated<short>, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("negated.s32", negated<int>, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("negated.s64", negated<long>, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("negated.f64", negated<double>, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(scalar_copy, "Host");

// For callers that find functions by name.
extern "C" {
void by_name(void* out, const void** in) { add2(out, in); }
void by_name_swap(void* out, const void** in) { swap(out, in); }
void by_name_opaque(void* out, const void** in, const char* opaque, size_t size,
                    XlaCustomCallStatus* status) {
  opaque_bytes(out, in, opaque, size, status);
}
void by_name_fails(void* out, const void** in, XlaCustomCallStatus* status) {
  fails(out, in, status);
}
void by_name_copy(void* out, const void** in) { copy_6(out, in); }
void by_name_in_place(void* out, const void** in) { in_place(out, in); }
/// Whether the registry finds what was registered, and nothing else.
int registry_is_right() {
  auto* registry = xla::CustomCallTargetRegistry::Global();
  const auto all = registry->registered_symbols("Host");
  return registry->Lookup("add2", "Host") == reinterpret_cast<void*>(add2) &&
         registry->Lookup("add2", "CUDA") == nullptr && registry->Lookup("x", "Host") == nullptr &&
         all.count("test.swap") == 1 && all.count("swap") == 0;
}
}
