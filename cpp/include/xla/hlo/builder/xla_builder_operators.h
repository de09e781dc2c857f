// Operators of xla::XlaBuilder that call computations, contract, or read and write at computed
// places. xla_builder.h includes this header.
#ifndef XLA_HLO_BUILDER_XLA_BUILDER_OPERATORS_H_
#define XLA_HLO_BUILDER_XLA_BUILDER_OPERATORS_H_

#include <algorithm>
#include <optional>
#include <tuple>

#include "xla/hlo/builder/xla_builder.h"

namespace xla {

/// Not there: products and convolutions have one precision, so that only null can be given.
class PrecisionConfig;

namespace xla_builder_internal {

inline std::string pair(const char* name, Span<int64> numbers) {
  return std::string(name) + "=" + XlaBuilder::listed(numbers);
}
/// Whether the numbers are different dimensions of `rank`.
inline bool areDims(Span<int64> numbers, int64 rank) {
  const std::set<int64> seen(numbers.begin(), numbers.end());
  return seen.size() == numbers.size() &&
         (seen.empty() || (*seen.begin() >= 0 && *seen.rbegin() < rank));
}
inline bool areKnown(XlaBuilder* b, Span<XlaOp> operands, const char* opcode) {
  for (const XlaOp each : operands)
    if (!checked(b, {each}, opcode)) return false;
  return true;
}
inline bool isThere(XlaBuilder* b, const XlaComputation& computation, const char* opcode) {
  if (computation.IsNull())
    b->fail(std::string(opcode) + ": there is no computation");
  else
    b->call(computation);
  return !computation.IsNull();
}

}  // namespace xla_builder_internal

/// The result of `computation` for these arguments.
inline XlaOp Call(XlaBuilder* builder, const XlaComputation& computation, Span<XlaOp> operands) {
  if (!xla_builder_internal::areKnown(builder, operands, "call") ||
      !xla_builder_internal::isThere(builder, computation, "call"))
    return XlaOp(builder, -1);
  return builder->add("call", computation.result(), operands, "to_apply=" + computation.name());
}

/// `computation`, of scalars, for each element.
inline XlaOp Map(XlaBuilder* builder, Span<XlaOp> operands, const XlaComputation& computation,
                 Span<int64> dimensions) {
  if (operands.empty()) return builder->fail("map: there are no operands");
  if (!xla_builder_internal::areKnown(builder, operands, "map") ||
      !xla_builder_internal::isThere(builder, computation, "map"))
    return XlaOp(builder, -1);
  const Shape from = builder->shapeOf(operands[0]);
  std::vector<int64> all;
  for (int64 d = 0; d < from.rank(); ++d) all.push_back(d);
  if (std::vector<int64>(dimensions) != all || !computation.result().IsArray())
    return builder->fail("map: " + XlaBuilder::listed(dimensions) + " must be all dimensions of " +
                         from.ToString() + " in order, and the result of the computation a scalar");
  return builder->add(
      "map", xla_builder_internal::typed(from, computation.result().element_type()), operands,
      xla_builder_internal::pair("dimensions", dimensions) + ", to_apply=" + computation.name());
}

/// One of two computations, each with its argument.
inline XlaOp Conditional(XlaOp predicate, XlaOp true_operand,
                         const XlaComputation& true_computation, XlaOp false_operand,
                         const XlaComputation& false_computation) {
  XlaBuilder* b = xla_builder_internal::of(predicate);
  if (!xla_builder_internal::checked(b, {predicate, true_operand, false_operand}, "conditional") ||
      !xla_builder_internal::isThere(b, true_computation, "conditional") ||
      !xla_builder_internal::isThere(b, false_computation, "conditional"))
    return XlaOp(b, -1);
  return b->add("conditional", true_computation.result(), {predicate, true_operand, false_operand},
                "true_computation=" + true_computation.name() +
                    ", false_computation=" + false_computation.name());
}
/// The computation of the number `branch_index`, or the last one for a number that none has.
inline XlaOp Conditional(XlaOp branch_index, Span<const XlaComputation*> branch_computations,
                         Span<XlaOp> branch_operands) {
  XlaBuilder* b = xla_builder_internal::of(branch_index);
  std::vector<XlaOp> operands{branch_index};
  operands.insert(operands.end(), branch_operands.begin(), branch_operands.end());
  if (!xla_builder_internal::areKnown(b, operands, "conditional")) return XlaOp(b, -1);
  if (branch_computations.empty() || branch_computations.size() != branch_operands.size())
    return b->fail("conditional: there are " + std::to_string(branch_computations.size()) +
                   " computations for " + std::to_string(branch_operands.size()) + " operands");
  std::string names;
  for (const XlaComputation* each : branch_computations) {
    if (!xla_builder_internal::isThere(b, *each, "conditional")) return XlaOp(b, -1);
    names += (names.empty() ? "" : ", ") + each->name();
  }
  return b->add("conditional", branch_computations[0]->result(), operands,
                "branch_computations={" + names + "}");
}

/// The operands in the order in which `comparator` puts two elements of each; equal ones keep their
/// order. By default along the last dimension.
inline XlaOp Sort(Span<XlaOp> operands, const XlaComputation& comparator, int64 dimension = -1,
                  bool is_stable = false) {
  if (operands.empty()) throw std::runtime_error("Sort() has no operands");
  XlaBuilder* b = xla_builder_internal::of(operands[0]);
  if (!xla_builder_internal::areKnown(b, operands, "sort") ||
      !xla_builder_internal::isThere(b, comparator, "sort"))
    return XlaOp(b, -1);
  const Shape first = b->shapeOf(operands[0]);
  if (dimension == -1) dimension = first.rank() - 1;
  std::vector<Shape> shapes;
  for (const XlaOp each : operands) {
    shapes.push_back(b->shapeOf(each));
    if (shapes.back().dimensions() != first.dimensions() || dimension < 0 ||
        dimension >= first.rank())
      return b->fail("sort: dimension " + std::to_string(dimension) + " of " + first.ToString() +
                     " and " + shapes.back().ToString());
  }
  return b->add("sort", shapes.size() == 1 ? first : ShapeUtil::MakeTupleShape(shapes), operands,
                "dimensions={" + std::to_string(dimension) + "}" +
                    (is_stable ? ", is_stable=true" : "") + ", to_apply=" + comparator.name());
}

/// Sums of products along the contracting dimensions, for each index of the batch dimensions.
inline XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers,
                        const PrecisionConfig* /*precision_config*/ = nullptr,
                        std::optional<PrimitiveType> preferred_element_type = std::nullopt) {
  XlaBuilder* b = xla_builder_internal::of(lhs);
  if (!xla_builder_internal::checked(b, {lhs, rhs}, "dot")) return XlaOp(b, -1);
  const Shape left = b->shapeOf(lhs), right = b->shapeOf(rhs);
  const auto& [lc, rc] = std::tie(dimension_numbers.lhs_contracting_dimensions(),
                                  dimension_numbers.rhs_contracting_dimensions());
  const auto& [lb, rb] =
      std::tie(dimension_numbers.lhs_batch_dimensions(), dimension_numbers.rhs_batch_dimensions());
  std::vector<int64> lefts = lb, rights = rb;
  lefts.insert(lefts.end(), lc.begin(), lc.end());
  rights.insert(rights.end(), rc.begin(), rc.end());
  bool fits = lb.size() == rb.size() && lc.size() == rc.size() &&
              xla_builder_internal::areDims(lefts, left.rank()) &&
              xla_builder_internal::areDims(rights, right.rank());
  for (std::size_t i = 0; fits && i < lefts.size(); ++i)
    fits = left.dimensions(static_cast<int>(lefts[i])) ==
           right.dimensions(static_cast<int>(rights[i]));
  if (!fits)
    return b->fail("dot: the dimensions " + XlaBuilder::listed(lefts) + " of " + left.ToString() +
                   " and " + XlaBuilder::listed(rights) + " of " + right.ToString() +
                   " are not alike");
  std::vector<int64> sizes;
  for (const int64 d : lb) sizes.push_back(left.dimensions(static_cast<int>(d)));
  for (const auto& [shape, gone] : {std::pair(left, lefts), std::pair(right, rights)})
    for (int64 d = 0; d < shape.rank(); ++d)
      if (std::find(gone.begin(), gone.end(), d) == gone.end())
        sizes.push_back(shape.dimensions(static_cast<int>(d)));
  return b->add("dot", Shape(preferred_element_type.value_or(left.element_type()), sizes),
                {lhs, rhs},
                xla_builder_internal::pair("lhs_batch_dims", lb) + ", " +
                    xla_builder_internal::pair("lhs_contracting_dims", lc) + ", " +
                    xla_builder_internal::pair("rhs_batch_dims", rb) + ", " +
                    xla_builder_internal::pair("rhs_contracting_dims", rc));
}

