// Runs a kernel for the tests that come with TPC kernels, in place of Habana's simulator.
#ifndef popir_tests_tpc_test_core_api_h
#define popir_tests_tpc_test_core_api_h

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tpc/abi.hpp>

#include "tpc_kernel_lib_interface.h"
#include "tpc_test_core_types.h"

namespace tpc_tests {

inline popir_tpc_tensor descriptor(const TensorDesc2& from) {
  popir_tpc_tensor to{};
  to.data = reinterpret_cast<unsigned char*>(from.baseAddrUnion.baseAddr);
  to.rank = (from.configuration >> 16 & 7) + 1;
  to.element_bytes = 1u << (from.configuration & 3);
  to.pad = from.paddingValue;
  for (unsigned i = 0; i < 5; ++i) {
    to.sizes[i] = i < to.rank ? from.dimDescriptors[i].size : 1;
    to.strides[i] = i < to.rank ? from.dimDescriptors[i].stride : 0;
  }
  return to;
}

/// Calls the kernel once for each index of its index space, and returns the number of calls.
inline unsigned RunSimulation(const tpc_lib_api::HabanaKernelParams&,
                              const tpc_lib_api::HabanaKernelInstantiation& instance,
                              std::vector<TensorDesc2>& descriptors, VPEStats& stats) {
  const int file = memfd_create("kernel", 0);
  const auto* elf = static_cast<const char*>(instance.kernel.kernelElf);
  if (file < 0 || write(file, elf, instance.kernel.elfSize) != ssize_t(instance.kernel.elfSize))
    std::abort();
  void* object = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!object) {
    std::cerr << dlerror() << std::endl;
    std::abort();
  }
  auto run = reinterpret_cast<popir_tpc_run_function>(dlsym(object, "popir_tpc_run"));
  std::vector<popir_tpc_tensor> tensors;
  for (const auto& each : descriptors) tensors.push_back(descriptor(each));
  popir_tpc_call call{};
  call.tensors = tensors.data();
  call.tensor_count = tensors.size();
  call.scalars = instance.kernel.scalarParams;
  call.scalar_count = instance.kernel.paramsNr;
  std::uint64_t sizes[5], all = 1;
  for (unsigned i = 0; i < 5; ++i) {
    sizes[i] = i < instance.indexSpaceRank ? instance.indexSpaceGeometry[i] : 1;
    all *= sizes[i];
    call.size[i] = 1;
  }
  for (std::uint64_t index = 0; index < all; ++index) {
    std::uint64_t rest = index;
    for (unsigned i = 0; i < 5; ++i) {
      call.offset[i] = static_cast<int>(rest % sizes[i]);
      rest /= sizes[i];
    }
    if (const char* error = run(&call)) {
      std::cerr << "the kernel failed: " << error << std::endl;
      std::abort();
    }
  }
  stats.invocations = static_cast<unsigned>(all);
  // The file stays open: the loader would take another kernel under the same name for this one.
  return static_cast<unsigned>(all);
}

}  // namespace tpc_tests

#endif
