// What the cells of recurrent networks have in common.
#ifndef popir_popnn_cells_hpp
#define popir_popnn_cells_hpp

#include <poplin/MatMul.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Rnn.hpp>
#include <poputil/exceptions.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace popir {

/// The options of LSTM and GRU layers.
struct RecurrentOptions {
  poplar::OptionFlags products;  ///< of the matrix products
  bool inputsFirst = false;      ///< all inputs are multiplied before the loop
  poplar::Type accumulators;     ///< of the weights' gradients
};

/// \throws poplar::invalid_option as checkLibraryOptions()
RecurrentOptions recurrentOptions(const char* who, const popnn::rnn::RnnParams& params,
                                  const poplar::OptionFlags& options);

/// \throws poputil::poplibs_error unless there are two sizes, and as many steps as there must be
void checkRecurrent(const char* who, const popnn::rnn::RnnParams& params);
/// \throws poputil::poplibs_error unless the order has each of `units` units once
template <class Unit>
void checkOrder(const char* who, const std::vector<Unit>& order, std::size_t units);
/// \throws poputil::poplibs_error unless a tensor has this shape and the data's type
void checkOperand(const char* who, const char* what, const poplar::Tensor& t,
                  const popnn::rnn::RnnParams& params, const std::vector<std::size_t>& shape);

/// Weights of units, [units, rows, columns], as one matrix, [rows, units * columns]; and back. A
/// product's result [rows, units * columns] becomes [units, rows, columns] likewise.
poplar::Tensor flatUnits(const poplar::Tensor& t);
poplar::Tensor unitsOf(const poplar::Tensor& t, std::size_t units);

/// Creates weights [units, rows, columns] for products with `batch` rows.
poplar::Tensor createUnits(poplar::Graph& graph, const popnn::rnn::RnnParams& params,
                           std::size_t units, std::size_t rows, const poplar::DebugContext& context,
                           const RecurrentOptions& options, poplin::PlanningCache* cache);

/// A bias of each unit, [units, size], for each sample: [units, batch, size].
poplar::Tensor ofEachSample(const poplar::Tensor& biases, std::size_t batch);

/// The state of samples that have ended stays: state = mask * next + inverse * state; or state =
/// next where all have one number of steps.
void advance(poplar::Graph& graph, const popnn::rnn::RnnBatchwiseFlags& flags,
             const poplar::Tensor& state, const poplar::Tensor& next,
             poplar::program::Sequence& prog, const poplar::DebugContext& context);
/// Zeros for samples that have ended.
void silence(poplar::Graph& graph, const popnn::rnn::RnnBatchwiseFlags& flags,
             const poplar::Tensor& values, poplar::program::Sequence& prog,
             const poplar::DebugContext& context);

/// The gradient of weights [units, rows, columns] from all steps' inputs [steps, batch, rows] and
/// gradients at the units [steps, units, batch, columns], added up in the accumulators' type.
poplar::Tensor weightGradient(poplar::Graph& graph, const poplar::Tensor& inputs,
                              const poplar::Tensor& gradients, const RecurrentOptions& options,
                              poplar::program::Sequence& prog, const poplar::DebugContext& context,
                              poplin::PlanningCache* cache);
/// The gradient of biases: [units, columns].
poplar::Tensor biasGradient(poplar::Graph& graph, const poplar::Tensor& gradients,
                            const RecurrentOptions& options, poplar::program::Sequence& prog,
                            const poplar::DebugContext& context);

/// The states before each step: the first one, then the outputs of all steps but the last.
poplar::Tensor statesBefore(const poplar::Tensor& first, const poplar::Tensor& outputs);

/// A product that a layer will make, with its options.
using PlannedProduct = std::pair<poplin::MatMulParams, poplar::OptionFlags>;
PlannedProduct plannedProduct(const poplar::Type& type, const poplar::OptionFlags& options,
                              const char* pass, std::size_t rows, std::size_t inner,
                              std::size_t columns);

std::string unitCount(std::size_t given, std::size_t units);

template <class Unit>
void checkOrder(const char* who, const std::vector<Unit>& order, std::size_t units) {
  std::vector<bool> seen(units);
  for (const Unit unit : order)
    if (static_cast<std::size_t>(unit) < units) seen[static_cast<std::size_t>(unit)] = true;
  std::size_t found = 0;
  for (const bool each : seen) found += each ? 1 : 0;
  if (order.size() != units || found != units)
    throw poputil::poplibs_error(std::string("popnn::") + who + ": " +
                                 unitCount(order.size(), units));
}

/// The place of each unit in the order.
template <class Unit>
std::vector<std::size_t> places(const std::vector<Unit>& order) {
  std::vector<std::size_t> where(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) where[static_cast<std::size_t>(order[i])] = i;
  return where;
}

}  // namespace popir

#endif
