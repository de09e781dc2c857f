// Shared helpers for oneDNN. Include only where POPIR_HAVE_ONEDNN is 1.
#ifndef popir_kernels_contraction_onednn_hpp
#define popir_kernels_contraction_onednn_hpp

#include <cstddef>
#include <memory>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <utility>
#include <vector>

#include "kernels/contraction/contraction.hpp"

namespace popir {
namespace onednn {

/// The engine of this process. The first call limits oneDNN to the instruction set of isa().
const dnnl::engine& engine();
/// The stream of this thread: oneDNN's streams must not be shared.
dnnl::stream& stream();

constexpr auto kFloat = dnnl::memory::data_type::f32;
/// Attributes of a primitive whose scratch memory is an argument.
dnnl::primitive_attr userScratch();

/// Activations [n, channels, field...] of FLOAT.
dnnl::memory::desc desc(const Layout& layout);
/// The same with the format chosen by oneDNN.
dnnl::memory::desc openDesc(const Layout& layout);
/// The Layout::channelBlock that describes `desc`; kPlain if none does.
int channelBlockOf(const dnnl::memory::desc& desc, const Layout& layout);

/// A primitive and its arguments. Each run sets their memory. Several threads may run it at the same
/// time: each takes memory objects that no other uses, which are made once.
class Call {
 public:
  Call() = default;
  explicit Call(dnnl::primitive primitive);

  /// Before the first run.
  void add(int argument, const dnnl::memory::desc& desc) { descs_.emplace_back(argument, desc); }
  /// `pointers` are in the order of the add() calls.
  void run(void* const* pointers) const;
  explicit operator bool() const { return static_cast<bool>(primitive_); }

 private:
  /// What oneDNN takes for the arguments of one run.
  struct Arguments {
    std::vector<dnnl::memory> memories;
    std::vector<dnnl_exec_arg_t> list;
  };
  struct Idle {
    std::mutex mutex;
    std::vector<std::unique_ptr<Arguments>> arguments;
    bool wereMade = false;
  };
  std::unique_ptr<Arguments> make() const;
  std::unique_ptr<Arguments> take() const;
  void giveBack(std::unique_ptr<Arguments> arguments) const;

  dnnl::primitive primitive_;
  std::vector<std::pair<int, dnnl::memory::desc>> descs_;
  std::unique_ptr<Idle> idle_;
};

/// A copy between two formats, with its own scratch memory.
class Reorder {
 public:
  /// Makes a no-op if both are equal.
  Reorder(const dnnl::memory::desc& from, const dnnl::memory::desc& to);
  bool needed() const { return static_cast<bool>(call_); }
  std::size_t scratchBytes() const { return scratchBytes_; }
  void run(const void* from, void* to, void* scratch) const;

 private:
  Call call_;
  std::size_t scratchBytes_ = 0;
};

/// True for oneDNN's slow reference implementations.
bool isReference(const char* implementation);
/// True for convolutions by matrix products, which run post-ops element by element.
bool isGemm(const char* implementation);

}  // namespace onednn
}  // namespace popir

#endif
