#include <algorithm>
#include <stdexcept>

#include "kernels/expression.hpp"
#include "kernels/expression/plan.hpp"
#include "kernels/expression/runner.hpp"

namespace popir {

MapKernel::MapKernel(MapProgram program, std::vector<std::size_t> inputs,
                     std::vector<std::size_t> outputs)
    : program_(std::move(program)), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {
  if (inputs_.size() < program_.inputCount() || outputs_.size() != program_.outputs().size() ||
      outputs_.empty())
    throw std::invalid_argument("MapKernel: operands do not fit the program");
}

bool MapKernel::writes(std::size_t operand) const {
  return std::find(outputs_.begin(), outputs_.end(), operand) != outputs_.end();
}

bool MapKernel::accepts(std::size_t i, const Layout& layout) const {
  if (!writes(i) || layout.channelBlock != Layout::kPlain) return true;
  for (std::size_t d = 0; d < layout.shape.size(); ++d)
    if (layout.strides[d] == 0 && layout.shape[d] > 1) return false;
  return true;
}

std::vector<std::size_t> MapKernel::tied(const std::vector<Layout>& operands) const {
  std::vector<std::size_t> whole;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Layout& l = operands[i];
    bool repeated = false;
    for (std::size_t d = 0; d < l.shape.size(); ++d)
      repeated =
          repeated || (l.channelBlock == Layout::kPlain && l.strides[d] == 0 && l.shape[d] > 1);
    if (!repeated) whole.push_back(i);
  }
  return whole;
}

std::unique_ptr<Runner> MapKernel::prepare(const std::vector<Layout>& operands,
                                           unsigned threads) const {
  return makeMapRunner(planMap(program_.fused(), inputs_, outputs_, operands, threads));
}

}  // namespace popir