/// A convolution, with `padding` before and behind each dimension of space.
inline XlaOp ConvGeneralDilated(
    XlaOp lhs, XlaOp rhs, Span<int64> window_strides, Span<std::pair<int64, int64>> padding,
    Span<int64> lhs_dilation, Span<int64> rhs_dilation,
    const ConvolutionDimensionNumbers& dimension_numbers, int64 feature_group_count = 1,
    int64 batch_group_count = 1, const PrecisionConfig* /*precision_config*/ = nullptr,
    std::optional<PrimitiveType> preferred_element_type = std::nullopt) {
  XlaBuilder* b = xla_builder_internal::of(lhs);
  if (!xla_builder_internal::checked(b, {lhs, rhs}, "convolution")) return XlaOp(b, -1);
  const Shape x = b->shapeOf(lhs), w = b->shapeOf(rhs);
  const ConvolutionDimensionNumbers& n = dimension_numbers;
  const std::size_t space = n.input_spatial_dimensions().size();
  const auto wrong = [&](const std::string& why) {
    return b->fail("convolution: " + why + " do not fit " + x.ToString() + " and " + w.ToString());
  };
  for (const auto size :
       {window_strides.size(), padding.size(), lhs_dilation.empty() ? space : lhs_dilation.size(),
        rhs_dilation.empty() ? space : rhs_dilation.size(), n.kernel_spatial_dimensions().size(),
        n.output_spatial_dimensions().size()})
    if (size != space) return wrong("other numbers than " + std::to_string(space) + " of space");
  std::string labels[3], size, stride, pad, before, between;
  std::vector<int64> sizes(space + 2);
  int group = 0;
  for (const auto& [first, first_letter, second, second_letter, others] :
       {std::tuple(n.input_batch_dimension(), 'b', n.input_feature_dimension(), 'f',
                   n.input_spatial_dimensions()),
        std::tuple(n.kernel_input_feature_dimension(), 'i', n.kernel_output_feature_dimension(),
                   'o', n.kernel_spatial_dimensions()),
        std::tuple(n.output_batch_dimension(), 'b', n.output_feature_dimension(), 'f',
                   n.output_spatial_dimensions())}) {
    std::vector<int64> dims{first, second};
    dims.insert(dims.end(), others.begin(), others.end());
    const int64 rank = group == 0 ? x.rank() : group == 1 ? w.rank() : x.rank();
    if (static_cast<int64>(dims.size()) != rank || !xla_builder_internal::areDims(dims, rank))
      return wrong("the dimensions " + XlaBuilder::listed(dims));
    std::string& label = labels[group++] = std::string(dims.size(), ' ');
    label[static_cast<std::size_t>(first)] = first_letter;
    label[static_cast<std::size_t>(second)] = second_letter;
    for (std::size_t i = 0; i < space; ++i)
      label[static_cast<std::size_t>(others[i])] = static_cast<char>('0' + i);
  }
  for (std::size_t i = 0; i < space; ++i) {
    const int64 length = x.dimensions(static_cast<int>(n.input_spatial_dimensions()[i]));
    const int64 window = w.dimensions(static_cast<int>(n.kernel_spatial_dimensions()[i]));
    const int64 apart = lhs_dilation.empty() ? 1 : lhs_dilation[i];
    const int64 steps = rhs_dilation.empty() ? 1 : rhs_dilation[i];
    if (window_strides[i] < 1 || apart < 1 || steps < 1)
      return wrong("strides and dilations below 1");
    const int64 whole =
        (length > 0 ? (length - 1) * apart + 1 : 0) + padding[i].first + padding[i].second;
    const int64 reach = window > 0 ? (window - 1) * steps + 1 : 0;
    sizes[static_cast<std::size_t>(n.output_spatial_dimensions()[i])] =
        whole < reach ? 0 : (whole - reach) / window_strides[i] + 1;
    const char* x_ = i == 0 ? "" : "x";
    size += x_ + std::to_string(window);
    stride += x_ + std::to_string(window_strides[i]);
    pad += x_ + std::to_string(padding[i].first) + "_" + std::to_string(padding[i].second);
    before += x_ + std::to_string(apart);
    between += x_ + std::to_string(steps);
  }
  if (feature_group_count < 1 || batch_group_count < 1) return wrong("groups below 1");
  sizes[static_cast<std::size_t>(n.output_batch_dimension())] =
      x.dimensions(static_cast<int>(n.input_batch_dimension())) / batch_group_count;
  sizes[static_cast<std::size_t>(n.output_feature_dimension())] =
      w.dimensions(static_cast<int>(n.kernel_output_feature_dimension()));
  const std::string window = "size=" + size + " stride=" + stride + " pad=" + pad +
                             " lhs_dilate=" + before + " rhs_dilate=" + between;
  return b->add(
      "convolution", Shape(preferred_element_type.value_or(x.element_type()), sizes), {lhs, rhs},
      (space > 0 ? "window={" + window + "}, " : "") + "dim_labels=" + labels[0] + "_" + labels[1] +
          "->" + labels[2] + ", feature_group_count=" + std::to_string(feature_group_count) +
          ", batch_group_count=" + std::to_string(batch_group_count));
}

