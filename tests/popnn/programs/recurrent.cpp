// Recurrent layers, forward and backward.
#include <arrays.hpp>
#include <popnn/Gru.hpp>
#include <popnn/Lstm.hpp>
#include <popnn/Recurrent.hpp>
#include <popops/ElementWise.hpp>

using namespace poplar;

namespace {

constexpr std::size_t kSteps = 5, kBatch = 3, kIn = 4, kOut = 6;

bool has(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

// The words of a part: "full" or "last", "steps" or "each" (numbers of steps), ...
void lstm(Arrays& a, const std::string& part) {
  using namespace popnn::lstm;
  Tensor steps;
  if (has(part, "steps")) steps = a.input("steps", UNSIGNED_INT, {1});
  if (has(part, "each")) steps = a.input("steps", UNSIGNED_INT, {kBatch});
  LstmParams params(FLOAT, kBatch, kSteps, steps, {kIn, kOut});
  params.outputFullSequence = !has(part, "last");
  params.cellOrder = {BASIC_LSTM_CELL_INPUT_GATE, BASIC_LSTM_CELL_FORGET_GATE,
                      BASIC_LSTM_CELL_CANDIDATE, BASIC_LSTM_CELL_OUTPUT_GATE};
  const OptionFlags options{{"preCalcWeights", has(part, "first") ? "true" : "false"}};
  const auto x = a.given("x", createInput(a.graph, params, "x", options));
  auto weights = createWeights(a.graph, params, "weights", options);
  a.given("w", weights.inputWeights);
  a.given("u", weights.outputWeights);
  a.given("b", weights.biases);
  const auto initial = createInitialState(a.graph, params, "state", options);
  a.given("h", initial.output);
  a.given("c", initial.cellState);
  Tensor kept, inputGrad;
  const auto made = lstmFwd(a.graph, params, initial, x, weights, &kept, a.prog, "fwd", options);
  const auto grad = a.input("grad", FLOAT, made.first.shape());
  LstmWeights grads;
  LstmState last{a.input("lastH", FLOAT, {kBatch, kOut}), a.input("lastC", FLOAT, {kBatch, kOut})};
  const auto first = lstmBwdWithWU(a.graph, params, a.prog, initial, kept, weights, x, made.first,
                                   grad, &last, &inputGrad, grads, "bwd", options);
  a.output("out", made.first);
  a.output("cell", made.second);
  a.output("dx", inputGrad);
  a.output("dw", grads.inputWeights);
  a.output("du", grads.outputWeights);
  a.output("db", grads.biases);
  a.output("dh", first.output);
  a.output("dc", first.cellState);
}

void gru(Arrays& a, const std::string& part) {
  using namespace popnn::gru;
  Tensor steps;
  if (has(part, "steps")) steps = a.input("steps", UNSIGNED_INT, {1});
  if (has(part, "each")) steps = a.input("steps", UNSIGNED_INT, {kBatch});
  GruParams params(FLOAT, kBatch, kSteps, {kIn, kOut});
  params.outputFullSequence = !has(part, "last");
  params.resetAfter = has(part, "after");
  const auto x = a.given("x", createInput(a.graph, params, "x"));
  auto weights = createWeights(a.graph, params, "weights");
  a.given("w", weights.inputWeights);
  a.given("u", weights.outputWeights);
  a.given("b", weights.biases);
  const auto initial = a.given("h", createInitialState(a.graph, params, "state", {}, nullptr));
  const bool attention = has(part, "attention");
  Tensor scores, scoresGrad, kept, inputGrad;
  if (attention) scores = a.given("scores", createAttention(a.graph, params, "scores"));
  params.rnn.varTimeSteps = steps;
  const auto out = attention ? auGruFwd(a.graph, params, initial, x, weights, &kept, scores, a.prog)
                             : gruFwd(a.graph, params, initial, x, weights, &kept, a.prog);
  const auto grad = a.input("grad", FLOAT, out.shape());
  GruWeights grads;
  const auto first =
      attention ? auGruBwdWithWU(a.graph, params, a.prog, initial, kept, weights, x, out, grad,
                                 &inputGrad, grads, scores, &scoresGrad, "bwd", {}, nullptr)
                : gruBwdWithWU(a.graph, params, a.prog, initial, kept, weights, x, out, grad,
                               &inputGrad, grads, "bwd", {}, nullptr);
  a.output("out", out);
  a.output("dx", inputGrad);
  a.output("dw", grads.inputWeights);
  a.output("du", grads.outputWeights);
  a.output("db", grads.biases);
  a.output("dh", first);
  if (attention) a.output("dscores", scoresGrad);
}

void rnn(Arrays& a, const std::string& part) {
  using namespace popnn::rnn;
  const auto function = popnn::NonLinearityType::TANH;
  const auto x = a.given("x", createInput(a.graph, kSteps, kBatch, kIn, kOut, FLOAT));
  const auto w = a.given("w", createWeightsInput(a.graph, kSteps, kBatch, kIn, kOut, FLOAT));
  const auto u = a.given("u", createWeightsFeedback(a.graph, kBatch, kOut, FLOAT));
  const auto b = a.input("b", FLOAT, {kOut});
  const auto h = a.given("h", createFwdState(a.graph, FLOAT, kBatch, kOut, a.prog, false, false));
  const auto grad = a.input("grad", FLOAT, {kSteps, kBatch, kOut});
  if (has(part, "loop")) {
    const auto weighted = forwardWeightInput(a.graph, x, w, a.prog);
    const auto out = rnnFwdSequence(a.graph, a.prog, h, has(part, "first") ? &weighted : nullptr, b,
                                    w, u, x, function, FLOAT, false);
    const auto grads = rnnBwdSequence(a.graph, true, false, a.prog, h, out, b, w, u,
                                      grad.dimShuffle({1, 0, 2}), x, function, FLOAT);
    a.output("out", out);
    a.output("dx", std::get<0>(grads));
    a.output("dw", std::get<1>(grads));
    a.output("du", std::get<2>(grads));
    a.output("db", std::get<3>(grads));
    return;
  }
  const auto out =
      forwardIterate(a.graph, forwardWeightInput(a.graph, x, w, a.prog), h, u, b, a.prog, function);
  auto dw = a.graph.clone(w), du = a.graph.clone(u), db = a.graph.clone(b);
  for (const auto& each : {dw, du, db})
    a.graph.setInitialValue(each.flatten(),
                            ArrayRef<float>(std::vector<float>(each.numElements())));
  auto state = createBwdState(a.graph, FLOAT, kBatch, kOut, a.prog);
  std::vector<Tensor> inputs(kSteps);
  for (std::size_t s = kSteps; s-- > 0;) {
    const auto made = backwardGradientStep(a.graph, grad[s], state, out[s], w, u, a.prog, function);
    state = made.second;
    inputs[s] = made.first.expand({0});
    paramDeltaUpdate(a.graph, state, x[s], s == 0 ? h : out[s - 1], dw, du, db, a.prog);
  }
  a.output("out", out);
  a.output("dx", concat(inputs));
  a.output("dw", dw);
  a.output("du", du);
  a.output("db", db);
}

// A cell of its own: a running sum, with the sum of all steps' inputs by gathers of two steps.
void own(Arrays& a) {
  using namespace popnn::rnn;
  const auto x = a.input("x", FLOAT, {kSteps, kBatch, kOut});
  const RnnParams params(FLOAT, kBatch, kSteps, a.input("steps", UNSIGNED_INT, {kBatch}),
                         {kOut, kOut});
  const auto sums = createOutputTensor(a.graph, params, 1);
  const auto start = createInitialState(a.graph, params, true, 1, 1)[0];
  a.graph.setInitialValue(start.flatten(), ArrayRef<float>(std::vector<float>(kBatch * kOut)));
  const auto gathered = a.graph.clone(start);
  for (const auto& t : {sums.flatten(), gathered.flatten()})
    a.graph.setInitialValue(t, ArrayRef<float>(std::vector<float>(t.numElements())));
  OptionFlags none;
  const LoopBodyType cell = [](Graph& graph, const TimeStepState&, const RnnBatchwiseFlags& flags,
                               std::vector<Tensor>& state, const RnnSlice& slice,
                               std::vector<Tensor>&, program::Sequence*,
                               const DebugNameAndId& name) {
    program::Sequence once;
    const auto masked =
        popops::mul(graph, slice.inputs[0], flags.mask.expand({1}), once, DebugContext(name));
    popops::addInPlace(graph, state[0], masked, once);
    if (slice.interimOut.valid()) once.add(program::Copy(masked.expand({0}), slice.interimOut));
    return once;
  };
  const auto last = Rnn(a.graph, params, false, {start}, {sums, 0}, {x}, nullptr, nullptr, {}, {},
                        a.prog, cell, 1, none);
  const GatherBodyType gather = [&](Graph& graph, const RnnSlice& slice, unsigned steps,
                                    program::Sequence*, const DebugNameAndId&) {
    program::Sequence once;
    for (unsigned s = 0; s < steps; ++s) {
      popops::addInPlace(graph, gathered, slice.interimIn[s], once);
      popops::addInPlace(graph, gathered, slice.inputs[0][s], once);
    }
    return once;
  };
  Rnn(a.graph, params, {start}, {}, {x}, Tensor(), 1, a.prog, cell, {x}, gather, 1, 2, none);
  a.output("sums", sums);
  a.output("last", last[0]);
  a.output("gathered", gathered);
}

}  // namespace

int main(int, char** argv) {
  const std::string part = argv[1];
  Arrays a;
  if (has(part, "lstm"))
    lstm(a, part);
  else if (has(part, "gru"))
    gru(a, part);
  else if (has(part, "rnn"))
    rnn(a, part);
  else
    own(a);
  a.run();
}
