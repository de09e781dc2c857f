// Glue code of kernel libraries: what kernels there are, and how one is run for given shapes.
#include <algorithm>
#include <cstring>

#include "foreign/habana/kernels.hpp"
#include "support/division.hpp"

namespace popir::foreign::habana {
namespace {

using namespace tpc_lib_api;

constexpr std::uint32_t kMostTensors = 16;
constexpr std::uint32_t kMostDims = 5;
constexpr int kMostTries = 5;
// Beyond these, what glue code writes is no size.
constexpr std::uint32_t kMostKernels = 1U << 20;
constexpr std::size_t kMostProgram = std::size_t{64} << 20;
constexpr std::size_t kMostAuxiliary = std::size_t{1} << 30;

struct CodeName {
  GlueCodeReturn code;
  const char* name;
};
#define ROW(name) \
  { name, #name }
const CodeName codeNames[] = {
    ROW(GLUE_SUCCESS),
    ROW(GLUE_NODE_NOT_FOUND),
    ROW(GLUE_INSUFFICIENT_ISA_BUFFER),
    ROW(GLUE_INCOMPATIBLE_INPUT_COUNT),
    ROW(GLUE_INCOMPATIBLE_INPUT_SIZE),
    ROW(GLUE_INCOMPATIBLE_OUTPUT_COUNT),
    ROW(GLUE_INCOMPATIBLE_OUTPUT_SIZE),
    ROW(GLUE_INCOMPATIBLE_DATA_TYPE),
    ROW(GLUE_UNSUPPORTED_LAYER_CONFIGURATION),
    ROW(GLUE_INSUFFICIENT_AUX_BUFFER_SIZE),
    ROW(GLUE_UNSUPPORTED_QUANT_PARAMS),
    ROW(GLUE_UNSUPPORTED_BROADCAST_MODE),
    ROW(GLUE_UNSUPPORTED_API_VERSION),
    ROW(GLUE_NON_STATIC_INPUT_TENSOR),
    ROW(GLUE_KERNEL_REQUIRE_REDUCIBLE_TENSOR),
    ROW(GLUE_INVALID_SHAPE_INFERENCE_ID),
    ROW(GLUE_KERNEL_INVALID_SCALAR_ARGUMENT),
    ROW(GLUE_UNSUPPORTED_LOW_FCD_INPUT),
    ROW(GLUE_INSUFFICIENT_ELF_BUFFER),
    ROW(GLUE_MISSING_PRIVATE_STRUCTURE),
    ROW(GLUE_UNSUPPORTED_5D_TENSORS),
    ROW(GLUE_CGUID_GRAPH_UNCHANGED),
    ROW(GLUE_SIF_NULL_PTR),
    ROW(GLUE_UNSUPPORTED_DYNAMIC_SHAPE),
    ROW(GLUE_UNSUPPORTED_HUGE_TENSORS),
    ROW(GLUE_FAILED),
};
#undef ROW

std::string shown(const std::uint64_t* sizes, std::uint32_t dims) {
  std::string text = "[";
  for (std::uint32_t i = dims; i-- > 0;) text += std::to_string(sizes[i]) + (i ? "," : "");
  return text + "]";
}

std::vector<Tensor> described(const std::string& guid, const std::vector<TensorSpec>& specs) {
  std::vector<Tensor> found(kMostTensors);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto& shape = specs[i].shape;
    if (shape.size() > kMostDims)
      throw GlueError("kernel '" + guid + "' is given a tensor of rank " +
                      std::to_string(shape.size()) + "; TPC kernels have tensors of rank 1 to 5");
    Tensor& to = found[i];
    // A scalar is a vector of one element.
    to.geometry.dims = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(shape.size()));
    for (std::uint32_t d = 0; d < MAX_TENSOR_DIM; ++d) {
      const std::size_t from = shape.size() - 1 - d;
      const auto size = d < shape.size() ? static_cast<std::uint64_t>(shape[from]) : 1;
      to.geometry.maxSizes[d] = to.geometry.minSizes[d] = size;
      to.permutation[d] = d;
    }
    to.geometry.dataType = specs[i].type;
    to.quantizationParam.scale = 1;
  }
  return found;
}

/// What the library has changed in its copy, for a message.
std::string corrected(const HabanaKernelParams& asked, const std::vector<TensorSpec>& inputs,
                      const std::vector<TensorSpec>& outputs) {
  std::string text;
  const auto count = [&](const char* what, std::uint32_t now, std::size_t before) {
    if (now != before)
      text += std::string("; it takes ") + std::to_string(now) + " " + what + ", not " +
              std::to_string(before);
  };
  count("inputs", asked.inputTensorNr, inputs.size());
  count("outputs", asked.outputTensorNr, outputs.size());
  const auto compare = [&](const char* what, const Tensor* tensors,
                           const std::vector<TensorSpec>& specs) {
    const auto before = described("", specs);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const auto &now = tensors[i].geometry, &then = before[i].geometry;
      const auto size = kMostDims * sizeof(std::uint64_t);
      if (std::memcmp(now.maxSizes, then.maxSizes, size) != 0)
        text += std::string("; the shape of ") + what + " " + std::to_string(i) + " should be " +
                shown(now.maxSizes, then.dims) + ", and is " + shown(then.maxSizes, then.dims);
      if (now.dataType != then.dataType)
        text += std::string("; the type of ") + what + " " + std::to_string(i) + " is wrong";
    }
  };
  compare("input", asked.inputTensors, inputs);
  compare("output", asked.outputTensors, outputs);
  return text;
}