/// Boxes of `slice_sizes` at the places in `start_indices`; what would lie outside is moved inside.
inline XlaOp Gather(XlaOp input, XlaOp start_indices,
                    const GatherDimensionNumbers& dimension_numbers, Span<int64> slice_sizes,
                    bool /*indices_are_sorted*/ = false) {
  XlaBuilder* b = xla_builder_internal::of(input);
  if (!xla_builder_internal::checked(b, {input, start_indices}, "gather")) return XlaOp(b, -1);
  const Shape from = b->shapeOf(input), at = b->shapeOf(start_indices);
  const GatherDimensionNumbers& n = dimension_numbers;
  std::vector<int64> gone = n.collapsed_slice_dims();
  gone.insert(gone.end(), n.operand_batching_dims().begin(), n.operand_batching_dims().end());
  std::vector<int64> box, outer, sizes;
  for (std::size_t d = 0; d < slice_sizes.size(); ++d)
    if (std::find(gone.begin(), gone.end(), static_cast<int64>(d)) == gone.end())
      box.push_back(slice_sizes[d]);
  for (int64 d = 0; d < at.rank(); ++d)
    if (d != n.index_vector_dim()) outer.push_back(at.dimensions(static_cast<int>(d)));
  const auto rank = static_cast<int64>(box.size() + outer.size());
  if (static_cast<int64>(slice_sizes.size()) != from.rank() ||
      !xla_builder_internal::areDims(gone, from.rank()) || box.size() != n.offset_dims().size() ||
      !xla_builder_internal::areDims(n.offset_dims(), rank))
    return b->fail("gather: slices " + XlaBuilder::listed(slice_sizes) + " of " + from.ToString() +
                   " do not become the dimensions " + XlaBuilder::listed(n.offset_dims()));
  auto next = outer.begin();
  auto inner = box.begin();
  for (int64 d = 0; d < rank; ++d) {
    const auto& dims = n.offset_dims();
    sizes.push_back(std::find(dims.begin(), dims.end(), d) != dims.end() ? *inner++ : *next++);
  }
  using xla_builder_internal::pair;
  return b->add("gather", Shape(from.element_type(), sizes), {input, start_indices},
                pair("offset_dims", n.offset_dims()) + ", " +
                    pair("collapsed_slice_dims", n.collapsed_slice_dims()) + ", " +
                    pair("start_index_map", n.start_index_map()) + ", " +
                    pair("operand_batching_dims", n.operand_batching_dims()) + ", " +
                    pair("start_indices_batching_dims", n.start_indices_batching_dims()) +
                    ", index_vector_dim=" + std::to_string(n.index_vector_dim()) + ", " +
                    pair("slice_sizes", slice_sizes));
}

