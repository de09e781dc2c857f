// PopART's patterns that simplify a program's graph, and small parts of its interface.
#include <popart/broadcastutil.hpp>
#include <popart/devicemanager.hpp>
#include <popart/ir.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/ndindices.hpp>
#include <popart/op/add.hpp>
#include <popart/op/cast.hpp>
#include <popart/op/cosh.hpp>
#include <popart/op/exchange/remote.hpp>
#include <popart/op/exp.hpp>
#include <popart/op/expand.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/log.hpp>
#include <popart/op/matmul.hpp>
#include <popart/op/randomuniform.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/reshape.hpp>
#include <popart/op/scale.hpp>
#include <popart/op/split.hpp>
#include <popart/op/sum.hpp>
#include <popart/operators.hpp>
#include <popart/patterns/coshoppattern.hpp>
#include <popart/patterns/expandcast.hpp>
#include <popart/patterns/fuser.hpp>
#include <popart/patterns/likeopspattern.hpp>
#include <popart/patterns/negativeonescalepattern.hpp>
#include <popart/patterns/optoidentitypattern.hpp>
#include <popart/patterns/postnrepl.hpp>
#include <popart/patterns/preunirepl.hpp>
#include <popart/patterns/splitoppattern.hpp>
#include <popart/patterns/sumtoaddpattern.hpp>
#include <popart/patterns/viewsimplifypattern.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>
#include <popart/tensornames.hpp>
#include <popart/transforms/decomposesum.hpp>
#include <popart/transforms/prune.hpp>
#include <popart/util.hpp>

#include <iostream>
#include <sstream>

#include "errors.hpp"

using namespace popart;

