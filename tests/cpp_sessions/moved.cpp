// Transforms of graphs that a program makes, and which tensors of such a graph share elements.
#include <popart/aliasesmap.hpp>
#include <popart/boollogic.hpp>
#include <popart/devicemanager.hpp>
#include <popart/ir.hpp>
#include <popart/maxclique.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/op/accumulate.hpp>
#include <popart/op/add.hpp>
#include <popart/op/exchange/hostcopy.hpp>
#include <popart/op/exchange/multiexchange.hpp>
#include <popart/op/exchange/remote.hpp>
#include <popart/op/init.hpp>
#include <popart/op/ipucopy.hpp>
#include <popart/op/loop.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/reshape.hpp>
#include <popart/op/sgd0varupdate.hpp>
#include <popart/op/slice.hpp>
#include <popart/op/transpose.hpp>
#include <popart/operators.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>
#include <popart/transforms/interipucopy.hpp>
#include <popart/transforms/mainloops.hpp>
#include <popart/transforms/mergeexchange.hpp>
#include <popart/vectorandset.hpp>

#include <sstream>

#include "errors.hpp"

using namespace popart;

namespace {

const TensorInfo four("FLOAT", std::vector<int64_t>{4});
using Numbers = std::vector<int64_t>;

template <class T>
std::string text(const T& value) {
  std::ostringstream os;
  os << value;
  return os.str();
}

void print(const view::Regions& regions) {
  for (const view::Region& region : regions) std::cout << region << " ";
  std::cout << "\n";
}

/// t is the transposition of rows 1 and 2 of a, p every second column of a from the last on.
void aliases() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  const TensorInfo square("FLOAT", Numbers{4, 5});
  const std::vector<float> start(20);
  graph.addVarInit("a", square, start.data());
  graph.createConnectedOp<SliceInplaceOp>(
      {{0, "a"}}, {{0, "s"}}, Onnx::CustomOperators::SliceInplace, Numbers{1}, Numbers{3},
      Numbers{0}, Numbers{1}, Op::Settings(graph, "slice"));
  graph.createConnectedOp<TransposeInplaceOp>({{0, "s"}}, {{0, "t"}},
                                              Onnx::CustomOperators::TransposeInplace,
                                              Numbers{1, 0}, Op::Settings(graph, "transpose"));
  graph.createConnectedOp<SliceInplaceOp>(
      {{0, "a"}}, {{0, "p"}}, Onnx::CustomOperators::SliceInplace, Numbers{-1}, Numbers{-100},
      Numbers{1}, Numbers{-2}, Op::Settings(graph, "columns"));
  std::cout << graph.getTensor("s")->info.shape() << graph.getTensor("p")->info.shape() << "\n";
  AliasesMap map(&ir);
  Aliases& all = map.getAliases(graph);
  Tensor *a = graph.getTensor("a"), *s = graph.getTensor("s"), *t = graph.getTensor("t"),
         *p = graph.getTensor("p");
  print(all.getAliasRegions(a, s));
  print(all.getAliasRegions(s, a));
  print(all.getAliasRegions(t, a));
  print(all.getChainsFromTo(a, t).apply(view::Region({2, 3}, {4, 5})));
  print(all.getAliasRegions(p, a));
  print(all.getChainsFromTo(a, p).apply(view::Region({0, 1}, {1, 3})));
  print(all.getAliasRegions(s, p));
  std::cout << all.aliasChainsFrom(a).size() << all.aliasChainsTo(s).size()
            << all.getTensors().size() << all.getChainsFromTo(s, s).isEmpty() << "\n";
  std::cout << text(all.getChainsFromTo(a, s)).substr(0, 3) << "\n";
  Aliases other;
  other.addAllAliases(all);
  std::cout << other.getChainsFromTo(a, t).isEmpty() << "\n";
  fails([&] { AliasesMap().update(); });
  const AliasesMap empty;
  fails([&] { empty.getAliases(graph.id); });
}

