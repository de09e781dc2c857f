// Kernels of Habana's accelerators as operators of a model: `habana::BaseFunctor`.
#ifndef popir_habana_hpu_kernel_h
#define popir_habana_hpu_kernel_h

#include "hpu_kernel_context.h"

#pragma GCC visibility push(default)

namespace habana {
inline namespace v1 {

/// Derived classes define the node of an operator. An object is made, and asked once, when a
/// program is compiled for concrete shapes; nothing of it runs in a step.
class BaseFunctor {
 public:
  virtual ~BaseFunctor() = default;
  virtual void DefineNode(HpuKernelContext* context) = 0;
};

/// The kernel to register for a functor.
template <class Functor>
class HpuKernel final {
 public:
  static_assert(std::is_base_of<BaseFunctor, Functor>::value,
                "HpuKernel is for classes derived from habana::BaseFunctor");
  static std::unique_ptr<BaseFunctor> makeFunctor() { return std::make_unique<Functor>(); }
};

}  // namespace v1
}  // namespace habana

#pragma GCC visibility pop

#endif
