// What operators give, computed while a graph is compiled. What is printed, test_constants.py
// compares.
#include <popart/ces/castce.hpp>
#include <popart/ces/concatce.hpp>
#include <popart/ces/constexpr.hpp>
#include <popart/ces/elementwisece.hpp>
#include <popart/ces/flattence.hpp>
#include <popart/ces/floorce.hpp>
#include <popart/ces/gatherce.hpp>
#include <popart/ces/identityce.hpp>
#include <popart/ces/reduceprodce.hpp>
#include <popart/ces/reshapece.hpp>
#include <popart/ces/scalece.hpp>
#include <popart/ces/slicece.hpp>
#include <popart/ces/squeezece.hpp>
#include <popart/ces/transposece.hpp>
#include <popart/ces/unsqueezece.hpp>
#include <popart/op/add.hpp>
#include <popart/op/cast.hpp>
#include <popart/op/concat.hpp>
#include <popart/op/div.hpp>
#include <popart/op/floor.hpp>
#include <popart/op/fmod.hpp>
#include <popart/op/gather.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/matmul.hpp>
#include <popart/op/mul.hpp>
#include <popart/op/reduceprod.hpp>
#include <popart/op/reshape.hpp>
#include <popart/op/scale.hpp>
#include <popart/op/slice.hpp>
#include <popart/op/subtract.hpp>
#include <popart/op/transpose.hpp>
#include <popart/operators.hpp>

#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <memory>

#include "errors.hpp"
#include "running.hpp"

using namespace popart;

namespace {

const TensorInfo matrix(DataType::FLOAT, {2, 3});
const float values[6] = {1.5f, -2, 3, 4.25f, 5, -6};
const float others[6] = {2, 3, 4, 5, 6, 7};

/// A graph with the constants "a" and "b" of that shape, and the numbers of rows "i".
struct Constants {
  Constants() : ir(std::make_shared<Ir>()), graph(ir->getMainGraph()), settings(graph, "op") {
    graph.addConstInit("a", matrix, values);
    graph.addConstInit("b", matrix, others);
    const int32_t rows[2] = {2, 0};
    graph.addConstInit("i", TensorInfo(DataType::INT32, {2}), rows);
  }
  template <class OP, class... Args>
  Op* add(const std::map<InIndex, TensorId>& in, Args&&... args) {
    return graph.createConnectedOp<OP>(in, {{0, "y"}}, std::forward<Args>(args)...);
  }

