// poplar.Engine, which keeps alive the arrays that its streams are connected to.
#include "bindings/engine.hpp"

#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <poplar/Engine.hpp>

#include <map>

#include "bindings/numpy.hpp"
#include "poplar/engine_impl.hpp"
#include "poplar/host_memory.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using namespace poplar;

class PyEngine {
 public:
  PyEngine(const Graph& graph, const std::vector<program::Program>& programs,
           const OptionFlags& options, const py::object& progress)
      : engine_(graph, ArrayRef<program::Program>(programs), options, progressOf(progress)) {}

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
    engine_.impl().connect(handle, begin, begin + array.nbytes());
    connected_[handle] = array;
  }

  // Called with a view of the transfer's buffer, to fill (host to device) or to read.
  void connectStreamToCallback(const std::string& handle, const py::function& callback) {
    const auto stream = streamOf(handle, "Engine.connectStreamToCallback");
    const auto dtype = dtypeOf(stream.elementType());
    const auto n = stream.numElements();
    auto held = std::make_shared<py::object>(callback);
    engine_.impl().connect(
        handle, StreamCallbackHandle([held, dtype, n](void* buffer) {
          py::gil_scoped_acquire locked;
          (*held)(py::array(dtype, {n}, {}, buffer, py::capsule(buffer, [](void*) {})));
        }));
    connected_[handle] = callback;
  }

  void writeTensor(const std::string& handle, const py::array& array) {
    check("Engine.writeTensor", handle, array,
          typeOfHandle(engine_.impl().graph().hostWrites, handle));
    engine_.writeTensor(handle, array.data(),
                        static_cast<const char*>(array.data()) + array.nbytes());
  }

  void readTensor(const std::string& handle, py::array& array) {
    check("Engine.readTensor", handle, array,
          typeOfHandle(engine_.impl().graph().hostReads, handle));
    engine_.readTensor(handle, array.mutable_data(),
                       static_cast<char*>(array.mutable_data()) + array.nbytes());
  }

  EngineImpl& impl() { return engine_.impl(); }

  static ProgressFunc progressOf(const py::object& progress) {
    if (progress.is_none()) return {};
    return [progress](int done, int total) { progress(done, total); };
  }

 private:
  const DataStream& streamOf(const std::string& handle, const char* who) {
    for (const auto& s : engine_.impl().graph().streams)
      if (s.handle() == handle) return s;
    throw stream_connection_error(std::string(who) + ": no stream '" + handle + "'");
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
  std::map<std::string, py::object> connected_;
};

}  // namespace

void bindEngine(py::module_& m) {
  m.def("availableMemory", &availableMemory,
        "Bytes that this process can still take from the host.");
  py::class_<PyEngine>(m, "Engine", "Programs, planned once and run many times.")
      .def(py::init<const Graph&, const std::vector<program::Program>&, const OptionFlags&,
                    const py::object&>(),
           py::arg("graph"), py::arg("programs"), py::arg("options") = OptionFlags(),
           py::arg("progress") = py::none())
      .def(
          "load", [](PyEngine& e, const Device& d) { e.impl().load(d); }, py::arg("device"))
      .def("run", &PyEngine::run, py::arg("program") = 0)
      .def("connectStream", &PyEngine::connectStream, py::arg("handle"),
           py::arg("array").noconvert(),
           "Binds an array: the device works on its memory. It is kept alive until another one is "
           "connected.")
      .def("connectStreamToCallback", &PyEngine::connectStreamToCallback, py::arg("handle"),
           py::arg("callback"))
      .def("writeTensor", &PyEngine::writeTensor, py::arg("handle"), py::arg("array").noconvert())
      .def("readTensor", &PyEngine::readTensor, py::arg("handle"), py::arg("array").noconvert())
      .def("numThreads", [](PyEngine& e) { return e.impl().threads(); })
      .def("arenaBytes", [](PyEngine& e) { return e.impl().arenaBytes(); })
      .def(
          "planText", [](PyEngine& e) { return e.impl().planText(); },
          "One line an instruction: what runs and in which layouts.")
      .def(
          "hostProfile",
          [](PyEngine& e, unsigned program) {
            std::vector<std::tuple<std::string, std::string, std::uint64_t, double>> rows;
            for (const auto& r : e.impl().hostProfile(program))
              rows.emplace_back(r.name, r.text, r.time.runs,
                                static_cast<double>(r.time.nanoseconds) * 1e-9);
            return rows;
          },
          py::arg("program") = 0,
          "Name, line of planText(), runs and seconds of each instruction, over all runs of an "
          "engine made with the option host.profile = 'true'.")
      .def(
          "machineReport",
          [](PyEngine& e, unsigned program, const py::object& progress) {
            return machineReport(e.impl(), program, PyEngine::progressOf(progress));
          },
          py::arg("program") = 0, py::arg("progress") = py::none(),
          "What one run of a program costs on the graph's target; popir.profile reads it.");
}

}  // namespace popir
