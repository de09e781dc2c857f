// Views: the elements of variables that a tensor refers to.
//
// A View maps its index space by an affine function (offset + strides) to the flat order of a base.
// The base is a variable, several views concatenated along a dimension, or another view, flattened.
// The last is needed for a reshape that strides cannot express. For example, a [2, 3] variable
// transposed has strides [1, 3]; reshaping it to [6] needs positions 0, 3, 1, 4, 2, 5, which no
// single stride gives. So the result is a view of the flattened transpose. Views are expanded only
// by pieces(), so such a chain stays small.
#ifndef popir_poplar_view_hpp
#define popir_poplar_view_hpp

#include <poplar/Type.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace popir {

class GraphImpl;
class View;
using ViewPtr = std::shared_ptr<const View>;
using Dims = std::vector<std::int64_t>;

/// A dimension that is walked in two address spaces at once: `n` steps, of size `from` in the first
/// and `to` in the second.
struct NestDim {
  std::int64_t n, from, to;
};

/// Nested loops over two address spaces, outermost dimension first.
struct Nest {
  std::int64_t from = 0, to = 0;
  std::vector<NestDim> dims;

  std::int64_t elements() const;
  /// Drops dimensions with one step, and merges adjacent dimensions where possible.
  void coalesce();
};

/// The part of a view in one variable. nest.from counts elements of the variable. nest.to counts
/// positions in the caller's order; for pieces() that is the flat order of the view.
struct Piece {
  unsigned variable;
  Nest nest;
};

class __attribute__((visibility("default"))) View {
 public:
  /// The view of a whole variable.
  static ViewPtr ofVariable(const GraphImpl* graph, unsigned variable, bool constant,
                            poplar::Type type, Dims shape);
  static ViewPtr concat(const std::vector<ViewPtr>& parts, unsigned dimension);

  /// All members of a view, for saved executables.
  struct State {
    poplar::Type type;
    Dims shape, strides;
    std::int64_t offset = 0;
    /// The base: a variable, or, if there are parts, an index space [outer, starts.back(), inner].
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
  /// Turns `dimension` into [n, size], where all n repetitions alias the same elements (broadcast).
  ViewPtr repeatBefore(unsigned dimension, std::int64_t n) const;
  ViewPtr reinterpret(poplar::Type type) const;
  /// The view with metadata of its own: a view of one UNSIGNED_CHAR, that counts in place of what its
  /// variables have. What is made of it keeps it, but for a view of another type, and of it and
  /// others that have not the same.
  ViewPtr withMetadata(ViewPtr metadata) const;
  /// Null if it has none of its own.
  const ViewPtr& metadata() const { return metadata_; }
  /// True if `other` is this view of other variables: at each place `isLike(variable, theirs)` says
  /// whether one variable may stand for the other.
  bool isLike(const View& other, const std::function<bool(unsigned, unsigned)>& isLike) const;
  /// The same view with the variables in `by` replaced by other views' elements, in order.
  ViewPtr replaced(const std::map<unsigned, ViewPtr>& by) const;

  /// The view's position in a single variable, if it is one strided box.
  struct Affine {
    unsigned variable;
    std::int64_t offset;
    Dims strides;
  };
  std::optional<Affine> affine() const;
  /// True if both are affine and show the same elements in the same order, whatever the types.
  /// Or if both are of the same type and made in the same way, such as of the same concatenation.
  bool sameElements(const View& other) const;
  /// The view as boxes of single variables; nest.to is the flat position in the view.
  std::vector<Piece> pieces() const;
  /// Expands the elements that `nest` visits (nest.from is the flat position in this view) to boxes
  /// of variables.
  void expand(Nest nest, const std::function<void(unsigned variable, Nest)>& emit) const;
  /// The variables, without duplicates, in ascending order.
  std::vector<unsigned> variables() const;
  /// Calls `visit` with each of variables().
  template <class Visit>
  void eachVariable(const Visit& visit) const {
    if (whole_) return visit(*whole_);
    for (const auto v : variables()) visit(v);
  }
  bool containsConstant() const;
  /// True if an element occurs more than once.
  bool containsAliases() const;
  /// True if an element of one is an element of the other, whatever the types.
  bool intersects(const View& other) const;
  /// The variable, if the view is a whole variable in its own order.
  std::optional<unsigned> wholeVariable() const { return whole_; }

 private:
  struct Base;
  class Replacement;
  class Likeness;
  View() = default;
  std::shared_ptr<View> copy() const { return std::make_shared<View>(*this); }
  /// The view, with `whole_` as the other members say. The last step of all that make one.
  static ViewPtr finished(std::shared_ptr<View> v);

  const GraphImpl* graph_ = nullptr;
  poplar::Type type_;
  Dims shape_;
  Dims strides_;
  std::int64_t offset_ = 0;
  std::shared_ptr<const Base> base_;
  ViewPtr metadata_;
  std::optional<unsigned> whole_;  // kept, since each pass over a program asks for it
};

/// Row-major strides of a shape.
Dims rowMajorStrides(const Dims& shape);
std::int64_t product(const Dims& shape);
/// "[2,3]", for messages and plans.
std::string shapeText(const Dims& shape);
/// Strides for `newShape` that give the same elements in the same order as `shape` and `strides`.
/// Empty if there are none.
std::optional<Dims> reshapeStrides(const Dims& shape, const Dims& strides, const Dims& newShape);

}  // namespace popir

#endif
