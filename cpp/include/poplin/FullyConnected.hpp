// The products of a layer. After poplin/FullyConnected.hpp of PopLibs 3.
#ifndef poplin_FullyConnected_hpp
#define poplin_FullyConnected_hpp

#include <poplin/MatMul.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace poplin {
namespace fc {

struct FullyConnectedParams {
  std::size_t numGroups;
  std::size_t batchSize;
  std::size_t inputSize;
  std::size_t outputSize;
};

/// The product of inputs [groups, batch, in] and weights [groups, in, out], and, unless
/// `inferenceOnly`, those of the two gradients, each with its option fullyConnectedPass.
std::vector<std::pair<MatMulParams, poplar::OptionFlags>> getMatMulPrePlanParameters(
    FullyConnectedParams parameters, poplar::OptionFlags matmulOptions, poplar::Type type,
    bool inferenceOnly);

}  // namespace fc
}  // namespace poplin
#pragma GCC visibility pop

#endif
