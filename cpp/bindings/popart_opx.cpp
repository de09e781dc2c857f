// popir.popart: binds Opxs and patterns that are written in C++.
#include <pybind11/stl.h>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/irlowering.hpp>
#include <popart/popx/opxbase.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/transforms/transform.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "bindings/popart_run.hpp"
#include "bindings/signatures.hpp"
#include "poplar/tangle.hpp"
#include "poplar/view.hpp"
#include "program/growth.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using popart::Op;
using popart::popx::Devicex;
using popart::popx::OpxBase;

/// Owns an Opx, and keeps alive the operator and the Devicex that it points to.
class OpxTwin {
 public:
  /// Runs code of the Opx; `function` is its name in messages.
  template <class Code>
  auto call(const char* function, const Code& code) const {
    return runOp(op_, function, code);
  }
  OpxTwin(PyOp op, py::object devicex) : op_(std::move(op)), devicex_(std::move(devicex)) {
    opx_ = call("the Opx's constructor", [&](Op& o) {
      return popart::popx::OpxManager::createOpx(&o, devicex_.cast<Devicex*>());
    });
    if (opx_ == nullptr)
      raise("MissingOpxError", "No library has an Opx for " + py::str(op_).cast<std::string>());
  }
  /// The operator's C++ object, updated.
  Op& op() const { return opOf(op_); }
  const OpxBase& opx() const { return *opx_; }
  Devicex& devicex() const { return *devicex_.cast<Devicex*>(); }

 private:
  py::object op_;
  py::object devicex_;
  std::unique_ptr<OpxBase> opx_;
};

using Ids = std::vector<std::string>;
/// The variables that a tensor shows, ascending, and whether it is tangled.
using Shown = std::pair<std::vector<unsigned>, bool>;

Shown shownBy(const poplar::Tensor& t) { return {t.view().variables(), isTangled(t.view())}; }

std::vector<poplar::Tensor> tensorsOf(const Devicex& devicex, const Ids& ids) {
  std::vector<poplar::Tensor> found;
  for (const auto& id : ids) found.push_back(devicex.get(id));
  return found;
}

/// Growths of operators that are alike, the one that was repeated last at the front: the next
/// operator probably lies like that one.
class KnownGrowths {
 public:
  using Grown = std::tuple<poplar::program::Sequence, std::vector<unsigned>, std::vector<Shown>>;

  std::size_t size() const { return known_.size(); }
  void add(const Growth& growth) { known_.insert(known_.begin(), growth); }

  std::optional<Grown> repeat(Devicex& d, const Ids& inputs, const Ids& outputs,
                              const std::string& prefix, const std::string& name) {
    return translated([&]() -> std::optional<Grown> {
      const auto given = tensorsOf(d, inputs);
      for (auto growth = known_.begin(); growth != known_.end(); ++growth) {
        poplar::program::Sequence prog{poplar::DebugContext(name)};
        auto made = growth->repeat(prog, given, prefix);
        if (!made) continue;
        std::rotate(known_.begin(), growth, growth + 1);
        std::vector<Shown> shown;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
          d.insert(outputs[i], made->outputs.at(i));
          shown.push_back(shownBy(made->outputs[i]));
        }
        return Grown(std::move(prog), std::move(made->written), std::move(shown));
      }
      return std::nullopt;
    });
  }

 private:
  std::vector<Growth> known_;
};

void bindGrowth(py::module_& m) {
  py::class_<Growth>(m, "Growth",
                     "What one operator has added to the graph of a Devicex: variables, bulk\n"
                     "vertices and a program. The same can be added again for operators like it.")
      .def(py::init([](const Devicex& d) { return Growth(d.graph()); }), py::arg("devicex"),
           "Begins: what the graph gets from now on.")
      .def(
          "end",
          [](Growth& g, const Devicex& d, const poplar::program::Sequence& prog, const Ids& inputs,
             const Ids& outputs, const std::string& prefix) {
            return translated([&] {
              return g.end(d.graph(), prog, tensorsOf(d, inputs), tensorsOf(d, outputs), prefix);
            });
          },
          py::arg("devicex"), py::arg("prog"), py::arg("inputs"), py::arg("outputs"),
          py::arg("prefix"),
          "Ends, with the program, the ids of the operator's tensors, and the prefix of all\n"
          "names. Returns whether it can be repeated: not if a tensor shows a variable that is\n"
          "neither new nor an input's, if a name lacks the prefix, or if something else was\n"
          "added, such as a codelet's vertex, a stream or a function. Raises\n"
          "popart_exception for an id without a tensor.");
  py::class_<KnownGrowths>(
      m, "KnownGrowths",
      "Growths of operators that are alike, but whose inputs lie in different\n"
      "ways.")
      .def(py::init<>())
      .def("__len__", &KnownGrowths::size)
      .def("add", &KnownGrowths::add, py::arg("growth"),
           "Adds a growth whose `end` has returned True.")
      .def("repeat", &KnownGrowths::repeat, py::arg("devicex"), py::arg("inputs"),
           py::arg("outputs"), py::arg("prefix"), py::arg("name"),
           "Adds the same for other inputs and another prefix, by the first growth with inputs\n"
           "that lie as these, and inserts the outputs into the Devicex. Returns the program, of\n"
           "this name; the ids of the variables that it writes and that were there before,\n"
           "ascending; and of each output what `Devicex.shown` returns. Returns None, and adds\n"
           "nothing, if there is no such growth. Raises popart_exception for an input without\n"
           "a tensor, WorkLimitError as growing does.");
}

