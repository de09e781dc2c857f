// Functions that build programs with xla::XlaBuilder.
#include <stdexcept>
#include <string>

#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/xla_builder.h"

using xla::ShapeUtil;
using xla::XlaBuilder;
using xla::XlaOp;

namespace {

xla::Shape f32(std::initializer_list<xla::int64> dims) {
  return ShapeUtil::MakeShape(xla::F32, dims);
}

XlaOp x(XlaBuilder* b) { return xla::Parameter(b, 0, f32({2, 3}), "x"); }

}  // namespace

namespace made {

// What is computed elsewhere too: every operator once.
xla::StatusOr<xla::XlaComputation> arithmetic() {
  XlaBuilder b("arithmetic");
  XlaOp p = x(&b), q = xla::Parameter(&b, 1, f32({3}), "q");
  XlaOp two = xla::ConstantR0<float>(&b, 2.0f);
  XlaOp y = (p + two) * xla::Tanh(p) - xla::Add(xla::Exp(p), q, {1}) / two;
  XlaOp z = xla::Select(xla::Gt(p, xla::ConstantR0<float>(&b, 0)), y, xla::Neg(p));
  XlaOp n = xla::ConvertElementType(xla::Iota(&b, f32({2, 3}), 1), xla::F32);
  XlaOp joined = xla::ConcatInDim(&b, {z, xla::Max(n, p)}, 0);
  XlaOp turned = xla::Transpose(xla::Slice(joined, {1, 0}, {4, 3}, {2, 1}), {1, 0});
  auto sums = XlaBuilder("sums").CreateSubBuilder("add");
  xla::Add(xla::Parameter(sums.get(), 0, f32({}), "a"),
           xla::Parameter(sums.get(), 1, f32({}), "b"));
  XlaOp sum = xla::Reduce(turned, two, sums->Build().value(), {1});
  XlaOp product = xla::Dot(xla::Reshape(sum, {1, 3}), xla::Transpose(p, {1, 0}));
  XlaOp table = xla::ConstantR2<float>(&b, {{1, 2}});
  xla::Tuple(&b, {product + table, xla::Broadcast(sum, {2}), xla::Le(p, n)});
  return b.Build();
}

// Operators of one operand, and what moves elements.
void unary_and_moves() {
  XlaBuilder b("unary_and_moves");
  XlaOp p = x(&b), whole = xla::ConvertElementType(p, xla::S32);
  XlaOp low = xla::ConstantR0<float>(&b, -1), high = xla::FullLike(p, 0.5f);
  xla::PaddingConfig padding = xla::MakeEdgePaddingConfig({{1, 0}, {-1, 2}});
  padding.mutable_dimensions(1)->set_interior_padding(1);
  xla::Tuple(&b, {xla::Round(p * xla::ScalarLike(p, 2)),
                  xla::RoundNearestEven(p * xla::ScalarLike(p, 2)),
                  xla::Cbrt(p),
                  xla::Erf(p),
                  xla::Square(p),
                  xla::Reciprocal(p),
                  xla::Atan2(p, xla::Exp(p)),
                  xla::Tan(p),
                  xla::IsFinite(xla::Log(p)),
                  xla::PopulationCount(whole),
                  xla::Clz(whole),
                  xla::ShiftLeft(whole, xla::ScalarLike(whole, 2)),
                  xla::ShiftRightArithmetic(whole, xla::ScalarLike(whole, 1)),
                  xla::ShiftRightLogical(whole, xla::ScalarLike(whole, 1)),
                  xla::Clamp(low, p, high),
                  xla::Rev(p, {1}),
                  xla::Pad(p, xla::One(&b, xla::F32), padding),
                  xla::PadInDim(p, xla::Zero(&b, xla::F32), 0, 1, 2),
                  xla::ZerosLike(whole),
                  xla::Zeros(&b, f32({4})),
                  xla::ConvertElementType(xla::One(&b, xla::BF16), xla::F32)});
}

void custom_calls() {
  XlaBuilder b("custom_calls");
  XlaOp a = xla::Parameter(&b, 0, f32({}), "a"), c = xla::Parameter(&b, 1, f32({}), "c");
  XlaOp swapped =
      xla::CustomCall(&b, "test.swap", {a, c}, ShapeUtil::MakeTupleShape({f32({}), f32({})}));
  XlaOp two = xla::CustomCall(&b, "add2", {xla::GetTupleElement(swapped, 0)}, f32({}));
  xla::Tuple(&b, {two, xla::GetTupleElement(swapped, 1), two});
}

void tuples() {
  XlaBuilder b("tuples");
  xla::Shape shape =
      ShapeUtil::MakeTuple({f32({2}), ShapeUtil::MakeTuple({f32({1}), f32({3})}), f32({1})});
  XlaOp p = xla::Parameter(0, shape, "p");
  XlaOp r =
      xla::CustomCall(&b, "test.nested", {p},
                      ShapeUtil::MakeTuple({f32({2}), ShapeUtil::MakeTuple({f32({1}), f32({7})})}));
  xla::Tuple(&b, {xla::GetTupleElement(r, 0), xla::GetTupleElement(xla::GetTupleElement(r, 1), 0)});
}

void options() {
  XlaBuilder b("options");
  XlaOp p = x(&b);
  xla::Shape columns = ShapeUtil::MakeShapeWithLayout(xla::F32, {2, 3}, {0, 1});
  XlaOp copied = xla::CustomCallWithLayout(&b, "copy_6", {p}, columns, {columns});
  xla::Shape rows = ShapeUtil::MakeShapeWithLayout(xla::F32, {6}, {0});
  XlaOp flat = xla::CustomCallWithLayout(&b, "copy_6", {p}, rows, {columns});
  XlaOp bytes = xla::CustomCall(&b, "opaque_bytes", {}, ShapeUtil::MakeShape(xla::S32, {16}),
                                std::string("a\"\0\xff\\n", 6), false, {}, nullptr,
                                xla::SCHEDULE_NONE, xla::API_VERSION_STATUS_RETURNING_UNIFIED);
  XlaOp same = xla::CustomCall(&b, "in_place", {xla::Parameter(&b, 1, f32({3}), "t")}, f32({3}), "",
                               true, {{{}, {0, {}}}});
  xla::Tuple(&b, {copied, flat, bytes, same});
}

void tokens() {
  XlaBuilder b("tokens");
  XlaOp token = xla::AfterAll(&b, {xla::CreateToken(&b), xla::CreateToken(&b)});
  xla::Shape result = ShapeUtil::MakeTupleShape({ShapeUtil::MakeTokenShape(), f32({})});
  XlaOp value = xla::Parameter(&b, 0, f32({}), "value");
  for (int i = 0; i < 2; ++i) {
    XlaOp found = xla::CustomCall(&b, "token_swap", {token, value}, result);
    token = xla::GetTupleElement(found, 0);
    value = xla::GetTupleElement(found, 1);
  }
}

void loops() {
  XlaBuilder b("loops");
  const xla::Shape one = f32({1, 2});
  auto condition = b.CreateSubBuilder("condition");
  XlaOp before = xla::Parameter(condition.get(), 0, one, "before");
  XlaOp corner = xla::Reshape(xla::Slice(before, {0, 0}, {1, 1}, {1, 1}), {});
  xla::Lt(corner, xla::ConstantR0<float>(condition.get(), 40));
  auto body = b.CreateSubBuilder("body");
  XlaOp state = xla::Parameter(body.get(), 0, one, "state");
  xla::Add(state, xla::ConstantR0<float>(body.get(), 16));
  XlaOp v = x(&b);
  XlaOp i = xla::ConstantR0<int32_t>(&b, 1);
  XlaOp box = xla::DynamicSlice(v, {i, i}, {1, 2});
  XlaOp last = xla::While(condition->Build().value(), body->Build().value(), box);
  xla::DynamicUpdateSlice(v, last, {i, i});
  b.Build();
}

// What calls computations.
void calls() {
  XlaBuilder b("calls");
  const auto scalars = [&](const char* name, auto make) {
    auto sub = b.CreateSubBuilder(name);
    make(xla::Parameter(sub.get(), 0, f32({}), "a"), xla::Parameter(sub.get(), 1, f32({}), "b"));
    return sub->Build().value();
  };
  const auto of = [&](const char* name, auto make) {
    auto sub = b.CreateSubBuilder(name);
    make(xla::Parameter(sub.get(), 0, f32({2, 3}), "whole"));
    return sub->Build().value();
  };
  const auto twice = of("branch", [](XlaOp v) { return xla::Add(v, v); });
  const auto minus = of("branch", [](XlaOp v) { return xla::Neg(v); });
  const auto square = of("branch", [](XlaOp v) { return xla::Mul(v, v); });
  XlaOp p = x(&b), yes = xla::Parameter(&b, 1, ShapeUtil::MakeShape(xla::PRED, {}), "yes");
  XlaOp which = xla::Parameter(&b, 2, ShapeUtil::MakeShape(xla::S32, {}), "which");
  xla::Tuple(&b, {xla::Call(&b, twice, {p}),
                  xla::Map(&b, {p, xla::Exp(p)},
                           scalars("f", [](XlaOp u, XlaOp v) { return xla::Sub(u, v); }), {0, 1}),
                  xla::Conditional(yes, p, twice, p, minus),
                  xla::Conditional(which, {&twice, &minus, &square}, {p, p, p}),
                  xla::Sort({p}, scalars("g", [](XlaOp u, XlaOp v) { return xla::Gt(u, v); }), 0)});
}

// A sort of two arrays by the first, along the last dimension.
void sorts() {
  XlaBuilder b("sorts");
  auto less = b.CreateSubBuilder("less");
  XlaOp u = xla::Parameter(less.get(), 0, f32({}), "u");
  XlaOp v = xla::Parameter(less.get(), 1, f32({}), "v");
  for (int i : {2, 3}) xla::Parameter(less.get(), i, ShapeUtil::MakeShape(xla::S32, {}), "place");
  XlaOp before = xla::Lt(u, v);
  XlaOp places = xla::Iota(&b, ShapeUtil::MakeShape(xla::S32, {2, 3}), 1);
  xla::Sort({x(&b), places}, less->Build(before).value(), -1, true);
}

// What contracts.
void contracts() {
  XlaBuilder b("contracts");
  XlaOp p = xla::Parameter(&b, 0, f32({4, 2, 3}), "p");
  XlaOp q = xla::Parameter(&b, 1, f32({5, 3, 4}), "q");
  xla::DotDimensionNumbers pairs;
  pairs.add_lhs_contracting_dimensions(2);
  pairs.add_rhs_contracting_dimensions(1);
  pairs.add_lhs_batch_dimensions(0);
  pairs.add_rhs_batch_dimensions(2);
  XlaOp image = xla::Parameter(&b, 2, f32({2, 4, 7, 6}), "image");
  XlaOp filters = xla::Parameter(&b, 3, f32({6, 2, 3, 2}), "filters");
  XlaOp rows = xla::Transpose(image, {2, 3, 0, 1});
  xla::ConvolutionDimensionNumbers moved = XlaBuilder::CreateDefaultConvDimensionNumbers();
  moved.set_input_batch_dimension(2);
  moved.set_input_feature_dimension(3);
  moved.set_input_spatial_dimensions(0, 0);
  moved.set_input_spatial_dimensions(1, 1);
  xla::Tuple(
      &b, {xla::DotGeneral(p, q, pairs), xla::DotGeneral(p, q, pairs, nullptr, xla::F64),
           xla::ConvGeneralDilated(image, filters, {2, 1}, {{1, 0}, {2, 1}}, {}, {1, 2},
                                   XlaBuilder::CreateDefaultConvDimensionNumbers(), 2),
           xla::ConvGeneralDilated(rows, filters, {1, 1}, {{0, 0}, {0, 0}}, {2, 1}, {}, moved, 2)});
}

// What reads and writes at computed places: rows and elements.
void indexes() {
  XlaBuilder b("indexes");
  XlaOp p = x(&b), i = xla::Parameter(&b, 1, ShapeUtil::MakeShape(xla::S32, {4}), "i");
  xla::GatherDimensionNumbers reads;
  reads.add_offset_dims(0);
  reads.add_collapsed_slice_dims(1);
  reads.add_start_index_map(1);
  reads.set_index_vector_dim(1);
  XlaOp columns = xla::Gather(p, i, reads, {2, 1});
  auto sum = b.CreateSubBuilder("sum");
  xla::Add(xla::Parameter(sum.get(), 0, f32({}), "a"), xla::Parameter(sum.get(), 1, f32({}), "b"));
  xla::ScatterDimensionNumbers writes;
  writes.add_update_window_dims(0);
  writes.add_inserted_window_dims(1);
  writes.add_scatter_dims_to_operand_dims(1);
  writes.set_index_vector_dim(1);
  xla::Tuple(&b, {columns, xla::Scatter(p, i, columns, sum->Build().value(), writes)});
}

void empty() {
  XlaBuilder b("empty");
  b.Build();
}

void several() {
  for (const char* name : {"one", "two"}) {
    XlaBuilder b(name);
    xla::Neg(x(&b));
    b.Build();
  }
}

void typed() {
  XlaBuilder b("typed");
  XlaOp p = xla::Parameter(&b, 0, f32({3}), "p");
  xla::CustomCall(&b, "test.axpy", {p, p}, f32({3}), "{a = 2.500000e+00 : f32}", false, {}, nullptr,
                  xla::SCHEDULE_NONE, xla::API_VERSION_TYPED_FFI);
}

void throws() { throw std::runtime_error("thrown while building"); }
void throws_a_number() { throw 3; }
void builds_nothing() {}

// What is wrong, by number.
#define WRONG(NUMBER, ...) \
  void wrong##NUMBER() {   \
    XlaBuilder b("wrong"); \
    XlaOp p = x(&b);       \
    __VA_ARGS__;           \
    xla::Neg(p);           \
  }