/// Of three operators on two IPUs.
void copies() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  graph.addStream("x", four);
  const auto on = [&](int ipu, const char* name) {
    Op::Settings settings(graph, name);
    settings.vgraphId = ipu;
    settings.pipelineStage = ipu;
    return settings;
  };
  graph.createConnectedOp<ReluOp>({{0, "x"}}, {{0, "a"}}, Onnx::Operators::Relu_6, on(0, "first"));
  graph.createConnectedOp<AddOp>({{0, "a"}, {1, "x"}}, {{0, "b"}}, Onnx::Operators::Add_7,
                                 on(1, "second"));
  graph.createConnectedOp<AddOp>({{0, "a"}, {1, "b"}}, {{0, "c"}}, Onnx::Operators::Add_7,
                                 on(1, "third"));
  ir.applyTransform(InterIpuCopy::id(), graph);
  for (const auto& each : graph.getOps())
    if (auto* copy = dynamic_cast<IpuCopyOp*>(each.second.get()))
      std::cout << copy->inId(0) << " " << copy->getFromToStr() << " " << copy->outId(0) << " "
                << copy->getPipelineStage() << "\n";
  std::cout << graph.getTensor("b")->getProducer()->inId(0) << " "
            << graph.getTensor("b")->getProducer()->inId(1) << " "
            << graph.getTensor("c")->getProducer()->inId(0) << "\n";
  std::cout << InterIpuCopy().apply(graph) << "\n";
  auto* given =
      graph.createConnectedOp<IpuCopyOp>({{0, "c"}}, {{0, "c0"}}, Onnx::CustomOperators::IpuCopy,
                                         VGraphId(0), Op::Settings(graph, "given"));
  std::cout << given->getFromToStr() << "\n";
}

/// y = x + z of loads that are made at once, stored with z.
void exchanges() {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  ir->setDataFlow(DataFlow(1, {{"y", AnchorReturnType("All")}, {"z1", AnchorReturnType("All")}}));
  for (const std::string name : {"x", "z"}) {
    graph.addStream(name, four);
    graph.createConnectedOp<InitOp>({}, {{0, name + "0"}}, Onnx::CustomOperators::Init_1, four,
                                    TensorType::ActGrad, InitType::Zero, Op::Settings(graph, ""));
    graph.createConnectedOp<HostLoadOp>({{0, name + "0"}}, {{0, name + "1"}},
                                        Onnx::CustomOperators::HostLoad, Op::Settings(graph, ""),
                                        name);
  }
  graph.createConnectedOp<AddOp>({{0, "x1"}, {1, "z1"}}, {{0, "y"}}, Onnx::Operators::Add_7,
                                 Op::Settings(graph, ""));
  for (const std::string name : {"y", "z1"})
    graph.createConnectedOp<HostStoreOp>({{0, name}}, {}, Onnx::CustomOperators::HostStore,
                                         Op::Settings(graph, ""), name);
  std::cout << Transform::applyTransform(MergeExchange::id(), graph) << "\n";
  std::string counts;
  for (const auto& each : graph.getOps())
    if (auto* all = dynamic_cast<MultiExchangeOp*>(each.second.get()))
      std::cout << all->numLoads() << all->numStores() << all->input->n() << all->output->n()
                << "\n";
  auto session =
      InferenceSession::createFromIr(ir, DeviceManager::createDeviceManager().createCpuDevice());
  session->prepareDevice();
  std::vector<float> x = {1, 2, 3, 4}, z = {10, 20, 30, 40}, y(4), z1(4);
  NDArrayWrapper<float> a(x.data(), four), b(z.data(), four), c(y.data(), four), d(z1.data(), four);
  StepIO io({{"x", a}, {"z", b}}, {{"y", c}, {"z1", d}});
  session->run(io);
  for (const float value : y) std::cout << value << " ";
  for (const float value : z1) std::cout << value << " ";
  std::cout << "\n";

  // Exchanges that may not be one: a store of what is loaded, and two of one buffer.
  Ir other;
  Graph& remote = other.getMainGraph();
  for (const std::string name : {"p", "q"})
    remote.createConnectedOp<InitOp>({}, {{0, name}}, Onnx::CustomOperators::Init_1, four,
                                     TensorType::ActGrad, InitType::Zero, Op::Settings(remote, ""));
  remote.createConnectedOp<RemoteLoadOp>({{0, "p"}}, {{0, "p1"}}, Onnx::CustomOperators::RemoteLoad,
                                         Op::Settings(remote, ""), RemoteBufferId(0));
  remote.createConnectedOp<RemoteStoreOp>({{0, "p1"}}, {}, Onnx::CustomOperators::RemoteStore,
                                          Op::Settings(remote, ""), RemoteBufferId(1));
  std::cout << MergeExchange().apply(remote);
  remote.createConnectedOp<RemoteStoreOp>({{0, "q"}}, {}, Onnx::CustomOperators::RemoteStore,
                                          Op::Settings(remote, ""), RemoteBufferId(0));
  std::cout << remote.getOps().size() - 2 << "\n";
  other.setRemoteBufferInfo(0, RemoteBufferInfo(four, 3));
  std::cout << other.getRemoteBufferInfo(0).repeats << other.getAllRemoteBufferInfos().size()
            << "\n";
}