/// \throws popart::error for a tensor of another type or shape than setup() has set, or of another
/// graph than the Devicex has; the message begins with `what`
void checkTensor(const std::string& what, const Devicex& devicex, const poplar::Tensor& tensor,
                 const popart::TensorInfo& info) {
  if (!tensor.valid()) throw popart::error("{} that is no tensor at all", what);
  if (tensor.view().graph() != devicex.graph().impl().get())
    throw popart::error("{} of another poplar::Graph than graph()", what);
  if (tensor.shape() != info.shape_szt())
    throw popart::error("{} of shape {}; setup() says {}", what, tensor.shape(), info.shape());
  if (tensor.elementType() != popart::popx::popType(info))
    throw popart::error("{} of type {}; setup() says {}", what,
                        std::string(tensor.elementType().toString()), info);
}

std::vector<std::size_t> withoutLeadingOnes(std::vector<std::size_t> shape) {
  shape.erase(shape.begin(),
              std::find_if(shape.begin(), shape.end(), [](std::size_t n) { return n != 1; }));
  return shape;
}

/// Gives outputs the shapes that setup() says, from which they may differ by leading dimensions of 1.
/// \throws popart::error for an output that was not set, or does not pass checkTensor()
void checkOutputs(const Op& op, Devicex& devicex) {
  for (const auto& output : op.output->tensorMap()) {
    const popart::Tensor& tensor = *output.second;
    if (!devicex.contains(tensor.id))
      throw popart::error(
          "It did not set output {}, '{}'; call setOutTensor({}, ...), or insert(outId({}), ...)",
          output.first, tensor.id, output.first, output.first);
    if (!tensor.info.isSet()) continue;
    const auto made = devicex.get(tensor.id);
    const auto shape = tensor.info.shape_szt();
    if (made.valid() && made.shape() != shape &&
        withoutLeadingOnes(made.shape()) == withoutLeadingOnes(shape))
      devicex.insert(tensor.id, made.reshape(shape));
    checkTensor(popart::logging::format("It set output {}, '{}',", output.first, tensor.id),
                devicex, devicex.get(tensor.id), tensor.info);
  }
}

/// Returns `made`, a tensor for an input of an operator.
/// \throws popart::error if it does not pass checkTensor()
poplar::Tensor checkInput(const poplar::Tensor& made, const Devicex& devicex, const Op& op,
                          int index) {
  checkTensor(popart::logging::format("It made, for input {}, '{}', a tensor", index,
                                      op.inTensor(index)->id),
              devicex, made, op.inInfo(index));
  return made;
}

/// Owns a pattern of a library.
class PatternTwin {
 public:
  template <class Code>
  auto call(const char* function, const Code& code) const {
    return run([&] { return place(name_, function, library_); }, code);
  }
  explicit PatternTwin(const std::string& name) {
    for (const PatternRecord& record : Registry::instance().patterns()) {
      if (record.name != name) continue;
      name_ = "The pattern '" + name + "'";
      library_ = record.origin.path;
      pattern_ = call("the constructor", [&] { return record.factory(); });
    }
    if (pattern_ == nullptr)
      raise("popart_internal_exception", "No library has a pattern '" + name + "'");
  }
  const popart::PreAliasPattern& pattern() const { return *pattern_; }

 private:
  std::string name_;
  std::string library_;
  std::unique_ptr<popart::PreAliasPattern> pattern_;
};

}  // namespace

