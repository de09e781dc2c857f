#include "kernels/contraction/block_tail.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/elementwise/expression.hpp"

namespace popir {

BlockTail::BlockTail(const Tail& tail, std::vector<poplar::Type> types, std::int64_t imagePoints,
                     std::int64_t row)
    : extents_(tail.extents), types_(std::move(types)), imagePoints_(imagePoints), row_(row) {
  // The map's operands: the block, what is written, those of the tail.
  std::vector<std::size_t> inputs(extents_.size());
  std::iota(inputs.begin(), inputs.end(), std::size_t{1});
  inputs[0] = 0;
  map_ = std::make_unique<MapKernel>(tail.program, inputs, std::vector<std::size_t>{1});
}

void BlockTail::prepare(std::int64_t channels, std::int64_t points) {
  auto& runner = runners_[{channels, points}];
  if (runner != nullptr || channels == 0 || points == 0) return;
  const std::vector<std::int64_t> shape{channels, points};
  std::vector<Layout> layouts{{poplar::INT, shape, {row_, 1}}};
  for (std::size_t i = 0; i < types_.size(); ++i) {
    std::vector<std::int64_t> strides{imagePoints_, 1};
    if (extents_[i] != Tail::Extent::Full)
      strides = {extents_[i] == Tail::Extent::Channel ? 1 : 0, 0};
    layouts.push_back({types_[i], shape, strides});
  }
  runner = map_->prepare(layouts, Setting());
  scratchBytes_ = std::max(scratchBytes_, runner->scratchBytes());
}

void BlockTail::run(const std::int32_t* given, void* const* operands, const Block& block,
                    void* scratch) const {
  void* all[kMostOperands + 1] = {const_cast<std::int32_t*>(given)};
  for (std::size_t i = 0; i < types_.size(); ++i) {
    std::int64_t first = 0;
    if (extents_[i] == Tail::Extent::Full) first = block.first;
    if (extents_[i] == Tail::Extent::Channel) first = block.channel;
    all[i + 1] =
        static_cast<char*>(operands[i]) + static_cast<std::size_t>(first) * types_[i].sizeInBytes();
  }
  runners_.at({block.channels, block.points})->run(all, scratch);
}

}  // namespace popir
