// Programs for TPCs: loaded from memory, run over an index space.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

#include "foreign/habana/kernels.hpp"
#include "kernels/parallel.hpp"
#include "program/host_call.hpp"
#include "support/division.hpp"

namespace popir::foreign::habana {
namespace {

/// A memory file. Its number stays taken, since the loader knows libraries by their names.
int memoryFile(const void* bytes, std::size_t size, const std::string& who) {
  const int file = memfd_create("popir-tpc", MFD_CLOEXEC);
  const auto* from = static_cast<const char*>(bytes);
  for (std::size_t done = 0; file >= 0 && done < size;) {
    const ssize_t n = write(file, from + done, size - done);
    if (n <= 0) {
      close(file);
      throw LibraryError(who + ": no memory for its program");
    }
    done += static_cast<std::size_t>(n);
  }
  if (file < 0) throw LibraryError(who + ": no memory for its program");
  return file;
}

/// Inputs, outputs and auxiliary tensors.
constexpr std::size_t kMostOperands = 48;

/// Runs a program over a part of its index space.
/// \returns what went wrong, or null
const char* called(popir_tpc_run_function run, const popir_tpc_call* call) {
  const char* said = nullptr;
  return completes([&] { said = run(call); }) ? said : kDivision;
}

}  // namespace

std::shared_ptr<const TpcProgram> TpcProgram::load(const void* object, std::size_t bytes,
                                                   const std::string& who) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const TpcProgram>> loaded;
  const std::string content(static_cast<const char*>(object), bytes);
  const std::lock_guard lock(mutex);
  if (const auto found = loaded.find(content); found != loaded.end()) return found->second;
  if (bytes < 4 || std::memcmp(content.data(), "\177ELF", 4) != 0)
    throw LibraryError(who + ": its library gives no program, but " + std::to_string(bytes) +
                       " other bytes");
  const int file = memoryFile(object, bytes, who);
  void* handle = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* said = handle ? nullptr : dlerror();
  auto program = std::make_shared<TpcProgram>();
  if (handle) {
    program->run_ = reinterpret_cast<popir_tpc_run_function>(dlsym(handle, "popir_tpc_run"));
    const auto describe =
        reinterpret_cast<popir_tpc_describe_function>(dlsym(handle, "popir_tpc_describe"));
    if (program->run_ && describe) program->signature_ = describe();
  }
  if (program->signature_ == nullptr) {
    close(file);
    throw LibraryError(who +
                       ": the program in its library is not for the host. Compile the TPC-C "
                       "sources by `popir tpcc`" +
                       (said ? std::string(" (") + said + ")" : std::string()));
  }
  if (program->signature_->abi != POPIR_TPC_ABI)
    throw LibraryError(who + ": its program was compiled by another version of `popir tpcc`");
  loaded.emplace(content, program);
  return program;
}

void Kernel::check(const poplar::Graph& graph, const std::string& who,
                   const std::vector<poplar::Tensor>& inputs,
                   const std::vector<poplar::Tensor>& outputs) const {
  if (inputs.size() != inputs_ || outputs.size() != outputs_.size())
    throw GlueError(who + " has " + std::to_string(inputs_) + " inputs and " +
                    std::to_string(outputs_.size()) + " outputs; given are " +
                    std::to_string(inputs.size()) + " and " + std::to_string(outputs.size()));
  for (std::size_t i = 0; i < inputs_ + outputs_.size(); ++i) {
    const auto& given = i < inputs_ ? inputs[i] : outputs[i - inputs_];
    std::size_t bytes = tensors_[i].element_bytes;
    for (auto size : tensors_[i].sizes) bytes *= size;
    if (given.numElements() * graph.getTarget().getTypeSize(given.elementType()) != bytes)
      throw GlueError(who + ": tensor " + std::to_string(i) + " is not the one of " +
                      std::to_string(bytes) + " bytes that it was made ready for");
  }
}

void Kernel::run(const void* const* inputs, void* const* outputs) const {
  // On the stack: a call of a small kernel takes no longer than an allocation.
  std::array<popir_tpc_tensor, kMostOperands> tensors;
  std::copy(tensors_.begin(), tensors_.end(), tensors.begin());
  for (std::size_t i = 0; i < inputs_; ++i) {
    tensors[i].data = static_cast<unsigned char*>(const_cast<void*>(inputs[i]));
    tensors[i].is_input = 1;
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Output& output = outputs_[i];
    auto* data = static_cast<unsigned char*>(outputs[i]);
    tensors[inputs_ + i].data = data;
    if (output.value.u64Value == 0)
      std::memset(data, 0, output.bytes);
    else
      for (std::size_t at = 0; at < output.bytes; at += output.element)
        std::memcpy(data + at, &output.value, output.element);
  }
  popir_tpc_call call{};
  call.tensors = tensors.data();
  call.tensor_count = static_cast<std::uint32_t>(tensors_.size());
  call.scalars = scalars_.data();
  call.scalar_count = static_cast<std::uint32_t>(scalars_.size());
  std::size_t split = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    call.size[i] = static_cast<std::int32_t>(space_[i]);
    if (space_[i] == 0) return;
    if (space_[i] >= space_[split]) split = i;
  }
  // The longest dimension is cut, the outermost of equals.
  const auto length = static_cast<std::int64_t>(space_[split]);
  const auto elements = static_cast<std::int64_t>(bytes_ / 4);
  const unsigned threads = ordered_ || elements < 32 * 1024 ? 1 : pool::threads();
  const std::int64_t pieces =
      threads == 1 ? 1 : std::min<std::int64_t>(length, 4 * std::int64_t{threads});
  takeDivisions();
  if (pieces == 1) {
    if (const char* error = called(program_->run(), &call)) throw std::runtime_error(error);
    return;
  }
  std::mutex mutex;
  std::string error;
  std::atomic<bool> failed{false};
  parallelFor(pieces, threads, elements, [&](std::int64_t piece) {
    if (failed) return;
    popir_tpc_call part = call;
    const std::int64_t begin = length * piece / pieces, end = length * (piece + 1) / pieces;
    part.offset[split] = static_cast<std::int32_t>(begin);
    part.size[split] = static_cast<std::int32_t>(end - begin);
    if (const char* said = called(program_->run(), &part)) {
      failed = true;
      const std::lock_guard lock(mutex);
      error = said;
    }
  });
  if (failed) throw std::runtime_error(error);
}

void addKernel(poplar::Graph& graph, poplar::program::Sequence& prog, const std::string& who,
               const std::shared_ptr<const Kernel>& kernel,
               const std::vector<poplar::Tensor>& inputs,
               const std::vector<poplar::Tensor>& outputs, std::chrono::milliseconds limit,
               const poplar::DebugContext& context) {
  kernel->check(graph, who, inputs, outputs);
  HostCallOptions options;
  options.hasEffects = false;
  options.limit = limit;
  addHostCall(
      graph, prog, who, [kernel](const void* const* in, void* const* out) { kernel->run(in, out); },
      inputs, outputs, context, options);
}

}  // namespace popir::foreign::habana
