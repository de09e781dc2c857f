// A program with a half of its own; halves by their bits; engines of one executable; the order of
// clones in memory.
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/Loss.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>

struct half {
  unsigned short bits;
};

using namespace poplar;

// Where the elements of clones lie.
void orders() {
  Graph graph = {IPUModel().createDevice()};
  const Tensor t = graph.addVariable(FLOAT, {6}), other = graph.addVariable(FLOAT, {2});
  graph.setTileMapping(t.slice(0, 3), 5);
  graph.setTileMapping(t.slice(3, 6), 3);
  graph.setTileMapping(other, 4);
  const Tensor shown = concat({t.reverse(0), other, t.slice(1, 2)});
  for (const auto method : {TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES,
                            TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES}) {
    for (const auto& part : graph.clone(shown, {}, method).getVarRegions())
      for (std::size_t i = part.interval.begin(); i < part.interval.end(); ++i)
        std::cout << i << " ";
    std::cout << "\n";
  }
}

int main() {
  orders();
  const half one = {0x3c00};
  const TypeTraits traits = TypeTraits::make<IeeeHalf>();
  std::cout << sizeof one << traits.size << traits.isFloat << traits.isSigned << traits.isIntegral
            << (equivalent_device_type<IeeeHalf>::value == HALF) << "\n";
  Graph graph(IPUModel().createDevice());
  const std::vector<IeeeHalf> values = {IeeeHalf::fromBits(one.bits), IeeeHalf(2.5f)};
  Tensor x = graph.addConstant(HALF, {2}, values);
  graph.setTileMapping(x, 0);
  program::Sequence prog;
  popops::expr::Const three(3.0f);
  std::cout << *reinterpret_cast<float*>(three.getData()) << "\n";
  const short minus = -3;
  const char* bytes = reinterpret_cast<const char*>(&minus);
  std::cout << popops::expr::Const(TypeTraits::make<short>(), INT, bytes).printValue() << "\n";
  try {
    popops::expr::Const(TypeTraits{3, 1, true, false, true}, INT, bytes);
  } catch (const poplar_error& e) {
    std::cout << e.what() << "\n";
  }
  Tensor y = popops::map(graph, popops::expr::_1 + three, {x}, prog);
  graph.createHostRead("y", y);
  const Executable executable = compileGraph(graph, {prog});
  for (int i = 0; i < 2; ++i) {
    Engine engine(executable);
    engine.run(0);
    IeeeHalf out[2];
    engine.readTensor("y", out, out + 2);
    std::cout << out[0] << " " << out[1] << "\n";
  }
}
