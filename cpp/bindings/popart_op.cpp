// popir.popart: binds functions of operators that are written in C++, for the compiler.
#include <pybind11/stl.h>
#include <popart/ces/constexpr.hpp>
#include <popart/op/gradient.hpp>
#include <popart/opmanager.hpp>
#include <popart/opserialiser.hpp>
#include <popart/region.hpp>

#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/popart_convert.hpp"
#include "bindings/popart_run.hpp"
#include "bindings/signatures.hpp"
#include "popart/builtin_op.hpp"
#include "popart/link.hpp"
#include "popart/patterns/composed.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using popart::Op;
using popart::OperatorIdentifier;
using popart::view::Region;
using popart::view::Regions;

/// Collects attributes as (name, text) pairs.
class Collector : public popart::OpSerialiserBase {
 public:
  py::list attributes;

 private:
  void appendStrAttr(const std::string& name, const std::string& value) override {
    attributes.append(py::make_tuple(decoded(name), decoded(value)));
  }
};

/// Makes an operator by its library's factory. Returns its twin, or the compiler's operator if the
/// factory has put it into the graph.
OneOf<PyOp, OpTwin> createOp(const PyOpSettings& pySettings, const Opid& opid, const Values& values,
                             const std::vector<std::string>& inputs,
                             const std::vector<std::string>& outputs) {
  const OperatorIdentifier id = opidFrom(opid);
  const OpRecord* record = Registry::instance().findOp(id);
  if (record == nullptr)
    raise("popart_internal_exception", "No library has " + popart::logging::format("{}", id));
  const std::string name = pySettings.attr("name").cast<std::string>();
  const std::string who = popart::logging::format("{} '{}'", id, name);
  const auto where = [&] { return place(who, "the factory", record->origin.path); };
  return run(where, [&]() -> py::object {
    const popart::Attributes attributes = attributesFrom(values, who);
    const Op::Settings settings = settingsFrom(pySettings);
    const popart::OpCreatorInfo info(id, settings, attributes, inputs, outputs);
    if (record->info.complexFactory) {
      Op* made = record->info.complexFactory(info, settings.graph);
      if (made == nullptr) throw popart::error("The factory returned no operator");
      const py::object pyOp = pythonOf(*made);
      if (made->output->n() == 0 && !outputs.empty())
        throw popart::error(
            "The factory returned {} without outputs; connect it, as createConnectedOp does",
            made->debugName());
      return pyOp;
    }
    std::unique_ptr<Op> made = record->info.simpleFactory(info);
    if (made == nullptr) throw popart::error("The factory returned no operator");
    if (made->link() != nullptr) return giveToPython(std::move(made));
    return py::cast(OpTwin(std::move(made)));
  });
}

/// The compiler's operator for one that C++ code has made.
py::object given(std::unique_ptr<Op> op) {
  if (op == nullptr) throw popart::error("It returned a null pointer in place of an operator");
  return giveToPython(std::move(op));
}

py::typing::List<PyOp> getGradOps(const PyOp& pyOp) {
  return runOp(pyOp, "getGradOps", [](Op& op) {
    py::list ops;
    for (std::unique_ptr<Op>& gradOp : op.getGradOps()) ops.append(given(std::move(gradOp)));
    return ops;
  });
}

py::typing::List<py::typing::Tuple<py::int_, py::int_, py::str>> gradInputInfo(const PyOp& pyOp) {
  return runOp(pyOp, "gradInputInfo", [](Op& op) {
    py::list mappers;
    for (const popart::GradInOutMapper& m : op.gradInputInfo()) {
      if (m.iGrad < 0 || m.iNonGrad < 0)
        throw popart::error("It maps input {} to {} {}; no index is negative", m.iGrad, m.type,
                            m.iNonGrad);
      if (m.type < popart::GradOpInType::In || m.type > popart::GradOpInType::GradOut)
        throw popart::error(
            "It maps input {} to the kind {}; known are In, Out and GradOut (0 to 2)", m.iGrad,
            static_cast<int>(m.type));
      mappers.append(py::make_tuple(m.iGrad, m.iNonGrad, popart::logging::internal::text(m.type)));
    }
    return mappers;
  });
}