/// The input with boxes of `updates` at the places in `scatter_indices`, combined with what is there
/// by a computation; what would lie outside is not written.
inline XlaOp Scatter(XlaOp input, XlaOp scatter_indices, XlaOp updates,
                     const XlaComputation& update_computation,
                     const ScatterDimensionNumbers& dimension_numbers,
                     bool /*indices_are_sorted*/ = false, bool unique_indices = false) {
  XlaBuilder* b = xla_builder_internal::of(input);
  if (!xla_builder_internal::checked(b, {input, scatter_indices, updates}, "scatter") ||
      !xla_builder_internal::isThere(b, update_computation, "scatter"))
    return XlaOp(b, -1);
  const ScatterDimensionNumbers& n = dimension_numbers;
  using xla_builder_internal::pair;
  return b->add("scatter", b->shapeOf(input), {input, scatter_indices, updates},
                pair("update_window_dims", n.update_window_dims()) + ", " +
                    pair("inserted_window_dims", n.inserted_window_dims()) + ", " +
                    pair("scatter_dims_to_operand_dims", n.scatter_dims_to_operand_dims()) + ", " +
                    pair("input_batching_dims", n.input_batching_dims()) + ", " +
                    pair("scatter_indices_batching_dims", n.scatter_indices_batching_dims()) +
                    ", index_vector_dim=" + std::to_string(n.index_vector_dim()) +
                    (unique_indices ? ", unique_indices=true" : "") +
                    ", to_apply=" + update_computation.name());
}

}  // namespace xla

#endif  // XLA_HLO_BUILDER_XLA_BUILDER_OPERATORS_H_
