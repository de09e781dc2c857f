// B-splines and sums weighted by them. ARGS: part type degree, where part is basis or refusals.
#include <arrays.hpp>
#include <iostream>
#include <popops/SplineBasis.hpp>
#include <popops/SplineWeighting.hpp>

using namespace poplar;

int main(int, char** argv) {
  std::istringstream words(argv[1]);
  std::string part, name;
  unsigned degree = 0;
  words >> part >> name >> degree;
  const Type type = name == "half" ? HALF : FLOAT;
  const std::size_t splines = (degree + 1) * (degree + 1);
  Arrays a;
  const auto pseudo = a.input("pseudo", type, {6, 2}), sizes = a.input("sizes", INT, {2});
  const auto open = a.input("open", UNSIGNED_CHAR, {2});
  const auto variable = [&](const Type& t, std::size_t columns) {
    return a.graph.addVariable(t, {6, columns}, VariableMappingMethod::LINEAR);
  };
  if (part == "refusals") {
    const auto refused = [&](const Tensor& opened, const Tensor& basis, unsigned d) {
      try {
        popops::splineBasis(a.graph, pseudo, sizes, opened, basis, variable(INT, 4), d, a.prog);
        std::cout << "accepted\n";
      } catch (const std::exception& e) {
        std::cout << e.what() << "\n";
      }
    };
    refused(open, variable(type, 4), 0);
    refused(sizes, variable(type, 4), 1);
    refused(open, variable(type, 9), 2);
    return 0;
  }
  const auto basis = variable(type, splines), index = variable(INT, splines);
  popops::splineBasis(a.graph, pseudo, sizes, open, basis, index, degree, a.prog, "basis");
  const auto x = a.input("x", type, {6, 3}), weight = a.input("weight", type, {20, 3, 5});
  const auto made = popops::splineWeighting(a.graph, x, weight, basis, index, a.prog, "weighting");
  a.output("basis", basis);
  a.output("index", index);
  a.output("made", made);
  a.run();
}
