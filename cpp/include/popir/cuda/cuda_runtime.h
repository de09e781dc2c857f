// A part of CUDA's interface, on the host: streams whose work runs later and in order, memory, and
// kernels, whose threads run one after another. It is for custom calls on the platform "CUDA".
//
// A launch in angle brackets is not C++. popir.build_op_library() rewrites it in .cu files; by hand
// it is popir_cuda::Launch(grid, block, shared_bytes, stream)(kernel, arguments...).
//
// Pointers to device memory are valid on the host. A program that uses results before it has
// synchronized sees that they are not there, as on a GPU.
#ifndef POPIR_CUDA_CUDA_RUNTIME_H
#define POPIR_CUDA_CUDA_RUNTIME_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "vector_types.h"

#ifdef POPIR_CUDA_BARRIERS
#include <ucontext.h>

#include <exception>
#endif

extern "C" {
void popir_cuda_enqueue(void* stream, void (*run)(void*), void* data, void (*drop)(void*));
void popir_cuda_synchronize(void* stream);
void* popir_cuda_stream_create();
void popir_cuda_stream_destroy(void* stream);
}

struct CUstream_st;
typedef CUstream_st* CUstream;
typedef CUstream_st* cudaStream_t;

enum cudaError {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
};
typedef cudaError cudaError_t;

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  std::size_t count() const { return std::size_t{x} * y * z; }
};

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __constant__
#define __shared__ static thread_local
#define __launch_bounds__(...)
#define CUDART_VERSION 12000

// Where a thread is, in a kernel.
inline thread_local uint3 threadIdx{0, 0, 0}, blockIdx{0, 0, 0};
inline thread_local dim3 blockDim, gridDim;
inline constexpr int warpSize = 32;

