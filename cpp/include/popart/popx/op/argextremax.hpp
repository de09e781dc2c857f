// Lowerings of ArgMax and ArgMin. After popart/popx/op/argextremax.hpp of PopART 3.
#ifndef popart_popx_op_argextremax_hpp
#define popart_popx_op_argextremax_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// For operators that derive from ArgExtremaOp: the axis goes last, and extremaOp() gives the index of
/// one element of each row, as UNSIGNED_INT.
class ArgExtremaOpx : public Opx {
 public:
  ArgExtremaOpx(Op* op, Devicex* devicex);
  ~ArgExtremaOpx() override;

  void grow(poplar::program::Sequence& prog) const override;

 private:
  virtual poplar::Tensor extremaOp(poplar::program::Sequence& prog,
                                   const poplar::Tensor& rows) const = 0;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
