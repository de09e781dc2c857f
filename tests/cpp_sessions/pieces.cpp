// Smaller classes of PopART's headers: names of tasks, wrappers of ids, steps with arrays of a class of
// one's own, operators without values, what an error and an Ir tell.
#include <popart/builder.hpp>
#include <popart/dotvisualizer.hpp>
#include <popart/graphcoreoperators.hpp>
#include <popart/op/boundary.hpp>
#include <popart/op/dropout.hpp>
#include <popart/op/placeholder.hpp>
#include <popart/op/relu.hpp>
#include <popart/operators.hpp>
#include <popart/pbwrap.hpp>
#include <popart/popx/namesx.hpp>
#include <popart/popx/opxstate.hpp>
#include <popart/session.hpp>
#include <popart/stepio_generic.hpp>
#include <popart/taskid.hpp>
#include <popart/vendored/anylite.hpp>
#include <popart/voiddata.hpp>

#include <fstream>
#include <iostream>
#include <sstream>
#include <unordered_set>

#include "errors.hpp"
#include "running.hpp"

using namespace popart;

namespace {

void tasks() {
  using Type = TaskId::Type;
  const TaskId none, add(Type::FromOpTask, 7, Onnx::Operators::Add_7),
      part(Type::FromOpTask, 7, Onnx::Operators::Add_7, 1), w(Type::InitTensorTask, TensorId("w"));
  std::cout << none << " " << add << " " << part << " " << w << " " << none.empty() << w.empty()
            << " " << *w.getTensorId() << " " << w.getType() << "\n";
  const std::unordered_set<TaskId> all = {none, add, part, w, TaskId(Type::InitTensorTask, "w")};
  std::cout << all.size() << (add < part) << (part < add) << (add == part) << (w == w) << "\n";
}

void ids() {
  const std::vector<TensorId> list = {"a", "b"};
  const std::map<int, TensorId> map = {{0, "x"}, {2, "z"}};
  const InputVecWrapper in(list);
  const OutputMapWrapper out(map);
  std::cout << in.input_size() << in.input(1) << " " << out.output_size() << out.output(2) << "["
            << out.output(1) << "]\n";
  const nonstd::any value = std::string("any");
  std::cout << nonstd::any_cast<std::string>(value) << "\n";
}

void stored() {
  ConstVoidData data;
  std::cout << data.storesData();
  data.store({'p', 'o', 'p'}, TensorInfo("INT8", Shape{3}));
  const ConstVoidData copy = data;
  data = ConstVoidData();
  std::cout << copy.storesData() << data.storesData() << " "
            << std::string(static_cast<const char*>(copy.data), 3) << " " << copy.info << "\n";
}

__attribute__((noinline)) void refuse() { throw error("no {}", 1); }

void stacks() {
  try {
    refuse();
  } catch (const error& e) {
    std::istringstream lines(e.stackreport());
    std::string first;
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
      if (count == 0) first = line;
    std::cout << e.what() << " " << first.substr(0, 4) << (count > 1) << "\n";
  }
}

void ofIr() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  graph.addStream("x", TensorInfo("FLOAT", Shape{2}));
  const Op::Settings settings(graph, "");
  graph.createConnectedOp<ReluOp>({{0, "x"}}, {{0, "y"}}, Onnx::Operators::Relu_6, settings);
  std::cout << ir.getRequiresRandomSeed() << " " << ir.getDefaultOpsetVersion("ai.onnx") << " "
            << ir.getDefaultOpsetVersion("ai.onnx.ml") << " "
            << ir.getDefaultOpsetVersion("ai.graphcore") << "\n";
  fails([&] { ir.getDefaultOpsetVersion("com.acme"); });
  graph.createConnectedOp<DropoutOp>({{0, "y"}}, {{0, "z"}}, Onnx::Operators::Dropout_10, 0.5f,
                                     settings);
  std::cout << ir.getRequiresRandomSeed() << "\n";
}

/// An operator that only keeps a place, and one that only stands for others.
void places() {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  graph.addStream("x", TensorInfo("FLOAT", Shape{2}));
  const Op::Settings settings(graph, "");
  Op* relu =
      graph.createConnectedOp<ReluOp>({{0, "x"}}, {{0, "y"}}, Onnx::Operators::Relu_6, settings);
  auto* boundary = graph.createOp<BoundaryOp>(settings);
  graph.topoCons->insert(boundary, relu);
  boundary->setup();
  std::cout << boundary->opid.type << boundary->isOutlineable() << boundary->hasSideEffect() << " "
            << graph.getOpSchedule({}, RequireOptimalSchedule::Yes)[0]->opid.type << "\n";
  PlaceholderOp placeholder({"com.acme", "Later", 1}, settings);
  fails([&] { placeholder.setup(); });
  run(ir, {{"x", {-1, 2}}}, false, {"y"});
}

/// Arrays of a class of the program's own.
struct Numbers {
  std::vector<float>* values;
};
struct Access {
  static void* getDataPointer(Numbers& array) { return array.values->data(); }
  static std::size_t getArraySize(const Numbers& array) { return array.values->size(); }
  static DataType getArrayDataType(Numbers&) { return DataType::FLOAT; }
  static std::size_t getArrayRank(Numbers&) { return 1; }
  static int64_t getArrayDim(Numbers& array, std::size_t) {
    return static_cast<int64_t>(array.values->size());
  }
};
class OwnStepIO : public StepIOGeneric<Numbers, Access, Numbers> {
 public:
  OwnStepIO(const TensorId& in, std::vector<float>& given, const TensorId& out,
            std::vector<float>& found) {
    inputsInfo.insert({in, {{&given}, 0}});
    outputsInfo.insert({out, {{&found}, 0}});
  }
};

void steps() {
  auto builder = Builder::create();
  const TensorId x = builder->addInputTensor("FLOAT", {2}, "x");
  const TensorId y = builder->aiOnnxOpset9().relu({x});
  auto session = InferenceSession::createFromOnnxModel(
      builder->getModelProto(), DataFlow(3, {{y, AnchorReturnType("All")}}),
      DeviceManager::createDeviceManager().createCpuDevice());
  session->prepareDevice();
  std::vector<float> given = {1, -2, -3, 4, 5, -6}, found(6), few(4);
  OwnStepIO io(x, given, y, found);
  io.assertNumElements(session->getExecutable());
  session->run(io);
  for (const float value : found) std::cout << value << " ";
  std::cout << "\n";
  const OwnStepIO wrong(x, few, y, found), other("z", given, y, found);
  fails([&] { wrong.assertNumElements(session->getExecutable()); });
  fails([&] { other.assertNumElements(session->getExecutable()); });
  fails([&] { io.in("z", 2, false, false); });
}

void pictures() {
  Ir ir;
  auto& options = ir.getSessionOptions();
  options.dotChecks = {"Here"};
  options.logDir = ".";
  Graph& graph = ir.getMainGraph();
  graph.addStream("x", TensorInfo("FLOAT", Shape{2}));
  graph.createConnectedOp<ReluOp>({{0, "x"}}, {{0, "y"}}, Onnx::Operators::Relu_6,
                                  Op::Settings(graph, ""));
  DotVisualizer("Here").write(ir);
  DotVisualizer("There").write(ir);
}

}  // namespace

int main() {
  tasks();
  ids();
  stored();
  stacks();
  ofIr();
  places();
  steps();
  pictures();
}
