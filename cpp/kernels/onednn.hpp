// What our uses of oneDNN share. Included only where POPIR_HAVE_ONEDNN is 1.
#ifndef popir_kernels_onednn_hpp
#define popir_kernels_onednn_hpp

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "kernels/contraction.hpp"

namespace popir {
namespace onednn {

/// One per process. The first call holds oneDNN to the instruction set of isa().
const dnnl::engine& engine();
/// One per thread: oneDNN wants none shared.
dnnl::stream& stream();

/// oneDNN takes its number of threads from OpenMP, when a primitive is made and when it runs: both
/// must happen inside of a scope with the same number.
class Threads {
 public:
  explicit Threads(unsigned threads);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

/// Activations [n, channels, field...] of FLOAT.
dnnl::memory::desc desc(const Layout& layout);
/// The same with the format left open.
dnnl::memory::desc openDesc(const Layout& layout);
/// Layout::channelBlock that says what `desc` is; plain if nothing does.
int channelBlockOf(const dnnl::memory::desc& desc, const Layout& layout);

/// A primitive and its arguments. Their memory is given anew for each run.
class Call {
 public:
  Call() = default;
  explicit Call(dnnl::primitive primitive) : primitive_(std::move(primitive)) {}

  void add(int argument, const dnnl::memory::desc& desc);
  /// `pointers` in the order of add(). Not for two threads at once.
  void run(const std::vector<void*>& pointers) const;
  explicit operator bool() const { return static_cast<bool>(primitive_); }

 private:
  dnnl::primitive primitive_;
  std::vector<dnnl::memory> memories_;
  std::vector<dnnl_exec_arg_t> arguments_;
};

/// A copy from one format to another, with scratch memory of its own.
class Reorder {
 public:
  /// Nothing to do if both are equal.
  Reorder(const dnnl::memory::desc& from, const dnnl::memory::desc& to);
  bool needed() const { return static_cast<bool>(call_); }
  std::size_t scratchBytes() const { return scratchBytes_; }
  void run(const void* from, void* to, void* scratch) const;

 private:
  Call call_;
  std::size_t scratchBytes_ = 0;
};

/// True of an implementation that is there for completeness and not for speed.
bool isReference(const char* implementation);
/// True of a convolution that multiplies matrices, and walks post-ops element by element.
bool isGemm(const char* implementation);

}  // namespace onednn
}  // namespace popir

#endif
