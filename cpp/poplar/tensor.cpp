// poplar::Tensor: checks arguments, then calls popir::View.
#include <poplar/Tensor.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <sstream>

#include "poplar/view.hpp"

namespace poplar {
namespace {

using popir::Dims;
using popir::View;

template <class Sequence>
std::string text(const Sequence& values) {
  std::ostringstream os;
  os << "[";
  bool first = true;
  for (const auto& v : values) {
    os << (first ? "" : ",") << v;
    first = false;
  }
  os << "]";
  return os.str();
}

[[noreturn]] void refuse(const char* what, const Tensor& t, const std::string& why) {
  throw index_error(std::string("Tensor::") + what + ": " + why + " (tensor of shape " +
                    (t.valid() ? t.shapeToString() : "none: it is not valid") + ")");
}

void checkDimension(const char* what, const Tensor& t, std::size_t dimension) {
  if (dimension >= t.rank())
    refuse(what, t,
           "dimension " + std::to_string(dimension) + " given, expected less than " +
               std::to_string(t.rank()));
}

}  // namespace

Tensor::Tensor() = default;
Tensor::Tensor(std::shared_ptr<const View> view) : view_(std::move(view)) {}

Type Tensor::elementType() const {
  if (!valid()) refuse("elementType", *this, "no tensor");
  return view_->type();
}

std::vector<std::size_t> Tensor::shape() const {
  if (!valid()) refuse("shape", *this, "no tensor");
  return {view_->shape().begin(), view_->shape().end()};
}

unsigned Tensor::rank() const {
  if (!valid()) refuse("rank", *this, "no tensor");
  return static_cast<unsigned>(view_->shape().size());
}

std::size_t Tensor::dim(unsigned d) const {
  checkDimension("dim", *this, d);
  return static_cast<std::size_t>(view_->shape()[d]);
}

std::size_t Tensor::numElements() const {
  if (!valid()) refuse("numElements", *this, "no tensor");
  return static_cast<std::size_t>(view_->elements());
}

Tensor Tensor::operator[](std::size_t i) const {
  if (rank() == 0) refuse("operator[]", *this, "a scalar cannot be indexed");
  if (i >= dim(0))
    refuse("operator[]", *this,
           "index " + std::to_string(i) + " given, expected less than " + std::to_string(dim(0)));
  return slice(i, i + 1, 0).squeeze({0});
}

Tensor Tensor::slice(std::size_t begin, std::size_t end, unsigned dimension) const {
  checkDimension("slice", *this, dimension);
  if (begin > end || end > dim(dimension))
    refuse("slice", *this,
           "range [" + std::to_string(begin) + "," + std::to_string(end) +
               ") given, expected within [0," + std::to_string(dim(dimension)) + ")");
  return Tensor(
      view_->slice(dimension, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)));
}

Tensor Tensor::slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end) const {
  if (begin.size() != end.size() || begin.size() > rank())
    refuse("slice", *this,
           "begin " + text(begin) + " and end " + text(end) +
               " need as many values as each other, at most one a dimension");
  // Dimensions that are not named stay whole.
  Tensor t = *this;
  for (unsigned d = 0; d < begin.size(); ++d) t = t.slice(begin[d], end[d], d);
  return t;
}

std::vector<Tensor> Tensor::slices(ArrayRef<Interval> intervals, unsigned dimension) const {
  std::vector<Tensor> result;
  for (const auto& i : intervals) result.push_back(slice(i, dimension));
  return result;
}

std::vector<Tensor> Tensor::slices(const std::vector<std::vector<Interval>>& intervals,
                                   unsigned dimension) const {
  std::vector<Tensor> result;
  for (const auto& group : intervals) {
    auto parts = slices(ArrayRef<Interval>(group), dimension);
    result.push_back(parts.empty() ? slice(0, 0, dimension)
                                   : concat(ArrayRef<Tensor>(parts), dimension));
  }
  return result;
}

Tensor Tensor::index(ArrayRef<std::size_t> indices) const {
  if (indices.size() > rank()) refuse("index", *this, "too many indices: " + text(indices));
  Tensor t = *this;
  for (auto i : indices) t = t[i];
  return t;
}

Tensor Tensor::subSample(unsigned stride, unsigned dimension) const {
  checkDimension("subSample", *this, dimension);
  if (stride == 0) refuse("subSample", *this, "stride 0 given, expected at least 1");
  return Tensor(view_->subSample(dimension, stride));
}

