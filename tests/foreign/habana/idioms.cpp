// What operators write with TensorFlow's names; each operator answers with a text in a status.
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "hpu_kernel.h"
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/partial_tensor_shape.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/lib/strings/str_util.h"
#include "tensorflow/core/platform/logging.h"
#include "tensorflow/core/platform/mutex.h"
#include "tensorflow/core/platform/statusor.h"
#include "tensorflow/core/util/env_var.h"
#include "tensorflow/core/util/tensor_format.h"

namespace tensorflow {
using absl::StrCat;

// Shapes. `how` says what the shape function does.

Status inferred(shape_inference::InferenceContext* c) {
  using namespace shape_inference;
  std::string how;
  TF_RETURN_IF_ERROR(c->GetAttr("how", &how));
  const std::map<std::string, Status (*)(InferenceContext*)> functions{
      {"conv", Conv2DShape},         {"depthwise", DepthwiseConv2DNativeShape},
      {"pool", MaxPoolShape},        {"bias", BiasAddShape},
      {"batch", BatchMatMulV2Shape}, {"matmul", MatMulShape},
      {"reduce", ReductionShape},    {"concat", ConcatV2Shape},
      {"explicit", ExplicitShape},   {"norm", FusedBatchNormShape},
      {"gather", GatherNdShape},     {"broadcast", BroadcastBinaryOpShapeFn},
  };
  if (const auto found = functions.find(how); found != functions.end()) {
    TF_RETURN_IF_ERROR(found->second(c));
    return errors::Internal(c->DebugString(c->output(0)));
  }
  const ShapeHandle x = c->input(0);
  ShapeHandle s;
  DimensionHandle d;
  if (how == "sizes") {
    std::string text = c->DebugString(c->NumElements(x));
    TF_RETURN_IF_ERROR(c->Divide(c->Dim(x, 0), 2, true, &d));
    text += StrCat(" ", c->Value(d));
    TF_RETURN_IF_ERROR(c->Subtract(c->Dim(x, 1), 1, &d));
    text += StrCat(" ", c->Value(d));
    TF_RETURN_IF_ERROR(c->Max(c->Dim(x, 0), c->Dim(x, 1), &d));
    text += StrCat(" ", c->Value(d));
    TF_RETURN_IF_ERROR(c->Min(d, 3, &d));
    return errors::Internal(text, " ", c->Value(d), c->Dim(x, 0).SameHandle(c->Dim(x, 0)));
  }
  if (how == "uneven") {
    TF_RETURN_IF_ERROR(c->Divide(c->Dim(x, 0), 3, true, &d));
    return OkStatus();
  }
  if (how == "negative") return c->Subtract(c->Dim(x, 0), 9, &d);
  if (how == "no dimension") return c->WithValue(c->Dim(x, 7), 1, &d);
  if (how == "backwards") {
    TF_RETURN_IF_ERROR(c->Subshape(x, -1, kint64max, -1, &s));
    return errors::Internal(c->DebugString(s));
  }
  if (how == "from values") {
    TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(c->num_inputs() - 1, &s));
    return errors::Internal(c->DebugString(s), " of ",
                            c->input_tensor(c->num_inputs() - 1) ? "values" : "nothing");
  }
  if (how == "names") {
    std::vector<ShapeHandle> found;
    TF_RETURN_IF_ERROR(c->input("xs", &found));
    TF_RETURN_IF_ERROR(c->set_output("y", {found.back()}));
    const std::string count = StrCat(found.size(), c->DebugString(c->output(0)));
    TF_RETURN_WITH_CONTEXT_IF_ERROR(c->input("zs", &found), "after ", count);
  }
  PartialTensorShape partial;
  TF_RETURN_IF_ERROR(c->GetAttr("shape", &partial));
  TF_RETURN_IF_ERROR(partial.MergeWith({2, -1}, &partial));
  TensorShape whole;
  return errors::Internal(partial, " ", partial.AsTensorShape(&whole), partial.dims());
}
REGISTER_OP("ShapeTextOp")
    .Input("xs: N * float")
    .Input("k: int32")
    .Output("y: float")
    .Attr("N: int >= 1")
    .Attr("how: string")
    .Attr("strides: list(int) = [1, 2, 2, 1]")
    .Attr("ksize: list(int) = [1, 2, 2, 1]")
    .Attr("adj_x: bool = false")
    .Attr("adj_y: bool = false")
    .Attr("keep_dims: bool = true")
    .Attr("shape: shape = { dim { size: -1 } dim { size: 3 } }")
    .Attr(GetPaddingAttrString() + " = 'SAME'")
    .Attr(GetConvnetDataFormatAttrString())
    .SetShapeFn(inferred);

// Values. `what` says what the functor does.