namespace {

/// log(exp(x)) is x.
class LogOfExp : public Fuser {
  const OperatorIdentifier& get0() const final { return Onnx::Operators::Exp_6; }
  const OperatorIdentifier& get1() const final { return Onnx::Operators::Log_6; }
  OpId moveMergedIntoIr(Op* op) const final {
    Graph& graph = op->getGraph();
    return graph
        .createOp<IdentityOp>(Onnx::Operators::Identity_1, Op::Settings(graph, "log of exp"))
        ->id;
  }
};

template <class OP, class... Args>
void add(Graph& graph, std::map<InIndex, TensorId> in, const TensorId& out, Args&&... args) {
  graph.createConnectedOp<OP>(in, {{0, out}}, std::forward<Args>(args)...,
                              Op::Settings(graph, out));
}

/// Each operator's type and how many there are.
void count(const Ir& ir) {
  std::map<std::string, int> types;
  for (const Op* op : ir.getAllOps()) ++types[op->opid.type];
  for (const auto& type : types) std::cout << type.first << type.second << " ";
  std::cout << "\n";
}

void graphs(bool patterns) {
  namespace O = Onnx::Operators;
  auto ir = std::make_shared<Ir>();
  Graph& g = ir->getMainGraph();
  g.addStream("x", TensorInfo("FLOAT", std::vector<int64_t>{2, 3}));
  const int64_t more[] = {4, 2, 3};
  g.addConstInit("more", TensorInfo("INT64", std::vector<int64_t>{3}), more);
  add<ReluOp>(g, {{0, "x"}}, "positive", O::Relu_6);
  add<SumOp>(g, {{0, "positive"}}, "one", O::Sum_8);
  add<IdentityOp>(g, {{0, "x"}}, "same", O::Identity_1);
  add<SumOp>(g, {{0, "one"}, {1, "same"}}, "two", O::Sum_8);
  add<SumOp>(g, {{0, "one"}, {1, "two"}, {2, "x"}, {3, "same"}}, "four", O::Sum_8);
  add<ScaleOp>(g, {{0, "two"}}, "minus", Onnx::AiGraphcore::OpSet1::Scale, -1.0f);
  add<CoshOp>(g, {{0, "x"}}, "cosh", O::Cosh_9);
  g.createConnectedOp<SplitOp>({{0, "cosh"}}, {{0, "left"}, {1, "right"}}, O::Split_2, 1,
                               std::vector<int64_t>{1, 2}, Op::Settings(g, "split"));
  const auto reshape = Onnx::CustomOperators::Reshape_1;
  add<ReshapeOp>(g, {{0, "two"}}, "three by two", reshape, Shape{3, 2});
  add<ReshapeOp>(g, {{0, "three by two"}}, "flat", reshape, Shape{6});
  add<IdentityOp>(g, {{0, "flat"}}, "flat again", O::Identity_1);
  add<ExpandOp>(g, {{0, "x"}, {1, "more"}}, "wide", O::Expand_8);
  add<CastOp>(g, {{0, "wide"}}, "whole", O::Cast_9, DataType::INT32);
  add<CastOp>(g, {{0, "x"}}, "float", O::Cast_9, DataType::FLOAT);
  add<ExpOp>(g, {{0, "float"}}, "exp", O::Exp_6);
  add<LogOp>(g, {{0, "exp"}}, "log", O::Log_6);
  add<RandomUniformLikeOp>(g, {{0, "x"}}, "random", O::RandomUniformLike_1, OptionalDataType(),
                           3.0f, 2.0f);
  const std::vector<TensorId> outs = {"minus",      "four", "left",  "right",
                                      "flat again", "log",  "random"};
  std::vector<TensorId> all = outs;
  all.push_back("whole");
  ir->setDataFlow(DataFlow(1, all, AnchorReturnType("All")));
  count(*ir);
  if (patterns) {
    const PreUniRepl unread;
    const PostNRepl copies;
    const SumToAddPattern sums;
    const NegativeOneScalePattern minus;
    const CoshOpPattern cosh;
    const SplitOpPattern split;
    const ViewSimplifyPattern views;
    const ExpandCastPattern casts;
    const OpToIdentityPattern identities;
    const LogOfExp logs;
    const LikeOpsPattern<RandomUniformLikeOp> like;
    for (const PreAliasPattern* each :
         std::vector<const PreAliasPattern*>{&unread, &copies, &sums, &minus, &cosh, &split, &views,
                                             &views, &casts, &identities, &logs, &like})
      std::cout << ir->applyPreAliasPattern(each, g);
    std::cout << " " << views.getPatternName() << "\n";
    ir->applyTransform(DecomposeSum::id(), g);
    ir->applyTransform(Prune::id(), g);
    count(*ir);
  }
  auto session =
      InferenceSession::createFromIr(ir, DeviceManager::createDeviceManager().createCpuDevice());
  session->prepareDevice();
  std::vector<float> x = {-1, 0.5, 2, 1.5, -0.25, 3};
  NDArrayWrapper<float> in(x.data(), {2, 3});
  std::map<TensorId, std::vector<float>> results;
  std::vector<std::unique_ptr<NDArrayWrapper<float>>> arrays;
  std::map<TensorId, IArray&> given;
  for (const TensorId& id : outs) {
    const Shape& shape = g.getTensor(id)->info.shape();
    results[id].resize(static_cast<std::size_t>(g.getTensor(id)->info.nelms()));
    arrays.push_back(std::make_unique<NDArrayWrapper<float>>(results[id].data(), shape));
    given.emplace(id, *arrays.back());
  }
  std::vector<int32_t> whole(24);
  NDArrayWrapper<int32_t> wholes(whole.data(), {4, 2, 3});
  given.emplace("whole", wholes);
  StepIO io({{"x", in}}, given);
  session->run(io);
  for (const TensorId& id : outs) {
    std::cout << id << ":";
    for (const float value : results[id]) std::cout << " " << value;
    std::cout << "\n";
  }
  std::cout << "whole:";
  for (const int32_t value : whole) std::cout << " " << value;
  std::cout << "\n";
}

/// 2 x of three batches, as an anchor returns it.
void returned(const AnchorReturnType& kind, const Shape& shape) {
  auto ir = std::make_shared<Ir>();
  Graph& graph = ir->getMainGraph();
  graph.addStream("x", TensorInfo("FLOAT", std::vector<int64_t>{2}));
  add<AddOp>(graph, {{0, "x"}, {1, "x"}}, "y", Onnx::Operators::Add_7);
  ir->setDataFlow(DataFlow(3, {{"y", kind}}));
  auto session =
      InferenceSession::createFromIr(ir, DeviceManager::createDeviceManager().createCpuDevice());
  session->prepareDevice();
  std::vector<float> x = {1, 2, 3, 4, 5, 6}, y(6, -1);
  NDArrayWrapper<float> in(x.data(), {3, 2}), out(y.data(), shape);
  StepIO io({{"x", in}}, {{"y", out}});
  session->run(io);
  for (const float value : y) std::cout << value << " ";
  std::cout << "\n";
}

class Counted : public Prune {
 public:
  static int runs;
  static std::size_t id() { return typeid(Counted).hash_code(); }
  bool apply(Graph&) const override { return ++runs > 0; }
  std::size_t getId() const override { return id(); }
  std::string getName() const override { return "Counted"; }
};
int Counted::runs = 0;

/// x times a constant, or cast to a type.
std::size_t hashOf(float by, const TensorId& anchor, DataType type) {
  Ir ir;
  Graph& graph = ir.getMainGraph();
  graph.addStream("x", TensorInfo("FLOAT", std::vector<int64_t>{}));
  graph.addConstInit("by", TensorInfo("FLOAT", std::vector<int64_t>{}), &by);
  add<AddOp>(graph, {{0, "x"}, {1, "by"}}, "y", Onnx::Operators::Add_7);
  add<CastOp>(graph, {{0, "y"}}, "z", Onnx::Operators::Cast_9, type);
  ir.setDataFlow(DataFlow(1, {anchor}, AnchorReturnType("All")));
  return ir.getHash();
}

void parts() {
  const std::size_t hash = hashOf(1, "z", DataType::INT32);
  std::cout << (hash == hashOf(1, "z", DataType::INT32))
            << (hash == hashOf(2, "z", DataType::INT32))
            << (hash == hashOf(1, "y", DataType::INT32))
            << (hash == hashOf(1, "z", DataType::FLOAT16)) << "\n";
  Ir ir;
  Transform::registerTransform(new Counted);
  for (const bool on : {true, false, true}) {
    ir.enableTransform(Counted::id(), on);
    ir.applyTransform(Counted::id(), ir.getMainGraph());
    std::cout << Counted::runs << " ";
  }
  std::ostringstream text;
  text << std::make_pair(5, "five") << std::make_tuple(-1, 'j', 3);
  std::cout << text.str() << "\n";
  Graph& a = ir.createGraph({"a"});
  Graph& b = ir.createGraph({"b"});
  const TensorId gradient = fwdIdToBwdGradId(a, b, addScope(a, "t"));
  std::cout << gradient << " " << bwdGradIdToFwdId(a, b, gradient) << " "
            << bwdNonGradIdToFwdId(a, b, fwdIdToClonedBwdId(a, b, addScope(a, "t"))) << "\n";
  failsWithError([&] { bwdGradIdToFwdId(a, b, addScope(b, "t")); });
  failsWithError([&] { removeScope(a, gradient); });
  const Scope scope = Scope() / "outer" / "inner";
  std::cout << addScope(scope, "t") << " " << removeScope(scope, "outer/inner/u/t") << "\n";
  failsWithError([&] { removeScope(scope, "outer/t"); });
  for (const char* text : {"one, two, ", "none"})
    for (const std::string& part : splitString(text, ", ")) std::cout << "[" << part << "]";
  std::cout << "\n";
  failsWithError([] { splitString("some", ""); });
  float value[4] = {};
  for (const char* id : {"w", "Accl1___w", "Step___w", "Accl2___w"})
    ir.getMainGraph().getTensors().addVarInit(id, TensorInfo("FLOAT", std::vector<int64_t>{4}),
                                              value);
  ir.addAdditionalModelProtoTensor("Step___w");
  for (const Tensor* state : ir.optimizerStateTensors()) std::cout << state->id << " ";
  std::cout << "\n";
  const TensorLocation place(TensorStorage::OffChip, TileSet::IO, TileSet::Compute,
                             ReplicatedTensorSharding::On,
                             CommGroup(CommGroupType::Consecutive, 2));
  for (const int64_t each : place.serialize()) std::cout << each << " ";
  std::cout << (TensorLocation(place.serialize()) == place) << "\n";
  failsWithError([] { TensorLocation({1, 2, 3}); });
  failsWithError([] { TensorLocation({0, 0, 9, 0, 0, 0}); });
  const NDIndices places(TensorInfo("FLOAT", std::vector<int64_t>{2, 3, 4}));
  std::cout << places.unflatten(17) << " " << places.flatten({1, 1, 1}) << " "
            << padShape(Shape{3, 4}, 4, int64_t(1)) << " " << unpadShape(Shape{2, 3, 4}, 2) << "\n";
  failsWithError([&] { places.unflatten(24); });
  failsWithError([&] { places.flatten({0, 3, 0}); });
  failsWithError([] { padShape(Shape{1, 2, 3}, 2, int64_t(1)); });
  failsWithError([] { unpadShape(Shape{1, 2}, 3); });
  Graph& graph = ir.getMainGraph();
  Op::Settings settings(graph, "far");
  settings.tensorLocation = place;
  failsWithError([&] { graph.createOp<ReluOp>(Onnx::Operators::Relu_6, settings); });
  const MatMulOp product(Onnx::Operators::MatMul_9, Op::Settings(graph, "product"), 0.25f, {}, {},
                         MatMulPartialsType::HALF);
  const MatMulLhsGradOp left(product);
  std::cout << left.opid.type << " " << *left.getAvailableMemoryProportion() << " "
            << (left.getPartialsType() == MatMulPartialsType::HALF) << "\n";
  auto* load = graph.createOp<RemoteLoadOp>(Onnx::CustomOperators::RemoteLoad,
                                            Op::Settings(graph, "load"), RemoteBufferId(7));
  const auto inplace = load->getInplaceVariant(Onnx::CustomOperators::RemoteLoadInplace);
  std::cout << inplace->opid << " "
            << dynamic_cast<const RemoteLoadOp&>(*inplace).getRemoteBufferId() << "\n";
  failsWithError([&] { load->getInplaceVariant(Onnx::CustomOperators::RemoteLoad); });
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  if (what == "graphs") graphs(argv[2] == std::string("patterns"));
  if (what == "parts") parts();
  if (what == "returned") {
    returned(AnchorReturnType("All"), {3, 2});
    returned(AnchorReturnType("Final"), {2});
    returned(AnchorReturnType("Sum"), {2});
    returned(AnchorReturnType("EveryN", 3), {2});
  }
}