py::typing::List<py::typing::Tuple<py::str, py::str>> attributeTexts(const PyOp& pyOp,
                                                                     bool outline) {
  return runOp(pyOp, outline ? "appendOutlineAttributes" : "appendAttributes", [&](Op& op) {
    Collector collector;
    outline ? op.appendOutlineAttributes(collector) : op.appendAttributes(collector);
    return collector.attributes;
  });
}

/// (opid, attributes, infos of inputs, infos of outputs, bytes of constant inputs), or None.
py::object keptOrigin(const PyOp& pyOp) {
  return runOp(pyOp, "originOf", [&](Op& op) -> py::object {
    const auto* origin = dynamic_cast<const popart::builtin::Origin*>(&op);
    if (origin == nullptr) return py::none();
    const auto infos = [](const std::map<int, popart::TensorInfo>& given) {
      py::dict all;
      for (const auto& each : given) all[py::int_(each.first)] = toPython(each.second);
      return all;
    };
    py::dict constants;
    for (const auto& each : origin->forwardConstants())
      constants[py::int_(each.first)] = py::bytes(each.second.data(), each.second.size());
    return py::make_tuple(toPython(origin->forwardId()), toPython(origin->forwardAttributes()),
                          infos(origin->forwardInputs()), infos(origin->forwardOutputs()),
                          constants);
  });
}

/// \throws popart::error for a region outside of a tensor of this shape
void checkRegions(const Regions& regions, const popart::Shape& shape) {
  const Region full = Region::getFull(shape);
  for (const Region& r : regions)
    if (!full.contains(r) && !r.isEmpty())
      throw popart::error("It returned {}, outside of a tensor of shape {}", r, shape);
}

using Index = py::typing::Tuple<py::int_, py::ellipsis>;
Index tupleOf(const std::vector<int64_t>& values) { return py::tuple(py::cast(values)); }

/// (lower, upper) of each region that is not empty.
py::typing::List<py::typing::Tuple<Index, Index>> boxes(const Regions& regions,
                                                        const popart::Shape& shape) {
  checkRegions(regions, shape);
  py::list all;
  for (const Region& r : regions)
    if (!r.isEmpty()) all.append(py::make_tuple(tupleOf(r.getLower()), tupleOf(r.getUpper())));
  return all;
}

using Bounds = std::pair<std::vector<int64_t>, std::vector<int64_t>>;

void bindRegions(py::module_& m) {
  const py::arg opArg("op"), inIndex("inIndex"), outIndex("outIndex"), regionArg("region");
  m.def(
      "aliases",
      [](const PyOp& op, int in, int out) {
        return runOp(op, "aliases",
                     [&](Op& o) { return boxes(o.aliases(in, out), o.inShape(in)); });
      },
      opArg, inIndex, outIndex,
      "The regions of an input that an output aliases. A region is (lower, upper), with an\n"
      "index for each dimension; upper is excluded.\n"
      "Raises popart_exception for a region outside of the tensor.");
  m.def(
      "modifies",
      [](const PyOp& op, int in) {
        return runOp(op, "modifies", [&](Op& o) { return boxes(o.modifies(in), o.inShape(in)); });
      },
      opArg, inIndex, "The regions of an input that the operator writes; see aliases().");
  m.def(
      "uses",
      [](const PyOp& op, int in) {
        return runOp(op, "uses", [&](Op& o) { return boxes(o.uses(in), o.inShape(in)); });
      },
      opArg, inIndex, "The regions of an input that the operator reads; see aliases().");
  m.def(
      "fwdRegMap",
      [](const PyOp& op, int in, int out, const Bounds& region) {
        return runOp(op, "fwdRegMap", [&](Op& o) {
          return boxes(o.fwdRegMap(in, out)(Region(region.first, region.second)), o.outShape(out));
        });
      },
      opArg, inIndex, outIndex, regionArg,
      "The regions of an output that a region of an input maps to; see aliases().");
  m.def(
      "bwdRegMap",
      [](const PyOp& op, int in, int out, const Bounds& region) {
        return runOp(op, "bwdRegMap", [&](Op& o) {
          return boxes(o.bwdRegMap(in, out)(Region(region.first, region.second)), o.inShape(in));
        });
      },
      opArg, inIndex, outIndex, regionArg,
      "The regions of an input that a region of an output maps to; see aliases().");
}

