// Implements the calls from C++ code to the compiler, popart/ir_calls.hpp, by its Python methods.
#include "popart/ir_calls.hpp"

#include <pybind11/stl.h>

#include <vector>

#include "bindings/popart_convert.hpp"
#include "bindings/popart_ir.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using popart::Op;
using popart::Tensor;

Op* opOrNull(const py::object& op) { return op.is_none() ? nullptr : &opOf(op); }

py::object tensorOrNone(popart::Graph& graph, const std::string& id) {
  return pythonOf(graph).attr("tensors").attr("get")(id);
}

template <class T>
std::vector<T> listOf(const py::object& items) {
  std::vector<T> values;
  for (py::handle item : items) values.push_back(item.cast<T>());
  return values;
}

/// Calls a method of the compiler's operator, then updates the connections of the C++ operator.
template <class... Args>
py::object callOp(const Op& op, const char* method, const Args&... args) {
  aboutToAsk();
  const py::object pyOp = pythonOf(op);
  py::object result = pyOp.attr(method)(args...);
  update(const_cast<Op&>(op), pyOp);
  return result;
}

/// The same as callOp, but throws popart::error for an operator that was erased.
template <class... Args>
void connect(const Op& op, const char* method, const Args&... args) {
  const py::object pyOp = pythonOf(op);
  const py::object inGraph = pythonOf(op.getGraph()).attr("ops").attr("get")(op.id);
  if (!isOwnedByCpp(op) && !inGraph.is(pyOp))
    throw popart::error("{} is in no graph any more: it was erased", op.debugName());
  callOp(op, method, args...);
}

/// Gives an operator that C++ code owns to the compiler. Returns its id in the graph.
popart::OpId moveIntoGraph(popart::Graph& graph, std::unique_ptr<Op> up) {
  aboutToAsk();
  Op& op = *up;
  const py::object pyOp = giveToPython(std::move(up));
  pythonOf(graph).attr("moveIntoGraph")(pyOp);
  return op.id = pyOp.attr("id").cast<popart::OpId>();
}

std::unique_ptr<Op> newOp(popart::Graph& graph, const popart::OperatorIdentifier& opid,
                          const std::string& name, const popart::Attributes& attributes) {
  aboutToAsk();
  return takeFromPython(
      hooks().createOp(pythonOf(graph), toPython(opid), name, toPython(attributes)));
}

popart::VariableSettings variableSettings(const Tensor& tensor) {
  const py::object settings =
      pythonOf(tensor.getGraph()).attr("variable_settings").attr("get")(tensor.id);
  if (settings.is_none()) return {};
  const auto number = [](const py::object& value) { return value.cast<int>(); };
  const auto mode = static_cast<popart::VariableRetrievalMode>(
      number(settings.attr("getRetrievalMode")().attr("value")));
  if (!settings.attr("isUsingCommGroup")().cast<bool>())
    return {settings.attr("getStride")().cast<unsigned>(),
            settings.attr("getGroupSize")().cast<unsigned>(), mode};
  const py::object domain = settings.attr("getSharedVariableDomain")();
  return {popart::CommGroup(
              static_cast<popart::CommGroupType>(number(domain.attr("type").attr("value"))),
              domain.attr("replicaGroupSize").cast<unsigned>()),
          mode};
}

std::vector<Op*> consumers(const Tensor& tensor) {
  aboutToAsk();
  std::vector<Op*> ops;
  for (py::handle op : pythonOf(tensor).attr("consumers")) ops.push_back(&opOf(op));
  return ops;
}

std::vector<popart::Graph*> graphsOf(const py::object& graphs) {
  std::vector<popart::Graph*> found;
  for (py::handle graph : graphs) found.push_back(&graphOf(graph).graph);
  return found;
}

IrCalls unlocked;

/// What a program in C++ gets, which Python did not call: an exception that it knows.
[[noreturn]] void throwAsPopart(const py::error_already_set& error) {
  const std::string text = py::str(error.value()).cast<std::string>();
  const auto is = [&](const char* name) {
    return error.matches(py::module_::import("popir.errors").attr(name));
  };
  if (is("popart_internal_exception")) throw popart::internal_error(text);
  if (is("popart_runtime_error")) throw popart::runtime_error(text);
  throw popart::error(text);
}

