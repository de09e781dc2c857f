// poplar.Engine, which keeps alive the arrays that its streams are connected to.
#include "bindings/engine.hpp"

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <poplar/Engine.hpp>

#include <cstring>
#include <map>
#include <sstream>

#include "bindings/numpy.hpp"
#include "bindings/pair.hpp"
#include "bindings/signatures.hpp"
#include "engine/engine.hpp"
#include "kernels/saved_kernel.hpp"
#include "poplar/library_options.hpp"
#include "program/engine_options.hpp"
#include "support/budget.hpp"
#include "support/host_memory.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using namespace poplar;

// Has the engine for as long as it lives, and Python's lock too. A run that is waited for may need
// Python's lock, so nobody waits while they have it.
class Alone {
 public:
  Alone(EngineImpl& engine, const char* who, bool afresh = false) : lock_(engine.lock()) {
    py::gil_scoped_release unlocked;
    lock_.acquire(who, afresh);
  }
  ~Alone() { lock_.release(); }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

 private:
  EngineLock& lock_;
};

using StreamCallback = py::typing::Callable<void(py::array)>;
using Arrays = py::typing::List<py::array>;
using HostCallback = py::typing::Callable<void(Arrays, Arrays)>;
/// Of a table of options: name, kind, type, default, reason.
using OptionRows = py::typing::List<py::typing::Tuple<py::str, py::str, py::str, py::str, py::str>>;

class PyEngine {
 public:
  PyEngine(const Graph& graph, const std::vector<program::Program>& programs,
           const OptionFlags& options, const Progress& progress)
      : engine_(graph, ArrayRef<program::Program>(programs), options, progressOf(progress)) {}
  PyEngine(const Executable& executable, const OptionFlags& options)
      : engine_(Executable(executable), options) {}

  void run(unsigned program) {
    py::gil_scoped_release unlocked;
    engine_.impl().run(program);
  }

  void connectStream(const std::string& handle, const py::array& array) {
    const auto& stream = streamOf(handle, "Engine.connectStream");
    check("Engine.connectStream", handle, array, stream.elementType());
    const bool out = stream.direction() == DataStream::Direction::DeviceToHost;
    if (out && !array.writeable())
      throw stream_connection_error("Engine.connectStream: '" + handle +
                                    "' is written by the device, the array given is read-only");
    auto* begin = static_cast<char*>(const_cast<void*>(array.data()));
    const Alone alone(impl(), "Engine.connectStream");
    engine_.impl().connect(handle, begin, begin + array.nbytes());
    connected_[handle] = array;
  }

  // Called with an array of its own: what the device sent, or zeros to fill for it.
  void connectStreamToCallback(const std::string& handle, const StreamCallback& callback) {
    const auto stream = streamOf(handle, "Engine.connectStreamToCallback");
    const bool out = stream.direction() == DataStream::Direction::DeviceToHost;
    auto held = std::make_shared<py::object>(callback);
    const Alone alone(impl(), "Engine.connectStreamToCallback");
    engine_.impl().connect(handle, StreamCallbackHandle([held, out, type = stream.elementType(),
                                                         n = stream.numElements()](void* buffer) {
                             py::gil_scoped_acquire locked;
                             const auto array = out ? copied(type, n, buffer) : zeros(type, n);
                             (*held)(array);
                             if (!out) std::memcpy(buffer, array.data(), array.nbytes());
                           }));
    connected_[handle] = callback;
  }

  // Called with two lists of arrays of their own: the inputs, and zeros to fill for the outputs.
  void connectHostFunction(const std::string& handle, const HostCallback& callback) {
    const auto held = std::make_shared<py::object>(callback);
    HostFunction function;
    for (const auto& f : engine_.impl().graph().hostFunctions)
      if (f.handle() == handle) function = f;
    const Alone alone(impl(), "Engine.connectHostFunction");
    engine_.connectHostFunction(
        handle, HostCallbackHandle([=](ArrayRef<const void*> inputs, ArrayRef<void*> outputs) {
          py::gil_scoped_acquire locked;
          py::list in, out;
          for (std::size_t i = 0; i < inputs.size(); ++i) {
            const auto& argument = function.inputs()[i];
            in.append(copied(argument.type, argument.numElements, inputs[i]));
          }
          std::vector<py::array> filled;  // the callback may change its list
          for (const auto& argument : function.outputs()) {
            filled.push_back(zeros(argument.type, argument.numElements));
            out.append(filled.back());
          }
          (*held)(in, out);
          for (std::size_t i = 0; i < outputs.size(); ++i)
            std::memcpy(outputs[i], filled[i].data(), filled[i].nbytes());
        }));
    functions_[handle] = callback;
  }