popir_tpc_tensor runtimeTensor(const TensorGeometry& geometry) {
  popir_tpc_tensor to{};
  to.rank = geometry.dims;
  to.element_bytes = static_cast<std::uint32_t>(elementSize(geometry.dataType));
  std::uint64_t stride = 1;
  for (std::uint32_t i = 0; i < kMostDims; ++i) {
    to.sizes[i] = i < to.rank ? geometry.maxSizes[i] : 1;
    to.strides[i] = i < to.rank ? stride : 0;
    stride *= to.sizes[i];
  }
  return to;
}

std::size_t bytesOf(const popir_tpc_tensor& tensor) {
  std::size_t n = tensor.element_bytes;
  for (auto size : tensor.sizes) n *= size;
  return n;
}

/// The number of bytes that glue code asks for.
/// \throws GlueError if that is more than can be meant
std::size_t asked(std::uint64_t bytes, std::size_t most, const std::string& who, const char* what) {
  if (bytes > most)
    throw GlueError(who + ": its glue code asks for " + std::to_string(bytes) + " bytes for " +
                    what + "; at most " + std::to_string(most) + " are given");
  return static_cast<std::size_t>(bytes);
}

/// An auxiliary tensor, without its values.
/// \throws GlueError for what is none
popir_tpc_tensor auxiliaryTensor(const TensorGeometry& geometry, const std::string& who) {
  if (geometry.dims > kMostDims)
    throw GlueError(who + " has " + std::to_string(geometry.dims) + " dimensions; there are 5");
  try {
    elementSize(geometry.dataType);
  } catch (const GlueError& e) {
    throw GlueError(who + ": " + e.what());
  }
  const popir_tpc_tensor made = runtimeTensor(geometry);
  std::uint64_t bytes = made.element_bytes;
  for (auto size : made.sizes)
    if (__builtin_mul_overflow(bytes, std::uint64_t{size}, &bytes)) bytes = ~std::uint64_t{0};
  if (bytes > kMostAuxiliary)
    throw GlueError(who + " has the shape " + shown(geometry.maxSizes, geometry.dims) +
                    ", which is more than " + std::to_string(kMostAuxiliary) + " bytes");
  return made;
}

