// popir.popart: what the compiler asks of operators that are written in C++.
#include <pybind11/stl.h>
#include <popart/opmanager.hpp>
#include <popart/opserialiser.hpp>
#include <popart/region.hpp>

#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bindings/popart_run.hpp"
#include "popart/builtin_op.hpp"
#include "popart/link.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using popart::Op;
using popart::OperatorIdentifier;
using popart::view::Region;
using popart::view::Regions;

/// Collects (name, text) pairs.
class Collector : public popart::OpSerialiserBase {
 public:
  py::list attributes;

 private:
  void appendStrAttr(const std::string& name, const std::string& value) override {
    attributes.append(py::make_tuple(decoded(name), decoded(value)));
  }
};

/// A new operator of a library; the compiler's own if its factory has put it into the graph.
py::object createOp(const py::object& pySettings, const py::tuple& opid, const py::dict& values,
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

/// The compiler's operators for those that C++ code has made.
py::object given(std::unique_ptr<Op> op) {
  if (op == nullptr) throw popart::error("It returned a null pointer in place of an operator");
  return giveToPython(std::move(op));
}

py::list getGradOps(py::handle pyOp) {
  return runOp(pyOp, "getGradOps", [](Op& op) {
    py::list ops;
    for (std::unique_ptr<Op>& gradOp : op.getGradOps()) ops.append(given(std::move(gradOp)));
    return ops;
  });
}

py::list gradInputInfo(py::handle pyOp) {
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

py::list attributeTexts(py::handle pyOp, bool outline) {
  return runOp(pyOp, outline ? "appendOutlineAttributes" : "appendAttributes", [&](Op& op) {
    Collector collector;
    outline ? op.appendOutlineAttributes(collector) : op.appendAttributes(collector);
    return collector.attributes;
  });
}

/// \throws popart::error for elements that a tensor of that shape does not have.
void checkRegions(const Regions& regions, const popart::Shape& shape) {
  const Region full = Region::getFull(shape);
  for (const Region& r : regions)
    if (!full.contains(r) && !r.isEmpty())
      throw popart::error("It returned {}, outside of a tensor of shape {}", r, shape);
}

py::tuple tupleOf(const std::vector<int64_t>& values) { return py::tuple(py::cast(values)); }

py::list boxes(const Regions& regions, const popart::Shape& shape) {
  checkRegions(regions, shape);
  py::list all;
  for (const Region& r : regions)
    if (!r.isEmpty()) all.append(py::make_tuple(tupleOf(r.getLower()), tupleOf(r.getUpper())));
  return all;
}

using Bounds = std::pair<std::vector<int64_t>, std::vector<int64_t>>;

void bindRegions(py::module_& m) {
  m.def("aliases", [](py::handle op, int in, int out) {
    return runOp(op, "aliases", [&](Op& o) { return boxes(o.aliases(in, out), o.inShape(in)); });
  });
  m.def("modifies", [](py::handle op, int in) {
    return runOp(op, "modifies", [&](Op& o) { return boxes(o.modifies(in), o.inShape(in)); });
  });
  m.def("uses", [](py::handle op, int in) {
    return runOp(op, "uses", [&](Op& o) { return boxes(o.uses(in), o.inShape(in)); });
  });
  m.def("fwdRegMap", [](py::handle op, int in, int out, const Bounds& region) {
    return runOp(op, "fwdRegMap", [&](Op& o) {
      return boxes(o.fwdRegMap(in, out)(Region(region.first, region.second)), o.outShape(out));
    });
  });
  m.def("bwdRegMap", [](py::handle op, int in, int out, const Bounds& region) {
    return runOp(op, "bwdRegMap", [&](Op& o) {
      return boxes(o.bwdRegMap(in, out)(Region(region.first, region.second)), o.inShape(in));
    });
  });
}

/// What the compiler asks of every operator, in one go.
py::dict traits(py::handle pyOp) {
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

py::list inplacePriorityDefault(py::handle pyOp) {
  return runOp(pyOp, "inplacePriorityDefault", [](Op& op) {
    py::list variants;
    for (const auto& v : op.inplacePriorityDefault())
      variants.append(py::make_tuple(toPython(std::get<0>(v)), std::get<1>(v)));
    return variants;
  });
}

/// \throws popart::error if setup() has left an output without type and shape, or has changed what
/// is not its own: `outputs` are those that it found.
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

/// Whether the operator's table of virtual functions has another connectInTensor() than `Op` has.
/// By the C++ ABI of Linux a pointer to a virtual member function holds its place in the table, in
/// bytes, plus 1.
bool connectsItself(const Op& op) {
  const auto entry = [](const Op& o) {
    const auto member = &Op::connectInTensor;
    std::ptrdiff_t place = 0;
    std::memcpy(&place, &member, sizeof place);
    const void* table = *reinterpret_cast<const void* const*>(&o);
    return *reinterpret_cast<const void* const*>(static_cast<const char*>(table) + place - 1);
  };
  static const void* const plain = [&] {
    popart::Ir ir;
    popart::Graph graph(ir, "", nullptr);
    return entry(BuiltinOp({"", "", 1}, Op::Settings(graph, "")));
  }();
  return entry(op) != plain;
}

}  // namespace

void bindOps(py::module_& m) {
  py::class_<GraphTwin>(m, "GraphTwin", "The C++ side of a Graph.");
  py::class_<TensorTwin>(m, "TensorTwin", "The C++ side of a Tensor.");
  py::class_<OpTwin>(m, "OpTwin", "The C++ side of an Op.")
      .def("bind", &OpTwin::bind)
      .def("moveTo", [](const OpTwin& t,
                        py::handle pyGraph) { t.op().settings.graph = graphOf(pyGraph).graph; })
      .def("inplacePriorityVeto",
           [](const OpTwin& t) { return t.op().settings.inplacePriorityVeto; })
      .def("excludePatterns", [](const OpTwin& t) { return t.op().settings.excludePatterns; })
      .def("pruneable", [](const OpTwin& t) { return t.op().pruneable; })
      .def("library", [](const OpTwin& t) { return libraryOf(t.op()); })
      .def(
          "connectsItself", [](const OpTwin& t) { return connectsItself(t.op()); },
          "Whether its class has a connectInTensor() of its own.");
  m.def("createOp", createOp);
  m.def("setup", [](py::handle op) {
    runOp(op, "setup", [](Op& o) {
      const std::map<int, std::string> outputs = o.output->tensorIdMap();
      o.setup();
      checkSetup(o, outputs);
    });
  });
  m.def("connectInTensor", [](py::handle op, int index, const std::string& id) {
    runOp(op, "connectInTensor", [&](Op& o) { o.connectInTensor(index, id); });
  });
  m.def("clone",
        [](py::handle op) { return runOp(op, "clone", [](Op& o) { return given(o.clone()); }); });
  m.def("getGradOps", getGradOps);
  m.def("gradInputInfo", gradInputInfo);
  m.def("gradOutToNonGradIn", [](py::handle op) {
    return runOp(op, "gradOutToNonGradIn", [](Op& o) { return o.gradOutToNonGradIn(); });
  });
  m.def("attributeTexts", attributeTexts);
  m.def("traits", traits);
  m.def("getSeedInIndex", [](py::handle op) {
    return runOp(op, "getSeedInIndex", [](Op& o) { return o.getSeedInIndex(); });
  });
  m.def("optionalInputs", [](py::handle op) {
    return runOp(op, "optionalInputs", [](Op& o) { return o.optionalInputs(); });
  });
  m.def("canBeReplacedByIdentity", [](py::handle op) {
    return runOp(op, "canBeReplacedByIdentity", [](Op& o) { return o.canBeReplacedByIdentity(); });
  });
  bindRegions(m);
  m.def("inplacePriorityDefault", inplacePriorityDefault);
  m.def("getInplaceVariant", [](py::handle op, const py::tuple& opid) {
    const OperatorIdentifier id = opidFrom(opid);
    return runOp(op, "getInplaceVariant", [&](Op& o) {
      std::unique_ptr<Op> variant = o.getInplaceVariant(id);
      if (variant != nullptr && variant->opid != id)
        throw popart::error("It was asked for {} and returned {}", id, variant->opid);
      return given(std::move(variant));
    });
  });
}

}  // namespace popir
