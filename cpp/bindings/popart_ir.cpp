#include "bindings/popart_ir.hpp"

#include <popart/op/call.hpp>
#include <popart/op/matmul.hpp>

#include <utility>
#include <vector>

#include "bindings/popart_convert.hpp"
#include "popart/builtin_op.hpp"
#include "popart/builtins.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using popart::Op;
using popart::Tensor;

/// The object of a weak reference; null if it no longer exists.
py::object deref(const py::weakref& ref) {
  const py::object target = ref();
  return target.is_none() ? py::object() : target;
}

/// Gives references up, also where a program in C++ deletes what holds them without the lock of
/// Python, and after the end of Python.
template <typename... References>
void giveUp(References&... references) {
  if (Py_IsInitialized() == 0) {
    (static_cast<void>(references.release()), ...);
    return;
  }
  const py::gil_scoped_acquire locked;
  (references.release().dec_ref(), ...);
}

struct PyGraphLink : GraphLink {
  explicit PyGraphLink(py::handle graph) : graph(graph) {}
  ~PyGraphLink() override { giveUp(graph); }
  py::weakref graph;
};

struct PyTensorLink : TensorLink {
  explicit PyTensorLink(py::handle tensor) : tensor(tensor) {}
  ~PyTensorLink() override { giveUp(tensor, knownObject); }
  py::weakref tensor;
  /// The compiler's object of `known`.
  py::object knownObject;
};

int depth = 0;
long count = 0;

/// Objects to be deleted when C++ code returns, which may hold pointers to them.
struct Graveyard {
  std::vector<std::unique_ptr<Op>> ops;
  std::vector<std::unique_ptr<Tensor>> tensors;
};

Graveyard& graveyard() {
  static auto* const dead = new Graveyard();
  return *dead;
}

}  // namespace

class PyOpLink : public OpLink {
 public:
  PyOpLink(py::handle op, OpTwin* twin) : op(op), twin(twin) {}
  ~PyOpLink() override {
    if (twin != nullptr) twin->op_ = nullptr;
    giveUp(op, kept);
  }

  py::weakref op;
  /// A strong reference to the same, while C++ code owns the operator.
  py::object kept;
  OpTwin* twin;
};

namespace {

PyOpLink* linkOf(const Op& op) { return static_cast<PyOpLink*>(op.link()); }

}  // namespace

Hooks& hooks() {
  static Hooks* const installed = new Hooks();
  return *installed;
}

GraphTwin::GraphTwin(py::handle graph, const std::string& name)
    : graph(ir, name, new PyGraphLink(graph)) {}

OpTwin::OpTwin(OpTwin&& other) noexcept : op_(other.op_), owns_(other.owns_) {
  other.op_ = nullptr;
  if (op_ != nullptr && linkOf(*op_) != nullptr) linkOf(*op_)->twin = this;
}

OpTwin::~OpTwin() {
  if (op_ == nullptr) return;
  if (linkOf(*op_) != nullptr) linkOf(*op_)->twin = nullptr;
  if (!owns_) return;
  std::unique_ptr<Op> dead(op_);
  if (depth > 0) graveyard().ops.push_back(std::move(dead));
}

TensorTwin::~TensorTwin() {
  if (tensor && depth > 0) graveyard().tensors.push_back(std::move(tensor));
}

void OpTwin::bind(py::handle op) {
  this->op().setLink(new PyOpLink(op, this));
  op_->id = op.attr("id").cast<popart::OpId>();
}

Op& OpTwin::op() const {
  if (op_ == nullptr)
    throw popart::error("The operator is gone: C++ code that owned it has deleted it");
  return *op_;
}

py::object pythonOf(const Op& op) {
  const PyOpLink* link = linkOf(op);
  if (link == nullptr)
    throw popart::error("{} is in no graph yet; call moveIntoGraph first", op.debugName());
  py::object found = deref(link->op);
  if (!found || link->twin == nullptr)
    throw popart::error("{} is in no graph any more: it was erased", op.debugName());
  return found;
}

py::object pythonOf(const Tensor& tensor) {
  if (!tensor.link().isInGraph)
    throw popart::error(
        "The tensor '{}' is beside the graph, which does not know it; make one in the "
        "graph, by addActGrad() or addVarInit()",
        tensor.id);
  py::object found = deref(static_cast<PyTensorLink&>(tensor.link()).tensor);
  if (!found)
    throw popart::error("The tensor '{}' is in no graph any more: it was removed", tensor.id);
  return found;
}

py::object pythonOf(const popart::Graph& graph) {
  py::object found = deref(static_cast<PyGraphLink&>(graph.link()).graph);
  if (!found) throw popart::internal_error("{} is gone", graph.getGraphString());
  return found;
}

