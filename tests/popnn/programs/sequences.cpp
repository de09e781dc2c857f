// Connectionist temporal classification, and spatial softmax.
#include <arrays.hpp>
#include <popnn/CTCInference.hpp>
#include <popnn/CTCLoss.hpp>
#include <popnn/SpatialSoftMax.hpp>

using namespace poplar;

int main(int, char** argv) {
  const std::string part = argv[1];
  Arrays a;
  const std::size_t time = 9, batch = 3, classes = 5, labels = 4;
  if (part == "loss") {
    const auto plan = popnn::ctc::plan(a.graph, FLOAT, FLOAT, batch, time, labels, classes);
    const auto x = popnn::ctc::createDataInput(a.graph, FLOAT, batch, time, classes, plan);
    a.given("x", x);
    const auto wanted = a.input("labels", UNSIGNED_INT, {batch, labels});
    const auto steps = a.input("steps", UNSIGNED_INT, {batch});
    const auto counts = a.input("counts", UNSIGNED_INT, {batch});
    const auto made = popnn::ctc::calcLossAndGradientLogits(a.graph, FLOAT, x, wanted, steps,
                                                            counts, a.prog, 0, plan);
    a.output("loss", made.first);
    a.output("gradient", made.second);
    const auto logs = a.input("logs", FLOAT, {time, batch, classes});
    const auto zeroed = popnn::ctc::calcLossAndGradientLogProbabilities(
        a.graph, FLOAT, logs, wanted, steps, counts, a.prog, 0, plan, {},
        {{"includeSoftmaxGradient", "false"}, {"zeroInfinity", "true"}});
    a.output("zeroedLoss", zeroed.first);
    a.output("zeroedGradient", zeroed.second);
  } else if (part == "decode") {
    const auto plan = popnn::ctc_infer::plan(a.graph, FLOAT, batch, time, classes, 200);
    const auto x = a.input("logs", FLOAT, {4, batch, 3});
    const auto made = popnn::ctc_infer::beamSearchDecoderLogProbabilities(
        a.graph, x, a.input("steps", UNSIGNED_INT, {batch}), a.prog, 2, 200, 2, plan);
    a.output("probabilities", std::get<0>(made));
    a.output("lengths", std::get<1>(made));
    a.output("decoded", std::get<2>(made));
  } else {
    const auto made =
        popnn::spatialSoftMax2D(a.graph, a.prog, a.input("fields", FLOAT, {3, 4, 6}), 2.0f);
    a.output("places", made.first);
    a.output("temperature", made.second);
  }
  a.run();
}
