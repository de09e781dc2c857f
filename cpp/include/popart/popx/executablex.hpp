// A model that is to be run. After popart/popx/executablex.hpp of PopART 3.
#ifndef popart_popx_executablex_hpp
#define popart_popx_executablex_hpp

#include <popart/popx/irlowering.hpp>
#include <popart/sessionoptions.hpp>
#include <popart/tensor.hpp>

#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// The graphs of an Ir with what they are lowered to, for IStepIO::assertNumElements(). A session
/// runs them.
class Executablex {
 public:
  /// `isDeserialized` says what the function of this name does; without it that is false.
  explicit Executablex(IrLowering& lowering, std::function<bool()> isDeserialized = {})
      : lowering_(lowering), isDeserialized_(std::move(isDeserialized)) {}
  Executablex(const Executablex&) = delete;
  Executablex& operator=(const Executablex&) = delete;

  /// \throws error for a lowering without an Ir
  static std::unique_ptr<Executablex> createFromLoweredIr(IrLowering& lowering);

  IrLowering& lowering() { return lowering_; }
  const IrLowering& lowering() const { return lowering_; }
  const Ir& ir() const { return lowering_.ir(); }

  /// Whether the session's program was read from a file or from the cache, rather than compiled.
  bool isDeserialized() const { return isDeserialized_ && isDeserialized_(); }

  /// A tensor of any graph of the Ir.
  /// \throws error for an unknown id
  const Tensor* getTensor(const TensorId& id) const;
  Tensor* getTensor(const TensorId& id);
  bool containsTensor(const TensorId& id) const;
  std::set<TensorId> getAllTensorIds() const;
  std::vector<TensorId> getTensorIds(TensorType type) const;
  const SessionOptions& getSessionOptions() const;
  // Of the main graph: the weights, the states among them; what the host gets; what it sends; and
  // what an optimizer gives.
  std::vector<Tensor*> getWeightTensors();
  std::vector<Tensor*> getAnchorTensors();
  std::vector<Tensor*> getDataStreamTensors();
  std::vector<Tensor*> getOptimizerTensors();

 private:
  IrLowering& lowering_;
  std::function<bool()> isDeserialized_;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
