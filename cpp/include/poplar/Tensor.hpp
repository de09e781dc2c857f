// poplar/Tensor.hpp: views of the variables of a graph.
#ifndef poplar_Tensor_hpp
#define poplar_Tensor_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popir {
class View;  // cpp/poplar/view.hpp: what a tensor shows of which variables
}

namespace poplar {

enum class UpsampleMethod { REPEAT };

/// A shape over elements of variables. Every member function below makes a view: nothing is
/// copied, and writing through the view writes the variable.
///
/// Made by Graph::addVariable and Graph::addConstant. All indices are in elements.
/// \throws index_error where a dimension, index or range does not fit the shape.
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
  std::size_t rank() const;
  std::size_t dim(unsigned d) const;
  std::size_t numElements() const;

  Tensor operator[](std::size_t i) const;
  Tensor slice(std::size_t begin, std::size_t end, unsigned dimension) const;
  Tensor slice(std::size_t begin, std::size_t end) const { return slice(begin, end, 0); }
  Tensor slice(const Interval& region, unsigned dimension = 0) const {
    return slice(region.begin(), region.end(), dimension);
  }
  Tensor slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end) const;
  std::vector<Tensor> slices(ArrayRef<Interval> intervals, unsigned dimension = 0) const;
  std::vector<Tensor> slices(const std::vector<std::vector<Interval>>& intervals,
                             unsigned dimension = 0) const;
  /// The elements at `indices` of `dimension`.
  Tensor index(ArrayRef<std::size_t> indices) const;
  Tensor subSample(unsigned stride, unsigned dimension) const;
  Tensor reverse(unsigned dimension) const;
  Tensor flatten() const;
  /// Dimensions [dimBegin, dimEnd) become one.
  Tensor flatten(unsigned dimBegin, unsigned dimEnd) const;
  Tensor reshape(ArrayRef<std::size_t> shape) const;
  /// Dimensions [beginIndex, endIndex) are replaced by `newDims`.
  Tensor reshapePartial(unsigned beginIndex, unsigned endIndex,
                        ArrayRef<std::size_t> newDims) const;
  Tensor dimShuffle(ArrayRef<unsigned> permutation) const;
  Tensor dimShufflePartial(ArrayRef<unsigned> source, ArrayRef<unsigned> destination) const;
  Tensor dimRoll(unsigned dimIdx, unsigned newIdx = 0) const;
  /// Both dimensions of a matrix exchanged.
  Tensor transpose() const;
  /// `N` copies along `dimension`, which grows by the factor N; all are the same elements.
  Tensor broadcast(unsigned N, unsigned dimension) const;
  Tensor upsample(unsigned scale, unsigned dimension,
                  UpsampleMethod method = UpsampleMethod::REPEAT) const;
  /// A dimension of 1 is put before each dimension named in `indices`.
  Tensor expand(ArrayRef<std::size_t> indices) const;
  /// Dimensions of 1 removed: all of them, or those named.
  Tensor squeeze() const;
  Tensor squeeze(ArrayRef<std::size_t> dims) const;
  /// The same bits as elements of another type of the same size.
  Tensor reinterpret(const Type& type) const;

  bool isContiguous() const;
  bool containsAliases() const;
  bool containsConstant() const;
  /// No element appears twice and none is constant, so vertices may write it in parallel.
  bool isParallelWriteable() const;
  bool intersectsWith(const Tensor& other) const;
  std::string shapeToString() const;
  std::string getDebugStr() const;
  void dump(std::ostream& os) const { os << getDebugStr(); }

  bool operator==(const Tensor& o) const { return view_ == o.view_; }
  bool operator!=(const Tensor& o) const { return !(*this == o); }

  const popir::View& view() const { return *view_; }
  const std::shared_ptr<const popir::View>& viewPtr() const { return view_; }

 private:
  std::shared_ptr<const popir::View> view_;
};

/// Joined along an existing dimension; all other dimensions and the types must be equal.
Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension = 0);
Tensor concat(const Tensor& first, const Tensor& second, unsigned dimension = 0);
/// `t` joined to the end (append) or the beginning (prepend) of a dimension of `to`.
Tensor append(const Tensor& to, const Tensor& t, unsigned dimension);
Tensor append(const Tensor& to, const Tensor& t);

std::ostream& operator<<(std::ostream& os, const Tensor& t);

}  // namespace poplar

#pragma GCC visibility pop

#endif