std::string attributes(const NodeDef& def) {
  std::vector<int64> ints;
  std::vector<bool> flags;
  DataTypeVector types;
  std::vector<PartialTensorShape> shapes;
  std::vector<double> reals;
  double real = 0;
  TF_CHECK_OK(GetNodeAttr(def, "ints", &ints));
  TF_CHECK_OK(GetNodeAttr(def, "flags", &flags));
  TF_CHECK_OK(GetNodeAttr(def, "types", &types));
  TF_CHECK_OK(GetNodeAttr(def, "shapes", &shapes));
  TF_CHECK_OK(GetNodeAttr(def, "reals", &reals));
  TF_CHECK_OK(GetNodeAttr(def, "real", &real));
  const auto& attr = def.attr();
  return StrCat(absl::StrJoin(ints, ","), " ", absl::StrJoin(flags, ","), " ",
                DataTypeVectorString(types), " ", absl::StrJoin(shapes, ";"), " ", reals.size(),
                " ", real, " ", HasNodeAttr(def, "none"), attr.at("ints").list().i_size(),
                DataType_Name(attr.at("types").list().type(0)), attr.at("real").f());
}
std::string words() {
  const std::vector<std::string> parts = absl::StrSplit("a,b,,c", ',');
  const std::vector<std::string> full = absl::StrSplit("a,,c", ',', absl::SkipEmpty());
  std::string text = absl::StrJoin(parts, "|") + absl::StrFormat(" %s %5.2f %03d%%", "x", 2.5, 7);
  strings::Appendf(&text, " %d", int{uint8{9}});
  int32 number = 0;
  return StrCat(text, full.size(), str_util::Uppercase("q"), int8{-3},
                strings::safe_strto32("12x", &number), strings::safe_strto32(" 12 ", &number),
                number);
}
std::string numbers() {
  const Eigen::half a(1.5f), tiny(6e-8f), huge(70000.f);
  bfloat16 b(2);
  b += bfloat16(0.5f);
  static_assert(DataTypeToEnum<Eigen::half>::v() == DT_HALF, "");
  return StrCat(a * a + a, " ", tiny.x, " ", huge, " ", b, " ",
                std::numeric_limits<Eigen::half>::max(), " ", Eigen::half(0.1f).x);
}
std::string shapes() {
  TensorShape s({2, 3, 4});
  int64 n = 1;
  for (const auto& d : s) n *= d.size;
  s.RemoveDimRange(0, 1);
  std::string text = StrCat(n, s);
  text += StrCat(s.AddDimWithStatus(-1).ok());
  text += StrCat(s.AddDimWithStatus(5).ok());
  text += StrCat(s, TensorShapeUtils::StartsWith(s, TensorShape({3})));
  TensorShape other;
  return StrCat(text, TensorShape::BuildTensorShape({1, -2}, &other),
                GetTensorDim(TensorShape({1, 2, 3, 4}), FORMAT_NCHW, 'H'));
}
std::string tensors() {
  Tensor t(DT_INT32, TensorShape({2, 3}));
  auto m = t.matrix<int32>();
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) m(i, j) = 10 * i + j;
  const Tensor& seen = t;
  return StrCat(seen.shaped<int32, 2>({3, 2})(2, 1), t.flat<int32>()(4), t.SummarizeValue(2), " ",
                Tensor(2.5f).scalar<float>()(), seen.matrix<int32>().dimension(1));
}
StatusOr<int> half(int n) {
  if (n % 2) return errors::OutOfRange(n, " is odd");
  return n / 2;
}
Status quarter(int n, int* out) {
  TF_ASSIGN_OR_RETURN(const int once, half(n));
  TF_ASSIGN_OR_RETURN(*out, half(once));
  return OkStatus();
}