template <auto Member, class Result, class... Args>
void lock(IrCalls& calls, Result (*IrCalls::*)(Args...)) {
  calls.*Member = [](Args... args) -> Result {
    const py::gil_scoped_acquire held;
    try {
      return (unlocked.*Member)(std::forward<Args>(args)...);
    } catch (py::error_already_set& error) {
      if (isCalled()) throw;
      throwAsPopart(error);
    }
  };
}

/// A program in C++ may look at the graph of its session without holding the interpreter's lock.
template <auto... Members>
IrCalls locked(const IrCalls& calls) {
  unlocked = calls;
  IrCalls made{};
  (lock<Members>(made, Members), ...);
  return made;
}

}  // namespace

void installPythonIr() {
  IrCalls calls{};
  using popart::Graph;
  using popart::TensorId;
  calls.tensor = [](Graph& graph, const TensorId& id) -> Tensor* {
    aboutToAsk();
    const py::object tensor = tensorOrNone(graph, id);
    return tensor.is_none() ? nullptr : &tensorOf(tensor);
  };
  calls.tensorIds = [](Graph& graph) {
    aboutToAsk();
    return listOf<TensorId>(pythonOf(graph).attr("tensors"));
  };
  calls.addActGrad = [](Graph& graph, const TensorId& id) {
    aboutToAsk();
    pythonOf(graph).attr("addActGrad")(id);
  };
  calls.addStream = [](Graph& graph, const TensorId& id, const popart::TensorInfo& info) {
    aboutToAsk();
    pythonOf(graph).attr("addStream")(id, toPython(info));
  };
  calls.createGraph = [](Graph& main, const std::string& name) {
    aboutToAsk();
    return &graphOf(pythonOf(main).attr("createGraph")(name)).graph;
  };
  calls.removeGraph = [](Graph& main, const std::string& name) {
    aboutToAsk();
    pythonOf(main).attr("removeGraph")(name);
  };
  calls.graphs = [](Graph& main) {
    aboutToAsk();
    return graphsOf(pythonOf(main).attr("allGraphs")());
  };
  calls.calledGraphs = [](const Op& op) {
    aboutToAsk();
    return graphsOf(pythonOf(op).attr("getCalledGraphs")());
  };
  calls.ends = [](Graph& graph, bool inputs) {
    aboutToAsk();
    return listOf<TensorId>(pythonOf(graph).attr(inputs ? "inputs" : "outputs"));
  };
  calls.setEnds = [](Graph& graph, bool inputs, const std::vector<TensorId>& ids) {
    aboutToAsk();
    pythonOf(graph).attr(inputs ? "setInputs" : "setOutputs")(ids);
  };
  calls.passOf = [](Graph& graph, bool backward) {
    aboutToAsk();
    const py::tuple passes = pythonOf(graph).attr("passes");
    return listOf<popart::OpId>(passes[backward ? 1 : 0]);
  };
  calls.recomputed = [](Graph& graph) {
    aboutToAsk();
    std::map<TensorId, bool> found;
    const py::dict types = pythonOf(graph).attr("recomputed");
    for (const auto& [id, type] : types)
      found[id.cast<TensorId>()] = type.attr("name").cast<std::string>() == "Recomputed";
    return found;
  };
  calls.addInit = [](Graph& graph, const char* function, const TensorId& id,
                     const popart::TensorInfo& info, const void* data) {
    aboutToAsk();
    const py::object made = toPython(info);
    const py::bytes bytes(static_cast<const char*>(data), static_cast<std::size_t>(info.nbytes()));
    const py::object flat = py::module_::import("numpy").attr("frombuffer")(
        bytes, made.attr("dataType")().attr("numpy"));
    pythonOf(graph).attr(function)(id, flat.attr("reshape")(made.attr("shape")()));
  };
  calls.saveVariable = [](Graph& graph, const TensorId& id) {
    aboutToAsk();
    pythonOf(graph).attr("saveVariable")(id);
  };
  calls.removeTensor = [](Graph& graph, const TensorId& id) {
    aboutToAsk();
    pythonOf(graph).attr("removeTensor")(id);
  };
  calls.uniqueId = [](Graph& graph, const std::string& base) {
    aboutToAsk();
    return pythonOf(graph).attr("uniqueId")(base).cast<TensorId>();
  };
  calls.producer = [](const Tensor& tensor) {
    aboutToAsk();
    return opOrNull(pythonOf(tensor).attr("producer"));
  };
  calls.data = [](const Tensor& tensor, std::string* bytes) {
    aboutToAsk();
    const py::object data = pythonOf(tensor).attr("data");
    if (data.is_none()) return false;
    *bytes = data.attr("tobytes")().cast<std::string>();
    return true;
  };
  calls.variableSettings = variableSettings;
  calls.consumers = consumers;
  calls.op = [](Graph& graph, popart::OpId id) {
    aboutToAsk();
    return opOrNull(pythonOf(graph).attr("ops").attr("get")(id));
  };
  calls.schedule = [](Graph& graph) {
    aboutToAsk();
    std::vector<Op*> ops;
    for (py::handle op : pythonOf(graph).attr("schedule")()) ops.push_back(&opOf(op));
    return ops;
  };
  calls.opIds = [](Graph& graph) {
    aboutToAsk();
    return listOf<popart::OpId>(pythonOf(graph).attr("ops"));
  };
  calls.createOp = newOp;
  calls.moveIntoGraph = moveIntoGraph;
  calls.eraseOp = [](Graph& graph, popart::OpId id) {
    aboutToAsk();
    pythonOf(graph).attr("eraseOp")(id);
  };
  calls.addConstraint = [](Graph& graph, Op& before, Op& after) {
    aboutToAsk();
    pythonOf(graph).attr("addConstraint")(pythonOf(before), pythonOf(after));
  };
  calls.removeConstraint = [](Graph& graph, Op& before, Op& after) {
    aboutToAsk();
    pythonOf(graph).attr("removeConstraint")(pythonOf(before), pythonOf(after));
  };
  calls.constraints = [](Graph& graph, Op& op, bool befores) {
    aboutToAsk();
    std::vector<Op*> found;
    for (py::handle other : pythonOf(graph).attr(befores ? "befores" : "afters")(pythonOf(op)))
      found.push_back(&opOf(other));
    return found;
  };
  calls.isTraining = [](Graph& graph) {
    aboutToAsk();
    return pythonOf(graph).attr("isTraining").cast<bool>();
  };
  calls.sessionOptions = [](Graph& graph, popart::SessionOptions& into) {
    aboutToAsk();
    const py::object options = pythonOf(graph).attr("session_options");
    if (options.is_none()) return;
    const auto set = [&](const char* name, auto& value) {
      const py::object given = options.attr(name);
      if (!given.is_none()) value = given.cast<std::decay_t<decltype(value)>>();
    };
    set("enableOutlining", into.enableOutlining);
    set("outlineThreshold", into.outlineThreshold);
    set("enableEngineCaching", into.enableEngineCaching);
    set("enableGradientAccumulation", into.enableGradientAccumulation);
    set("accumulationFactor", into.accumulationFactor);
    into.replicatedGraphCount =
        options.attr("getGlobalReplicationFactor")().cast<decltype(into.replicatedGraphCount)>();
    into.enableReplicatedGraphs = into.replicatedGraphCount > 1;
    set("enableStochasticRounding", into.enableStochasticRounding);
    set("enableStableNorm", into.enableStableNorm);
    set("enableFloatingPointChecks", into.enableFloatingPointChecks);
    set("enableExplicitMainLoops", into.enableExplicitMainLoops);
    set("opxAliasChecking", into.opxAliasChecking);
    set("opxModifyChecking", into.opxModifyChecking);
    set("strictOpVersions", into.strictOpVersions);
    set("constantWeights", into.constantWeights);
    set("partialsTypeMatMuls", into.partialsTypeMatMuls);
    set("logDir", into.logDir);
    set("engineOptions", into.engineOptions);
    set("matmulOptions", into.matmulOptions);
    set("lstmOptions", into.lstmOptions);
  };
  calls.hasGradients = [](Graph& graph) {
    aboutToAsk();
    return pythonOf(graph).attr("has_gradients").cast<bool>();
  };
  calls.hasUpdates = [](Graph& graph) {
    aboutToAsk();
    return pythonOf(graph).attr("has_updates").cast<bool>();
  };
  calls.opsetVersion = [](Graph& graph, const std::string& domain) {
    aboutToAsk();
    return pythonOf(graph).attr("opsets").attr("get")(domain, 0).cast<int>();
  };
  calls.connectIn = [](Op& op, int index, const TensorId& id) {
    // connectInTensor() of a library's operator would call the library, and that call may be the
    // one that is running.
    const bool is_ours = py::hasattr(pythonOf(op), "connect_unconverted");
    connect(op, is_ours ? "connect_unconverted" : "connectInTensor", index, id);
  };
  calls.connectOut = [](Op& op, int index, const TensorId& id) {
    connect(op, "connectOutTensor", index, id);
  };
  calls.createAndConnectOut = [](Op& op, int index, const TensorId& id) {
    connect(op, "createAndConnectOutTensor", index, id);
  };
  calls.disconnectIn = [](Op& op, int index) { callOp(op, "disconnectInTensor", index); };
  calls.disconnectOut = [](Op& op, int index) { callOp(op, "disconnectOutTensor", index); };
  calls.setName = [](Op& op, const std::string& name) {
    aboutToAsk();
    pythonOf(op).attr("settings").attr("name") = name;
  };
  calls.setAttributes = [](Op& op, const popart::Attributes& attributes) {
    const py::dict values = pythonOf(op).attr("attributes").attr("copy")();
    values.attr("update")(toPython(attributes));
    callOp(op, "bindAttributes", values);
  };
  calls.setNote = [](Op& op, const char* name, int64_t value) {
    aboutToAsk();
    pythonOf(op).attr("settings").attr("nodeAttributes")[name] = value;
  };
  calls.origin = [](const Op& op) { return originFor(op); };
  calls.setup = [](Op& op) { callOp(op, "setup"); };
  calls.clone = [](const Op& op) { return takeFromPython(callOp(op, "clone")); };
  calls.subgraphValue = [](const Op& op) { return callOp(op, "getSubgraphValue").cast<float>(); };
  calls.modifies = [](const Op& op, int index) {
    return callOp(op, "modifies", index).cast<bool>();
  };
  calls.aliases = [](const Op& op, int in, int out) {
    return callOp(op, "aliases", in, out).cast<bool>();
  };
  calls.evaluate = [](const Op& op) {
    aboutToAsk();
    return listOf<std::string>(
        py::module_::import("popir.ir.folding").attr("values_of")(pythonOf(op)));
  };
  installIrCalls(
      locked<&IrCalls::tensor, &IrCalls::tensorIds, &IrCalls::addActGrad, &IrCalls::addStream,
             &IrCalls::addInit, &IrCalls::createGraph, &IrCalls::removeGraph, &IrCalls::graphs,
             &IrCalls::calledGraphs, &IrCalls::ends, &IrCalls::setEnds, &IrCalls::passOf,
             &IrCalls::recomputed, &IrCalls::saveVariable, &IrCalls::removeTensor,
             &IrCalls::uniqueId, &IrCalls::producer, &IrCalls::data, &IrCalls::variableSettings,
             &IrCalls::consumers, &IrCalls::op, &IrCalls::opIds, &IrCalls::schedule,
             &IrCalls::createOp, &IrCalls::moveIntoGraph, &IrCalls::eraseOp,
             &IrCalls::addConstraint, &IrCalls::removeConstraint, &IrCalls::constraints,
             &IrCalls::isTraining, &IrCalls::sessionOptions, &IrCalls::hasGradients,
             &IrCalls::hasUpdates, &IrCalls::opsetVersion, &IrCalls::connectIn,
             &IrCalls::connectOut, &IrCalls::createAndConnectOut, &IrCalls::disconnectIn,
             &IrCalls::disconnectOut, &IrCalls::setName, &IrCalls::setAttributes, &IrCalls::setNote,
             &IrCalls::origin, &IrCalls::setup, &IrCalls::clone, &IrCalls::subgraphValue,
             &IrCalls::modifies, &IrCalls::aliases, &IrCalls::evaluate>(calls));
}

}  // namespace popir
