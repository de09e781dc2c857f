// popir.poprand: tensors of random numbers, and the seed of stochastic rounding.
#include <pybind11/stl.h>
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>

#include "bindings/module.hpp"
#include "bindings/signatures.hpp"
#include "kernels/vector/philox.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

/// One block of the generator, for tests. numpy has no Philox of 32-bit words to compare with.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  std::array<std::uint32_t, 4> words;
  philoxWords({{key[0], key[1]}, {counter[2], counter[3]}},
              counter[0] | std::uint64_t{counter[1]} << 32, 1, words.data());
  return words;
}

}  // namespace

void bindPoprand(py::module_& m) {
  m.doc() =
      "Tensors of random numbers (PopLibs: poprand/RandomGen.hpp). The generator is\n"
      "Philox-4x32-10: each element depends on `seed`, `seedModifier` and its index only,\n"
      "not on layout, number of threads or instruction set.";
  const auto graph = py::arg("graph");
  const auto modifier = py::arg("seedModifier"), reference = py::arg("reference"),
             type = py::arg("outType"), prog = py::arg("prog");
  const auto seed = py::arg("seed");
  const auto context = debugContext();
  m.def("addCodelets", &poprand::addCodelets, graph, "Adds nothing: kernels are built in.");
  m.def("setSeed", &poprand::setSeed, graph, py::arg("masterSeed"), modifier, prog, context,
        "Appends to `prog` a seeding of stochastic rounding; see\n"
        "poplar.setStochasticRounding. Until then the seed is (0, 0).\n"
        "`masterSeed`: UNSIGNED_INT [2].\n"
        "Raises poplar_control_program_error for another one.");
  m.def("uniform", withOptionals(&poprand::uniform), graph, seed, modifier, reference, type,
        py::arg("minVal"), py::arg("maxVal"), prog, context,
        "A new tensor of `outType`: uniform in [minVal, maxVal) for FLOAT, HALF and\n"
        "DOUBLE; uniform over the integers from `minVal` to `maxVal`, both included,\n"
        "for INT and UNSIGNED_INT.\n"
        "`seed`: UNSIGNED_INT [2]. With None the numbers differ from run to run, repeat after\n"
        "each Engine.load, and do not depend on `seedModifier`.\n"
        "`reference`: gives the shape and the tile mapping of the result;\n"
        "its values are not read.\n"
        "Raises poplibs_exception for another seed, and for types and parameters that the\n"
        "distribution does not take.");
  m.def("logUniform", withOptionals(&poprand::logUniform), graph, seed, modifier, reference, type,
        py::arg("minVal"), py::arg("maxVal"), prog, py::arg("base") = M_E, context,
        "A new tensor of `outType`: `base` to the power of a uniform number, in [minVal,\n"
        "maxVal] with 1 <= minVal < maxVal and base > 1; the distribution is the same\n"
        "for every base. FLOAT, HALF, DOUBLE or INT; for INT the bounds are integers and\n"
        "the result is truncated.\n"
        "`seed`, `reference` and errors are those of uniform().");
  m.def("bernoulli", withOptionals(&poprand::bernoulli), graph, seed, modifier, reference, type,
        py::arg("prob"), prog, context,
        "A new tensor of `outType`: 1 with probability `prob`, else 0. FLOAT, HALF, DOUBLE,\n"
        "INT, UNSIGNED_INT or BOOL.\n"
        "`seed`, `reference` and errors are those of uniform().");
  m.def("normal", withOptionals(&poprand::normal), graph, seed, modifier, reference, type,
        py::arg("mean"), py::arg("stdDev"), prog, context,
        "A new tensor of `outType`: normal with mean `mean` and standard deviation\n"
        "`stdDev`. FLOAT, HALF or DOUBLE.\n"
        "`seed`, `reference` and errors are those of uniform().");
  m.def("truncatedNormal", withOptionals(&poprand::truncatedNormal), graph, seed, modifier,
        reference, type, py::arg("mean"), py::arg("stdDev"), py::arg("alpha"), prog, context,
        "A new tensor of `outType`: normal, truncated to at most alpha * stdDev from the\n"
        "mean, with alpha > 0. FLOAT, HALF or DOUBLE.\n"
        "`seed`, `reference` and errors are those of uniform().");
  using Dropout = Tensor (*)(Graph&, const Tensor*, std::uint32_t, const Tensor&, const Tensor&,
                             double, double, Sequence&, const DebugContext&);
  using DropoutLaidOut =
      Tensor (*)(Graph&, const Tensor*, std::uint32_t, const Tensor&, const Tensor&, double, double,
                 bool, Sequence&, const DebugContext&);
  const auto input = py::arg("input"), keep = py::arg("keepProbability"), scale = py::arg("scale");
  m.def("dropout", withOptionals(static_cast<Dropout>(&poprand::dropout)), graph, seed, modifier,
        input, reference, keep, scale, prog, context,
        "A new tensor of the type of `input`: scale * input with probability\n"
        "`keepProbability`, else 0. FLOAT, HALF, BFLOAT16 or DOUBLE. bernoulli() with the\n"
        "same seed, modifier and shape gives 1 for the elements that are kept.\n"
        "`reference`: has the shape of the input, and gives the tile mapping of the result.\n"
        "`seed`: that of uniform().\n"
        "Raises poplibs_exception for another seed, type or shape, and for a\n"
        "probability outside of 0 to 1.");
  m.def("dropout", withOptionals(static_cast<DropoutLaidOut>(&poprand::dropout)), graph, seed,
        modifier, input, reference, keep, scale, py::arg("outputClonesRef"), prog, context,
        "The same with the tile mapping of `reference` if `outputClonesRef`,\n"
        "else with that of `input`.");
  m.def("shapedDropout", withOptionals(&poprand::shapedDropout), graph, seed, modifier, input,
        reference, keep, scale, prog, context,
        "The same as dropout() with a mask of the shape of `reference`, which is\n"
        "broadcast to that of `input`.\n"
        "Raises poplibs_exception if it cannot be.");
  m.def("philox4x32", &philox4x32, py::arg("counter"), py::arg("key"),
        "One block of the generator: the four random words of 32 bits for a counter of\n"
        "four words and a key of two.");
}

}  // namespace popir
