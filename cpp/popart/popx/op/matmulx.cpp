#include <popart/error.hpp>
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/popx/op/matmulx.hpp>
#include <poplin/MatMul.hpp>

#include <algorithm>

namespace popart {
namespace popx {

MatMulOpx::~MatMulOpx() = default;

MatMulOp* MatMulOpx::getMatMulOp() const { return &getOp<MatMulOp>(); }

std::vector<std::size_t> MatMulOpx::onnxShapeToPoplar(const Shape& shape) {
  return {shape.begin(), shape.end()};
}

void MatMulOpx::addPartialsType(const MatMulPartialsType& partialsType, poplar::OptionFlags& opts) {
  opts.set("partialsType", partialsType == MatMulPartialsType::HALF ? "half" : "float");
}

void MatMulOpx::appendPoplarOptionsForOp(const MatMulBaseOp& op, poplar::OptionFlags& opts) {
  addPartialsType(op.getPartialsType(), opts);
  if (op.getAvailableMemoryProportion())
    opts.set("availableMemoryProportion", std::to_string(*op.getAvailableMemoryProportion()));
  if (!op.useFullyConnectedPass()) return;
  if (!op.getIr().isTraining()) {
    opts.set("fullyConnectedPass", "INFERENCE_FWD");
    return;
  }
  static const char* const passes[] = {"TRAINING_FWD", "TRAINING_BWD", "TRAINING_WU"};
  opts.set("fullyConnectedPass", passes[static_cast<int>(op.getPhase())]);
}

void MatMulOpx::grow(poplar::program::Sequence& prog) const {
  const MatMulOp& op = getOp<MatMulOp>();
  poplar::Tensor a = getInTensor(MatMulOp::getLhsInIndex());
  poplar::Tensor b = getInTensor(MatMulOp::getRhsInIndex());
  if (a.rank() == 1) a = a.expand({0});
  if (b.rank() == 1) b = b.expand({1});
  // Leading dimensions are broadcast, then joined to one of groups.
  const auto lead = [](const poplar::Tensor& t) { return t.rank() - 2; };
  while (lead(a) < lead(b)) a = a.expand({0});
  while (lead(b) < lead(a)) b = b.expand({0});
  std::size_t groups = 1;
  for (unsigned d = 0; d < lead(a); ++d) {
    const std::size_t n = std::max(a.dim(d), b.dim(d));
    if (a.dim(d) != n) a = a.broadcast(static_cast<unsigned>(n), d);
    if (b.dim(d) != n) b = b.broadcast(static_cast<unsigned>(n), d);
    groups *= n;
  }
  const auto grouped = [&](const poplar::Tensor& t) {
    return t.reshape(
        {groups, t.dim(static_cast<unsigned>(lead(t))), t.dim(static_cast<unsigned>(lead(t)) + 1)});
  };
  poplar::OptionFlags options;
  appendPoplarOptionsForOp(op, options);
  const auto made = poplin::matMulGrouped(graph(), grouped(a), grouped(b), prog, a.elementType(),
                                          debugContext("matMul"), options);
  setOutTensor(MatMulOp::getOutIndex(),
               made.reshape(onnxShapeToPoplar(outInfo(MatMulOp::getOutIndex()).shape())));
}

}  // namespace popx
}  // namespace popart