namespace {

popart::TensorType typeOf(py::handle tensor) {
  const std::string name = tensor.attr("tensorType").attr("name").cast<std::string>();
  for (int i = 0; i < static_cast<int>(popart::TensorType::N); ++i) {
    const auto type = static_cast<popart::TensorType>(i);
    if (popart::logging::internal::text(type) == name) return type;
  }
  return popart::TensorType::Unknown;
}

/// Sets the info of the C++ tensor if the compiler has another one.
void updateInfo(Tensor& tensor, py::handle pyTensor) {
  auto& link = static_cast<PyTensorLink&>(tensor.link());
  const py::object info = pyTensor.attr("info");
  if (info.is(link.knownObject)) return;
  tensor.info = link.known = infoFrom(info);
  link.knownObject = info;
}

/// Updates the index map to the compiler's connections.
void updateMap(popart::TensorIndexMap& map, py::handle connections) {
  const auto dict = py::reinterpret_borrow<py::dict>(connections);
  if (static_cast<std::size_t>(map.n()) != dict.size()) map.clear();
  const auto known = [&](int index) {
    const auto found = map.tensorMap().find(index);
    return found == map.tensorMap().end() ? nullptr : found->second;
  };
  bool same = true;
  for (const auto& item : dict)
    same = known(item.first.cast<int>()) == &tensorOf(item.second) && same;
  if (same) return;
  map.clear();
  for (const auto& item : dict) map.insert(item.first.cast<int>(), &tensorOf(item.second));
}

}  // namespace

void update(Op& op, py::handle pyOp) {
  updateMap(*op.input, pyOp.attr("input"));
  updateMap(*op.output, pyOp.attr("output"));
}

GraphTwin& graphOf(py::handle graph) {
  py::object twin = graph.attr("twin");
  if (twin.is_none()) {
    const bool isMain = graph.attr("is_main").cast<bool>();
    const std::string id = isMain ? "" : graph.attr("name").cast<std::string>();
    twin = py::cast(std::make_unique<GraphTwin>(graph, id));
    graph.attr("twin") = twin;
  }
  return twin.cast<GraphTwin&>();
}

Tensor& tensorOf(py::handle pyTensor) {
  py::object twin = pyTensor.attr("twin");
  if (twin.is_none()) {
    auto tensor =
        std::make_unique<Tensor>(pyTensor.attr("id").cast<std::string>(), typeOf(pyTensor),
                                 graphOf(pyTensor.attr("graph")).graph, new PyTensorLink(pyTensor));
    twin = py::cast(TensorTwin(std::move(tensor)));
    pyTensor.attr("twin") = twin;
  }
  Tensor& tensor = *twin.cast<TensorTwin&>().tensor;
  updateInfo(tensor, pyTensor);
  return tensor;
}

namespace {

constexpr const char* fullyConnected = "__use_fully_connected_pass";

/// An operator's attributes and annotations.
struct OriginalOp {
  py::dict attributes, notes;
  explicit OriginalOp(py::handle pyOp)
      : attributes(pyOp.attr("attributes").attr("copy")()),
        notes(pyOp.attr("settings").attr("nodeAttributes").attr("copy")()) {}
};

/// Makes an object of the operator's class.
std::unique_ptr<Op> make(const BuiltinClass& known, const popart::OperatorIdentifier& id,
                         const Op::Settings& settings, const OriginalOp& from) {
  const py::dict values = from.attributes.attr("copy")();
  for (const char* graph :
       {"callee", "body", "then_branch", "else_branch"})  // which operators are asked for
    if (values.contains(graph)) values.attr("pop")(graph);
  // Annotations of products, which their class has as members.
  for (const char* name : {"__serialize_matmul_mode", "__serialize_matmul_factor",
                           "__serialize_matmul_precision", "__available_memory", "__partials_type"})
    if (from.notes.contains(name)) values[name] = from.notes[name];
  std::unique_ptr<Op> made = known.make(id, settings, attributesFrom(values, settings.name));
  if (auto* product = dynamic_cast<popart::MatMulBaseOp*>(made.get()))
    if (from.notes.contains(fullyConnected))
      product->setUseFullyConnectedPass(from.notes[fullyConnected].cast<int>() != 0);
  return made;
}

/// Makes the C++ object of an operator that is not written in C++.
std::unique_ptr<Op> sideOf(py::handle pyOp, const popart::OperatorIdentifier& id,
                           const Op::Settings& settings) {
  const BuiltinClass* known = builtinClass(id);
  if (known == nullptr) return std::make_unique<BuiltinOp>(id, settings);
  return make(*known, id, settings, OriginalOp(pyOp));
}

/// The attributes of an operator of this class. Those of a copy are the original's, except for what
/// was changed in the copy.
py::dict attributesOf(const BuiltinClass& known, const Op& op, const OriginalOp* original) {
  const py::dict now = toPython(known.attributes(op));
  if (original == nullptr) return now;
  const auto unchanged = make(known, op.opid, op.settings, *original);
  const py::dict before = toPython(known.attributes(*unchanged));
  py::dict values = original->attributes.attr("copy")();
  for (const auto& each : before)
    if (!now.contains(each.first)) values.attr("pop")(each.first, py::none());
  for (const auto& each : now)
    if (!before.contains(each.first) || !each.second.equal(py::object(before[each.first])))
      values[each.first] = each.second;
  return values;
}

}  // namespace