struct Texts : habana::BaseFunctor {
  void DefineNode(habana::HpuKernelContext* context) override {
    std::string what;
    OP_REQUIRES_OK(context, context->GetAttr("what", &what));
    const NodeDef& def = context->NodeDef();
    std::string text;
    if (what == "attributes") text = attributes(def);
    if (what == "strings") text = words();
    if (what == "numbers") text = numbers();
    if (what == "shapes") text = shapes();
    if (what == "tensors") text = tensors();
    if (what == "node") text = StrCat(def.input_size(), def.input(0), def.device(), def.op());
    if (what == "index") tensorflow::Tensor(DT_FLOAT, TensorShape({2})).vec<float>()(2) = 1;
    if (what == "rank") tensorflow::Tensor(DT_FLOAT, TensorShape({2})).matrix<float>();
    if (what == "check") CHECK(context->NumInputs() == 7) << "inputs";
    if (what == "check_eq") CHECK_EQ(context->NumInputs(), 7) << "seven";
    if (what == "fatal") LOG(FATAL) << "the end";
    if (what == "log") {
      static mutex lock;
      const mutex_lock held(lock);
      for (int i = 0; i < 4; ++i) LOG_FIRST_N(WARNING, 2) << "said " << i;
      VLOG(3) << "not said";
      LOG(INFO) << "last";
    }
    if (what == "wide") {
      std::vector<int> narrow;
      OP_REQUIRES_OK(context, context->GetAttr("ints", &narrow));
    }
    if (what == "large") {
      float real = 0;
      OP_REQUIRES_OK(context, context->GetAttr("huge", &real));
    }
    if (what == "or") {
      int n = 0;
      OP_REQUIRES_OK(context, quarter(8, &n));
      text = StrCat(n, quarter(6, &n), quarter(6, &n).code() == absl::StatusCode::kOutOfRange);
    }
    if (what == "environment") {
      bool on = true;
      OP_REQUIRES_OK(context, ReadBoolFromEnvVar("POPIR_TEST_FLAG", false, &on));
      text = StrCat(on);
    }
    if (what == "complex") {
      OP_REQUIRES_OK(context, context->DefineOutputInfo(0, {DT_COMPLEX64, {3}}));
      OP_REQUIRES_OK(context, context->DefineNode({"abs_fwd_f32"}, {0}, std::vector<int>{0}));
      return;
    }
    context->SetStatus(errors::Internal(text));
  }
};
REGISTER_OP("TextOp")
    .Input("x: float")
    .Output("y: float")
    .Attr("what: string")
    .Attr("ints: list(int) >= 2 = [1, 2]")
    .Attr("flags: list(bool) = [true, false]")
    .Attr("types: list({float, int32, bfloat16}) = [DT_INT32]")
    .Attr("shapes: list(shape) = [{ dim { size: 4 } }, {}]")
    .Attr("reals: list(float) = []")
    .Attr("real: float = 0.5")
    .Attr("huge: float = 1e60");
REGISTER_KERNEL_BUILDER(ForHpuWithName("TextOp"), habana::HpuKernel<Texts>);
REGISTER_KERNEL_BUILDER(ForHpuWithName("ShapeTextOp"), habana::HpuKernel<Texts>);

// Lists of inputs with others behind them, and types of their own.

template <class T>
struct Scaled : habana::BaseFunctor {
  void DefineNode(habana::HpuKernelContext* context) override {
    const int last = context->NumInputs() - 1;
    habana::TensorInfo x;
    OP_REQUIRES_OK(context, context->InputInfo(0, x));
    const Tensor* scale = context->HostMemoryInput(last);
    OP_REQUIRES(context, (scale != nullptr) == (DataTypeToEnum<T>::v() == DT_FLOAT),
                errors::Internal("host memory of another kernel"));
    const float alpha = scale ? static_cast<float>(scale->vec<int32>()(0)) : 2.f;
    habana::NodeDesc node{"leakyrelu_fwd_f32", const_cast<float*>(&alpha), sizeof(alpha)};
    if (!scale) node = {"abs_fwd_bf16"};
    OP_REQUIRES_OK(context, context->DefineNode(node, {0}, std::vector<habana::TensorInfo>{x}));
  }
};
REGISTER_OP("BehindOp")
    .Input("xs: N * T")
    .Input("s: int32")
    .Output("y: T")
    .Attr("N: int >= 1")
    .Attr("T: {float, bfloat16}")
    .SetShapeFn(shape_inference::UnchangedShape);
REGISTER_KERNEL_BUILDER(ForHpuWithName("BehindOp").TypeConstraint<float>("T").HostMemory("s"),
                        habana::HpuKernel<Scaled<float>>);
REGISTER_KERNEL_BUILDER(ForHpuWithName("BehindOp").TypeConstraint<bfloat16>("T"),
                        habana::HpuKernel<Scaled<bfloat16>>);

struct Both : habana::BaseFunctor {
  void DefineNode(habana::HpuKernelContext* context) override {
    for (int i = 0; i < context->NumInputs(); ++i) {
      habana::TensorInfo x;
      OP_REQUIRES_OK(context, context->InputInfo(i, x));
      OP_REQUIRES_OK(context, context->DefineOutputInfo(i, x));
      const char* guid = x.dtype == DT_FLOAT ? "neg_fwd_f32" : "neg_fwd_i32";
      OP_REQUIRES_OK(context, context->DefineNode({guid}, {i}, std::vector<int>{i}));
    }
  }
};
REGISTER_OP("Neg2DEachOp").Input("xs: Ts").Output("ys: Ts").Attr("Ts: list(type) >= 1");
REGISTER_KERNEL_BUILDER(ForHpuWithName("Neg2DEachOp"), habana::HpuKernel<Both>);

// Names that are one in snake case.
REGISTER_OP("ABOp").Input("x: float").Output("y: float");
REGISTER_OP("AbOp").Input("x: float").Output("y: float");
REGISTER_OP("My>SpaceOp").Input("x: float").Output("y: float");

// A gradient operator of two outputs.
REGISTER_OP("TwoGradientsOp").Input("g: float").Output("a: float").Output("b: float");
REGISTER_KERNEL_BUILDER(ForHpuWithName("TwoGradientsOp"), habana::HpuKernel<Both>);

}  // namespace tensorflow