void bindOpxs(py::module_& m) {
  py::class_<Devicex>(
      m, "Devicex",
      "The graph and the tensors, by id, of one lowering. Python and C++ Opxs share it\n"
      "(PopART: popart/popx/devicex.hpp).")
      .def(py::init<poplar::Graph&>(), py::arg("graph"), py::keep_alive<1, 2>())
      .def("graph", &Devicex::graph, py::return_value_policy::reference_internal,
           "The graph to which Opxs add.")
      .def(
          "useTiles",
          [](Devicex& d, unsigned lower, unsigned upper) {
            auto whole = d.graph().getTopLevelGraph();
            const bool isAll = lower == 0 && upper == whole.getTarget().getNumTiles();
            d.graph() = isAll ? std::move(whole) : whole.createVirtualGraph(lower, upper);
          },
          py::arg("lowerTile"), py::arg("upperTile"),
          "Restricts the graph object of the constructor to tiles [lowerTile, upperTile) of the\n"
          "same graph: it becomes a virtual graph of them.\n"
          "Raises poplar_invalid_tile_mapping as Graph.createVirtualGraph does.")
      .def(
          "mapLinearly",
          [](Devicex& d, const poplar::Tensor& tensor) {
            translated([&] { d.lowering().getLinearMapper().mapTensor(d.graph(), tensor); });
          },
          py::arg("tensor"),
          "Spreads the tensor over the tiles of the graph object, from the tile on where the one\n"
          "before ended, as PopART's LinearMapper does. Raises popart_exception for a tensor of\n"
          "another graph.")
      .def(
          "useOptions",
          [](Devicex& d, const poplar::OptionFlags& matmul, const poplar::OptionFlags& lstm) {
            d.lowering().matmulOptions = matmul;
            d.lowering().lstmOptions = lstm;
          },
          py::arg("matmulOptions"), py::arg("lstmOptions"),
          "Sets the options of matrix products and LSTMs that Opxs of\n"
          "libraries read from the lowering.")
      .def("insert", &Devicex::insert, py::arg("id"), py::arg("tensor"),
           "Sets or replaces the tensor of that id.")
      .def("contains", &Devicex::contains, py::arg("id"), "Whether there is a tensor of that id.")
      .def(
          "get",
          [](const Devicex& d, const std::string& id) {
            return translated([&] { return d.get(id); });
          },
          py::arg("id"), "The tensor of that id. Raises popart_exception if there is none.")
      .def(
          "variables",
          [](const Devicex& d, const std::string& id) {
            return translated([&] { return d.get(id).view().variables(); });
          },
          py::arg("id"),
          "The ids of the variables that the tensor of that id is a view of, ascending.\n"
          "Raises popart_exception if there is no such tensor.")
      .def(
          "shown",
          [](const Devicex& d, const std::string& id) {
            return translated([&] { return shownBy(d.get(id)); });
          },
          py::arg("id"),
          "What `variables` returns, and whether the tensor of that id is tangled.\n"
          "Raises popart_exception if there is none.")
      .def("erase", &Devicex::erase, py::arg("id"), "Forgets the tensor of that id.");
  bindGrowth(m);
  const py::arg inIndex("inIndex"), outIndex("outIndex");
  py::class_<OpxTwin>(
      m, "OpxTwin",
      "An Opx of a library, for the compiler's CppOpx. Errors in its code become the\n"
      "exception of the same name, or popart_exception; the message names the\n"
      "operator and the library.")
      .def(py::init([](PyOp op, const OneOf<Devicex>& devicex) {
             return std::make_unique<OpxTwin>(std::move(op), devicex);
           }),
           py::arg("op"), py::arg("devicex"),
           "Makes the Opx of the operator. Raises MissingOpxError if no library has one.")
      .def(
          "grow",
          [](const OpxTwin& t, poplar::program::Sequence& prog) {
            const char* function = "outputCreatedExternally";
            Op& op = t.op();
            run([&] { return place(op.debugName(), function, libraryOf(op)); },
                [&] {
                  t.opx().makeOutputs();
                  function = "grow";
                  t.opx().growProgram(prog);
                  checkOutputs(op, t.devicex());
                });
          },
          py::arg("prog"),
          "Appends the operator to `prog`, and inserts its outputs into the Devicex.\n"
          "Raises popart_exception for an output that is missing, or has another shape or\n"
          "type than setup() has set.")
      .def(
          "inputCreatorPriority", [](const OpxTwin& t) { return t.opx().inputCreatorPriority; },
          "The Opx's priority: of several Opxs that can create a tensor, the one with\n"
          "the largest number does.")
      .def(
          "getInputCreatorType",
          [](const OpxTwin& t, int index) {
            // In the order of popart::popx::InputCreatorType.
            static const char* const names[] = {"CanCreate", "CanUnwind",   "CanCreateOrUnwind",
                                                "Deadend",   "CanDelegate", "CanUnwind"};
            return t.call("getInputCreatorType", [&](Op&) {
              const auto says = static_cast<std::size_t>(t.opx().getInputCreatorType(index));
              if (says < std::size(names)) return names[says];
              throw popart::error("It returned {}, which is no InputCreatorType", says);
            });
          },
          inIndex,
          "How the Opx determines the layout of an input: the name of an InputCreatorType.\n"
          "CanDelegateOrUnwind is given as CanUnwind.")
      .def(
          "createInputTensor",
          [](const OpxTwin& t, int index, const std::string& name) {
            return t.call("createInputTensor", [&](Op& op) {
              return checkInput(t.opx().makeInput(index, name), t.devicex(), op, index);
            });
          },
          inIndex, py::arg("name"),
          "A new tensor for an input, in the layout that the Opx prefers.\n"
          "Raises popart_exception if it has another shape or type than the input.")
      .def(
          "mustExistBeforeCreate",
          [](const OpxTwin& t, int index) {
            return t.call("mustExistBeforeCreate",
                          [&](Op&) { return t.opx().mustExistBeforeCreateDNF(index); });
          },
          inIndex,
          "The tensors that createInputTensor() needs, as alternative sets of ids: all\n"
          "tensors of one set must exist.")
      .def(
          "canUnwind",
          [](const OpxTwin& t, int in, int out) {
            return t.call("canUnwind", [&](Op&) { return t.opx().canUnwind(in, out); });
          },
          inIndex, outIndex, "Whether the layout of an output determines that of an input.")
      .def(
          "unwindTensorLayout",
          [](const OpxTwin& t, const poplar::Tensor& tensor, int in, int out) {
            return t.call("unwindTensorLayout", [&](Op& op) {
              return checkInput(t.opx().makeUnwound(tensor, in, out), t.devicex(), op, in);
            });
          },
          py::arg("tensor"), inIndex, outIndex,
          "A new tensor for an input, in a layout that gives the output the layout of `tensor`.\n"
          "Raises popart_exception if it has another shape or type than the input.");
}