namespace popir_cuda {

inline thread_local cudaError_t last_error = cudaSuccess;
inline cudaError_t noted(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

inline std::vector<double>& shared_memory() {
  static thread_local std::vector<double> memory;
  return memory;
}
/// What `extern __shared__` declares.
template <class T>
T* dynamic_shared() {
  return reinterpret_cast<T*>(shared_memory().data());
}

#ifdef POPIR_CUDA_BARRIERS
/// The threads of a block, each with a stack of its own: a barrier goes on with the next one.
class Block {
 public:
  static Block*& current() {
    static thread_local Block* block = nullptr;
    return block;
  }
  Block(dim3 size, const std::function<void()>& kernel) : size_(size), kernel_(kernel) {}

  void run() {
    current() = this;
    threads_.resize(size_.count());
    for (Thread& each : threads_) {
      each.stack.reset(new char[kStack]);
      getcontext(&each.context);
      each.context.uc_stack.ss_sp = each.stack.get();
      each.context.uc_stack.ss_size = kStack;
      each.context.uc_link = &main_;
      makecontext(&each.context, &Block::begin, 0);
    }
    for (bool left = true; left && !error_;) {
      left = false;
      for (at_ = 0; at_ < threads_.size() && !error_; ++at_) {
        if (threads_[at_].done) continue;
        left = true;
        place();
        swapcontext(&main_, &threads_[at_].context);
      }
    }
    current() = nullptr;
    if (error_) std::rethrow_exception(error_);
  }
  void barrier() { swapcontext(&threads_[at_].context, &main_); }

 private:
  static constexpr std::size_t kStack = 1 << 16;
  struct Thread {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    bool done = false;
  };
  static void begin() {
    Block* block = current();
    try {
      block->kernel_();
    } catch (...) {
      block->error_ = std::current_exception();
    }
    block->threads_[block->at_].done = true;
  }
  void place() {
    const auto i = static_cast<unsigned>(at_);
    threadIdx = {i % size_.x, i / size_.x % size_.y, i / size_.x / size_.y};
  }

  dim3 size_;
  const std::function<void()>& kernel_;
  std::vector<Thread> threads_;
  std::size_t at_ = 0;
  ucontext_t main_;
  std::exception_ptr error_;
};
inline void barrier() {
  if (Block::current() != nullptr) Block::current()->barrier();
}
#endif

/// Queues a kernel on a stream: Launch(grid, block, shared_bytes, stream)(kernel, arguments...).
class Launch {
 public:
  explicit Launch(dim3 grid, dim3 block, std::size_t shared_bytes = 0,
                  cudaStream_t stream = nullptr)
      : grid_(grid), block_(block), shared_(shared_bytes), stream_(stream) {}

  template <class Kernel, class... Arguments>
  void operator()(Kernel kernel, Arguments&&... arguments) const {
    if (grid_.count() == 0 || block_.count() == 0 || block_.count() > 1024) {
      noted(cudaErrorInvalidConfiguration);
      return;
    }
    std::tuple<std::decay_t<Arguments>...> values(std::forward<Arguments>(arguments)...);
    queue(stream_, [kernel, values = std::move(values), launch = *this] {
      launch.run([&] { std::apply(kernel, values); });
    });
  }

  template <class Work>
  static void queue(cudaStream_t stream, Work work) {
    popir_cuda_enqueue(
        stream, [](void* data) { (*static_cast<Work*>(data))(); }, new Work(std::move(work)),
        [](void* data) { delete static_cast<Work*>(data); });
  }

 private:
  template <class Kernel>
  void run(const Kernel& kernel) const {
    gridDim = grid_;
    blockDim = block_;
    shared_memory().assign((shared_ + sizeof(double) - 1) / sizeof(double), 0);
    for (unsigned z = 0; z < grid_.z; ++z)
      for (unsigned y = 0; y < grid_.y; ++y)
        for (unsigned x = 0; x < grid_.x; ++x) {
          blockIdx = {x, y, z};
          block(kernel);
        }
  }
  template <class Kernel>
  void block(const Kernel& kernel) const {
#ifdef POPIR_CUDA_BARRIERS
    const std::function<void()> thread = kernel;
    Block(block_, thread).run();
#else
    for (unsigned z = 0; z < block_.z; ++z)
      for (unsigned y = 0; y < block_.y; ++y)
        for (unsigned x = 0; x < block_.x; ++x) {
          threadIdx = {x, y, z};
          kernel();
        }
#endif
  }

  dim3 grid_, block_;
  std::size_t shared_;
  cudaStream_t stream_;
};

}  // namespace popir_cuda

#ifdef POPIR_CUDA_BARRIERS
inline void __syncthreads() { popir_cuda::barrier(); }
#endif

// Memory and streams.

inline cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  *pointer = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return popir_cuda::noted(*pointer == nullptr && bytes > 0 ? cudaErrorMemoryAllocation
                                                            : cudaSuccess);
}
template <class T>
cudaError_t cudaMalloc(T** pointer, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
inline cudaError_t cudaFree(void* pointer) {
  std::free(pointer);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                                   cudaStream_t stream = nullptr) {
  popir_cuda::Launch::queue(stream, [=] { std::memmove(to, from, bytes); });
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, bytes, kind);
}
inline cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes,
                                   cudaStream_t stream = nullptr) {
  popir_cuda::Launch::queue(stream, [=] { std::memset(to, value, bytes); });
  return cudaSuccess;
}
inline cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return cudaMemsetAsync(to, value, bytes);
}
inline cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t) {
  return cudaMalloc(pointer, bytes);
}
inline cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  popir_cuda::Launch::queue(stream, [=] { std::free(pointer); });
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  popir_cuda_synchronize(stream);
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = static_cast<cudaStream_t>(popir_cuda_stream_create());
  return popir_cuda::noted(*stream == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  popir_cuda_stream_destroy(stream);
  return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
  return popir_cuda::noted(device == 0 ? cudaSuccess : cudaErrorInvalidValue);
}
inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
inline cudaError_t cudaPeekAtLastError() { return popir_cuda::last_error; }
inline cudaError_t cudaGetLastError() { return std::exchange(popir_cuda::last_error, cudaSuccess); }
inline const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
  }
  return "unrecognized error code";
}
inline const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
  }
  return "unrecognized error code";
}

// Functions of kernels.

using std::max;
using std::min;
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float __fdividef(float x, float y) { return x / y; }
template <class T>
T __ldg(const T* pointer) {
  return *pointer;
}
template <class T, class V>
T atomicAdd(T* at, V value) {
  const T old = *at;
  *at = static_cast<T>(old + static_cast<T>(value));
  return old;
}
template <class T, class V>
T atomicSub(T* at, V value) {
  const T old = *at;
  *at = static_cast<T>(old - static_cast<T>(value));
  return old;
}
template <class T, class V>
T atomicExch(T* at, V value) {
  return std::exchange(*at, static_cast<T>(value));
}
template <class T, class C, class V>
T atomicCAS(T* at, C expected, V value) {
  const T old = *at;
  if (old == static_cast<T>(expected)) *at = static_cast<T>(value);
  return old;
}
template <class T, class V>
T atomicMax(T* at, V value) {
  const T old = *at;
  *at = std::max(old, static_cast<T>(value));
  return old;
}
template <class T, class V>
T atomicMin(T* at, V value) {
  const T old = *at;
  *at = std::min(old, static_cast<T>(value));
  return old;
}

#endif  // POPIR_CUDA_CUDA_RUNTIME_H
