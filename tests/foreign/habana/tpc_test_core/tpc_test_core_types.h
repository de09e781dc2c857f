// The types that tests of TPC kernels take from Habana's closed test library.
#ifndef popir_tests_tpc_test_core_types_h
#define popir_tests_tpc_test_core_types_h

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#define DEF_NUM_DIMS_IN_IRF 5

namespace tpc_tests {

struct TensorDesc2 {
  struct Dimension {
    std::uint32_t size;
    std::uint32_t stride;
  };
  union {
    std::uint64_t baseAddr;
  } baseAddrUnion;
  Dimension dimDescriptors[DEF_NUM_DIMS_IN_IRF];
  std::uint32_t paddingValue;
  std::uint32_t configuration;
};

struct VPEStats {
  unsigned invocations;
};

}  // namespace tpc_tests

#endif