/// Values that the compiler needs of every operator, by one call.
Values traits(const PyOp& pyOp) {
  const char* function = "getSubgraphValue";
  popart::Op& op = opOf(pyOp);
  const auto where = [&] { return place(op.debugName(), function, libraryOf(op)); };
  return run(where, [&] {
    py::dict t;
    t["subgraphValue"] = op.getSubgraphValue();
    function = "requiresRandomSeed";
    t["requiresRandomSeed"] = op.requiresRandomSeed();
    function = "hasSideEffect";
    t["hasSideEffect"] = op.hasSideEffect();
    function = "isOutlineable";
    t["isOutlineable"] = op.isOutlineable();
    py::set modified, aliased;
    for (const auto& in : op.input->tensorMap()) {
      function = "modifies";
      const Regions written = op.modifies(in.first);
      checkRegions(written, op.inShape(in.first));
      if (popart::view::nonEmptyRegion(written)) modified.add(in.first);
      function = "aliases";
      for (const auto& out : op.output->tensorMap()) {
        const Regions shown = op.aliases(in.first, out.first);
        checkRegions(shown, op.inShape(in.first));
        if (popart::view::nonEmptyRegion(shown)) aliased.add(py::make_tuple(in.first, out.first));
      }
    }
    t["modifies"] = modified;
    t["aliases"] = aliased;
    return t;
  });
}

py::typing::List<py::typing::Tuple<Opid, py::float_>> inplacePriorityDefault(const PyOp& pyOp) {
  return runOp(pyOp, "inplacePriorityDefault", [](Op& op) {
    py::list variants;
    for (const auto& v : op.inplacePriorityDefault())
      variants.append(py::make_tuple(toPython(std::get<0>(v)), std::get<1>(v)));
    return variants;
  });
}

/// Checks an operator after setup(). `outputs` are the ids of its outputs before.
/// \throws popart::error if an output has no valid type and shape, or was disconnected, or if an
/// input was changed
void checkSetup(const Op& op, const std::map<int, std::string>& outputs) {
  for (const auto& output : outputs)
    if (!op.hasOutput(output.first))
      throw popart::error("It disconnected output {}, '{}'", output.first, output.second);
  for (const auto& input : op.input->tensorMap()) {
    if (op.output->contains(input.second))
      throw popart::error("It connected its own output '{}' to input {}", input.second->id,
                          input.first);
    const popart::TensorInfo& before = input.second->link().known;
    if (input.second->info != before)
      throw popart::error("It changed input {}, '{}', from {} to {}; assign outInfo() alone",
                          input.first, input.second->id, before, input.second->info);
  }
  for (const auto& output : op.output->tensorMap()) {
    const popart::TensorInfo& info = output.second->info;
    if (!info.isSet())
      throw popart::error("It did not set type and shape of output {}, '{}'; assign outInfo({})",
                          output.first, output.second->id, output.first);
    if (info.dataType() < popart::DataType::UINT8 || info.dataType() > popart::DataType::UNDEFINED)
      throw popart::error("It set output {}, '{}', to the element type {}, which there is not",
                          output.first, output.second->id, static_cast<int>(info.dataType()));
    for (const int64_t dim : info.shape())
      if (dim < 0)
        throw popart::error("It set output {}, '{}', to the shape {}; no dimension is below 0",
                            output.first, output.second->id, info.shape());
  }
}

/// Whether the operator's class overrides connectInTensor(): compares the entries in the tables of
/// virtual functions. In the Itanium C++ ABI a pointer to a virtual member function is the offset
/// of its entry in the table, in bytes, plus 1.
bool connectsItself(const Op& op) {
  const auto entry = [](const Op& o) {
    void (Op::*member)(popart::InIndex, popart::TensorId) = &Op::connectInTensor;
    std::ptrdiff_t place = 0;
    std::memcpy(&place, &member, sizeof place);
    const void* table = *reinterpret_cast<const void* const*>(&o);
    return *reinterpret_cast<const void* const*>(static_cast<const char*>(table) + place - 1);
  };
  static const void* const plain = [&] {
    popart::Ir ir;
    popart::Graph graph(ir, popart::GraphId::root(), nullptr);
    return entry(BuiltinOp({"", "", 1}, Op::Settings(graph, "")));
  }();
  return entry(op) != plain;
}

}  // namespace

