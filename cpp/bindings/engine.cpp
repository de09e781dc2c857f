// popir.poplar: Engine and the replicas of one. An Engine in Python keeps alive the arrays and
// callbacks that are connected to it.
#include "bindings/engine.hpp"

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <poplar/Engine.hpp>
#include <pva/pva.hpp>

#include <cstring>
#include <map>
#include <optional>
#include <sstream>

#include "bindings/numpy.hpp"
#include "bindings/pair.hpp"
#include "bindings/signatures.hpp"
#include "engine/engine.hpp"
#include "engine/mpi.hpp"
#include "engine/replicas.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using namespace poplar;

// Holds the engine's lock for its scope. The constructor releases Python's lock (the GIL) while it
// waits, because the run that it waits for may need that lock for a callback.
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

class PyEngine {
 public:
  PyEngine(const Graph& graph, const std::vector<program::Program>& programs,
           const OptionFlags& options, const Progress& progress)
      : engine_(graph, ArrayRef<program::Program>(programs), options, progressOf(progress)) {
    impl().runAlone();
  }
  PyEngine(const Executable& executable, const OptionFlags& options)
      : engine_(Executable(executable), options) {
    impl().runAlone();
  }

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

  // Each call gets a new array: what the device has sent, or zeros for the callback to fill.
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

  // Each call gets two lists of new arrays: the inputs, and zeros to fill for the outputs.
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
    checkTensor("Engine.writeTensor", engine_.impl().graph().hostWrites, handle, array);
    const Alone alone(impl(), "Engine.writeTensor");
    engine_.writeTensor(handle, array.data(),
                        static_cast<const char*>(array.data()) + array.nbytes());
    lent_.erase(handle);
  }

  bool lendTensor(const std::string& handle, const py::array& array,
                  const std::optional<py::typing::Callable<void()>>& released) {
    if (array.writeable())
      throw tensor_io_state_error("Engine.lendTensor: the array for '" + handle +
                                  "' is not read-only; writeTensor copies it");
    const auto& handles = engine_.impl().graph().hostWrites;
    checkTensor("Engine.lendTensor", handles, handle, array);
    {
      const Alone alone(impl(), "Engine.lendTensor");
      const auto release = [this, handle] {
        py::gil_scoped_acquire locked;
        const auto lent = lent_.extract(handle);
        if (!lent.mapped().released.is_none()) lent.mapped().released();
      };
      if (handles.count(handle) > 0 && impl().lend(handle, array.data(), release)) {
        lent_[handle] = {array, released ? py::object(*released) : py::none()};
        return true;
      }
    }
    writeTensor(handle, array);
    return false;
  }

  void load(const Device& device) {
    const Alone alone(impl(), "Engine.load", true);
    impl().load(device);
    lent_.clear();
  }

  void readTensor(const std::string& handle, py::array& array) {
    checkTensor("Engine.readTensor", engine_.impl().graph().hostReads, handle, array);
    if (!array.writeable())
      throw stream_connection_error("Engine.readTensor: '" + handle +
                                    "' is read into the array given, which is read-only");
    auto* begin = static_cast<char*>(array.mutable_data());
    // After a fork in a run the engine itself refuses what is not there in packed form.
    const Alone alone(impl(), "Engine.readTensor", true);
    engine_.readTensor(handle, begin, begin + array.nbytes());
  }

  void copyToRemoteBuffer(const py::array& array, const std::string& handle, unsigned row) {
    checkRow("Engine.copyToRemoteBuffer", array, handle);
    engine_.copyToRemoteBuffer(array.data(), handle, row);
  }

  void copyFromRemoteBuffer(const std::string& handle, py::array& array, unsigned row) {
    constexpr const char* who = "Engine.copyFromRemoteBuffer";
    checkRow(who, array, handle);
    if (!array.writeable())
      throw stream_connection_error(std::string(who) + ": a row of '" + handle +
                                    "' is read into the array given, which is read-only");
    engine_.copyFromRemoteBuffer(handle, array.mutable_data(), row);
  }

  EngineImpl& impl() { return engine_.impl(); }

  py::capsule report() {
    const Alone alone(impl(), "Engine.getReport");
    return {new pva::Report(engine_.getReport()),
            [](void* report) { delete static_cast<pva::Report*>(report); }};
  }

  py::capsule own() {
    return {&engine_, [](void*) {}};
  }

  static ProgressFunc progressOf(const Progress& progress) {
    if (progress.is_none()) return {};
    return [progress](int done, int total) { progress(done, total); };
  }

 private:
  void checkRow(const char* who, const py::array& array, const std::string& handle) {
    const auto bytes = impl().remoteRowBytes(who, handle);
    if (!(array.flags() & py::array::c_style) || static_cast<std::size_t>(array.nbytes()) != bytes)
      throw stream_connection_error(std::string(who) + ": a row of '" + handle + "' has " +
                                    std::to_string(bytes) + " bytes; given was an array of " +
                                    std::to_string(array.nbytes()) +
                                    " bytes; it has to be C-contiguous, and of that size");
  }

  const DataStream& streamOf(const std::string& handle, const char* who) {
    for (const auto& s : engine_.impl().graph().streams)
      if (s.handle() == handle) return s;
    throw stream_connection_error(std::string(who) + ": no stream '" + handle + "'");
  }

  // New arrays of one dimension: with a copy of `data`, or with zeros.
  static py::array copied(const Type& type, std::size_t n, const void* data) {
    return py::array(dtypeOf(type), n, data);
  }
  static py::array zeros(const Type& type, std::size_t n) {
    auto array = py::array(dtypeOf(type), n);
    std::memset(array.mutable_data(), 0, array.nbytes());
    return array;
  }

  // Checks that an array fits the tensor with the handle. The engine refuses an unknown handle.
  static void checkTensor(const char* who, const std::map<std::string, Tensor>& handles,
                          const std::string& handle, const py::array& array) {
    const auto found = handles.find(handle);
    const bool known = found != handles.end();
    check(who, handle, array, known ? found->second.elementType() : Type());
    if (known && static_cast<std::size_t>(array.size()) != found->second.numElements())
      throw tensor_io_state_error(std::string(who) + ": '" + handle + "' has " +
                                  std::to_string(found->second.numElements()) +
                                  " elements, an array of " + std::to_string(array.size()) +
                                  " given");
  }

  // Checks that an array is C-contiguous and has elements of the type; Type() allows any.
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
  struct Lent {
    py::object array, released;
  };
  std::map<std::string, Lent> lent_;
};

