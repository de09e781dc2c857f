// The lowering of Histogram. After popart/popx/op/histogramx.hpp of PopART 3.
#ifndef popart_popx_op_histogramx_hpp
#define popart_popx_op_histogramx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class HistogramOpx : public Opx {
 public:
  HistogramOpx(Op* op, Devicex* devicex);
  ~HistogramOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
