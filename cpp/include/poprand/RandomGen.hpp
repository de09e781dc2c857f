// Random tensors. After poprand/RandomGen.hpp of PopLibs 3.
//
// Every element is a function of seed, seedModifier and the element's index. The generator is
// Philox-4x32-10, with the seed as key and index and modifier as counter. Results do not depend on
// layout, number of threads or instruction set. On another machine the C library may give other
// last bits of DOUBLE values, and rarely of truncated normal values.
//
// `seed` is null or UNSIGNED_INT [2]. With null each call site counts its runs from a fixed start:
// values differ from run to run, but repeat after each load of an engine. seedModifier is then
// ignored. `reference` determines the shape and the tile mapping of the result. Its values are not
// read.
//
// \throws poputil::poplibs_error for a seed of another type or shape, and for types or parameters
// that the distribution does not support
#ifndef poprand_RandomGen_hpp
#define poprand_RandomGen_hpp

#include <array>
#include <cmath>
#include <cstdint>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <utility>

#pragma GCC visibility push(default)
namespace poprand {

/// Seeds stochastic rounding (poplar::setStochasticRounding) for the following steps of `prog`.
/// `masterSeed` is UNSIGNED_INT [2]. The same seed and modifier give the same results, for any
/// number of threads. Each execution of a step uses new random numbers. Without this call the seed
/// is (0, 0) when an engine is loaded, and the sequence continues from run to run. The functions
/// below use their own seeds.
/// \throws poplar::control_program_error for a seed of another type or shape
void setSeed(poplar::Graph& graph, const poplar::Tensor& masterSeed, std::uint32_t seedModifier,
             poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});

/// Uniform in [minVal, maxVal) for outType FLOAT, HALF or DOUBLE. For INT and UNSIGNED_INT uniform
/// over the integers from minVal to maxVal, inclusive, with a bias of at most (maxVal - minVal + 1)
/// / 2^32.
poplar::Tensor uniform(poplar::Graph& graph, const poplar::Tensor* seed, std::uint32_t seedModifier,
                       const poplar::Tensor& reference, const poplar::Type& outType, double minVal,
                       double maxVal, poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {});

/// base raised to a uniform power, in [minVal, maxVal] with 1 <= minVal < maxVal. outType is FLOAT,
/// HALF, DOUBLE or INT. For INT, minVal and maxVal are integers and the result is truncated. The
/// distribution is the same for every base > 1.
poplar::Tensor logUniform(poplar::Graph& graph, const poplar::Tensor* seed,
                          std::uint32_t seedModifier, const poplar::Tensor& reference,
                          const poplar::Type& outType, double minVal, double maxVal,
                          poplar::program::Sequence& prog, double base = M_E,
                          const poplar::DebugContext& debugContext = {});

/// 1 with probability `prob`, else 0. outType is FLOAT, HALF, DOUBLE, INT, UNSIGNED_INT or BOOL.
poplar::Tensor bernoulli(poplar::Graph& graph, const poplar::Tensor* seed,
                         std::uint32_t seedModifier, const poplar::Tensor& reference,
                         const poplar::Type& outType, double prob, poplar::program::Sequence& prog,
                         const poplar::DebugContext& debugContext = {});

/// Normal distribution, for outType FLOAT, HALF or DOUBLE. By the Box-Muller method from 32-bit
/// integers (53 bits for DOUBLE), so values are within 6.7 (8.6) standard deviations.
poplar::Tensor normal(poplar::Graph& graph, const poplar::Tensor* seed, std::uint32_t seedModifier,
                      const poplar::Tensor& reference, const poplar::Type& outType, double mean,
                      double stdDev, poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {});

/// Normal distribution truncated to mean +- alpha * stdDev; alpha > 0.
poplar::Tensor truncatedNormal(poplar::Graph& graph, const poplar::Tensor* seed,
                               std::uint32_t seedModifier, const poplar::Tensor& reference,
                               const poplar::Type& outType, double mean, double stdDev,
                               double alpha, poplar::program::Sequence& prog,
                               const poplar::DebugContext& debugContext = {});

/// Returns input * scale with probability keepProbability, else 0. FLOAT, HALF, BFLOAT16 or DOUBLE.
/// Keeps the same elements for which bernoulli() with equal seed, modifier and shape gives 1.
/// \param reference with the shape of `input`
poplar::Tensor dropout(poplar::Graph& graph, const poplar::Tensor* seed, std::uint32_t seedModifier,
                       const poplar::Tensor& input, const poplar::Tensor& reference,
                       double keepProbability, double scale, poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {});
/// outputClonesRef: use the layout of `reference` for the result, instead of the layout of `input`.
poplar::Tensor dropout(poplar::Graph& graph, const poplar::Tensor* seed, std::uint32_t seedModifier,
                       const poplar::Tensor& input, const poplar::Tensor& reference,
                       double keepProbability, double scale, bool outputClonesRef,
                       poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {});
/// Dropout with a mask of the shape of `reference`, broadcast to the shape of `input`.
poplar::Tensor shapedDropout(poplar::Graph& graph, const poplar::Tensor* seed,
                             std::uint32_t seedModifier, const poplar::Tensor& input,
                             const poplar::Tensor& reference, double keepProbability, double scale,
                             poplar::program::Sequence& prog,
                             const poplar::DebugContext& debugContext = {});

}  // namespace poprand
#pragma GCC visibility pop

#endif
