// Targets of custom calls that queue work on a stream, in CUDA.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <stdexcept>
#include <string>

#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"

namespace {

__global__ void add(const float* a, const float* b, float* out) {
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i % 128] + b[i];
}

// Sums of n elements by blocks, with threads that wait for one another.
template <typename T>
__global__ void block_sums(const T* x, T* out, int n) {
  extern __shared__ T part[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

__global__ void places(int* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] =
      static_cast<int>(100000 * blockIdx.z + 10000 * blockIdx.y + 1000 * blockIdx.x +
                       100 * threadIdx.z + 10 * threadIdx.y + threadIdx.x);
}

__global__ void histogram(const int* x, int* counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[x[i]], 1);
}

// A template whose arguments are deduced, beside a function of the same name.
template <typename T>
__global__ void scaled(const T* x, T* y, double factor, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = static_cast<T>(x[i] * factor);
}
void scaled() {}

// Elements of 16 bits, four floats at once, and a template with its bounds before it.
template <int C>
__launch_bounds__(C, 2) __global__
    void small_floats(const __nv_bfloat16* x, const half* h, const float4* f, __nv_bfloat16* y,
                      half* z, float4* g, int* claimed) {
  const int i = threadIdx.x;
  y[i] = __float2bfloat16_rn(__bfloat162float(x[i]) * __half2float(h[i]));
  z[i] = __hadd(h[i], __float2half(1.0f));
  const float4 v = f[i];
  g[i] = make_float4(v.w, v.z, v.y, v.x);
  if (atomicCAS(claimed, 0, i + 1) != 0) atomicSub(claimed + 1, i);
}

__global__ void broken() { throw std::runtime_error("thrown by a kernel"); }

void gpu_add(CUstream stream, void** buffers, const char* opaque, size_t opaque_len) {
  const float* a = reinterpret_cast<const float*>(buffers[0]);
  const float* b = reinterpret_cast<const float*>(buffers[1]);
  float* out = reinterpret_cast<float*>(buffers[2]);
  const int block_dim = 64, grid_dim = 2048 / block_dim;
  add<<<grid_dim, block_dim, /*dynamic_shared_mem_bytes=*/0, stream>>>(a, b, out);
}

void gpu_sums(cudaStream_t stream, void** buffers, const char*, size_t,
              XlaCustomCallStatus* status) {
  block_sums<float><<<4, 128, 128 * sizeof(float), stream>>>(static_cast<const float*>(buffers[0]),
                                                             static_cast<float*>(buffers[1]), 500);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) XlaCustomCallStatusSetFailure(status, cudaGetErrorString(error), 100);
}

void gpu_places(cudaStream_t stream, void** buffers, const char*, size_t) {
  places<<<dim3(2, 3, 2), dim3(2, 2, 2), 0, stream>>>(static_cast<int*>(buffers[0]));
}

// The flat list: four leaves of operands and four of the result. Result i is the operand after it.
void gpu_sub_buffers(cudaStream_t stream, void** buffers, const char* opaque, size_t size) {
  const std::string order(opaque, size);
  const size_t bytes[] = {4 * 128, 4 * 256, 4 * 1024, 4 * 8};
  for (int i = 0; i < 4; ++i) {
    const int from = order[i] - '0';
    cudaMemcpyAsync(buffers[4 + i], buffers[from], bytes[from], cudaMemcpyDeviceToDevice, stream);
  }
}

void gpu_opaque(cudaStream_t stream, void** buffers, const char* opaque, size_t size) {
  int* numbers = static_cast<int*>(buffers[0]);
  int found[16] = {static_cast<int>(size)};
  for (size_t i = 0; i < size && i < 15; ++i) found[i + 1] = static_cast<unsigned char>(opaque[i]);
  // The array is gone when the copy runs, so it is waited for.
  cudaMemcpyAsync(numbers, found, sizeof(found), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}

// Whether work is done only when somebody waits for it.
void gpu_is_later(cudaStream_t stream, void** buffers, const char*, size_t) {
  int* out = static_cast<int*>(buffers[0]);
  out[0] = 1;
  cudaMemsetAsync(&out[0], 0, sizeof(int), stream);
  out[1] = out[0];
  cudaStreamSynchronize(stream);
  out[2] = out[0];
  cudaMemsetAsync(&out[3], 0, sizeof(int), stream);
}

void gpu_histogram(cudaStream_t stream, void** buffers, const char*, size_t) {
  int* counts = nullptr;
  cudaMallocAsync(reinterpret_cast<void**>(&counts), 8 * sizeof(int), stream);
  cudaMemsetAsync(counts, 0, 8 * sizeof(int), stream);
  histogram<<<4, 32, 0, stream>>>(static_cast<const int*>(buffers[0]), counts, 100);
  cudaMemcpyAsync(buffers[1], counts, 8 * sizeof(int), cudaMemcpyDeviceToDevice, stream);
  cudaFreeAsync(counts, stream);
}

void gpu_scaled(cudaStream_t stream, void** buffers, const char*, size_t) {
  const float* x = static_cast<const float*>(buffers[0]);
  scaled<<<1, 3, 0, stream>>>(x, static_cast<float*>(buffers[1]), 2.5f, 7);
}

void gpu_small_floats(cudaStream_t stream, void** buffers, const char*, size_t) {
  cudaMemsetAsync(buffers[6], 0, 2 * sizeof(int), stream);
  small_floats<4><<<1, 4, 0, stream>>>(
      static_cast<const __nv_bfloat16*>(buffers[0]), static_cast<const half*>(buffers[1]),
      static_cast<const float4*>(buffers[2]), static_cast<__nv_bfloat16*>(buffers[3]),
      static_cast<half*>(buffers[4]), static_cast<float4*>(buffers[5]),
      static_cast<int*>(buffers[6]));
}

void gpu_broken(cudaStream_t stream, void**, const char*, size_t) { broken<<<1, 1, 0, stream>>>(); }

void gpu_wrong_launch(cudaStream_t stream, void** buffers, const char*, size_t,
                      XlaCustomCallStatus* status) {
  places<<<1, 2048, 0, stream>>>(static_cast<int*>(buffers[0]));
  XlaCustomCallStatusSetFailure(status, cudaGetErrorString(cudaGetLastError()), 100);
}

void gpu_tokens(cudaStream_t, void** buffers, const char* opaque, size_t size) {
  int* out = nullptr;
  for (size_t i = 0; i < size; ++i)
    if (opaque[i] == 'r') out = static_cast<int*>(buffers[i]);
  for (size_t i = 0; i < size; ++i) out[i] = buffers[i] == nullptr;
}

}  // namespace

XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_add, "CUDA");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("gpu_add", gpu_add, "ROCM");
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_sums, "CUDA");
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_places, "CUDA");
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_sub_buffers, "CUDA");
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_opaque, "CUDA");
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_is_later, "CUDA");
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_histogram, "CUDA");
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_scaled, "CUDA");
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_small_floats, "CUDA");
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_broken, "CUDA");
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_wrong_launch, "CUDA");
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_tokens, "CUDA");
