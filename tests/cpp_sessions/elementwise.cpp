// Gradients of element-wise operators by PopART's classes, and orders of operators.
#include <popart/op/abs.hpp>
#include <popart/op/add.hpp>
#include <popart/op/atan2.hpp>
#include <popart/op/cos.hpp>
#include <popart/op/div.hpp>
#include <popart/op/exp.hpp>
#include <popart/op/expm1.hpp>
#include <popart/op/fmod.hpp>
#include <popart/op/log.hpp>
#include <popart/op/log1p.hpp>
#include <popart/op/mul.hpp>
#include <popart/op/pow.hpp>
#include <popart/op/reciprocal.hpp>
#include <popart/op/sign.hpp>
#include <popart/op/sin.hpp>
#include <popart/op/sqrt.hpp>
#include <popart/op/subtract.hpp>
#include <popart/operators.hpp>
#include <popart/patterns/atan2arg0gradoppattern.hpp>
#include <popart/patterns/atan2arg1gradoppattern.hpp>
#include <popart/patterns/cosgradoppattern.hpp>
#include <popart/patterns/divarg0gradoppattern.hpp>
#include <popart/patterns/divarg1gradoppattern.hpp>
#include <popart/patterns/elementwisegradoppattern.hpp>
#include <popart/patterns/expgradoppattern.hpp>
#include <popart/patterns/expm1gradoppattern.hpp>
#include <popart/patterns/fmodarg0gradoppattern.hpp>
#include <popart/patterns/log1pgradoppattern.hpp>
#include <popart/patterns/loggradoppattern.hpp>
#include <popart/patterns/mularggradoppattern.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/patterns/powarg0gradoppattern.hpp>
#include <popart/patterns/powarg1gradoppattern.hpp>
#include <popart/patterns/reciprocalgradoppattern.hpp>
#include <popart/patterns/sqrtgradoppattern.hpp>
#include <popart/patterns/subtractarg1gradoppattern.hpp>
#include <popart/scheduler.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "errors.hpp"
#include "running.hpp"

using namespace popart;

