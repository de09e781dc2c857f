#include <popops/Pad.hpp>
#include <poputil/exceptions.hpp>

#include <functional>
#include <string>

namespace popops {
namespace {

using poplar::Graph;
using poplar::Tensor;
using Amounts = std::vector<std::ptrdiff_t>;

[[noreturn]] void refusePadding(const std::string& why) {
  throw poputil::poplibs_error("popops::pad: " + why);
}

// Pads or cuts one dimension. `side(edge, n, lower)` gives n elements to go beside `edge`, the
// tensor that is padded.
Tensor padded(const Tensor& t, std::ptrdiff_t lower, std::ptrdiff_t upper, unsigned dim,
              const std::function<Tensor(const Tensor&, std::size_t, bool)>& side) {
  if (dim >= t.rank())
    refusePadding("dimension " + std::to_string(dim) + " given, the tensor has " +
                  std::to_string(t.rank()));
  const auto size = static_cast<std::ptrdiff_t>(t.dim(dim));
  const auto begin = lower < 0 ? -lower : 0, end = upper < 0 ? size + upper : size;
  if (begin > end || end < 0 || begin > size)
    refusePadding("dimension " + std::to_string(dim) + " has " + std::to_string(size) +
                  " elements, " + std::to_string(-lower) + " and " + std::to_string(-upper) +
                  " are to be taken away");
  const Tensor kept = t.slice(static_cast<std::size_t>(begin), static_cast<std::size_t>(end), dim);
  std::vector<Tensor> parts;
  if (lower > 0) parts.push_back(side(kept, static_cast<std::size_t>(lower), true));
  parts.push_back(kept);
  if (upper > 0) parts.push_back(side(kept, static_cast<std::size_t>(upper), false));
  return parts.size() == 1 ? kept : concat(parts, dim);
}

void checkRank(const Tensor& t, const Amounts& lower, const Amounts& upper) {
  if (lower.size() != t.rank() || upper.size() != t.rank())
    refusePadding(std::to_string(lower.size()) + " and " + std::to_string(upper.size()) +
                  " amounts given for a tensor of rank " + std::to_string(t.rank()));
}

template <class Value>
Tensor withAll(Graph& graph, Tensor t, const Amounts& lower, const Amounts& upper, const Value& val,
               padding::MappingMethod method) {
  checkRank(t, lower, upper);
  for (unsigned d = 0; d < t.rank(); ++d)
    if (lower[d] != 0 || upper[d] != 0) t = pad(graph, t, lower[d], upper[d], d, val, method);
  return t;
}

template <class Value>
Tensor withConstant(Graph& graph, const Tensor& t, std::ptrdiff_t lower, std::ptrdiff_t upper,
                    unsigned dim, Value val, padding::MappingMethod method) {
  return padded(t, lower, upper, dim, [&](const Tensor& kept, std::size_t n, bool low) {
    auto shape = kept.shape();
    shape[dim] = n;
    const Tensor made = graph.addConstant(t.elementType(), shape, val);
    if (method == padding::MappingMethod::ZERO ||
        (method == padding::MappingMethod::EDGE && kept.numElements() == 0)) {
      graph.setTileMapping(made, 0u);
    } else if (method == padding::MappingMethod::EDGE) {
      const auto at = low ? 0 : kept.dim(dim) - 1;
      const auto mapping = graph.getTileMapping(kept.slice(at, at + 1, dim));
      for (std::size_t i = 0; i < n; ++i) graph.setTileMapping(made.slice(i, i + 1, dim), mapping);
    }
    return made;
  });
}

}  // namespace

Tensor pad(Graph& graph, const Tensor& t, std::ptrdiff_t lower, std::ptrdiff_t upper, unsigned dim,
           float val, padding::MappingMethod method) {
  return withConstant(graph, t, lower, upper, dim, val, method);
}
Tensor pad(Graph& graph, const Tensor& t, std::ptrdiff_t lower, std::ptrdiff_t upper, unsigned dim,
           int val, padding::MappingMethod method) {
  return withConstant(graph, t, lower, upper, dim, val, method);
}
Tensor pad(Graph&, const Tensor& t, std::ptrdiff_t lower, std::ptrdiff_t upper, unsigned dim,
           const Tensor& val, padding::MappingMethod) {
  if (val.numElements() != 1 || val.elementType() != t.elementType())
    refusePadding("the value is " + val.getDebugStr() + ", give one element of " +
                  t.elementType().toString());
  return padded(t, lower, upper, dim, [&](const Tensor& kept, std::size_t n, bool) {
    auto shape = kept.shape();
    shape[dim] = n;
    std::size_t elements = 1;
    for (const auto s : shape) elements *= s;
    return val.reshape({1}).broadcast(static_cast<unsigned>(elements), 0).reshape(shape);
  });
}
Tensor pad(const Tensor& t, std::ptrdiff_t lower, std::ptrdiff_t upper, unsigned dim,
           padding::Type type) {
  return padded(t, lower, upper, dim, [&](const Tensor& kept, std::size_t n, bool low) {
    const auto size = kept.dim(dim);
    if (type == padding::Type::EDGE) {
      if (size == 0) refusePadding("a dimension without elements has no edge");
      const auto at = low ? 0 : size - 1;
      return kept.slice(at, at + 1, dim).broadcast(static_cast<unsigned>(n), dim);
    }
    if (n >= size)
      refusePadding(std::to_string(n) + " elements cannot be reflected, dimension " +
                    std::to_string(dim) + " has " + std::to_string(size));
    return (low ? kept.slice(1, n + 1, dim) : kept.slice(size - n - 1, size - 1, dim)).reverse(dim);
  });
}

Tensor pad(Graph& graph, const Tensor& t, const Amounts& lower, const Amounts& upper, float val,
           padding::MappingMethod method) {
  return withAll(graph, t, lower, upper, val, method);
}
Tensor pad(Graph& graph, const Tensor& t, const Amounts& lower, const Amounts& upper, int val,
           padding::MappingMethod method) {
  return withAll(graph, t, lower, upper, val, method);
}
Tensor pad(Graph& graph, const Tensor& t, const Amounts& lower, const Amounts& upper,
           const Tensor& val, padding::MappingMethod method) {
  return withAll(graph, t, lower, upper, val, method);
}
Tensor pad(const Tensor& t, const Amounts& lower, const Amounts& upper, padding::Type type) {
  checkRank(t, lower, upper);
  auto out = t;
  for (unsigned d = 0; d < t.rank(); ++d)
    if (lower[d] != 0 || upper[d] != 0) out = pad(out, lower[d], upper[d], d, type);
  return out;
}

}  // namespace popops
