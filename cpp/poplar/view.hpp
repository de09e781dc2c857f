// What a tensor shows: a chain of affine views that ends at variables.
//
// A View maps its index space affinely (offset + strides) into the flat order of a base: a
// variable, other views joined along a dimension, or another view taken flat, which is what a
// reshape needs where strides cannot express it. Nothing is expanded until somebody asks for
// pieces(), so a reshape of a transpose stays two small nodes.
#ifndef popir_poplar_view_hpp
#define popir_poplar_view_hpp

#include <poplar/Type.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace popir {

class GraphImpl;
class View;
using ViewPtr = std::shared_ptr<const View>;
using Dims = std::vector<std::int64_t>;

/// A dimension of two address spaces walked together: `n` steps of `from` in one, `to` in the
/// other.
struct NestDim {
  std::int64_t n, from, to;
};

/// Nested loops over two address spaces at once. Dimensions run from outer to inner.
struct Nest {
  std::int64_t from = 0, to = 0;
  std::vector<NestDim> dims;

  std::int64_t elements() const;
  /// Drops dimensions of one step and joins neighbours that are one longer dimension.
  void coalesce();
};

/// The part of a view that lies in one variable: nest.from counts the variable's elements,
/// nest.to whatever the caller walks along (the view's flat order, in pieces()).
struct Piece {
  unsigned variable;
  Nest nest;
};

class __attribute__((visibility("default"))) View {
 public:
  /// All of a variable.
  static ViewPtr ofVariable(const GraphImpl* graph, unsigned variable, bool constant,
                            poplar::Type type, Dims shape);
  static ViewPtr concat(const std::vector<ViewPtr>& parts, unsigned dimension);

  /// What a view is made of; for saved programs.
  struct State {
    poplar::Type type;
    Dims shape, strides;
    std::int64_t offset = 0;
    /// The base: a variable, or with parts an index space [outer, starts.back(), inner] of them.
    unsigned variable = 0;
    bool constant = false;
    std::int64_t variableElements = 0, outer = 1, inner = 1;
    Dims starts;
    std::vector<ViewPtr> parts;
  };
  State state() const;
  static ViewPtr ofState(const GraphImpl* graph, State state);

  const Dims& shape() const { return shape_; }
  std::int64_t elements() const;
  poplar::Type type() const { return type_; }
  const GraphImpl* graph() const { return graph_; }

  ViewPtr slice(unsigned dimension, std::int64_t begin, std::int64_t end) const;
  ViewPtr subSample(unsigned dimension, std::int64_t stride) const;
  ViewPtr reverse(unsigned dimension) const;
  ViewPtr permute(const std::vector<unsigned>& permutation) const;
  ViewPtr reshape(Dims shape) const;
  /// Dimension `dimension` becomes [n, its size] with all n the same elements.
  ViewPtr repeatBefore(unsigned dimension, std::int64_t n) const;
  ViewPtr reinterpret(poplar::Type type) const;
  /// The same view with other views' elements, in their order, in place of those of variables.
  ViewPtr replaced(const std::map<unsigned, ViewPtr>& by) const;

  /// Where the view lies in one variable, if it is one strided box.
  struct Affine {
    unsigned variable;
    std::int64_t offset;
    Dims strides;
  };
  std::optional<Affine> affine() const;
  /// All of the view, cut into boxes of single variables; nest.to is the flat position in the view.
  std::vector<Piece> pieces() const;
  /// The elements that `nest` (from = flat position in this view) visits, as boxes of variables.
  void expand(Nest nest, const std::function<void(unsigned variable, Nest)>& emit) const;
  /// Distinct variables, ascending.
  std::vector<unsigned> variables() const;
  bool containsConstant() const;
  /// True if some element appears more than once.
  bool containsAliases() const;
  /// The whole of one variable in its own order.
  std::optional<unsigned> wholeVariable() const;

 private:
  struct Base;
  class Replacement;
  View() = default;
  std::shared_ptr<View> copy() const { return std::shared_ptr<View>(new View(*this)); }

  const GraphImpl* graph_ = nullptr;
  poplar::Type type_;
  Dims shape_;
  Dims strides_;
  std::int64_t offset_ = 0;
  std::shared_ptr<const Base> base_;
};

/// Row-major strides of a shape.
Dims rowMajorStrides(const Dims& shape);
std::int64_t product(const Dims& shape);
/// Strides that show the same elements in the same order as `shape`/`strides` in `newShape`, or
/// nothing if no strides do.
std::optional<Dims> reshapeStrides(const Dims& shape, const Dims& strides, const Dims& newShape);

}  // namespace popir

#endif