namespace {

namespace O = Onnx::Operators;

std::vector<TensorId> gradients;

/// Adds the gradients of an operator, of the gradient "g" of its result.
void addGradients(Graph& graph, Op* op, const std::string& name) {
  for (std::unique_ptr<Op>& each : op->getGradOps()) {
    Op* made = each.get();
    graph.moveIntoGraph(std::move(each));
    for (const GradInOutMapper& in : made->gradInputInfo()) {
      const TensorId from = in.type == GradOpInType::In    ? op->inId(in.iNonGrad)
                            : in.type == GradOpInType::Out ? op->outId(in.iNonGrad)
                                                           : "g";
      made->connectInTensor(in.iGrad, from);
    }
    gradients.push_back(name + std::to_string(made->gradOutToNonGradIn().at(0)));
    made->createAndConnectOutTensor(0, gradients.back());
    made->setup();
  }
}

template <class OP>
void add(Graph& graph, const std::string& name, const std::vector<TensorId>& in,
         const OperatorIdentifier& opid) {
  std::map<InIndex, TensorId> inputs;
  for (std::size_t i = 0; i < in.size(); ++i) inputs[static_cast<InIndex>(i)] = in[i];
  Op* op = graph.createConnectedOp<OP>(inputs, {{0, name}}, opid, Op::Settings(graph, name));
  addGradients(graph, op, name + ":");
}

int countGradients(const Ir& ir) {
  int found = 0;
  for (const Op* op : ir.getAllOps()) found += op->opid.type.find("Grad") != std::string::npos;
  return found;
}

void applyAll(Ir& ir, Graph& graph) {
  const ElementWiseGradOpPattern<AbsGradOp, SignOp> abs;
  const ElementWiseGradOpPattern<SinGradOp, CosOp> sin;
  const CosGradOpPattern cos;
  const ExpGradOpPattern exp;
  const Expm1GradOpPattern expm1;
  const LogGradOpPattern log;
  const Log1pGradOpPattern log1p;
  const SqrtGradOpPattern sqrt;
  const ReciprocalGradOpPattern reciprocal;
  const SubtractArg1GradOpPattern subtract;
  const MulArgGradOpPattern mul;
  const DivArg0GradOpPattern div0;
  const DivArg1GradOpPattern div1;
  const PowArg0GradOpPattern pow0;
  const PowArg1GradOpPattern pow1;
  const Atan2Arg0GradOpPattern atan0;
  const Atan2Arg1GradOpPattern atan1;
  const FmodArg0GradOpPattern fmod;
  const std::vector<const PreAliasPattern*> all = {
      &abs,      &sin, &cos,  &exp,  &expm1, &log,  &log1p, &sqrt,  &reciprocal,
      &subtract, &mul, &div0, &div1, &pow0,  &pow1, &atan0, &atan1, &fmod};
  for (const PreAliasPattern* each : all) {
    const int before = countGradients(ir);
    if (!ir.applyPreAliasPattern(each, graph) || countGradients(ir) >= before)
      std::cout << each->getPatternName() << " changes nothing\n";
  }
  std::cout << cos.getPatternName() << " " << abs.getPatternName() << "\n";
}

void lower(bool patterns) {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  graph.addStream("x", TensorInfo("FLOAT", std::vector<int64_t>{2, 3}));
  graph.addStream("row", TensorInfo("FLOAT", std::vector<int64_t>{3}));
  graph.addStream("column", TensorInfo("FLOAT", std::vector<int64_t>{2, 1}));
  graph.addStream("g", TensorInfo("FLOAT", std::vector<int64_t>{2, 3}));
  add<AbsOp>(graph, "abs", {"x"}, O::Abs_6);
  add<SinOp>(graph, "sin", {"x"}, O::Sin_7);
  add<CosOp>(graph, "cos", {"x"}, O::Cos_7);
  add<ExpOp>(graph, "exp", {"x"}, O::Exp_6);
  add<Expm1Op>(graph, "expm1", {"x"}, Onnx::CustomOperators::Expm1_1);
  add<LogOp>(graph, "log", {"x"}, O::Log_6);
  add<Log1pOp>(graph, "log1p", {"x"}, Onnx::CustomOperators::Log1p_1);
  add<SqrtOp>(graph, "sqrt", {"x"}, O::Sqrt_6);
  add<ReciprocalOp>(graph, "reciprocal", {"x"}, O::Reciprocal_6);
  add<AddOp>(graph, "add", {"row", "x"}, O::Add_7);
  add<SubtractOp>(graph, "sub", {"column", "row"}, O::Sub_7);
  add<MulOp>(graph, "mul", {"x", "row"}, O::Mul_7);
  add<DivOp>(graph, "div", {"column", "x"}, O::Div_7);
  add<PowOp>(graph, "pow", {"x", "column"}, O::Pow_7);
  add<Atan2Op>(graph, "atan2", {"x", "row"}, Onnx::CustomOperators::Atan2_1);
  add<FmodOp>(graph, "fmod", {"column", "row"}, Onnx::CustomOperators::Fmod);
  if (patterns) applyAll(*ir, graph);
  std::cout << countGradients(*ir) << "\n";
  for (const TensorId& id : gradients) std::cout << id << " ";
  std::cout << std::endl;
  run(ir,
      {{"x", {0.5f, 1.25f, 2, 0.75f, 1.5f, 3}},
       {"row", {0.7f, 1.1f, 2.5f}},
       {"column", {1.3f, 2.2f}},
       {"g", {1, -2, 0.5f, 3, 0.25f, -1}}},
      false, gradients);
}

void print(const std::vector<Op*>& ops) {
  for (const Op* op : ops) std::cout << op->name() << " ";
  std::cout << "\n";
}

void orders() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  graph.addStream("x", TensorInfo("FLOAT", std::vector<int64_t>{2}));
  std::vector<Op*> made;
  for (const std::string name : {"a", "b", "c", "d"})
    made.push_back(graph.createConnectedOp<AbsOp>({{0, name == "d" ? "a" : "x"}}, {{0, name}},
                                                  O::Abs_6, Op::Settings(graph, name)));
  const auto yes = RequireOptimalSchedule::Yes;
  print(graph.getOpSchedule({}, yes));
  const OpsBeforeKey later = {{made[0], {made[2]}}}, cycle = {{made[0], {made[3]}}};
  print(graph.getOpSchedule(later, yes));
  Scheduler scheduler;
  const auto schedule = [&](const OpsBeforeKey& before, bool phases) {
    return scheduler.getSchedule(before, graph, yes, phases, 1.0, 1, "greedy");
  };
  made[0]->setExecutionPhase(2);
  made[1]->setExecutionPhase(1);
  print(schedule({}, false));
  print(schedule({}, true));
  std::cout << scheduler.isSchedulable(later, graph, true)
            << scheduler.isSchedulable(cycle, graph, false) << scheduler.isFinalized() << "\n";
  failsWithError([&] { schedule(cycle, false); });
  failsWithError([&] { graph.getOpSchedule(cycle, yes); });
  made[3]->setExecutionPhase(0);
  std::cout << scheduler.isSchedulable({}, graph, false) << scheduler.isSchedulable({}, graph, true)
            << "\n";
  failsWithError([&] { schedule({}, true); });
  scheduler.finalizeSchedule(later, graph, yes, false, 1.0, 1, "greedy");
  print(schedule({}, false));
  std::cout << scheduler.isFinalized() << "\n";
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  if (what == "orders") orders();
  if (what == "plain" || what == "patterns") lower(what == "patterns");
}