/// Calls a function of a library.
/// \throws GlueError for whatever it throws
template <class Function>
GlueCodeReturn guarded(const std::string& who, const Function& function) {
  takeDivisions();
  bool isWhole = false;
  GlueCodeReturn found = GLUE_NODE_NOT_FOUND;
  try {
    isWhole = completes([&] { found = function(); });
  } catch (const std::exception& e) {
    throw GlueError(who + ": its glue code threw: " + e.what());
  } catch (...) {
    throw GlueError(who + ": its glue code threw what is no std::exception");
  }
  if (!isWhole) throw GlueError(who + ": its glue code failed: " + kDivision);
  return found;
}

/// A call of InstantiateTpcKernel with fresh arguments: the library writes into them.
struct Attempt {
  HabanaKernelParams params{};
  HabanaKernelInstantiation instance{};
  std::vector<Tensor> inputs, outputs;
  std::vector<TensorAccessPattern> inputPatterns{kMostTensors}, outputPatterns{kMostTensors};
  std::vector<AuxTensor> auxiliaries{kMostTensors};
  std::string parameters;
};

}  // namespace

std::string glueName(GlueCodeReturn code) {
  for (const CodeName& row : codeNames)
    if (row.code == code) return row.name;
  return "code " + std::to_string(static_cast<int>(code));
}

std::size_t elementSize(TensorDataType type) {
  switch (type) {
    case DATA_I8:
    case DATA_U8:
    case DATA_F8_143:
    case DATA_F8_152: return 1;
    case DATA_I16:
    case DATA_U16:
    case DATA_BF16:
    case DATA_F16: return 2;
    case DATA_I32:
    case DATA_U32:
    case DATA_F32: return 4;
    case DATA_I64:
    case DATA_U64: return 8;
    default: throw GlueError("there is no element type " + std::to_string(type) + " on the host");
  }
}

KernelLibrary::KernelLibrary(const std::string& path) : library_(path) {
  guids_ =
      reinterpret_cast<pfnGetKernelGuids>(library_.findFunction(KERNEL_GUIDS_ENTRY_POINT_NAME));
  instantiate_ = reinterpret_cast<pfnInstantiateTpcKernel>(
      library_.findFunction(KERNEL_INSTANTIATION_ENTRY_POINT_NAME));
  if (guids_ && instantiate_) return;
  const std::string missing =
      guids_ ? KERNEL_INSTANTIATION_ENTRY_POINT_NAME : KERNEL_GUIDS_ENTRY_POINT_NAME;
  const bool old = library_.find("GetKernelNames") != nullptr;
  throw LibraryError("The kernel library '" + path + "' has no symbol '" + missing + "'" +
                     (old ? ", but GetKernelNames: it was written for an older interface. Build it "
                            "for that of tpc_kernel_lib_interface.h"
                          : ", which every library of TPC kernels has"));
}

std::vector<GuidInfo> KernelLibrary::infos(DeviceId device) const {
  std::uint32_t count = 0;
  const std::string who = "the kernel library '" + path() + "'";
  auto code = guarded(who, [&] { return guids_(device, &count, nullptr); });
  if (code == GLUE_SUCCESS && count > kMostKernels)
    throw GlueError(who + " says that it has " + std::to_string(count) + " kernels; at most " +
                    std::to_string(kMostKernels) + " are read");
  std::vector<GuidInfo> found(code == GLUE_SUCCESS ? count : 0);
  if (code == GLUE_SUCCESS && count > 0)
    code = guarded(who, [&] { return guids_(device, &count, found.data()); });
  if (code != GLUE_SUCCESS)
    throw GlueError("the kernel library '" + path() +
                    "' does not list its kernels: " + glueName(code));
  found.resize(std::min<std::size_t>(found.size(), count));
  for (auto& each : found) each.name[MAX_NODE_NAME - 1] = '\0';
  return found;
}

std::vector<std::string> KernelLibrary::guids(DeviceId device) const {
  std::vector<std::string> names;
  for (const auto& each : infos(device)) names.emplace_back(each.name);
  return names;
}