Op& opOf(py::handle pyOp) {
  py::object twin = pyOp.attr("twin");
  if (twin.is_none()) {
    Op::Settings settings = settingsFrom(pyOp.attr("settings"));
    if (pyOp.attr("settings").attr("graph").attr("outer").contains(pyOp.attr("id")))
      settings.executionContext = popart::ExecutionContext::AccumulateOuterFragment;
    const py::object opid = pyOp.attr("opid");
    const popart::OperatorIdentifier id(opid.attr("domain").cast<std::string>(),
                                        opid.attr("type").cast<std::string>(),
                                        opid.attr("version").cast<unsigned>());
    twin = py::cast(OpTwin(sideOf(pyOp, id, settings)));
    pyOp.attr("twin") = twin;
    twin.cast<OpTwin&>().bind(pyOp);
  }
  Op& op = twin.cast<OpTwin&>().op();
  update(op, pyOp);
  return op;
}

bool isOwnedByCpp(const Op& op) { return static_cast<bool>(linkOf(op)->kept); }

std::shared_ptr<void> originFor(const Op& op) {
  const PyOpLink* link = linkOf(op);
  const py::object pyOp = link == nullptr ? py::object() : deref(link->op);
  if (!pyOp) return nullptr;
  return {new OriginalOp(pyOp), [](OriginalOp* origin) {
            const py::gil_scoped_acquire locked;
            delete origin;
          }};
}

std::unique_ptr<Op> takeFromPython(const py::object& pyOp) {
  Op& op = opOf(pyOp);
  linkOf(op)->kept = pyOp;
  linkOf(op)->twin->owns_ = false;
  return std::unique_ptr<Op>(&op);
}

py::object giveToPython(std::unique_ptr<Op> op) {
  if (PyOpLink* link = linkOf(*op)) {
    if (!link->kept) {
      const Op* owned = op.release();
      throw popart::error("It returned {} as a new operator, which belongs to the graph already",
                          owned->debugName());
    }
    link->twin->owns_ = true;
    op.release();
    return std::move(link->kept);
  }
  const py::object graph = pythonOf(op->getGraph());
  const py::tuple opid = toPython(op->opid);
  const std::string name = op->name();
  if (const BuiltinClass* known = builtinClass(*op)) {
    const auto origin = originOf(*op);
    const auto* original = static_cast<const OriginalOp*>(origin.get());
    py::dict values = attributesOf(*known, *op, original);
    if (const auto* call = dynamic_cast<const popart::CallOp*>(op.get()))
      values["callee"] = pythonOf(call->getCalledGraph());
    py::object pyOp = hooks().createOp(graph, opid, name, values);
    const py::object notes = pyOp.attr("settings").attr("nodeAttributes");
    if (original != nullptr) notes.attr("update")(original->notes);
    if (const auto* product = dynamic_cast<const popart::MatMulBaseOp*>(op.get()))
      if (!product->useFullyConnectedPass() || notes.contains(fullyConnected))
        notes[fullyConnected] = product->useFullyConnectedPass() ? 1 : 0;
    if (pyOp.attr("twin").is_none()) {  // else a library's operator replaces the built-in one
      pyOp.attr("twin") = py::cast(OpTwin(std::move(op)));
      pyOp.attr("twin").cast<OpTwin&>().bind(pyOp);
      return pyOp;
    }
  }
  return hooks().adopt(OpTwin(std::move(op)), graph, opid, name);
}

// Calls.

namespace {

/// Gives the compiler the infos that C++ code has changed.
void readBack() {
  for (Tensor* tensor : touchedTensors()) {
    auto& link = static_cast<PyTensorLink&>(tensor->link());
    const py::object pyTensor = tensor->info == link.known ? py::object() : deref(link.tensor);
    if (!pyTensor) continue;
    link.knownObject = toPython(tensor->info);
    link.known = tensor->info;
    pyTensor.attr("info") = link.knownObject;
  }
}

}  // namespace

void aboutToAsk() {
  ++count;
  readBack();
}

Call::Call() {
  ++depth;
  ++count;
}

void Call::finish() { readBack(); }

Call::~Call() {
  if (--depth > 0) return;
  // Reset the infos that a failed call has changed.
  for (Tensor* tensor : touchedTensors()) tensor->info = tensor->link().known;
  forgetTouched();
  const Graveyard dead = std::exchange(graveyard(), Graveyard());
}

bool isCalled() { return depth > 0; }

long crossings() { return count; }

}  // namespace popir