  void writeTensor(const std::string& handle, const py::array& array) {
    check("Engine.writeTensor", handle, array,
          typeOfHandle(engine_.impl().graph().hostWrites, handle));
    const Alone alone(impl(), "Engine.writeTensor");
    engine_.writeTensor(handle, array.data(),
                        static_cast<const char*>(array.data()) + array.nbytes());
  }

  void readTensor(const std::string& handle, py::array& array) {
    check("Engine.readTensor", handle, array,
          typeOfHandle(engine_.impl().graph().hostReads, handle));
    if (!array.writeable())
      throw stream_connection_error("Engine.readTensor: '" + handle +
                                    "' is read into the array given, which is read-only");
    auto* begin = static_cast<char*>(array.mutable_data());
    const Alone alone(impl(), "Engine.readTensor");
    engine_.readTensor(handle, begin, begin + array.nbytes());
  }

  EngineImpl& impl() { return engine_.impl(); }

  static ProgressFunc progressOf(const Progress& progress) {
    if (progress.is_none()) return {};
    return [progress](int done, int total) { progress(done, total); };
  }

 private:
  const DataStream& streamOf(const std::string& handle, const char* who) {
    for (const auto& s : engine_.impl().graph().streams)
      if (s.handle() == handle) return s;
    throw stream_connection_error(std::string(who) + ": no stream '" + handle + "'");
  }

  // Arrays of one dimension, of a type's elements.
  static py::array copied(const Type& type, std::size_t n, const void* data) {
    return py::array(dtypeOf(type), n, data);
  }
  static py::array zeros(const Type& type, std::size_t n) {
    auto array = py::array(dtypeOf(type), n);
    std::memset(array.mutable_data(), 0, array.nbytes());
    return array;
  }

  static Type typeOfHandle(const std::map<std::string, Tensor>& handles,
                           const std::string& handle) {
    const auto found = handles.find(handle);
    return found == handles.end() ? Type() : found->second.elementType();
  }

  static void check(const char* who, const std::string& handle, const py::array& array,
                    const Type& type) {
    if (!(array.flags() & py::array::c_style))
      throw stream_connection_error(std::string(who) + ": the array for '" + handle +
                                    "' is not C-contiguous; use numpy.ascontiguousarray");
    if (type != Type() && array.itemsize() == static_cast<py::ssize_t>(type.sizeInBytes()) &&
        array.dtype().equal(dtypeOf(type)))
      return;
    if (type != Type())
      throw stream_connection_error(std::string(who) + ": '" + handle + "' holds " +
                                    type.toString() + ", an array of dtype " +
                                    py::cast<std::string>(py::str(array.dtype())) + " given");
  }

  Engine engine_;
  std::map<std::string, py::object> connected_, functions_;
};

}  // namespace

using Arguments = std::vector<Pair<Type, std::size_t>>;

HostFunction addHostFunction(Graph& graph, const std::string& handle, const Arguments& inputs,
                             const Arguments& outputs) {
  const auto listed = [](const Arguments& given) {
    std::vector<HostFunctionArgument> all;
    for (const auto& [type, n] : given) all.emplace_back(type, n);
    return all;
  };
  return graph.addHostFunction(handle, listed(inputs), listed(outputs));
}

void bindHostFunctions(py::module_& m) {
  py::class_<HostFunction>(
      m, "HostFunction",
      "A function of the host that programs call; see Engine.connectHostFunction.")
      .def("handle", &HostFunction::handle, "The name that the host connects it by.");
  py::reinterpret_borrow<py::class_<Graph>>(m.attr("Graph"))
      .def("addHostFunction", &addHostFunction, py::arg("handle"), py::arg("inputs"),
           py::arg("outputs"),
           "A new function of the host. Its arguments are pairs of a type and a number of "
           "elements.");
  using program::Call;
  py::reinterpret_borrow<py::class_<Call>>(m.attr("program").attr("Call"))
      .def(py::init([](const HostFunction& f, const std::vector<Tensor>& inputs,
                       const std::vector<Tensor>& outputs,
                       const DebugContext& context) { return Call(f, inputs, outputs, context); }),
           py::arg("function"), py::arg("inputs"), py::arg("outputs"), debugContext());
}