Tensor Tensor::reverse(unsigned dimension) const {
  checkDimension("reverse", *this, dimension);
  return Tensor(view_->reverse(dimension));
}

Tensor Tensor::flatten() const { return reshape({numElements()}); }

Tensor Tensor::flatten(unsigned dimBegin, unsigned dimEnd) const {
  if (dimBegin > dimEnd || dimEnd > rank())
    refuse("flatten", *this,
           "dimensions [" + std::to_string(dimBegin) + "," + std::to_string(dimEnd) + ") given");
  const auto old = shape();
  std::size_t n = 1;
  for (unsigned d = dimBegin; d < dimEnd; ++d) n *= old[d];
  return reshapePartial(dimBegin, dimEnd, {n});
}

Tensor Tensor::reshape(ArrayRef<std::size_t> newShape) const {
  Dims dims(newShape.begin(), newShape.end());
  if (popir::product(dims) != view_->elements())
    refuse("reshape", *this,
           "shape " + text(newShape) + " given, which has " + std::to_string(popir::product(dims)) +
               " elements, expected " + std::to_string(view_->elements()));
  return Tensor(view_->reshape(std::move(dims)));
}

Tensor Tensor::reshapePartial(unsigned beginIndex, unsigned endIndex,
                              ArrayRef<std::size_t> newDims) const {
  if (beginIndex > endIndex || endIndex > rank())
    refuse(
        "reshapePartial", *this,
        "dimensions [" + std::to_string(beginIndex) + "," + std::to_string(endIndex) + ") given");
  auto dims = shape();
  dims.erase(dims.begin() + beginIndex, dims.begin() + endIndex);
  dims.insert(dims.begin() + beginIndex, newDims.begin(), newDims.end());
  return reshape(dims);
}

Tensor Tensor::dimShuffle(ArrayRef<unsigned> permutation) const {
  std::vector<bool> seen(rank(), false);
  bool good = permutation.size() == rank();
  for (auto p : permutation) {
    good = good && p < rank() && !seen[p];
    if (good) seen[p] = true;
  }
  if (!good)
    refuse("dimShuffle", *this, text(permutation) + " is no permutation of its dimensions");
  return Tensor(view_->permute(permutation.cloneAsVector()));
}

Tensor Tensor::dimShufflePartial(ArrayRef<unsigned> source, ArrayRef<unsigned> destination) const {
  if (source.size() != destination.size())
    refuse("dimShufflePartial", *this, "source and destination differ in length");
  const auto none = static_cast<unsigned>(-1);
  std::vector<unsigned> permutation(rank(), none);
  std::vector<bool> moved(rank(), false);
  for (std::size_t i = 0; i < source.size(); ++i) {
    checkDimension("dimShufflePartial", *this, source[i]);
    checkDimension("dimShufflePartial", *this, destination[i]);
    permutation[destination[i]] = source[i];
    moved[source[i]] = true;
  }
  unsigned next = 0;
  for (auto& p : permutation) {
    if (p != none) continue;
    while (next < rank() && moved[next]) ++next;
    p = next++;
  }
  return dimShuffle(permutation);
}

Tensor Tensor::dimRoll(unsigned dimIdx, unsigned newIdx) const {
  return dimShufflePartial({dimIdx}, {newIdx});
}

Tensor Tensor::transpose() const {
  if (rank() != 2) refuse("transpose", *this, "expected a matrix");
  return dimShuffle({1, 0});
}

Tensor Tensor::broadcast(unsigned N, unsigned dimension) const {
  checkDimension("broadcast", *this, dimension);
  auto dims = view_->shape();
  dims[dimension] *= N;
  return Tensor(view_->repeatBefore(dimension, N)->reshape(dims));
}

Tensor Tensor::upsample(unsigned scale, unsigned dimension, UpsampleMethod) const {
  checkDimension("upsample", *this, dimension);
  auto dims = view_->shape();
  dims[dimension] *= scale;
  return Tensor(view_->repeatBefore(dimension + 1, scale)->reshape(dims));
}

