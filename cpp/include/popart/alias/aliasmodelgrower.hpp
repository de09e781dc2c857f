// Makes alias models of graphs. After popart/alias/aliasmodelgrower.hpp of PopART 3.
#ifndef popart_alias_aliasmodelgrower_hpp
#define popart_alias_aliasmodelgrower_hpp

#include <popart/alias/aliasmodel.hpp>
#include <popart/names.hpp>

#include <functional>

#pragma GCC visibility push(default)

namespace popart {

/// Whether a model has the order of operators besides what they compute. popir's have not.
enum class DataDependenciesOnly { Yes, No };

/// Calls growAliasModel() of operators, in the order in which they run.
class AliasModelGrower final {
 public:
  explicit AliasModelGrower(AliasModel& aliasModel) : model_(aliasModel) {}

  AliasModel& getAliasModelRef() { return model_; }
  /// Adds all tensors of a graph.
  void growFullGraph(const Graph& graph, DataDependenciesOnly);
  /// Adds those that may share elements with one: by operators that alias or have in-place
  /// variants.
  void growPartialGraph(const Graph& graph, const TensorId& tensorId, DataDependenciesOnly);

 private:
  void addInputs(const Op& op);
  void add(const Op& op);

  std::reference_wrapper<AliasModel> model_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
