// Code with values of a type that no type of the device is equivalent to, which is not run.
#include <iostream>
#include <poplar/Graph.hpp>

namespace {

struct Foreign {
  unsigned short bits;
};

template <class T>
poplar::Tensor filled(poplar::Graph& graph, bool isHalf) {
  const T values[2] = {};
  const poplar::ArrayRef<T> all(values, 2);
  if (isHalf) return graph.addConstantHalf(poplar::HALF, {2}, std::uint16_t(0));
  return graph.addConstant(poplar::FLOAT, {2}, all);
}

}  // namespace

int main() {
  poplar::Graph graph(poplar::Target::createCPUTarget());
  std::cout << filled<float>(graph, false).numElements()
            << filled<Foreign>(graph, true).numElements() << "\n";
  try {
    filled<Foreign>(graph, false);
  } catch (const poplar::poplar_error& error) {
    std::cout << error.what() << "\n";
  }
}