void bindExecutable(py::module_& m) {
  py::class_<Executable>(m, "Executable", "A graph and its programs, checked, as bytes.")
      .def(
          "serialize",
          [](const Executable& e) {
            std::ostringstream out;
            e.serialize(out);
            return py::bytes(out.str());
          },
          "The executable as bytes, for deserialize.")
      .def_static(
          "deserialize",
          [](const py::bytes& bytes) {
            std::istringstream in{std::string(bytes)};
            return Executable::deserialize(in);
          },
          py::arg("bytes"),
          "An executable from its bytes. Raises poplar_exception for bytes that are none.");
  m.def("_saved_kernel_names", &savedKernelNames, "Kernels that an executable may have.");
  m.def(
      "compileGraph",
      [](const Graph& graph, const std::vector<program::Program>& programs,
         const OptionFlags& options) {
        return compileGraph(graph, ArrayRef<program::Program>(programs), options);
      },
      py::arg("graph"), py::arg("programs"), py::arg("options") = OptionFlags(),
      "Checks programs and what they use, for engines that are made of the result. "
      "Raises poplar_exception and its kinds for what is wrong with them.");
}

constexpr const char* kNeutral = "; it asks for nothing, so nothing is said";

OptionRows asRows(const std::vector<OptionRow>& table, const std::string& before = "",
                  OptionRows rows = OptionRows()) {
  const auto kind = [](const OptionRow& row) {
    switch (row.kind) {
      case OptionRow::Kind::Acts: return "acts";
      case OptionRow::Kind::Refused: return "refused";
      default: return "no-meaning";
    }
  };
  for (const auto& row : table)
    rows.append(py::make_tuple(before + row.name, kind(row), typeText(row), row.otherwise,
                               row.reason + std::string(row.neutral ? kNeutral : "")));
  return rows;
}

void warnOfOption(const std::string& note) {
  const py::gil_scoped_acquire locked;
  const py::object kind = py::module_::import("popir.options").attr("OptionWarning");
  if (PyErr_WarnEx(kind.ptr(), note.c_str(), 1) != 0) throw py::error_already_set();
}

void bindOptions(py::module_& m) {
  setOptionNotes(warnOfOption);
  m.def(
      "engineOptionTable", [] { return asRows(engineOptionTable()); },
      "Name, kind, type, default and reason of each option of an Engine.");
  m.def(
      "deviceOptionTable", [] { return asRows(deviceOptionTable()); },
      "The same of the options of devices that are no figures of the machine.");
  m.def(
      "libraryOptionTable",
      [] {
        OptionRows all;
        for (const auto& table : libraryOptionTables())
          asRows(table.rows, std::string(table.functions) + ".", all);
        return all;
      },
      "The same of the options of functions of poplin, popops, popnn and gcl.");
  m.def(
      "checkEngineOptions",
      [](const OptionFlags& options) {
        return checkOptions("Engine", engineOptionTable(), options);
      },
      py::arg("options"),
      "What is to be said of options that have no meaning. Raises poplar_invalid_option for those "
      "that there are not, that are refused, or that have a value which they do not take.");
}

