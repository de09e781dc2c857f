#include <poputil/Broadcast.hpp>
#include <poputil/exceptions.hpp>

#include <initializer_list>
#include <string>

namespace poputil {

namespace {

using Shape = std::vector<std::size_t>;

std::string text(const Shape& shape) {
  std::string s = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) s += (i ? "," : "") + std::to_string(shape[i]);
  return s + "]";
}

void expandTo(poplar::Tensor& t, std::size_t rank) {
  if (t.rank() < rank) t = t.expand(Shape(rank - t.rank(), 0));
}

/// The broadcast shape. On failure `clash` describes the conflict; otherwise it is empty.
Shape commonShape(const std::vector<Shape>& shapes, std::string& clash) {
  Shape common;
  for (Shape shape : shapes) {
    if (shape.size() < common.size()) shape.insert(shape.begin(), common.size() - shape.size(), 1);
    common.insert(common.begin(), shape.size() - common.size(), 1);
    for (std::size_t d = 0; d < common.size(); ++d) {
      if (common[d] == 1)
        common[d] = shape[d];
      else if (shape[d] != 1 && shape[d] != common[d])
        clash = "dimension " + std::to_string(d) + " is " + std::to_string(common[d]) + " and " +
                std::to_string(shape[d]);
    }
  }
  return common;
}

void matchAll(std::initializer_list<poplar::Tensor*> tensors) {
  std::string clash, list;
  std::vector<Shape> shapes;
  for (const poplar::Tensor* t : tensors) {
    shapes.push_back(t->shape());
    list += (list.empty() ? "" : " and ") + text(shapes.back());
  }
  const Shape common = commonShape(shapes, clash);
  if (!clash.empty())
    throw poplibs_error("broadcastToMatch: shapes " + list + " do not match: " + clash);
  for (poplar::Tensor* t : tensors) broadcastToMatch(*t, common);
}

}  // namespace

void expandToMatchRanks(poplar::Tensor& a, poplar::Tensor& b) {
  expandTo(a, b.rank());
  expandTo(b, a.rank());
}

void broadcastToMatch(poplar::Tensor& a, const Shape& shape) {
  const Shape given = a.shape();
  bool fits = given.size() <= shape.size();
  const std::size_t added = fits ? shape.size() - given.size() : 0;
  for (std::size_t d = 0; fits && d < given.size(); ++d)
    fits = given[d] == shape[added + d] || given[d] == 1;
  if (!fits)
    throw poplibs_error("broadcastToMatch: shape " + text(given) + " cannot be broadcast to " +
                        text(shape));
  expandTo(a, shape.size());
  for (unsigned d = 0; d < shape.size(); ++d) {
    if (a.dim(d) == shape[d]) continue;
    a = shape[d] == 0 ? a.slice(0, 0, d) : a.broadcast(static_cast<unsigned>(shape[d]), d);
  }
}

void broadcastToMatch(poplar::Tensor& a, poplar::Tensor& b) { matchAll({&a, &b}); }
void broadcastToMatch(poplar::Tensor& a, poplar::Tensor& b, poplar::Tensor& c) {
  matchAll({&a, &b, &c});
}

bool canBroadcastToMatch(const poplar::Tensor& a, const poplar::Tensor& b) {
  std::string clash;
  commonShape({a.shape(), b.shape()}, clash);
  return clash.empty();
}

}  // namespace poputil
