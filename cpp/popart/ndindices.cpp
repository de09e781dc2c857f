#include <popart/ndindices.hpp>

#include <popart/error.hpp>
#include <popart/util.hpp>

namespace popart {

std::vector<int64_t> NDIndices::unflatten(int64_t place) const {
  std::vector<int64_t> indices(shape_.size());
  int64_t rest = place;
  for (std::size_t d = shape_.size(); d-- > 0 && shape_[d] > 0;) {
    indices[d] = rest % shape_[d];
    rest /= shape_[d];
  }
  if (place < 0 || rest != 0 || (!shape_.empty() && shape_.back() == 0))
    throw error("There is no element {} in a tensor of shape {}", place, shape_);
  return indices;
}

int64_t NDIndices::flatten(const std::vector<int64_t>& indices) const {
  bool fits = indices.size() == shape_.size();
  int64_t place = 0;
  for (std::size_t d = 0; fits && d < shape_.size(); ++d) {
    fits = indices[d] >= 0 && indices[d] < shape_[d];
    place = place * shape_[d] + indices[d];
  }
  if (!fits) throw error("There is no element at {} in a tensor of shape {}", indices, shape_);
  return place;
}

}  // namespace popart