void bindEngine(py::module_& m) {
  bindHostFunctions(m);
  bindOptions(m);
  bindExecutable(m);
  m.def("availableMemory", &availableMemory,
        "Bytes that this process can still take from the host.");
  m.def("spend", &spend, py::arg("units"), "Counts work of this thread; see popir.budget.");
  m.def(
      "budgetOfThread",
      [] {
        const auto budget = budgetOfThread();
        return std::make_pair(budget.spent, budget.limit);
      },
      "What this thread has spent, and may spend at most.");
  m.def(
      "setBudgetOfThread",
      [](std::uint64_t spent, std::uint64_t limit) {
        setBudgetOfThread({spent, limit});
      },
      py::arg("spent"), py::arg("limit"), "Sets what budgetOfThread gives; see popir.budget.");
  py::class_<PyEngine>(
      m, "Engine",
      "Programs of a graph, planned once and run many times (Poplar: "
      "poplar/Engine.hpp). `progress` is called with how much of the planning is done, "
      "and of how much.")
      .def(py::init<const Graph&, const std::vector<program::Program>&, const OptionFlags&,
                    const Progress&>(),
           py::arg("graph"), py::arg("programs"), py::arg("options") = OptionFlags(),
           py::arg("progress") = py::none())
      .def(py::init([](const Graph& graph, const program::Program& program,
                       const OptionFlags& options, const Progress& progress) {
             return std::make_unique<PyEngine>(graph, std::vector<program::Program>{program},
                                               options, progress);
           }),
           py::arg("graph"), py::arg("program"), py::arg("options") = OptionFlags(),
           py::arg("progress") = py::none())
      .def(py::init<const Executable&, const OptionFlags&>(), py::arg("executable"),
           py::arg("options") = OptionFlags())
      .def(
          "load",
          [](PyEngine& e, const Device& d) {
            const Alone alone(e.impl(), "Engine.load", true);
            e.impl().load(d);
          },
          py::arg("device"),
          "Prepares a device for the programs, and sets variables to their initial values.")
      .def("run", &PyEngine::run, py::arg("program") = 0,
           "Runs one of the programs. Raises poplar_stream_connection_error for a stream "
           "that is not connected.")
      .def("connectStream", &PyEngine::connectStream, py::arg("handle"),
           py::arg("array").noconvert(),
           "Binds an array: the device works on its memory. It is kept alive until another one is "
           "connected.")
      .def("connectStreamToCallback", &PyEngine::connectStreamToCallback, py::arg("handle"),
           py::arg("callback"),
           "Called with an array of the stream's elements: of a host-to-device stream to fill, it "
           "begins with zeros; of a device-to-host stream to read, it may be kept.")
      .def("connectHostFunction", &PyEngine::connectHostFunction, py::arg("handle"),
           py::arg("callback"),
           "Called with two lists of arrays: inputs, to read, and outputs, to fill.")
      .def("writeTensor", &PyEngine::writeTensor, py::arg("handle"), py::arg("array").noconvert(),
           "Copies a C-contiguous array of the tensor's type and size to the device; see "
           "Graph.createHostWrite.")
      .def("readTensor", &PyEngine::readTensor, py::arg("handle"), py::arg("array").noconvert(),
           "Copies a tensor of the device into a C-contiguous array of its type and size; "
           "see Graph.createHostRead.")
      .def(
          "numThreads", [](PyEngine& e) { return e.impl().threads(); },
          "The number of threads that the engine runs on.")
      .def(
          "arenaBytes", [](PyEngine& e) { return e.impl().arenaBytes(); },
          "The bytes of the memory that the engine's variables share.")
      .def(
          "planText", [](PyEngine& e) { return e.impl().planText(); },
          "One line an instruction: what runs and in which layouts; then what the engine's passes "
          "did.")
      .def(
          "hostProfile",
          [](PyEngine& e, unsigned program) {
            const Alone alone(e.impl(), "Engine.hostProfile");
            std::vector<std::tuple<std::vector<std::string>, std::string, std::uint64_t, double>>
                rows;
            for (const auto& r : e.impl().hostProfile(program))
              rows.emplace_back(r.names, r.text, r.time.runs,
                                static_cast<double>(r.time.nanoseconds) * 1e-9);
            return rows;
          },
          py::arg("program") = 0,
          "Names of the steps that it came from, line of planText(), runs and seconds of each "
          "instruction, over all runs of an engine made with the option host.profile = 'true'.")
      .def(
          "machineReport",
          [](PyEngine& e, unsigned program, const Progress& progress) -> Values {
            const Alone alone(e.impl(), "Engine.machineReport");
            return machineReport(e.impl(), program, PyEngine::progressOf(progress));
          },
          py::arg("program") = 0, py::arg("progress") = py::none(),
          "What one run of a program costs on the graph's target; popir.profile reads it.");
}

}  // namespace popir
