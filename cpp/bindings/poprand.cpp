// popir.poprand: tensors of random numbers.
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

/// The block of random words at a counter; numpy has no Philox of 32 bits to compare with.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  std::array<std::uint32_t, 4> words;
  philoxWords({{key[0], key[1]}, {counter[2], counter[3]}},
              counter[0] | std::uint64_t{counter[1]} << 32, 1, words.data());
  return words;
}

}  // namespace

void bindPoprand(py::module_& m) {
  m.doc() = "Tensors of random numbers, functions of (seed, seedModifier, index of the element).";
  const auto graph = py::arg("graph");
  const auto modifier = py::arg("seedModifier"), reference = py::arg("reference"),
             type = py::arg("outType"), prog = py::arg("prog");
  const auto seed = py::arg("seed");
  const auto context = debugContext();
  m.def("addCodelets", &poprand::addCodelets, graph, "Adds nothing: kernels are built in.");
  m.def("setSeed", &poprand::setSeed, graph, py::arg("masterSeed"), modifier, prog, context,
        "Starts the draws of stochastic rounding anew. masterSeed: UNSIGNED_INT [2].");
  m.def("uniform", withOptionals(&poprand::uniform), graph, seed, modifier, reference, type,
        py::arg("minVal"), py::arg("maxVal"), prog, context,
        "Uniform on [minVal, maxVal); integers include maxVal. seed: UNSIGNED_INT [2], or None for "
        "numbers that differ from run to run.");
  m.def("logUniform", withOptionals(&poprand::logUniform), graph, seed, modifier, reference, type,
        py::arg("minVal"), py::arg("maxVal"), prog, py::arg("base") = M_E, context,
        "base to the power of a uniform number, within [minVal, maxVal].");
  m.def("bernoulli", withOptionals(&poprand::bernoulli), graph, seed, modifier, reference, type,
        py::arg("prob"), prog, context, "1 with probability prob, else 0.");
  m.def("normal", withOptionals(&poprand::normal), graph, seed, modifier, reference, type,
        py::arg("mean"), py::arg("stdDev"), prog, context,
        "Normal with mean `mean` and standard deviation `stdDev`.");
  m.def("truncatedNormal", withOptionals(&poprand::truncatedNormal), graph, seed, modifier,
        reference, type, py::arg("mean"), py::arg("stdDev"), py::arg("alpha"), prog, context,
        "Normal, cut off at alpha standard deviations from the mean.");
  using Dropout = Tensor (*)(Graph&, const Tensor*, std::uint32_t, const Tensor&, const Tensor&,
                             double, double, Sequence&, const DebugContext&);
  using DropoutLaidOut =
      Tensor (*)(Graph&, const Tensor*, std::uint32_t, const Tensor&, const Tensor&, double, double,
                 bool, Sequence&, const DebugContext&);
  const auto input = py::arg("input"), keep = py::arg("keepProbability"), scale = py::arg("scale");
  m.def("dropout", withOptionals(static_cast<Dropout>(&poprand::dropout)), graph, seed, modifier,
        input, reference, keep, scale, prog, context,
        "scale * input with probability keepProbability, else 0.");
  m.def("dropout", withOptionals(static_cast<DropoutLaidOut>(&poprand::dropout)), graph, seed,
        modifier, input, reference, keep, scale, py::arg("outputClonesRef"), prog, context,
        "The same, laid out as the reference or else as the input.");
  m.def("shapedDropout", withOptionals(&poprand::shapedDropout), graph, seed, modifier, input,
        reference, keep, scale, prog, context,
        "Dropout whose mask, of the reference's shape, is broadcast.");
  m.def("philox4x32", &philox4x32, py::arg("counter"), py::arg("key"),
        "The four random words of a counter of four words and a key of two.");
}

}  // namespace popir