/// The engines of replicas, which it keeps alive.
class PyReplicas {
 public:
  PyReplicas(const py::typing::List<PyEngine>& engines,
             const std::optional<std::shared_ptr<MpiPeers>>& peers)
      : held_(engines) {
    std::vector<EngineImpl*> all;
    for (const auto& engine : engines) all.push_back(&engine.cast<PyEngine&>().impl());
    replicas_ = std::make_unique<Replicas>(std::move(all), peers.value_or(nullptr));
  }
  void run(unsigned program) {
    py::gil_scoped_release unlocked;
    replicas_->run(program);
  }

 private:
  py::list held_;
  std::unique_ptr<Replicas> replicas_;
};

void bindReplicas(py::module_& m) {
  py::class_<MpiPeers, std::shared_ptr<MpiPeers>>(
      m, "MpiPeers",
      "The processes of a job, which talk by MPI.\n"
      "`library`: one of the standard ABI of MPI 5.0, which is loaded, and started.\n"
      "`limit`: after so many seconds it is an error to wait for another process.\n"
      "Raises poplar_runtime_error if it cannot be used.")
      .def(py::init<const std::string&, double>(), py::call_guard<py::gil_scoped_release>(),
           py::arg("library"), py::arg("limit") = 600.0)
      .def("rank", &MpiPeers::rank, "The number of this process.")
      .def("ranks", &MpiPeers::ranks, "The number of processes.")
      .def(
          "gather",
          [](MpiPeers& peers, const py::bytes& own) {
            const auto given = static_cast<std::string>(own);
            std::vector<std::string> all;
            {
              py::gil_scoped_release unlocked;
              all = peers.gather(given);
            }
            return std::vector<py::bytes>(all.begin(), all.end());
          },
          py::arg("own"),
          "The bytes that each process gives, in their order.\n"
          "Raises poplar_runtime_error if another one has failed, or has ended.")
      .def(
          "broadcast",
          [](MpiPeers& peers, py::array& array, unsigned root) {
            auto* data = array.mutable_data();
            const auto bytes = static_cast<std::size_t>(array.nbytes());
            py::gil_scoped_release unlocked;
            peers.broadcast(data, bytes, root);
          },
          py::arg("array").noconvert(), py::arg("root"),
          "Copies the C-contiguous array of the process `root` to those of all.\n"
          "Raises poplar_runtime_error if another one has failed, or has ended.")
      .def("fail", &MpiPeers::fail, py::call_guard<py::gil_scoped_release>(), py::arg("why"),
           "Tells the others that this process has failed; what waits for it raises.")
      .def("end", &MpiPeers::end, py::call_guard<py::gil_scoped_release>(),
           "Waits until all processes end, and ends MPI.");
  py::class_<PyReplicas>(
      m, "Replicas",
      "The engines of the replicas of one program, which meet in collectives. With `peers`, all\n"
      "their processes have as many.\n"
      "Raises poplar_exception without an engine, for one that is given twice, and unless the\n"
      "graph was made for as many replicas.")
      .def(py::init<const py::typing::List<PyEngine>&,
                    const std::optional<std::shared_ptr<MpiPeers>>&>(),
           py::arg("engines"), py::arg("peers") = py::none())
      .def("run", &PyReplicas::run, py::arg("program") = 0,
           "Runs a program on all engines, each in a thread.\n"
           "Raises what the first of them raises that fails; poplar_runtime_error for a\n"
           "collective that not all of its replicas come to.");
}

}  // namespace

