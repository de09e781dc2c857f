// Gathers as XLA has them.
#include <popops/DynamicSlice.hpp>
#include <popops/Gather.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <string>

namespace popops {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

namespace {

void checkGather(bool fits, const std::string& what) {
  if (!fits) throw poputil::poplibs_error("popops::gather: " + what);
}

bool contains(const std::vector<std::size_t>& list, std::size_t d) {
  return std::find(list.begin(), list.end(), d) != list.end();
}

}  // namespace

Tensor createGatherInput(Graph& graph, const poplar::Type& type,
                         const std::vector<std::size_t>& inputShape,
                         const std::vector<std::size_t>& sliceSizes,
                         std::vector<unsigned> startIndexMap, const DebugContext& debugContext) {
  checkGather(sliceSizes.size() == inputShape.size(),
              std::to_string(sliceSizes.size()) + " sizes for an input of " +
                  std::to_string(inputShape.size()) + " dimensions");
  // As PopLibs does, with the sliced dimensions in front, in their order.
  std::sort(startIndexMap.begin(), startIndexMap.end());
  const auto twice = std::adjacent_find(startIndexMap.begin(), startIndexMap.end());
  checkGather(twice == startIndexMap.end(),
              twice == startIndexMap.end()
                  ? ""
                  : "dimension " + std::to_string(*twice) + " is sliced twice");
  std::vector<std::size_t> dims, sizes, shape;
  std::vector<unsigned> back(inputShape.size());
  const auto put = [&](std::size_t d) {
    back[d] = static_cast<unsigned>(shape.size());
    shape.push_back(inputShape[d]);
  };
  for (const unsigned d : startIndexMap) {
    checkGather(d < inputShape.size(), "there is no dimension " + std::to_string(d));
    dims.push_back(shape.size());
    sizes.push_back(sliceSizes[d]);
    put(d);
  }
  for (std::size_t d = 0; d < inputShape.size(); ++d)
    if (!contains({startIndexMap.begin(), startIndexMap.end()}, d)) put(d);
  return createSliceableTensor(graph, type, shape, dims, sizes, 0, debugContext).dimShuffle(back);
}

Tensor gather(Graph& graph, const Tensor& input, const Tensor& indices, std::size_t indexVectorDim,
              const std::vector<std::size_t>& offsetDims,
              const std::vector<std::size_t>& sliceSizes,
              const std::vector<std::size_t>& collapsedSliceDims,
              const std::vector<unsigned>& startIndexMap, Sequence& prog,
              const DebugContext& debugContext, const poplar::OptionFlags&) {
  const DebugContext context(debugContext, "gather");
  checkGather(indexVectorDim <= indices.rank(), "the indices " + indices.shapeToString() +
                                                    " have no dimension " +
                                                    std::to_string(indexVectorDim));
  checkGather(sliceSizes.size() == input.rank(),
              std::to_string(sliceSizes.size()) + " sizes for an input " + input.shapeToString());
  checkGather(offsetDims.size() + collapsedSliceDims.size() == input.rank(),
              std::to_string(offsetDims.size()) + " dimensions of the result and " +
                  std::to_string(collapsedSliceDims.size()) + " that collapse, for an input " +
                  input.shapeToString());
  const unsigned vectorDim = static_cast<unsigned>(indexVectorDim);
  const Tensor vectors = indexVectorDim == indices.rank()
                             ? indices.expand({indexVectorDim})
                             : indices.dimRoll(vectorDim, indices.rank() - 1);
  auto batch = vectors.shape();
  const std::size_t length = batch.back();
  batch.pop_back();
  checkGather(length == startIndexMap.size(),
              "vectors of " + std::to_string(length) + " indices for " +
                  std::to_string(startIndexMap.size()) + " dimensions of the input");
  const std::size_t count = vectors.numElements() / std::max<std::size_t>(length, 1);

  Tensor reached = input;
  std::vector<std::size_t> dims, sizes, shape = batch;
  for (unsigned d = 0; d < input.rank(); ++d) {
    checkGather(
        sliceSizes[d] <= input.dim(d) && (sliceSizes[d] == 1 || !contains(collapsedSliceDims, d)),
        "slices of " + std::to_string(sliceSizes[d]) + " in dimension " + std::to_string(d) +
            " of an input " + input.shapeToString());
    if (std::find(startIndexMap.begin(), startIndexMap.end(), d) == startIndexMap.end())
      reached = reached.slice(0, sliceSizes[d], d);
    if (!contains(collapsedSliceDims, d)) shape.push_back(sliceSizes[d]);
  }
  for (const unsigned d : startIndexMap) {
    checkGather(d < input.rank(), "there is no dimension " + std::to_string(d));
    dims.push_back(d);
    sizes.push_back(sliceSizes[d]);
  }
  const Tensor slices = multiSlice(graph, reached, vectors.reshape({count, length}), dims, sizes,
                                   prog, SlicePlan(), {}, context)
                            .reshape(shape);
  // Dimension i of the result comes from the next one of a slice, or of the indices.
  std::vector<unsigned> order;
  unsigned ofBatch = 0, ofSlice = static_cast<unsigned>(batch.size());
  for (std::size_t i = 0; i < shape.size(); ++i)
    order.push_back(contains(offsetDims, i) ? ofSlice++ : ofBatch++);
  checkGather(ofSlice == shape.size() && ofBatch == batch.size(),
              "the dimensions of slices lie outside of the result");
  return slices.dimShuffle(order);
}

}  // namespace popops
