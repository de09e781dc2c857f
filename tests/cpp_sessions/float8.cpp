// 8-bit floats in a graph that a program makes, and the functions that operators of a library call.
#include <popart/op/cast.hpp>
#include <popart/op/castthenpow2scale.hpp>
#include <popart/op/matmul.hpp>
#include <popart/op/pow2scalethencast.hpp>
#include <popart/operators.hpp>
#include <popart/util/float8util.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/TypeConversion.hpp>
#include <popops/Cast.hpp>

#include "errors.hpp"
#include "running.hpp"

using namespace popart;
using Format = poplar::QuarterMetadata::Format;

namespace {

/// x and w become 8-bit floats, x four times as large; their product is divided by eight, and x comes
/// back half as large.
void graph() {
  auto ir = std::make_shared<Ir>();
  Graph& g = ir->getMainGraph();
  const auto settings = [&](const char* name) { return Op::Settings(g, name); };
  g.addStream("x", TensorInfo(DataType::FLOAT, {2, 3}));
  g.addStream("w", TensorInfo(DataType::FLOAT, {3, 2}));
  const auto scale = [&](const char* id, int value) {
    g.addConstInit(id, TensorInfo(DataType::INT32, {}), &value);
  };
  scale("two", 2);
  scale("none", 0);
  scale("minus3", -3);
  const auto to8 = [&](const char* from, const char* by, const char* id, DataType type) {
    g.createConnectedOp<Pow2ScaleThenCastOp>({{0, from}, {1, by}}, {{0, id}},
                                             Onnx::CustomOperators::Pow2ScaleThenCast, type,
                                             settings(id));
  };
  to8("x", "two", "x8", DataType::FLOAT8_143);
  to8("w", "none", "w8", DataType::FLOAT8_152);
  auto* product = g.createConnectedOp<MatMulOp>(
      {{0, "x8"}, {1, "w8"}, {2, "minus3"}}, {{0, "y16"}}, Onnx::Operators::MatMul_9,
      settings("product"), nonstd::nullopt, MatMulBaseOp::SerialiseSettings(), OptionalDataType());
  g.createConnectedOp<CastOp>({{0, "y16"}}, {{0, "y"}}, Onnx::Operators::Cast_9, DataType::FLOAT,
                              settings("cast"));
  auto* back = g.createConnectedOp<CastThenPow2ScaleOp>(
      {{0, "x8"}, {1, "minus3"}}, {{0, "half of x"}}, Onnx::CustomOperators::CastThenPow2Scale,
      DataType::FLOAT, settings("back"));
  std::cout << product->isPow2ScaledMatMul() << " " << ir->getTensor("y16")->info << " "
            << back->toDataType() << " " << ir->getTensor("x8")->info << "\n";
  run(ir, {{"x", {0.5f, -1, 2, 0.3f, 7, -0.1f}}, {"w", {1, 2, -0.7f, 4, 3, 0.25f}}}, false,
      {"y", "half of x"});
}

void functions() {
  const auto device = poplar::IPUModel().createDevice();
  poplar::Graph graph(device);
  poplar::program::Sequence prog;
  const std::vector<unsigned char> codes = {0x40, 0x41, 0xc0, 0x80};
  poplar::Tensor bytes = graph.addConstant<unsigned char>(poplar::UNSIGNED_CHAR, {4}, codes);
  poplar::Tensor scale = graph.addConstant(poplar::INT, {}, 3);
  poplar::Tensor far = graph.addConstant(poplar::INT, {}, 32);
  for (const auto& t : {bytes, scale, far}) graph.setTileMapping(t, 0);
  const auto shown = [&](const char* name, const poplar::Tensor& quarters) {
    graph.createHostRead(name, popops::cast(graph, quarters, poplar::FLOAT, prog));
  };
  shown("known", reinterpretCastUInt8ToQuarter(graph, bytes, Format::F143, 1, prog));
  shown("of the device", reinterpretCastUInt8ToQuarter(graph, bytes, Format::F143, scale, prog));
  fails([&] { reinterpretCastUInt8ToQuarter(graph, scale, Format::F143, 1, prog); });
  fails([&] { toPoplarQuarterFormat(DataType::FLOAT16); });
  prog.add(createAssertLog2ScaleInRangeProg(graph, scale, -32, 32));
  poplar::Engine engine(graph, {prog, createAssertLog2ScaleInRangeProg(graph, far, -32, 32)});
  engine.load(device);
  engine.run(0);
  for (const char* name : {"known", "of the device"}) {
    float values[4];
    engine.readTensor(name, values, values + 4);
    for (const float value : values) std::cout << value << " ";
    std::cout << "\n";
  }
  fails([&] { engine.run(1); });
}

}  // namespace

int main() {
  graph();
  functions();
}