void list(const Graph& graph) {
  std::cout << graph.getGraphString() << ":";
  for (const Op* op : graph.getOpSchedule({}, RequireOptimalSchedule::No))
    std::cout << " " << op->opid.type;
  std::cout << "\n";
}

/// A weight that is updated by sums over three micro-batches, in two batches.
void loops() {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  SessionOptions options;
  options.enableGradientAccumulation = true;
  options.accumulationFactor = 3;
  ir.setUserOptions(options);
  const std::vector<float> start(4, 1.0f);
  graph.addVarInit("w", four, start.data());
  graph.addVarInit("sum", four, start.data());
  graph.getTensors().addStream("x", four, InputSettings(ReplicatedStreamMode::Broadcast));
  std::cout << (graph.getTensor("x")->getReplicatedStreamMode() == ReplicatedStreamMode::Broadcast)
            << "\n";
  graph.createConnectedOp<InitOp>({}, {{0, "x0"}}, Onnx::CustomOperators::Init_1, four,
                                  TensorType::ActGrad, InitType::Zero, Op::Settings(graph, ""));
  graph.createConnectedOp<HostLoadOp>({{0, "x0"}}, {{0, "x1"}}, Onnx::CustomOperators::HostLoad,
                                      Op::Settings(graph, ""), "x");
  graph.createConnectedOp<AddOp>({{0, "x1"}, {1, "w"}}, {{0, "y"}}, Onnx::Operators::Add_7,
                                 Op::Settings(graph, ""));
  graph.createConnectedOp<AccumulateOp>({{0, "sum"}, {1, "y"}}, {{0, "sum1"}},
                                        AccumulationType::Add, OptimizerValue(1.0f),
                                        Op::Settings(graph, ""));
  Op::Settings after(graph, "update");
  after.executionContext = ExecutionContext::AccumulateOuterFragment;
  graph.createConnectedOp<SGD0VarUpdateOp>({{0, "w"}, {1, "sum1"}}, {{0, "w1"}},
                                           OptimizerValue(0.5f), OptimizerValue(1.0f), after);
  ir.setDataFlow(DataFlow(2));
  ir.applyTransform(MainLoops::id(), graph);
  for (const Graph* each : ir.getGraphSchedule()) list(*each);
  LoopOp* inner = MainLoops::getInnerLoopOp(ir);
  std::cout << inner->getTripCountValue() << " " << inner->getNumExplicitInputs() << " "
            << inner->getNumImplicitInputs() << " " << MainLoops::getInnerLoopSubgraph(ir).id.str()
            << " " << MainLoops::getOuterLoopSubgraph(ir).id.str() << "\n";
  for (const auto& in : inner->input->tensorIdMap())
    std::cout << in.first << in.second << inner->modifiesIndex(in.first) << " ";
  for (const auto& out : inner->output->tensorIdMap())
    std::cout << out.first << out.second << " "
              << view::nonEmptyRegion(inner->aliases(LoopOp::getFirstInputInIndex(), out.first));
  std::cout << "\n";
  Op* outer = graph.getOps().begin()->second.get();
  for (const auto& in : outer->input->tensorIdMap())
    std::cout << in.first << in.second << outer->modifiesIndex(in.first) << " ";
  std::cout << outer->output->n() << "\n";
}

void print(const std::pair<bool, std::vector<Op*>>& chain) {
  std::cout << chain.first;
  for (const Op* op : chain.second) std::cout << " " << op->opid.type;
  std::cout << "\n";
}

