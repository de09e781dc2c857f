// Types of collectives. After popops/CollectiveTypes.hpp of PopLibs 2.4; later ones are gcl's.
#ifndef popops_CollectiveTypes_hpp
#define popops_CollectiveTypes_hpp

#include <gcl/CollectiveOperator.hpp>
#include <poplar/Tensor.hpp>
#include <popops/Operation.hpp>
#include <poputil/exceptions.hpp>

#include <utility>
#include <vector>

namespace popops {

using CollectiveOperator = gcl::CollectiveOperator;

/// The operator of a reduction's operation.
/// \throws poputil::poplibs_error for LOG_ADD, which collectives do not have
inline CollectiveOperator operationToCollectiveOperator(const Operation& op) {
  switch (op) {
    case Operation::ADD: return CollectiveOperator::ADD;
    case Operation::MUL: return CollectiveOperator::MUL;
    case Operation::MIN: return CollectiveOperator::MIN;
    case Operation::MAX: return CollectiveOperator::MAX;
    case Operation::LOGICAL_AND: return CollectiveOperator::LOGICAL_AND;
    case Operation::LOGICAL_OR: return CollectiveOperator::LOGICAL_OR;
    case Operation::SQUARE_ADD: return CollectiveOperator::SQUARE_ADD;
    default: throw poputil::poplibs_error("popops: there is no such collective operator");
  }
}

/// A part of a tensor on an IPU, with its place in the ring and in its rank.
struct Chunk {
  poplar::Tensor tensor;
  unsigned index = 0;
  unsigned offset = 0;
  Chunk() = default;
  Chunk(poplar::Tensor tensor_, unsigned index_, unsigned offset_)
      : tensor(std::move(tensor_)), index(index_), offset(offset_) {}
};

/// The parts that a scattered tensor was cut into.
struct Chunks {
  poplar::Tensor originalInput;
  std::vector<Chunk> chunks;
  Chunks() = default;
  Chunks(unsigned size) : chunks(size) {}
};

}  // namespace popops

#endif