WRONG(0, xla::CustomCall(&b, "$internal", {p}, f32({})))
WRONG(1, xla::Add(p, xla::Parameter(&b, 1, f32({4}), "q")))
WRONG(2, xla::Parameter(&b, 0, f32({}), "again"))
WRONG(3, xla::CustomCallWithLayout(&b, "copy_6", {p}, f32({6}), {}))
WRONG(4, xla::CustomCallWithLayout(&b, "copy_6", {p}, f32({6}), {f32({2, 3})}))
WRONG(5, xla::CustomCallWithLayout(&b, "copy_6", {p}, f32({6}),
                                   {ShapeUtil::MakeShapeWithLayout(xla::F32, {3, 2}, {0, 1})}))
WRONG(6, xla::Literal literal = xla::LiteralUtil::CreateR0<float>(1);
      xla::CustomCall(&b, "add2", {p}, f32({}), "", false, {}, &literal))
WRONG(7, xla::ConstantLiteral(&b, xla::Literal(f32({2, 2}), std::vector<float>{1, 2, 3})))
WRONG(8, xla::GetTupleElement(p, 0))
WRONG(9, xla::Reshape(p, {5}))
WRONG(10, xla::Transpose(p, {0, 0}))
WRONG(11, xla::Slice(p, {0, 0}, {3, 3}, {1, 1}))
WRONG(12, xla::Dot(p, p))
WRONG(13, xla::ConcatInDim(&b, {p, p}, 2))
WRONG(14, XlaBuilder other("other"); xla::Add(p, x(&other)))
WRONG(15, xla::BroadcastInDim(p, {2, 4}, {0, 1}))
WRONG(16, xla::AfterAll(&b, {p}))
WRONG(17, xla::Parameter(&b, 5, f32({}), "far"))
WRONG(18, xla::Neg(XlaOp()))