  std::shared_ptr<Ir> ir;
  Graph& graph;
  Op::Settings settings;
};

template <class T = float>
void print(const std::vector<char>& bytes) {
  std::vector<T> elements(bytes.size() / sizeof(T));
  std::memcpy(elements.data(), bytes.data(), bytes.size());
  for (const T each : elements) std::cout << each << " ";
  std::cout << "\n";
}

template <class CE>
void elementwise(const std::function<Op*(Constants&)>& add) {
  Constants c;
  print(CE(add(c)).compute());
}

/// One that the program registers for a type of its own.
class Answer : public ConstExprOp {
 public:
  using ConstExprOp::ConstExprOp;
  std::vector<char> compute() override {
    std::vector<float> found(static_cast<std::size_t>(outInfo0().nelms()), 42.0f);
    const auto* bytes = reinterpret_cast<const char*>(found.data());
    return {bytes, bytes + found.size() * sizeof(float)};
  }
};
class Short : public ConstExprOp {
 public:
  using ConstExprOp::ConstExprOp;
  std::vector<char> compute() override { return std::vector<char>(3); }
};

class OwnOp : public Op {
 public:
  using Op::Op;
  std::unique_ptr<Op> clone() const override { return std::make_unique<OwnOp>(*this); }
  void setup() override { outInfo(0) = inInfo(0); }
  float getSubgraphValue() const override { return 0.1f; }
};

const ConstExprOpCreator<Answer> answer("Own");
const ConstExprOpCreator<Short> shorter("OwnShort");

void types() {
  using namespace Onnx::Operators;
  elementwise<ConstExprAdd>([](Constants& c) {
    return c.add<AddOp>({{0, "a"}, {1, "b"}}, Add_7, c.settings);
  });
  elementwise<ConstExprSub>([](Constants& c) {
    return c.add<SubtractOp>({{0, "a"}, {1, "b"}}, Sub_7, c.settings);
  });
  elementwise<ConstExprMul>([](Constants& c) {
    return c.add<MulOp>({{0, "a"}, {1, "b"}}, Mul_7, c.settings);
  });
  elementwise<ConstExprDiv>([](Constants& c) {
    return c.add<DivOp>({{0, "a"}, {1, "b"}}, Div_7, c.settings);
  });
  elementwise<ConstExprFmod>([](Constants& c) {
    return c.add<FmodOp>({{0, "a"}, {1, "b"}}, Onnx::AiGraphcore::OpSet1::Fmod, c.settings);
  });
  elementwise<ConstExprFloor>([](Constants& c) {
    return c.add<FloorOp>({{0, "a"}}, Floor_6, c.settings);
  });
  elementwise<ConstExprIdentity>([](Constants& c) {
    return c.add<IdentityOp>({{0, "a"}}, Identity_1, c.settings);
  });
  elementwise<ConstExprScale>([](Constants& c) {
    return c.add<ScaleOp>({{0, "a"}}, Onnx::CustomOperators::Scale_1, 0.5f, c.settings);
  });
  elementwise<ConstExprConcat>([](Constants& c) {
    return c.add<ConcatOp>({{0, "a"}, {1, "b"}}, Concat_11, 1, c.settings);
  });
  elementwise<ConstExprTranspose>([](Constants& c) {
    return c.add<TransposeOp>({{0, "a"}}, Transpose_1, Shape{1, 0}, c.settings);
  });
  elementwise<ConstExprReshape>([](Constants& c) {
    return c.add<ReshapeOp>({{0, "a"}}, Reshape_5, Shape{3, 2}, c.settings);
  });
  elementwise<ConstExprSlice>([](Constants& c) {
    return c.add<SliceOp>({{0, "a"}}, Slice_11, std::vector<int64_t>{1}, std::vector<int64_t>{3},
                          std::vector<int64_t>{1}, std::vector<int64_t>{1}, c.settings);
  });
  elementwise<ConstExprGather>([](Constants& c) {
    return c.add<GatherOp>({{0, "a"}, {1, "i"}}, Gather_11, 1, c.settings);
  });
  elementwise<ConstExprReduceProd>([](Constants& c) {
    return c.add<ReduceProdOp>({{0, "a"}}, ReduceProd_11, std::vector<int64_t>{-1}, 0, c.settings);
  });
  Constants c;
  Op* cast = c.add<CastOp>({{0, "a"}}, Onnx::Operators::Cast_9, DataType::INT32, c.settings);
  print<int32_t>(ConstExprCast(cast).compute());
}

/// y = (a + b) * a + x, of which the host sends x: one addition is left.
void folded() {
  Constants c;
  c.graph.addStream("x", matrix);
  c.graph.createConnectedOp<AddOp>({{0, "a"}, {1, "b"}}, {{0, "sum"}}, Onnx::Operators::Add_7,
                                   c.settings);
  c.graph.createConnectedOp<MulOp>({{0, "sum"}, {1, "a"}}, {{0, "product"}}, Onnx::Operators::Mul_7,
                                   c.settings);
  c.add<AddOp>({{0, "product"}, {1, "x"}}, Onnx::Operators::Add_7, c.settings);
  // What nothing has computed yet.
  print(c.graph.getTensor("product")->getDataViaGraphTraversal());
  fails([&] { c.graph.getTensor("y")->getDataViaGraphTraversal(); });
  ConstExprUtil::foldConstants(c.graph);
  std::cout << c.graph.getOpIds().size() << " " << c.graph.getTensor("product")->tensor_type()
            << "\n";
  run(c.ir, {{"x", {1, 2, 3, 4, 5, 6}}}, false, {"y"});
}

/// With one reader each, and the option off, a constant that two operators read stays.
void once() {
  Constants c;
  c.ir->getSessionOptions().enableConstantFoldingOfMultipleConsumers = false;
  c.graph.createConnectedOp<AddOp>({{0, "a"}, {1, "b"}}, {{0, "sum"}}, Onnx::Operators::Add_7,
                                   c.settings);
  c.graph.createConnectedOp<IdentityOp>({{0, "a"}}, {{0, "again"}}, Onnx::Operators::Identity_1,
                                        c.settings);
  ConstExprUtil::foldConstants(c.graph);
  std::cout << c.graph.getOpIds().size() << "\n";
}

void own() {
  Constants c;
  Op* op = c.add<OwnOp>({{0, "a"}}, OperatorIdentifier("com.acme", "Own", 1), c.settings);
  std::cout << ConstExprOpManager::hasConstExprOp(op) << ConstExprUtil::isComputable(op, c.graph)
            << "\n";
  ConstExprUtil::processOp(op, c.graph);
  print(c.graph.getTensor("y")->getDataViaGraphTraversal());
  Op* bad = c.graph.createConnectedOp<OwnOp>(
      {{0, "a"}}, {{0, "z"}}, OperatorIdentifier("com.acme", "OwnShort", 1), c.settings);
  fails([&] { ConstExprUtil::processOp(bad, c.graph); });
}

void refused() {
  Constants c;
  c.graph.addStream("x", matrix);
  Op* sum = c.add<AddOp>({{0, "a"}, {1, "x"}}, Onnx::Operators::Add_7, c.settings);
  fails([&] { ConstExprAdd(sum).compute(); });
  Op* product = c.graph.createConnectedOp<IdentityOp>(
      {{0, "a"}}, {{0, "z"}}, OperatorIdentifier("com.acme", "Other", 1), c.settings);
  fails([&] { ConstExprOpManager::createConstExprOp(product); });
}

}  // namespace

int main(int, char** arguments) {
  const std::map<std::string, void (*)()> programs = {
      {"types", types}, {"folded", folded}, {"once", once}, {"own", own}, {"refused", refused}};
  programs.at(arguments[1])();
}
