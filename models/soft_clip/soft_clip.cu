// y = limit * tanh(x / limit), and its gradient, as custom calls of XLA: for the host, and in CUDA.
//
// The opaque bytes say how many elements there are and what the limit is.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"

namespace {

struct Descriptor {
  std::int64_t size;
  float limit;
};

bool read(Descriptor& to, const char* opaque, std::size_t size, XlaCustomCallStatus* status) {
  const char* const wrong = "soft_clip: the opaque bytes are no int64 and float";
  if (size != sizeof(std::int64_t) + sizeof(float)) {
    XlaCustomCallStatusSetFailure(status, wrong, std::strlen(wrong));
    return false;
  }
  std::memcpy(&to.size, opaque, sizeof(to.size));
  std::memcpy(&to.limit, opaque + sizeof(to.size), sizeof(to.limit));
  return true;
}

__host__ __device__ float clipped(float x, float limit) { return limit * std::tanh(x / limit); }
__host__ __device__ float slope(float x, float limit) {
  const float t = std::tanh(x / limit);
  return 1 - t * t;
}

// On the host: `out` is the result, in[i] operand i.

void soft_clip(void* out, const void** in, const char* opaque, std::size_t size,
               XlaCustomCallStatus* status) {
  Descriptor d;
  if (!read(d, opaque, size, status)) return;
  const float* x = static_cast<const float*>(in[0]);
  float* y = static_cast<float*>(out);
  for (std::int64_t i = 0; i < d.size; ++i) y[i] = clipped(x[i], d.limit);
}

void soft_clip_grad(void* out, const void** in, const char* opaque, std::size_t size,
                    XlaCustomCallStatus* status) {
  Descriptor d;
  if (!read(d, opaque, size, status)) return;
  const float* x = static_cast<const float*>(in[0]);
  const float* dy = static_cast<const float*>(in[1]);
  float* dx = static_cast<float*>(out);
  for (std::int64_t i = 0; i < d.size; ++i) dx[i] = slope(x[i], d.limit) * dy[i];
}

// On a GPU: the leaves of operands and result in one list; work goes to the stream.

__global__ void clip_kernel(const float* x, float* y, Descriptor d) {
  const std::int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < d.size) y[i] = clipped(x[i], d.limit);
}

__global__ void clip_grad_kernel(const float* x, const float* dy, float* dx, Descriptor d) {
  const std::int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < d.size) dx[i] = slope(x[i], d.limit) * dy[i];
}

void soft_clip_gpu(cudaStream_t stream, void** buffers, const char* opaque, std::size_t size,
                   XlaCustomCallStatus* status) {
  Descriptor d;
  if (!read(d, opaque, size, status)) return;
  const unsigned blocks = static_cast<unsigned>((d.size + 127) / 128);
  clip_kernel<<<blocks, 128, 0, stream>>>(static_cast<const float*>(buffers[0]),
                                          static_cast<float*>(buffers[1]), d);
}

void soft_clip_grad_gpu(cudaStream_t stream, void** buffers, const char* opaque, std::size_t size,
                        XlaCustomCallStatus* status) {
  Descriptor d;
  if (!read(d, opaque, size, status)) return;
  const unsigned blocks = static_cast<unsigned>((d.size + 127) / 128);
  clip_grad_kernel<<<blocks, 128, 0, stream>>>(static_cast<const float*>(buffers[0]),
                                               static_cast<const float*>(buffers[1]),
                                               static_cast<float*>(buffers[2]), d);
}

}  // namespace

XLA_REGISTER_CUSTOM_CALL_TARGET(soft_clip, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET(soft_clip_grad, "Host");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("soft_clip", soft_clip_gpu, "CUDA");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("soft_clip_grad", soft_clip_grad_gpu, "CUDA");
