// Tensors, as views of a graph's variables. After poplar/Tensor.hpp of the Poplar SDK 3.
#ifndef poplar_Tensor_hpp
#define poplar_Tensor_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Type.hpp>
#include <poplar/VariableInterval.hpp>

#include <cstddef>
#include <iostream>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popir {
class View;  // how elements map to variables
}

namespace poplar {

enum class UpsampleMethod { REPEAT };

/// A view: a shape, and the element of a variable at each index. The member functions that return
/// tensors return views of the same elements. They copy nothing, and writing through a view writes
/// the variable.
///
/// Graph::addVariable and Graph::addConstant create tensors. All sizes and indices count elements.
/// \throws index_error if a dimension, index or range is outside of the shape
class Tensor {
 public:
  Tensor();
  explicit Tensor(std::shared_ptr<const popir::View> view);
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) = default;
  Tensor& operator=(const Tensor&) = default;
  Tensor& operator=(Tensor&&) = default;

  bool valid() const { return view_ != nullptr; }
  Type elementType() const;
  std::vector<std::size_t> shape() const;
  unsigned rank() const;
  std::size_t dim(unsigned d) const;
  std::size_t numElements() const;

  /// Element i of the first dimension, which is removed.
  Tensor operator[](std::size_t i) const;
  /// Elements [begin, end) of `dimension` (the first by default). With lists: [begin[d], end[d]) of
  /// each dimension d that they name; the others stay whole.
  Tensor slice(std::size_t begin, std::size_t end, unsigned dimension) const;
  Tensor slice(std::size_t begin, std::size_t end) const { return slice(begin, end, 0); }
  Tensor slice(const Interval& region, unsigned dimension = 0) const {
    return slice(region.begin(), region.end(), dimension);
  }
  Tensor slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end) const;
  /// One slice per interval. For a list of lists: one tensor per list, with its slices
  /// concatenated.
  std::vector<Tensor> slices(ArrayRef<Interval> intervals, unsigned dimension = 0) const;
  /// One slice of one element for each index.
  std::vector<Tensor> slices(ArrayRef<unsigned> indices, unsigned dimension = 0) const {
    std::vector<Tensor> out;
    for (const unsigned i : indices) out.push_back(slice(i, i + 1, dimension));
    return out;
  }
  std::vector<Tensor> slices(const std::vector<std::vector<Interval>>& intervals,
                             unsigned dimension = 0) const;
  /// The elements at `indices`, one index per leading dimension, as operator[] applied repeatedly.
  Tensor index(ArrayRef<std::size_t> indices) const;
  /// Elements 0, stride, 2 * stride, ... of `dimension`.
  Tensor subSample(unsigned stride, unsigned dimension) const;
  /// The elements of `dimension` in reverse order.
  Tensor reverse(unsigned dimension) const;
  /// All elements as a vector, in row-major order.
  Tensor flatten() const;
  /// Merges dimensions [dimBegin, dimEnd) into one.
  Tensor flatten(unsigned dimBegin, unsigned dimEnd) const;
  /// The same elements, in row-major order, with another shape of equal size.
  Tensor reshape(ArrayRef<std::size_t> shape) const;
  /// Replaces dimensions [beginIndex, endIndex) by `newDims`.
  Tensor reshapePartial(unsigned beginIndex, unsigned endIndex,
                        ArrayRef<std::size_t> newDims) const;
  /// Dimension i of the result is dimension permutation[i].
  Tensor dimShuffle(ArrayRef<unsigned> permutation) const;
  /// Moves dimension source[i] to position destination[i]. The other dimensions keep their order.
  Tensor dimShufflePartial(ArrayRef<unsigned> source, ArrayRef<unsigned> destination) const;
  /// Moves one dimension.
  Tensor dimRoll(unsigned dimIdx, unsigned newIdx = 0) const;
  /// Exchanges the dimensions of a matrix.
  Tensor transpose() const;
  /// Repeats the tensor `N` times along `dimension`. The repetitions alias the same elements.
  Tensor broadcast(unsigned N, unsigned dimension) const;
  /// Repeats each element `scale` times along `dimension`.
  Tensor upsample(unsigned scale, unsigned dimension,
                  UpsampleMethod method = UpsampleMethod::REPEAT) const;
  /// Inserts a dimension of size 1 before each dimension in `indices`.
  Tensor expand(ArrayRef<std::size_t> indices) const;
  /// Removes all dimensions of size 1, or those in `dims`.
  Tensor squeeze() const;
  Tensor squeeze(ArrayRef<std::size_t> dims) const;
  /// Reinterprets the bits as another type of the same size.
  /// \throws type_error if the sizes differ
  Tensor reinterpret(const Type& type) const;

  /// True if the elements are adjacent in one variable, in row-major order.
  bool isContiguous() const;
  /// True if an element occurs more than once.
  bool containsAliases() const;
  bool containsConstant() const;
  /// True if no element occurs twice and none is constant, so that vertices may write in parallel.
  bool isParallelWriteable() const;
  /// The places of the elements, in row-major order; adjacent ones are one interval.
  std::vector<VariableInterval> getVarRegions() const;
  /// Intervals of positions in the flattened tensor, each adjacent in a variable.
  std::vector<Interval> getContiguousRegions() const;
  /// True if both tensors contain a common element.
  bool intersectsWith(const Tensor& other) const;
  std::string shapeToString() const;
  std::string getDebugStr() const;
  void dump(std::ostream& os = std::cout) const { os << getDebugStr(); }
  /// Writes which elements of which variables it shows.
  void dumpRegions(std::ostream& os = std::cout) const;
  /// The names of the variables of which it shows elements.
  std::string getVarStr() const;
  /// Whether it is of QUARTER and has metadata, which Graph::getMetadata() gives.
  bool hasMetadata() const;
  Tensor getMetadata() const;
  void output(std::ostream& os) const { os << getDebugStr(); }

  bool operator==(const Tensor& o) const { return view_ == o.view_; }
  bool operator!=(const Tensor& o) const { return !(*this == o); }

  /// For popir itself.
  const popir::View& view() const { return *view_; }
  const std::shared_ptr<const popir::View>& viewPtr() const { return view_; }

 private:
  std::shared_ptr<const popir::View> view_;
};

/// Concatenates along an existing dimension.
/// \throws index_error if other dimensions differ; type_error if the types differ
Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension = 0);
Tensor concat(const Tensor& first, const Tensor& second, unsigned dimension = 0);
/// Concatenates `t` to the end (append) or the beginning (prepend) of a dimension of `to`.
Tensor append(const Tensor& to, const Tensor& t, unsigned dimension);
Tensor append(const Tensor& to, const Tensor& t);

std::ostream& operator<<(std::ostream& os, const Tensor& t);

}  // namespace poplar

#pragma GCC visibility pop

#endif
