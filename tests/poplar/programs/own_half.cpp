// A program with a half of its own; halves by their bits; engines of one executable.
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

int main() {
  const half one = {0x3c00};
  const TypeTraits traits = TypeTraits::make<IeeeHalf>();
  std::cout << sizeof one << traits.size << traits.isFloatingPoint << traits.isSigned
            << traits.isIntegral << (equivalent_device_type<IeeeHalf>::value == HALF) << "\n";
  Graph graph(IPUModel().createDevice());
  const std::vector<IeeeHalf> values = {IeeeHalf::fromBits(one.bits), IeeeHalf(2.5f)};
  Tensor x = graph.addConstant(HALF, {2}, values);
  graph.setTileMapping(x, 0);
  program::Sequence prog;
  popops::expr::Const three(3.0f);
  std::cout << *reinterpret_cast<float*>(three.getData()) << "\n";
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
