// poprand/RandomGen.hpp: tensors of random numbers.
//
// All of these are functions of (seed, seedModifier, index of the element): Philox-4x32-10 with the
// seed as its key and the index and the modifier in its counter. The same seed gives the same
// numbers, whatever the layout, the number of threads and the instruction set; across machines the
// last bits of DOUBLE numbers, and rarely of truncated normal ones, are those of the C library's
// functions.
//
// `seed`: null, or UNSIGNED_INT [2]. With null, each call site counts its own runs from a fixed
// start: the numbers differ from run to run, are the same for every load of an engine, and
// seedModifier is ignored.
// `reference`: the result has its shape and its tile mapping; its values are not looked at.
//
// \throws poputil::poplibs_error for a seed that is not UNSIGNED_INT [2], and for types and
//         parameters that the distribution does not take.
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

/// Starts the draws of stochastic rounding (poplar::setStochasticRounding) anew: the same seed, an
/// UNSIGNED_INT [2], and the same modifier give the same bits to what `prog` does afterwards, for
/// any number of threads. The draws of each execution of a step differ. Without this they begin at
/// (0, 0) when an engine is loaded, and go on from run to run. The functions below have seeds of
/// their own.
/// \throws poplar::control_program_error for another seed.
void setSeed(poplar::Graph& graph, const poplar::Tensor& masterSeed, std::uint32_t seedModifier,
             poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});

/// Uniform on [minVal, maxVal), of outType FLOAT, HALF or DOUBLE, and on the integers from minVal
/// to maxVal, both included, for INT and UNSIGNED_INT; these are biased by at most (maxVal - minVal
/// + 1) / 2^32.
poplar::Tensor uniform(poplar::Graph& graph, const poplar::Tensor* seed, std::uint32_t seedModifier,
                       const poplar::Tensor& reference, const poplar::Type& outType, double minVal,
                       double maxVal, poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {});

/// base to the power of a uniform number, within [minVal, maxVal], 1 <= minVal < maxVal, of outType
/// FLOAT, HALF, DOUBLE or INT; for INT, minVal and maxVal are integers and the number loses what it
/// has behind the point. The law is the same for every base > 1.
poplar::Tensor logUniform(poplar::Graph& graph, const poplar::Tensor* seed,
                          std::uint32_t seedModifier, const poplar::Tensor& reference,
                          const poplar::Type& outType, double minVal, double maxVal,
                          poplar::program::Sequence& prog, double base = M_E,
                          const poplar::DebugContext& debugContext = {});

/// 1 with probability `prob`, else 0, of outType FLOAT, HALF, DOUBLE, INT, UNSIGNED_INT or BOOL.
poplar::Tensor bernoulli(poplar::Graph& graph, const poplar::Tensor* seed,
                         std::uint32_t seedModifier, const poplar::Tensor& reference,
                         const poplar::Type& outType, double prob, poplar::program::Sequence& prog,
                         const poplar::DebugContext& debugContext = {});

/// Normal, of outType FLOAT, HALF or DOUBLE, by the method of Box and Muller on 32-bit integers (53
/// bits for DOUBLE): no number is further than 6.7 (8.6) standard deviations from the mean.
poplar::Tensor normal(poplar::Graph& graph, const poplar::Tensor* seed, std::uint32_t seedModifier,
                      const poplar::Tensor& reference, const poplar::Type& outType, double mean,
                      double stdDev, poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {});

/// Normal, cut off at mean - alpha stdDev and mean + alpha stdDev; alpha > 0.
poplar::Tensor truncatedNormal(poplar::Graph& graph, const poplar::Tensor* seed,
                               std::uint32_t seedModifier, const poplar::Tensor& reference,
                               const poplar::Type& outType, double mean, double stdDev,
                               double alpha, poplar::program::Sequence& prog,
                               const poplar::DebugContext& debugContext = {});

/// scale * input with probability keepProbability, else 0; FLOAT, HALF or DOUBLE. The elements that
/// are kept are those where bernoulli, of the same seed, modifier and shape, gives 1.
/// \param reference  of the shape of `input`.
poplar::Tensor dropout(poplar::Graph& graph, const poplar::Tensor* seed, std::uint32_t seedModifier,
                       const poplar::Tensor& input, const poplar::Tensor& reference,
                       double keepProbability, double scale, poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {});
/// outputClonesRef: the result is laid out as `reference`; else as `input`.
poplar::Tensor dropout(poplar::Graph& graph, const poplar::Tensor* seed, std::uint32_t seedModifier,
                       const poplar::Tensor& input, const poplar::Tensor& reference,
                       double keepProbability, double scale, bool outputClonesRef,
                       poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {});
/// Dropout whose mask has the shape of `reference`, broadcast to the shape of `input`.
poplar::Tensor shapedDropout(poplar::Graph& graph, const poplar::Tensor* seed,
                             std::uint32_t seedModifier, const poplar::Tensor& input,
                             const poplar::Tensor& reference, double keepProbability, double scale,
                             poplar::program::Sequence& prog,
                             const poplar::DebugContext& debugContext = {});

}  // namespace poprand
#pragma GCC visibility pop

#endif