/// Views of views, and the regions of a reshape.
void views() {
  const view::Region whole({0, 0}, {6, 6}), corner({3, 3}, {7, 7});
  print(whole.cut({{4}, {2}}));
  print(whole.sub(view::Region({1, 1}, {3, 3})));
  print(whole.sub({view::Region({0, 0}, {4, 4}), corner}));
  print(whole.sub(whole));
  const auto both = view::Region({3, 3}, {8, 8}).merge(view::Region({0, 3}, {3, 8}));
  std::cout << both.first << " " << both.second << " " << whole.merge(corner).first << "\n";
  print(view::Region({2, 1}, {7, 6})
            .reshape(view::Region::getFull({8, 8}), view::Region::getFull({8, 2, 4})));
  // Each element of a region is in one of the regions that it becomes, and no other one is.
  const Shape from{3, 4, 5}, to{2, 6, 5};
  const view::Region in = view::Region::getFull(from), out = view::Region::getFull(to);
  int wrong = 0;
  for (int64_t a = 0; a < 60; a += 7)
    for (int64_t b = a; b < 60; b += 5) {
      std::vector<int64_t> lower = in.dimIndex(a), upper = in.dimIndex(b);
      for (std::size_t d = 0; d < 3; ++d) {
        if (lower[d] > upper[d]) std::swap(lower[d], upper[d]);
        ++upper[d];
      }
      const view::Region region(lower, upper);
      const view::Regions made = region.reshape(in, out);
      for (int64_t i = 0; i < 60; ++i) {
        int count = 0;
        for (const view::Region& each : made) count += each.contains(out.dimIndex(i));
        wrong += count != (region.contains(in.dimIndex(i)) ? 1 : 0);
      }
    }
  std::cout << wrong << "\n";
  using Access = view::AccessType;
  std::cout << (view::combine({Access::Read, Access::None}) == Access::Read)
            << (view::combine({Access::Read, Access::Write}) == Access::ReadWrite)
            << (view::combine({}) == Access::None) << "\n";
  fails([&] { whole.reshape(in, out); });
  fails([&] { whole.sub(in); });

  Ir ir;
  Graph& graph = ir.getMainGraph();
  const TensorInfo square("FLOAT", Numbers{4, 6});
  graph.addStream("a", square);
  graph.createConnectedOp<TransposeInplaceOp>({{0, "a"}}, {{0, "b"}},
                                              Onnx::CustomOperators::TransposeInplace,
                                              Numbers{1, 0}, Op::Settings(graph, ""));
  graph.createConnectedOp<ReshapeInplaceOp>({{0, "b"}}, {{0, "c"}},
                                            Onnx::CustomOperators::ReshapeInplace, Shape{3, 8},
                                            Op::Settings(graph, ""));
  graph.createConnectedOp<ReluOp>({{0, "c"}}, {{0, "d"}}, Onnx::Operators::Relu_6,
                                  Op::Settings(graph, ""));
  Tensor *a = graph.getTensor("a"), *c = graph.getTensor("c"), *d = graph.getTensor("d");
  print(graph.getDirectViewChain(a, c));
  print(graph.getDirectViewChain(a, d));
  fails([&] { ir.createGraph({"other"}).getDirectViewChain(a, c); });
  AliasesMap map(graph);
  print(map.getAliases(graph).getChainsFromTo(a, c).apply(view::Region({0, 0}, {4, 2})));
}

void helpers() {
  namespace logic = boollogic;
  const logic::Term a("a"), b("b"), c("c");
  const logic::Term term = !(a && (b || !c)) || (b && true);
  std::cout << term.pushNots() << " " << term.getCNF() << " " << term.getDNF() << "\n";
  int wrong = 0;
  for (int i = 0; i < 8; ++i) {
    const std::map<std::string, bool> values = {
        {"a", (i & 1) != 0}, {"b", (i & 2) != 0}, {"c", (i & 4) != 0}};
    const bool expected = term.evaluate(values);
    for (const logic::Term& form : {term.pushNots(), term.flatten(), term.getCNF(), term.getDNF()})
      wrong += form.evaluate(values) != expected;
  }
  std::cout << wrong << " " << (a || !(b && false)).flatten() << " "
            << term.replace({{"a", c}}).flatten().getType() << "\n";
  fails([&] { static_cast<void>(a.evaluate({})); });

  graphclique::AGraph graph(8);
  for (const auto& [i, j] : std::vector<std::pair<int, int>>{
           {0, 1}, {0, 2}, {1, 2}, {2, 3}, {3, 4}, {3, 5}, {4, 5}, {3, 6}, {4, 6}, {5, 6}, {6, 7}})
    graph.addEdge(i, j);
  for (const auto& clique : graphclique::MaxClique(graph).getMaximumCliques(2, 5)) {
    for (const int vertex : clique) std::cout << vertex;
    std::cout << " ";
  }
  std::cout << graphclique::MaxClique(graph).getMaximumCliques(1, 5).size() << "\n";
  fails([&] { graph.addEdge(0, 8); });

  VectorAndSet<std::string> names({"b", "a"});
  names.insert("c");
  names.insert("a");
  for (const std::string& name : names.v()) std::cout << name;
  std::cout << names.contains("c") << names.contains("d") << "\n";
}

}  // namespace

int main(int, char** argv) {
  const std::map<std::string, void (*)()> all = {{"aliases", aliases},     {"copies", copies},
                                                 {"exchanges", exchanges}, {"loops", loops},
                                                 {"views", views},         {"helpers", helpers}};
  all.at(argv[1])();
}
