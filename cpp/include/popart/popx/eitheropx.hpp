// The base of lowerings that PopART has had for snap's tensors (SDK 2.3 to 3.1) and for Poplar's (since).
#ifndef popart_popx_eitheropx_hpp
#define popart_popx_eitheropx_hpp

#include <popart/popx/opx.hpp>

#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// A class that derives from this has a grow() for Poplar's programs or for snap's, and meets tensors
/// that are of both.
class EitherOpx : public Opx {
 public:
  using Opx::Opx;
  ~EitherOpx() override;

  /// By default calls the other one, which throws.
  void grow(poplar::program::Sequence& prog) const override;
  virtual void grow(snap::program::Sequence& prog) const;
  /// By default calls the other one, which throws.
  poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex in, OutIndex out) const override;
  virtual snap::Tensor unwindTensorLayout(snap::Tensor tensor, InIndex in, OutIndex out) const;

  OpxTensor get(TensorId id) const { return {Opx::get(id), graph()}; }
  OpxTensor getInTensor(InIndex index) const { return get(inId(index)); }
  OpxTensor getOutTensor(OutIndex index) const { return get(outId(index)); }
  OpxTensor getInView(InIndex index) const { return getInTensor(index); }
  OpxTensor getOutView(OutIndex index) const { return getOutTensor(index); }
  OpxTensor getView(TensorId id) const { return get(id); }
  using Opx::insert;
  void insert(TensorId id, const snap::Tensor& tensor) const {
    Opx::insert(id, tensor.getPoplarTensor());
  }
  using Opx::setOutTensor;
  void setOutTensor(OutIndex index, const snap::Tensor& tensor) const {
    insert(outId(index), tensor);
  }
  using Opx::cloneNcopy;
  snap::Tensor cloneNcopy(snap::program::Sequence& prog, const snap::Tensor& tensor,
                          const std::string& name = "") const;
  snap::Tensor cloneNcopy(snap::program::Sequence& prog, TensorId id) const;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