WRONG(19, xla::Broadcast(p, {-2}))
WRONG(20, xla::Parameter(&b, 1, ShapeUtil::MakeTupleShape({f32({3}), f32({-2})}), "q"))
WRONG(21, xla::Clamp(p, p, xla::ConstantR0<int>(&b, 1)))
WRONG(22, xla::Rev(p, {0, 0}))
WRONG(23, xla::Pad(p, xla::ConstantR0<float>(&b, 1), xla::MakeNoPaddingConfig(3)))
WRONG(24, xla::PadInDim(p, xla::ConstantR0<float>(&b, 1), 0, -1, -2))
WRONG(25, xla::PadInDim(p, xla::ConstantR0<float>(&b, 1), 2, 0, 0))
WRONG(26, xla::One(&b, xla::TOKEN))
WRONG(27, xla::Call(&b, xla::XlaComputation(), {p}))
WRONG(28, xla::DotDimensionNumbers n; n.add_lhs_contracting_dimensions(0);
      n.add_rhs_contracting_dimensions(1); xla::DotGeneral(p, p, n))
WRONG(29, xla::ConvGeneralDilated(p, p, {1}, {{0, 0}}, {}, {},
                                  XlaBuilder::CreateDefaultConvDimensionNumbers(1)))
WRONG(30, xla::Gather(p, p, xla::GatherDimensionNumbers(), {1}))
WRONG(31, xla::Conditional(xla::ConstantR0<int>(&b, 1), {}, {p}))
WRONG(32, auto s = b.CreateSubBuilder("s"); xla::Parameter(s.get(), 0, f32({}), "a");
      xla::Map(&b, {p}, s->Build().value(), {1}))
WRONG(33, auto s = b.CreateSubBuilder("s"); xla::Parameter(s.get(), 0, f32({}), "a");
      xla::Sort({p}, s->Build().value(), 2))

// Build() gives the error that the builder kept, too.
bool error_is_kept() {
  XlaBuilder b("kept");
  xla::Reshape(x(&b), {5});
  xla::Reshape(x(&b), {7});
  const auto built = b.Build();
  return !built.ok() && built.status().ToString() == b.first_error().ToString() &&
         built.status().message().find("f32[5]") != std::string::npos && !b.GetShape(XlaOp()).ok();
}

}  // namespace made

extern "C" int error_is_kept() { return made::error_is_kept(); }
