// What a TPC kernel that `popir tpcc` has compiled gives to popir: the symbols of its shared object.
// A kernel is one object file. It knows nothing of popir's libraries, so that glue code of any
// origin can carry it as bytes.
#ifndef popir_habana_tpc_abi_hpp
#define popir_habana_tpc_abi_hpp

#include <cstdint>

extern "C" {

/// The version of these structures. An object with another one is refused.
#define POPIR_TPC_ABI 2u

/// A tensor in host memory. Dimension 0 is the one whose elements lie side by side.
struct popir_tpc_tensor {
  unsigned char* data;
  std::uint32_t rank;
  std::uint32_t element_bytes;
  std::uint64_t sizes[5];
  /// In elements. Dimensions from the rank on have the size 1 and the stride 0.
  std::uint64_t strides[5];
  /// What loads give outside of the tensor: 4 bytes, repeated.
  std::uint32_t pad;
  /// Whether it is an input: others may read it, so that a store to it fails.
  std::uint32_t is_input;
};

/// One invocation: a box of the index space.
struct popir_tpc_call {
  const popir_tpc_tensor* tensors;
  std::uint32_t tensor_count;
  std::uint32_t scalar_count;
  const std::uint32_t* scalars;
  std::int32_t offset[5];
  std::int32_t size[5];
};

/// The parameters of a kernel.
struct popir_tpc_signature {
  std::uint32_t abi;
  std::uint32_t tensors;
  std::uint32_t scalars;
};

/// The symbols `popir_tpc_describe` and `popir_tpc_run` of an object. The second returns null, or
/// what went wrong: a text of the calling thread.
typedef const popir_tpc_signature* (*popir_tpc_describe_function)();
typedef const char* (*popir_tpc_run_function)(const popir_tpc_call*);
}

#endif
