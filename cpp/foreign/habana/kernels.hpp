// Libraries of TPC kernels, and kernels made ready for the shapes of a node.
#ifndef popir_foreign_habana_kernels_hpp
#define popir_foreign_habana_kernels_hpp

#include <habana/tpc_kernel_lib_interface.h>
#include <habana/tpc/abi.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "foreign/shared_library.hpp"

#pragma GCC visibility push(default)

namespace popir::foreign::habana {

/// A library refused to make a kernel ready; the text names the code that it returned. The bindings
/// raise OperatorInputError for it.
struct GlueError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Element type and shape, outermost dimension first, as everywhere in popir.
struct TensorSpec {
  tpc_lib_api::TensorDataType type;
  std::vector<std::int64_t> shape;
};

/// The name of a code, such as "GLUE_INCOMPATIBLE_INPUT_SIZE".
std::string glueName(tpc_lib_api::GlueCodeReturn code);
/// In bytes. \throws GlueError for types of less than a byte, or none
std::size_t elementSize(tpc_lib_api::TensorDataType type);

/// A program for TPCs that was compiled for the host. It stays loaded.
class TpcProgram {
 public:
  /// Loads an object from memory; the same bytes are loaded once.
  /// \throws LibraryError that names `who` if they are no such object
  static std::shared_ptr<const TpcProgram> load(const void* object, std::size_t bytes,
                                                const std::string& who);
  const popir_tpc_signature& signature() const { return *signature_; }
  popir_tpc_run_function run() const { return run_; }

 private:
  const popir_tpc_signature* signature_ = nullptr;
  popir_tpc_run_function run_ = nullptr;
};

/// A kernel for concrete shapes. It can be run any number of times, by several threads.
class Kernel {
 public:
  /// Runs the kernel over its index space. Pointers to dense values; outputs begin as zeros, or as
  /// what the library asks for.
  /// \throws std::runtime_error with what the kernel says
  void run(const void* const* inputs, void* const* outputs) const;
  /// \throws GlueError unless the tensors are as many, and of as many bytes, as it was made ready for
  void check(const poplar::Graph& graph, const std::string& who,
             const std::vector<poplar::Tensor>& inputs,
             const std::vector<poplar::Tensor>& outputs) const;

  const std::string& guid() const { return guid_; }
  std::vector<std::uint64_t> indexSpace() const { return {space_, space_ + 5}; }
  /// Whether the index space has no elements: the program does not run.
  bool isEmpty() const { return std::find(space_, space_ + 5, 0U) != space_ + 5; }
  const std::vector<std::uint32_t>& scalars() const { return scalars_; }
  std::size_t auxiliaries() const { return auxiliaries_.size(); }

 private:
  friend class KernelLibrary;
  struct Output {
    std::size_t bytes;
    std::uint32_t element;
    tpc_lib_api::ElementValue value;
  };
  std::string guid_;
  std::shared_ptr<const TpcProgram> program_;
  std::vector<popir_tpc_tensor> tensors_;
  std::size_t inputs_ = 0;
  std::vector<Output> outputs_;
  std::vector<std::vector<unsigned char>> auxiliaries_;
  std::vector<std::uint32_t> scalars_;
  std::uint64_t space_[5] = {1, 1, 1, 1, 1};
  /// Whether invocations may add to the same elements: then their order is kept.
  bool ordered_ = false;
  std::size_t bytes_ = 0;
};

/// A library with GetKernelGuids and InstantiateTpcKernel.
class KernelLibrary {
 public:
  /// \throws LibraryError if it does not load, or lacks one of the two
  explicit KernelLibrary(const std::string& path);

  const std::string& path() const { return library_.path(); }
  /// The names of the kernels that it has for a device.
  /// \throws GlueError if it returns an error
  std::vector<std::string> guids(tpc_lib_api::DeviceId device) const;
  /// \throws GlueError if the library refuses, or asks for something that is not there
  std::shared_ptr<const Kernel> instantiate(tpc_lib_api::DeviceId device, const std::string& guid,
                                            const std::vector<TensorSpec>& inputs,
                                            const std::vector<TensorSpec>& outputs,
                                            const std::string& parameters) const;

 private:
  std::vector<tpc_lib_api::GuidInfo> infos(tpc_lib_api::DeviceId device) const;
  SharedLibrary library_;
  tpc_lib_api::pfnGetKernelGuids guids_;
  tpc_lib_api::pfnInstantiateTpcKernel instantiate_;
};

/// Adds a step that runs a kernel. What goes wrong in it is an error that begins with `who`. With a
/// limit, a call that takes longer is one too.
void addKernel(poplar::Graph& graph, poplar::program::Sequence& prog, const std::string& who,
               const std::shared_ptr<const Kernel>& kernel,
               const std::vector<poplar::Tensor>& inputs,
               const std::vector<poplar::Tensor>& outputs, std::chrono::milliseconds limit,
               const poplar::DebugContext& context);

}  // namespace popir::foreign::habana

#pragma GCC visibility pop

#endif
