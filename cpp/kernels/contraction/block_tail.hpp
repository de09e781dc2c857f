// An element-wise tail that is done to blocks of a result, [images, channels, points], while they are
// in the cache.
#ifndef popir_kernels_contraction_block_tail_hpp
#define popir_kernels_contraction_block_tail_hpp

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/elementwise/forms.hpp"
#include "kernels/kernel.hpp"

namespace popir {

class BlockTail {
 public:
  /// The most operands: what is written, and those of the tail.
  static constexpr std::size_t kMostOperands = 16;

  /// A block: `channels` from `channel` on, which is counted over all groups, and `points` of an
  /// image, whose first one is element `first` of the result.
  struct Block {
    std::int64_t channel, channels, first, points;
  };

  /// `types`: of what is written, and of the tail's operands, at most kMostOperands. The blocks given
  /// are INT, in rows of `row` points.
  BlockTail(const Tail& tail, std::vector<poplar::Type> types, std::int64_t imagePoints,
            std::int64_t row);

  /// Prepares for blocks of a size.
  void prepare(std::int64_t channels, std::int64_t points);
  std::size_t scratchBytes() const { return scratchBytes_; }

  /// `operands`: what is written, and those of the tail.
  void run(const std::int32_t* given, void* const* operands, const Block& block,
           void* scratch) const;

 private:
  std::vector<Tail::Extent> extents_;  // by operand
  std::vector<poplar::Type> types_;
  std::int64_t imagePoints_, row_;
  std::unique_ptr<const Kernel> map_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::unique_ptr<Runner>> runners_;
  std::size_t scratchBytes_ = 0;
};

}  // namespace popir

#endif
