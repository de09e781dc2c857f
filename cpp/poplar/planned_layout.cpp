#include "poplar/planned_layout.hpp"

#include "machine/contraction/layout.hpp"
#include "poplar/graph_impl.hpp"
#include "poplar/virtual_tiles.hpp"

namespace popir {
namespace {

using Layer = ContractionWork::Layer;

/// The only layout that a pooling plans is that of its result.
Grid layoutOf(const PoolingPlan& plan, std::size_t, unsigned first,
              const std::vector<std::int64_t>&) {
  return popir::layoutOf(plan, first);
}

/// Where the plan for a contraction or a pooling, `Whole`, puts an operand.
template <class Whole>
class PlannedLayout final : public LayoutRule {
 public:
  PlannedLayout(std::shared_ptr<PlanCache> plans, const VertexClass& kind, Whole whole,
                std::size_t operand, std::vector<std::int64_t> sizes, unsigned first,
                unsigned tiles)
      : plans_(std::move(plans)),
        kind_(kind),
        whole_(std::move(whole)),
        operand_(operand),
        sizes_(std::move(sizes)),
        first_(first),
        tiles_(tiles) {}

  const Grid& grid() const override {
    std::call_once(once_, [&] {
      grid_ = layoutOf(plans_->of(kind_, whole_, tiles_), operand_, first_, sizes_);
    });
    return grid_;
  }

  bool sameAs(const LayoutRule& other) const override {
    const auto* o = dynamic_cast<const PlannedLayout*>(&other);
    return o && &kind_ == &o->kind_ && !(whole_ < o->whole_) && !(o->whole_ < whole_) &&
           std::tie(operand_, sizes_, first_, tiles_) ==
               std::tie(o->operand_, o->sizes_, o->first_, o->tiles_);
  }

 private:
  const std::shared_ptr<PlanCache> plans_;
  const VertexClass& kind_;
  const Whole whole_;
  const std::size_t operand_;
  const std::vector<std::int64_t> sizes_;
  const unsigned first_, tiles_;
  mutable std::once_flag once_;
  mutable Grid grid_;
};

// The plan of `key` in `plans`, which `make` makes if there is none.
template <class Plans, class Make>
const auto& found(Plans& plans, const typename Plans::key_type& key, const Make& make) {
  auto& plan = plans[key];
  if (!plan) plan = std::make_unique<const decltype(make())>(make());
  return *plan;
}

template <class Whole>
void mapTo(poplar::Graph& graph, const poplar::Tensor& t, const Work& work, std::size_t operand,
           std::vector<std::int64_t> sizes) {
  const auto* part = graph.virtualTiles().get();
  const auto* kind = findVertexClass(work.vertexClass);
  const auto* whole = std::get_if<Whole>(&work.whole);
  if (t.numElements() == 0 || !kind || !whole || (part && !part->contiguous()))
    return mapLinearly(graph, t, 1, 1);
  auto& impl = *graph.impl();
  impl.variable(*t.view().wholeVariable())
      .mapping.setRule(
          t.view().elements(),
          std::make_shared<const PlannedLayout<Whole>>(
              impl.plans, *kind, *whole, operand, std::move(sizes), part ? part->tiles.front() : 0,
              part ? static_cast<unsigned>(part->tiles.size()) : impl.target.getNumTiles()));
}

}  // namespace

const ContractionPlan& PlanCache::of(const VertexClass& kind, const ContractionWork& whole,
                                     unsigned tiles) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Contraction contraction{&kind, whole, tiles};
  const auto keyOf = [&](const ContractionWork& work) {
    return std::make_tuple(&kind, work, tiles);
  };
  if (isLayerPass(whole) && contractions_.count(keyOf(whole)) == 0) {
    auto plans = planLayer(target_.spec(), contraction);
    for (auto* plan : {&plans.forward, &plans.backward, &plans.update})
      found(contractions_,
            keyOf(passOf(whole, plan == &plans.forward    ? Layer::Forward
                                : plan == &plans.backward ? Layer::Backward
                                                          : Layer::WeightUpdate)),
            [&] { return std::move(*plan); });
  }
  return found(contractions_, keyOf(whole),
               [&] { return planContraction(target_.spec(), contraction); });
}
const PoolingPlan& PlanCache::of(const VertexClass& kind, const PoolingWork& whole,
                                 unsigned tiles) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return found(poolings_, {&kind, whole, tiles},
               [&] { return planPooling(target_.spec(), kind, whole, tiles); });
}
const SlicePartition& PlanCache::of(const SliceSizes& sizes, const SliceUse& use, unsigned tiles) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return found(slices_,
               {sizes.type,
                {sizes.groups, sizes.entries, sizes.size, sizes.lookups},
                valuesOf(use.state()),
                tiles},
               [&] { return planSlices(target_.spec(), sizes, use, tiles); });
}

void mapByPlan(poplar::Graph& graph, const poplar::Tensor& t, const Work& work, std::size_t operand,
               std::vector<std::int64_t> sizes) {
  mapTo<ContractionWork>(graph, t, work, operand, std::move(sizes));
}
void mapByPlan(poplar::Graph& graph, const poplar::Tensor& t, const Work& work) {
  mapTo<PoolingWork>(graph, t, work, 0, {});
}

}  // namespace popir