std::shared_ptr<const Kernel> KernelLibrary::instantiate(DeviceId device, const std::string& guid,
                                                         const std::vector<TensorSpec>& inputs,
                                                         const std::vector<TensorSpec>& outputs,
                                                         const std::string& parameters) const {
  const std::string who = "kernel '" + guid + "' of " + path();
  if (inputs.size() + outputs.size() > kMostTensors)
    throw GlueError(who + " is given " + std::to_string(inputs.size() + outputs.size()) +
                    " tensors; a TPC kernel has at most 16");
  const auto known = infos(device);
  const auto info = std::find_if(known.begin(), known.end(),
                                 [&](const GuidInfo& each) { return guid == each.name; });
  if (info == known.end())
    throw GlueError(who + ": the library has no such kernel for this device");

  std::vector<unsigned char> elf(256 * 1024);
  std::vector<std::vector<unsigned char>> memory(kMostTensors);
  for (int tries = 0; tries < kMostTries; ++tries) {
    Attempt a;
    a.inputs = described(guid, inputs);
    a.outputs = described(guid, outputs);
    a.parameters = parameters;
    a.params.apiVersion = 1;
    a.params.deviceId = device;
    a.params.guid = *info;
    a.params.nodeParams = {parameters.empty() ? nullptr : a.parameters.data(),
                           static_cast<std::uint32_t>(parameters.size())};
    a.params.inputTensors = a.inputs.data();
    a.params.inputTensorNr = static_cast<std::uint32_t>(inputs.size());
    a.params.outputTensors = a.outputs.data();
    a.params.outputTensorNr = static_cast<std::uint32_t>(outputs.size());
    a.params.maxAvailableTpc = 8;
    a.params.useDeterministic = 1;
    a.params.validInputTensors = static_cast<std::uint16_t>((1U << inputs.size()) - 1);
    a.params.validOutputTensors = static_cast<std::uint16_t>((1U << outputs.size()) - 1);
    a.instance.inputTensorAccessPattern = a.inputPatterns.data();
    a.instance.outputTensorAccessPattern = a.outputPatterns.data();
    a.instance.auxiliaryTensors = a.auxiliaries.data();
    a.instance.auxiliaryTensorNr = kMostTensors;
    a.instance.kernel.kernelElf = elf.data();
    a.instance.kernel.elfSize = static_cast<std::uint32_t>(elf.size());
    for (std::size_t i = 0; i < kMostTensors; ++i) {
      a.auxiliaries[i].pData = memory[i].empty() ? nullptr : memory[i].data();
      a.auxiliaries[i].bufferSize = memory[i].size();
    }
    const auto code = guarded(who, [&] { return instantiate_(&a.params, &a.instance); });
    if (code == GLUE_INSUFFICIENT_ELF_BUFFER || code == GLUE_INSUFFICIENT_ISA_BUFFER) {
      const auto size = asked(a.instance.kernel.elfSize, kMostProgram, who, "its program");
      elf.resize(std::max(elf.size(), size));
      continue;
    }
    if (code == GLUE_INSUFFICIENT_AUX_BUFFER_SIZE) {
      for (std::size_t i = 0; i < kMostTensors; ++i)
        memory[i].resize(
            std::max(memory[i].size(), asked(a.auxiliaries[i].bufferSize, kMostAuxiliary, who,
                                             ("auxiliary tensor " + std::to_string(i)).c_str())));
      continue;
    }
    if (code != GLUE_SUCCESS)
      throw GlueError(who + ": its glue code returns " + glueName(code) +
                      corrected(a.params, inputs, outputs));

    auto kernel = std::make_shared<Kernel>();
    kernel->guid_ = guid;
    const auto size = std::min<std::size_t>(a.instance.kernel.elfSize, elf.size());
    kernel->program_ = TpcProgram::load(elf.data(), size, "The " + who);
    kernel->inputs_ = inputs.size();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      kernel->tensors_.push_back(runtimeTensor(described(guid, inputs)[i].geometry));
      kernel->bytes_ += bytesOf(kernel->tensors_.back());
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      kernel->tensors_.push_back(runtimeTensor(described(guid, outputs)[i].geometry));
      const auto& tensor = kernel->tensors_.back();
      Kernel::Output output{bytesOf(tensor), tensor.element_bytes, {}};
      if (a.outputPatterns[i].memsetBeforeExecution) {
        kernel->ordered_ = true;
        output.value = a.outputPatterns[i].memsetValue;
        if (output.element < sizeof(output.value.u64Value))
          output.value.u64Value &= (std::uint64_t{1} << 8 * output.element) - 1;
      }
      kernel->bytes_ += output.bytes;
      kernel->outputs_.push_back(output);
    }
    const auto most = a.instance.auxiliaryTensorNr;
    if (most > kMostTensors)
      throw GlueError(who + ": its glue code gives " + std::to_string(most) +
                      " auxiliary tensors; there are at most 16");
    for (std::uint32_t i = 0; i < most; ++i) {
      const AuxTensor& from = a.auxiliaries[i];
      if (from.geometry.dims == 0) continue;  // The library has left the count as it was.
      auto tensor = auxiliaryTensor(
          from.geometry, who + ": auxiliary tensor " + std::to_string(i) + " of its glue code");
      const auto bytes = bytesOf(tensor);
      std::vector<unsigned char> values(bytes);
      if (!from.noInit && from.pData == nullptr && bytes > 0)
        throw GlueError(who + ": its glue code gives no values for auxiliary tensor " +
                        std::to_string(i));
      if (!from.noInit && from.bufferSize < bytes)
        throw GlueError(who + ": its glue code gives " + std::to_string(from.bufferSize) +
                        " bytes for auxiliary tensor " + std::to_string(i) + " of " +
                        std::to_string(bytes));
      if (!from.noInit && bytes > 0) std::memcpy(values.data(), from.pData, bytes);
      if (from.noInit) kernel->ordered_ = true;  // Memory that invocations share.
      kernel->auxiliaries_.push_back(std::move(values));
      tensor.data = kernel->auxiliaries_.back().data();
      kernel->tensors_.push_back(tensor);
    }
    if (a.instance.indexSpaceRank > 5)
      throw GlueError(who + ": its glue code gives an index space of " +
                      std::to_string(a.instance.indexSpaceRank) + " dimensions; there are 5");
    for (std::uint32_t i = 0; i < a.instance.indexSpaceRank; ++i) {
      kernel->space_[i] = a.instance.indexSpaceGeometry[i];
      if (kernel->space_[i] > 0x7fffffffU)
        throw GlueError(who + ": its glue code gives an index space of size " +
                        std::to_string(kernel->space_[i]));
    }
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (kernel->isEmpty() && kernel->outputs_[i].bytes > 0 &&
          !a.outputPatterns[i].memsetBeforeExecution)
        throw GlueError(who + ": its glue code gives an empty index space, and output " +
                        std::to_string(i) + " has elements, which nothing would write");
    if (a.instance.kernel.paramsNr > MAX_SCALAR_PARAMS)
      throw GlueError(who + ": its glue code gives " + std::to_string(a.instance.kernel.paramsNr) +
                      " scalars; there are 32");
    // All of them: some glue code counts only those that it is sure of.
    kernel->scalars_.assign(a.instance.kernel.scalarParams,
                            a.instance.kernel.scalarParams + MAX_SCALAR_PARAMS);
    const auto& signature = kernel->program_->signature();
    if (signature.tensors > kernel->tensors_.size() || signature.scalars > MAX_SCALAR_PARAMS)
      throw GlueError(who + ": its program has " + std::to_string(signature.tensors) +
                      " tensors; its glue code gives " + std::to_string(kernel->tensors_.size()));
    return kernel;
  }
  throw GlueError(who + ": its glue code asks for larger buffers again and again");
}

}  // namespace popir::foreign::habana