void bindPatterns(py::module_& m) {
  py::class_<PatternTwin>(
      m, "PatternTwin",
      "A PreAliasPattern of a library, for the compiler's CppPattern. Errors in its code\n"
      "become exceptions as for OpxTwin.")
      .def(py::init<const std::string&>(), py::arg("name"),
           "Makes the pattern of that name. Raises popart_internal_exception if there is none.")
      .def(
          "matches",
          [](const PatternTwin& t, const PyOp& op) {
            return t.call("matches", [&] { return t.pattern().matches(&opOf(op)); });
          },
          py::arg("op"), "Whether the pattern applies to the operator.")
      .def(
          "touches",
          [](const PatternTwin& t, const PyOp& op) {
            return t.call("touches", [&] {
              py::typing::List<PyTensor> tensors;
              for (const popart::Tensor* tensor : t.pattern().touches(&opOf(op))) {
                if (tensor == nullptr)
                  throw popart::error("It returned a null pointer in place of a tensor");
                tensors.append(pythonOf(*tensor));
              }
              return tensors;
            });
          },
          py::arg("op"), "The tensors that apply() may change or remove.")
      .def(
          "apply",
          [](const PatternTwin& t, const PyOp& op) {
            return t.call("apply", [&] { return t.pattern().apply(&opOf(op)); });
          },
          py::arg("op"),
          "Changes the graph around the operator. Returns whether it has changed it.");
  m.def(
      "applyTransform",
      [](const std::string& name, const py::object& graph, int batchesPerStep,
         const std::map<std::string, std::pair<std::string, int>>& anchors,
         const std::string& loss) {
        GraphTwin& twin = graphOf(graph);
        popart::AnchorReturnTypeMap arts;
        for (const auto& [id, art] : anchors)
          arts.emplace(id, art.first == "EveryN" ? popart::AnchorReturnType(art.first, art.second)
                                                 : popart::AnchorReturnType(art.first));
        twin.ir.setDataFlow(popart::DataFlow(batchesPerStep, arts));
        if (!loss.empty() && twin.ir.containsTensor(loss)) twin.ir.setFinalLoss(loss);
        twin.ir.updateVertices();
        return run([&] { return popart::logging::format(" (the transform '{}')", name); },
                   [&] {
                     return popart::Transform::applyTransform(
                         popart::Transform::getIdFromName(name), twin.graph);
                   });
      },
      py::arg("name"), py::arg("graph"), py::arg("batchesPerStep"), py::arg("anchors"),
      py::arg("loss"),
      "Runs a transform of a library or program. Returns whether it has changed the graph.\n"
      "The graph's Ir has the anchors, with their return types and periods, and the loss if it is\n"
      "not empty; its operators know where they stand with respect to the loss.\n"
      "Raises popart_exception if none has that name.");
}

}  // namespace popir