void bindOps(py::module_& m) {
  py::class_<GraphTwin>(m, "GraphTwin", "Owns the C++ object of a Graph.");
  py::class_<TensorTwin>(m, "TensorTwin", "Owns the C++ object of a Tensor.");
  py::class_<OpTwin>(m, "OpTwin",
                     "Owns the C++ object of an Op. Methods raise popart_exception if\n"
                     "C++ code has deleted it.")
      .def(
          "bind", [](OpTwin& t, const PyOp& op) { t.bind(op); }, py::arg("op"),
          "Links the C++ operator to the compiler's operator, which holds the twin.")
      .def(
          "moveTo",
          [](const OpTwin& t, const PyGraph& graph) {
            t.op().settings.graph = graphOf(graph).graph;
          },
          py::arg("graph"), "Records that the operator is in another graph now.")
      .def(
          "inplacePriorityVeto",
          [](const OpTwin& t) { return t.op().settings.inplacePriorityVeto; },
          "The priorities of in-place variants in the operator's settings: (name, priority).")
      .def(
          "excludePatterns", [](const OpTwin& t) { return t.op().settings.excludePatterns; },
          "The names of the patterns that must not be applied to the operator.")
      .def(
          "pruneable", [](const OpTwin& t) { return t.op().pruneable; },
          "Whether pruning may remove the operator.")
      .def(
          "library", [](const OpTwin& t) { return libraryOf(t.op()); },
          "The path of the library that defines the operator's class, or\n"
          "the name of nameLibrary().")
      .def(
          "connectsItself", [](const OpTwin& t) { return connectsItself(t.op()); },
          "Whether the operator's class overrides connectInTensor().")
      .def(
          "callsGraphs", [](const OpTwin& t) { return !t.op().getCalledGraphs().empty(); },
          "Whether the operator calls graphs.");
  const py::arg opArg("op");
  m.def("createOp", createOp, py::arg("settings"), py::arg("opid"), py::arg("attributes"),
        py::arg("inputs"), py::arg("outputs"),
        "Makes an operator by its library's factory. Returns its twin, or the compiler's\n"
        "operator if the factory has put it into the graph.\n"
        "`opid`: (domain, type, version).\n"
        "`inputs`, `outputs`: ids of tensors, '' for one that is left out.\n"
        "Raises popart_internal_exception if no library has the operator,\n"
        "popart_exception for an error in the factory, OperatorAttributeError for an\n"
        "attribute that C++ cannot take.");
  m.def(
      "setup",
      [](const PyOp& op) {
        runOp(op, "setup", [](Op& o) {
          const std::map<int, std::string> outputs = o.output->tensorIdMap();
          o.setup();
          checkSetup(o, outputs);
        });
      },
      opArg,
      "Calls the operator's setup(), which sets type and shape of its outputs.\n"
      "Raises popart_exception if one is not set or not valid, or if it changes an input.");
  m.def(
      "connectInTensor",
      [](const PyOp& op, int index, const std::string& id) {
        runOp(op, "connectInTensor", [&](Op& o) { o.connectInTensor(index, id); });
      },
      opArg, py::arg("inIndex"), py::arg("tensorId"),
      "Connects a tensor to an input by the operator's connectInTensor().");
  m.def(
      "clone",
      [](const PyOp& op) -> PyOp {
        return runOp(op, "clone", [](Op& o) { return given(o.clone()); });
      },
      opArg, "A copy of the operator, in no graph.");
  m.def("getGradOps", getGradOps, opArg, "New operators that compute the operator's gradients.");
  m.def("gradInputInfo", gradInputInfo, opArg,
        "The source of each input of a gradient operator: (input, index, kind). It is\n"
        "input (In) or output (Out) number `index` of the forward operator, or the\n"
        "gradient of that output (GradOut).\n"
        "Raises popart_exception for an index below 0 and for another kind.");
  m.def(
      "gradOutToNonGradIn",
      [](const PyOp& op) {
        return runOp(op, "gradOutToNonGradIn", [](Op& o) { return o.gradOutToNonGradIn(); });
      },
      opArg,
      "For each output of a gradient operator, the index of the forward operator's\n"
      "input whose gradient it is.");
  m.def("attributeTexts", attributeTexts, opArg, py::arg("outline"),
        "(name, text) of each attribute of appendAttributes(), or of\n"
        "appendOutlineAttributes() if `outline`.");
  m.def(
      "originOf", keptOrigin, opArg,
      "What an object of PopART's classes keeps of the operator whose gradient or variant it is:\n"
      "(opid, attributes, infos of inputs by index, infos of outputs, bytes of constant inputs).\n"
      "None for other operators.");
  m.def(
      "takeApart",
      [](const PyOp& op) {
        return runOp(op, "apply", [](Op& each) { return popir::takeApart(&each); });
      },
      opArg,
      "Puts what an operator of PopART that the compiler does not have consists of, such as a\n"
      "gradient of an element-wise operator, in its place. Returns whether it is one.");
  m.def("traits", traits, opArg,
        "Values that the compiler needs of every operator, by name: subgraphValue,\n"
        "requiresRandomSeed, hasSideEffect, isOutlineable; modifies, a set of indices of\n"
        "inputs; aliases, a set of (input, output).\n"
        "Raises popart_exception for a region outside of its tensor.");
  m.def(
      "calledGraphs",
      [](const PyOp& op) {
        return runOp(op, "getCalledGraphs", [](Op& o) {
          py::typing::List<PyGraph> graphs;
          for (const popart::Graph* graph : o.getCalledGraphs()) graphs.append(pythonOf(*graph));
          return graphs;
        });
      },
      py::arg("op"), "The graphs that the operator calls, by the library's getCalledGraphs().");
  m.def(
      "constExpr",
      [](const PyOp& op) -> std::optional<py::bytes> {
        const auto elements = runOp(op, "compute", [](Op& o) -> std::optional<std::vector<char>> {
          if (!popart::ConstExprOpManager::hasConstExprOp(&o)) return std::nullopt;
          const auto made = popart::ConstExprOpManager::createConstExprOp(&o);
          // Those of the compiler's operators would ask it for this one again.
          if (dynamic_cast<const popart::CompilerConstExprOp*>(made.get()) != nullptr)
            return std::nullopt;
          std::vector<char> elements = made->compute();
          const auto bytes = static_cast<std::size_t>(o.outInfo(0).nbytes());
          if (elements.size() != bytes)
            throw popart::error("The ConstExprOp computed {} bytes; output 0 has {}",
                                elements.size(), bytes);
          return elements;
        });
        if (!elements) return std::nullopt;
        return py::bytes(elements->data(), elements->size());
      },
      opArg,
      "The bytes of output 0, by the ConstExprOp of a library for the operator's type; None if no "
      "library has one.");
  m.def(
      "getSeedInIndex",
      [](const PyOp& op) {
        return runOp(op, "getSeedInIndex", [](Op& o) { return o.getSeedInIndex(); });
      },
      opArg,
      "The index of the input that takes the random seed; below 0 if the operator has none.");
  m.def(
      "optionalInputs",
      [](const PyOp& op) {
        return runOp(op, "optionalInputs", [](Op& o) { return o.optionalInputs(); });
      },
      opArg, "Indices of the inputs that may be left out.");
  m.def(
      "canBeReplacedByIdentity",
      [](const PyOp& op) {
        return runOp(op, "canBeReplacedByIdentity",
                     [](Op& o) { return o.canBeReplacedByIdentity(); });
      },
      opArg, "Whether the operator returns its first input unchanged.");
  bindRegions(m);
  m.def("inplacePriorityDefault", inplacePriorityDefault, opArg,
        "(opid, priority) of each in-place variant of the operator.");
  m.def(
      "getInplaceVariant",
      [](const PyOp& op, const Opid& opid) -> PyOp {
        const OperatorIdentifier id = opidFrom(opid);
        return runOp(op, "getInplaceVariant", [&](Op& o) {
          std::unique_ptr<Op> variant = o.getInplaceVariant(id);
          if (variant != nullptr && variant->opid != id)
            throw popart::error("It was asked for {} and returned {}", id, variant->opid);
          return given(std::move(variant));
        });
      },
      opArg, py::arg("opid"),
      "A new operator: the in-place variant of that opid.\n"
      "Raises popart_exception if the operator returns another or none.");
}

}  // namespace popir
