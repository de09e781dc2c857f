// A model that is to be run. After popart/popx/executablex.hpp of PopART 3.
#ifndef popart_popx_executablex_hpp
#define popart_popx_executablex_hpp

#include <popart/popx/irlowering.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// The graphs of an Ir with what they are lowered to, for IStepIO::assertNumElements(). A session
/// runs them.
class Executablex {
 public:
  explicit Executablex(IrLowering& lowering) : lowering_(lowering) {}
  Executablex(const Executablex&) = delete;
  Executablex& operator=(const Executablex&) = delete;

  /// \throws error for a lowering without an Ir
  static std::unique_ptr<Executablex> createFromLoweredIr(IrLowering& lowering);

  IrLowering& lowering() { return lowering_; }
  const IrLowering& lowering() const { return lowering_; }
  const Ir& ir() const { return lowering_.ir(); }

 private:
  IrLowering& lowering_;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