void bindEngine(py::module_& m) {
  bindHostFunctions(m);
  bindOptions(m);
  bindProcess(m);
  bindExecutable(m);
  py::class_<PyEngine>(
      m, "Engine",
      "Programs of a graph, planned once and run many times (Poplar: poplar/Engine.hpp).\n"
      "`options`: those of engineOptionTable(). The environment variable\n"
      "POPLAR_ENGINE_OPTIONS, a JSON object of strings, overrides them.\n"
      "`progress`: called with (done, total) steps of the planning.\n"
      "Raises poplar_invalid_option for invalid options, poplar_invalid_tile_mapping for\n"
      "an element or vertex without a tile, poplar_graph_connection_error for a vertex\n"
      "field without a value or parts of another graph, poplar_control_program_error for\n"
      "an invalid program, poplar_graph_memory_allocation_error if a tile or the host\n"
      "has too little memory.")
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
      .def("_report", &PyEngine::report, "The address of a pva::Report, for programs in C++.")
      .def("_own", &PyEngine::own, "The address of the poplar::Engine, for programs in C++.")
      .def(
          "_remoteRowBytes",
          [](PyEngine& engine, const std::string& handle) {
            return engine.impl().remoteRowBytes("Engine", handle);
          },
          py::arg("handle"), "The bytes of a row of a remote buffer.")
      .def("load", &PyEngine::load, py::arg("device"),
           "Sets variables, and the state of vertices, to their initial values.\n"
           "Raises poplar_exception if the device has another number of tiles\n"
           "than the graph's target.")
      .def("run", &PyEngine::run, py::arg("program") = 0,
           "Runs program number `program` of the engine's list. Errors of callbacks\n"
           "are passed on. Callbacks cannot use the engine that calls them: that\n"
           "raises poplar_runtime_error.\n"
           "Raises poplar_control_program_error if there is no such program,\n"
           "poplar_stream_connection_error for a stream that is not connected.")
      .def("connectStream", &PyEngine::connectStream, py::arg("handle"),
           py::arg("array").noconvert(),
           "Connects a stream to an array: the device reads or writes its memory. The\n"
           "array is C-contiguous, has the stream's dtype, and holds one or more\n"
           "transfers; each transfer uses the next part of it, and after the last the\n"
           "first again. The engine keeps it alive.\n"
           "Raises poplar_stream_connection_error for an unknown stream, another array, and an\n"
           "array that is read-only where the device writes.")
      .def("connectStreamToCallback", &PyEngine::connectStreamToCallback, py::arg("handle"),
           py::arg("callback"),
           "Calls `callback` for each transfer of a stream, with a new array of one dimension.\n"
           "For a stream from the host the array is zero and the callback fills it. For a stream\n"
           "to the host it has what the device sent.\n"
           "Raises poplar_stream_connection_error for an unknown stream.")
      .def("connectHostFunction", &PyEngine::connectHostFunction, py::arg("handle"),
           py::arg("callback"),
           "Calls `callback` for each call of a function of the host, with two lists of new\n"
           "arrays of one dimension: the inputs, and zeros to fill for the outputs.\n"
           "Raises poplar_runtime_error for an unknown function.")
      .def("writeTensor", &PyEngine::writeTensor, py::arg("handle"), py::arg("array").noconvert(),
           "Copies a C-contiguous array of the tensor's dtype and number of elements to the\n"
           "tensor of Graph.createHostWrite.\n"
           "Raises poplar_tensor_io_state_error for an unknown handle or another size,\n"
           "poplar_stream_connection_error for another array.")
      .def(
          "lendTensor", &PyEngine::lendTensor, py::arg("handle"), py::arg("array").noconvert(),
          py::arg("released") = py::none(),
          "Gives the tensor of Graph.createHostWrite the values of an array that nobody changes\n"
          "from now on. The engine keeps it alive, and reads it where it lies, if no program\n"
          "writes the tensor, none has it joined with others, the array begins at a multiple of\n"
          "64 bytes, and the option host.lendTensors is on; else it is copied. writeTensor and\n"
          "load end that, and so does the run that packs its values, if all readers take them\n"
          "packed: it lets go of the array and calls `released`, in the thread of the run;\n"
          "readTensor gives the same bits from then on. Returns whether it is read where it lies.\n"
          "Raises the errors of writeTensor, and poplar_tensor_io_state_error for an array that\n"
          "is not read-only.")
      .def("readTensor", &PyEngine::readTensor, py::arg("handle"), py::arg("array").noconvert(),
           "Copies the tensor of Graph.createHostRead into a C-contiguous array of its\n"
           "dtype and number of elements.\n"
           "Raises poplar_tensor_io_state_error for an unknown handle or another size,\n"
           "poplar_stream_connection_error for another array or a read-only one.")
      .def("copyToRemoteBuffer", &PyEngine::copyToRemoteBuffer, py::arg("source").noconvert(),
           py::arg("handle"), py::arg("repeatIndex") = 0,
           "Copies a C-contiguous array of the bytes of a row to a row of a remote buffer.\n"
           "Raises poplar_stream_connection_error for a buffer that no program uses, a row that\n"
           "it does not have, or another array.")
      .def("copyFromRemoteBuffer", &PyEngine::copyFromRemoteBuffer, py::arg("handle"),
           py::arg("destination").noconvert(), py::arg("repeatIndex") = 0,
           "Copies a row of a remote buffer into a C-contiguous array of its bytes.\n"
           "Raises poplar_stream_connection_error for a buffer that no program uses, a row that\n"
           "it does not have, or another or a read-only array.")
      .def(
          "numThreads", [](PyEngine& e) { return e.impl().threads(); },
          "The number of threads that the engine runs on.")
      .def(
          "arenaBytes", [](PyEngine& e) { return e.impl().arenaBytes(); },
          "The bytes of host memory that the engine has for variables, temporaries and scratch.")
      .def(
          "givenBackBytes", [](PyEngine& e) { return e.impl().givenBackBytes(); },
          "The bytes of tensors that are there in packed form alone: those of arenaBytes() and of\n"
          "arrays that were lent, which the host's memory does not hold. readTensor unpacks them.")
      .def(
          "planText", [](PyEngine& e) { return e.impl().planText(); },
          "The engine's plan as text: one line for each instruction, with the layouts of its\n"
          "operands; then notes of what the engine's passes did.")
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
          "(names, line, runs, seconds) of each instruction of a program, over all of its\n"
          "runs: the names of the steps it came from, its line of planText(), how often it\n"
          "ran, and how long in total.\n"
          "Raises poplar_profiling_disabled unless the engine has the option host.profile =\n"
          "'true', poplar_control_program_error if there is no such program.")
      .def(
          "machineReport",
          [](PyEngine& e, unsigned program, const Progress& progress) -> Values {
            const Alone alone(e.impl(), "Engine.machineReport");
            return machineReport(e.impl(), program, PyEngine::progressOf(progress));
          },
          py::arg("program") = 0, py::arg("progress") = py::none(),
          "What one run of a program costs on the graph's target, as a dict with the fields\n"
          "of MachineReport (cpp/machine/report.hpp), and the report as text under\n"
          "\"summary\". popir.profile reads it.\n"
          "`progress`: called with (done, total) steps.\n"
          "Raises poplar_control_program_error if there is no such program.");
  bindReplicas(m);
}

}  // namespace popir