Tensor Tensor::expand(ArrayRef<std::size_t> indices) const {
  auto old = shape();
  std::vector<std::size_t> dims;
  auto wanted = indices.cloneAsVector();
  std::sort(wanted.begin(), wanted.end());
  std::size_t k = 0;
  for (std::size_t d = 0; d <= old.size(); ++d) {
    for (; k < wanted.size() && wanted[k] == d; ++k) dims.push_back(1);
    if (d < old.size()) dims.push_back(old[d]);
  }
  if (k != wanted.size()) refuse("expand", *this, "indices " + text(indices) + " do not fit");
  return reshape(dims);
}

Tensor Tensor::squeeze() const {
  std::vector<std::size_t> dims;
  for (auto d : shape())
    if (d != 1) dims.push_back(d);
  return reshape(dims);
}

Tensor Tensor::squeeze(ArrayRef<std::size_t> dimsToDrop) const {
  auto old = shape();
  for (auto d : dimsToDrop) {
    checkDimension("squeeze", *this, d);
    if (old[d] != 1)
      refuse("squeeze", *this, "dimension " + std::to_string(d) + " is not of size 1");
  }
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < old.size(); ++d)
    if (std::find(dimsToDrop.begin(), dimsToDrop.end(), d) == dimsToDrop.end())
      dims.push_back(old[d]);
  return reshape(dims);
}

Tensor Tensor::reinterpret(const Type& type) const {
  if (type.sizeInBytes() != elementType().sizeInBytes())
    throw type_error("Tensor::reinterpret: " + type.toString() + " given, expected a type of the " +
                     std::to_string(elementType().sizeInBytes()) + " bytes of " +
                     elementType().toString());
  return Tensor(view_->reinterpret(type));
}

bool Tensor::isContiguous() const {
  const auto pieces = view_->pieces();
  if (pieces.empty()) return true;
  if (pieces.size() > 1) return getVarRegions().size() == 1;
  return (pieces[0].nest.dims.empty() ||
          (pieces[0].nest.dims.size() == 1 && pieces[0].nest.dims[0].from == 1));
}

bool Tensor::containsAliases() const { return view_->containsAliases(); }
bool Tensor::containsConstant() const { return view_->containsConstant(); }
bool Tensor::isParallelWriteable() const { return !containsConstant() && !containsAliases(); }

bool Tensor::intersectsWith(const Tensor& other) const {
  if (view_->graph() != other.view_->graph() || numElements() == 0 || other.numElements() == 0)
    return false;
  return view_->intersects(*other.view_);
}

std::string Tensor::shapeToString() const { return text(shape()); }

std::string Tensor::getDebugStr() const {
  std::ostringstream os;
  os << *this;
  return os.str();
}

Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension) {
  if (tensors.empty()) throw index_error("concat: no tensor given, expected at least one");
  std::vector<popir::ViewPtr> parts;
  const Tensor& first = tensors[0];
  checkDimension("concat", first, dimension);
  for (const auto& t : tensors) {
    if (!t.valid()) throw index_error("concat: one of the tensors is not valid");
    if (t.elementType() != first.elementType())
      throw type_error("concat: elements of " + t.elementType().toString() +
                       " given, expected those of the first tensor, " +
                       first.elementType().toString());
    if (t.view().graph() != first.view().graph())
      throw graph_connection_error("concat: " + t.getDebugStr() +
                                   " belongs to another graph than the first tensor, " +
                                   first.getDebugStr());
    bool fits = t.rank() == first.rank();
    for (unsigned d = 0; fits && d < first.rank(); ++d)
      fits = d == dimension || t.dim(d) == first.dim(d);
    if (!fits)
      refuse("concat", t,
             "it does not fit the first tensor of shape " + first.shapeToString() +
                 " along dimension " + std::to_string(dimension));
    parts.push_back(t.viewPtr());
  }
  return Tensor(View::concat(parts, dimension));
}

Tensor concat(const Tensor& first, const Tensor& second, unsigned dimension) {
  return concat({first, second}, dimension);
}

Tensor append(const Tensor& to, const Tensor& t, unsigned dimension) {
  return concat(to, t.rank() == to.rank() ? t : t.expand({dimension}), dimension);
}
Tensor append(const Tensor& to, const Tensor& t) { return append(to, t, 0); }

std::ostream& operator<<(std::ostream& os, const Tensor& t) {
  if (!t.valid()) return os << "Tensor()";
  os << "Tensor(" << t.elementType().toString() << " " << t.shapeToString() << " of variables "
     << text(t.view().variables()) << ")";
  return os;
}

}  // namespace poplar
