// libpopir_python: the one library of popir's that C++ programs use Python by. libpopir loads it
// (cpp/popart/host/python.cpp). Its symbols of Python come from the interpreter that the process
// has, or from the shared library that libpopir has loaded before.
#include <dlfcn.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <popart/error.hpp>
#include <poplar/exceptions.hpp>
#include <poputil/exceptions.hpp>

#include <cstdlib>
#include <exception>
#include <string>

#include "popart/host/python.hpp"

namespace popir {
namespace python {
namespace {

namespace py = pybind11;

// ---- Errors ----

/// What a Function of the program has thrown on this thread, while it is a Python exception.
struct Thrown {
  std::exception_ptr what;
  /// The Python exception that stands for it, to know it again; never dereferenced.
  PyObject* as = nullptr;
};
thread_local Thrown thrown;

template <class E>
[[noreturn]] void throwAs(const std::string& text) {
  throw E(text);
}

/// Classes of popir.errors, and what they become in C++; bindings/errors.cpp has the reverse.
const struct {
  const char* name;
  void (*raise)(const std::string& text);
} rows[] = {
    {"popart_internal_exception", throwAs<popart::internal_error>},
    {"popart_runtime_error", throwAs<popart::runtime_error>},
    {"popart_exception", throwAs<popart::error>},
    {"poplibs_exception", throwAs<poputil::poplibs_error>},
    {"poplar_index_error", throwAs<poplar::index_error>},
    {"poplar_invalid_option", throwAs<poplar::invalid_option>},
    {"poplar_stream_connection_error", throwAs<poplar::stream_connection_error>},
    {"poplar_application_runtime_error", throwAs<poplar::application_runtime_error>},
    {"poplar_runtime_error", throwAs<poplar::runtime_error>},
    {"poplar_exception", throwAs<poplar::poplar_error>},
};

std::string textOf(py::handle object) {
  PyObject* text = PyObject_Str(object.ptr());
  if (text == nullptr) {
    PyErr_Clear();
    return "(no text)";
  }
  const py::object owned = py::reinterpret_steal<py::object>(text);
  const py::bytes bytes = owned.attr("encode")("utf-8", "backslashreplace");
  return bytes;
}

[[noreturn]] void rethrow(py::error_already_set& error) {
  if (thrown.as == error.value().ptr()) {
    const std::exception_ptr what = thrown.what;
    thrown = {};
    std::rethrow_exception(what);
  }
  const std::string text = textOf(error.value());
  // The first class of the exception's own order that has a row: derived classes go before bases.
  for (py::handle cls : py::object(error.type().attr("__mro__"))) {
    const std::string name = textOf(cls.attr("__name__"));
    for (const auto& row : rows)
      if (name == row.name) row.raise(text);
  }
  throw popart::error(textOf(error.type().attr("__name__")) + ": " + text);
}

/// Runs `body` with the interpreter's lock, and throws what C++ programs catch.
template <class Body>
auto locked(Body body) {
  if (Py_IsInitialized() == 0)
    throw popart::error("Python has ended in this process: sessions and builders cannot be used");
  const py::gil_scoped_acquire lock;
  thrown = {};
  try {
    return body();
  } catch (py::error_already_set& error) {
    rethrow(error);
  } catch (const py::cast_error& error) {
    throw popart::internal_error(error.what());
  }
}

// ---- Values ----

Object own(py::object object) {
  return Object(object.release().ptr(), [](void* held) {
    // Objects may live in static variables, which outlive an interpreter.
    if (Py_IsInitialized() == 0) return;
    const py::gil_scoped_acquire lock;
    Py_DECREF(static_cast<PyObject*>(held));
  });
}

py::module_ popir() { return py::module_::import("popir"); }

py::object objectOf(const Object& self) {
  if (self == nullptr) return popir();
  return py::reinterpret_borrow<py::object>(static_cast<PyObject*>(self.get()));
}

py::object at(py::object object, const char* path) {
  const std::string names = path;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find('.', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    // A module of a package that nothing has asked for yet.
    if (!py::hasattr(object, name.c_str()) && py::hasattr(object, "__path__"))
      py::module_::import((textOf(object.attr("__name__")) + "." + name).c_str());
    object = object.attr(name.c_str());
    begin = end + 1;
  }
  return object;
}

py::object toPython(const Value& value);
Value fromPython(py::handle value);

py::object arrayOf(const Array& array) {
  if (array.data == nullptr && array.info.nelms() != 0)
    throw popart::error("The memory of a tensor {} is a null pointer", array.info);
  const std::string name = popart::logging::internal::text(array.info.dataType());
  const py::object type = popir().attr("DataType").attr(name.c_str()).attr("numpy");
  const py::object dtype = py::module_::import("numpy").attr("dtype")(type);
  // With an owner, numpy uses the memory where it lies.
  const py::capsule owner(&rows, [](void*) {});
  py::array made(py::reinterpret_borrow<py::dtype>(dtype), array.info.shape(), {}, array.data,
                 owner);
  if (array.use == Array::Use::Copy) return made.attr("copy")();
  if (array.use == Array::Use::Read) made.attr("setflags")(py::arg("write") = false);
  return made;
}

py::object functionOf(const Function& function) {
  return py::cpp_function([function](const py::args& args) {
    List given;
    for (py::handle each : args) given.push_back(fromPython(each));
    Value result;
    std::exception_ptr fault;
    {
      const py::gil_scoped_release unlocked;
      try {
        result = function(given);
      } catch (...) {
        fault = std::current_exception();
      }
    }
    if (fault) {
      const py::object error = popir().attr("popart_exception")("A C++ callback threw.");
      thrown = {fault, error.ptr()};
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
      throw py::error_already_set();
    }
    return toPython(result);
  });
}

struct ToPython {
  py::object operator()(std::monostate) const { return py::none(); }
  py::object operator()(bool value) const { return py::bool_(value); }
  py::object operator()(int64_t value) const { return py::int_(value); }
  py::object operator()(double value) const { return py::float_(value); }
  py::object operator()(const std::string& text) const {
    PyObject* made =
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
    if (made == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(made);
  }
  py::object operator()(const Bytes& bytes) const { return py::bytes(bytes.data); }
  py::object operator()(const Array& array) const { return arrayOf(array); }
  py::object operator()(const Object& object) const {
    return object == nullptr ? py::object(py::none()) : objectOf(object);
  }
  py::object operator()(const Function& function) const { return functionOf(function); }
  py::object operator()(const List& list) const {
    py::list made;
    for (const Value& each : list) made.append(toPython(each));
    return made;
  }
  py::object operator()(const Set& set) const {
    py::set made;
    for (const Value& each : set.items) made.add(toPython(each));
    return made;
  }
  py::object operator()(const Dict& dict) const {
    py::dict made;
    for (const auto& [key, each] : dict) made[toPython(Value(key))] = toPython(each);
    return made;
  }
};

py::object toPython(const Value& value) { return std::visit(ToPython(), value.held()); }

Value fromPython(py::handle value) {
  PyObject* const p = value.ptr();
  if (p == Py_None) return {};
  if (PyBool_Check(p)) return p == Py_True;
  if (PyLong_Check(p)) return value.cast<int64_t>();
  if (PyFloat_Check(p)) return value.cast<double>();
  if (PyUnicode_Check(p)) return textOf(value);
  if (PyBytes_Check(p)) return Bytes{value.cast<std::string>()};
  if (PyList_Check(p) || PyTuple_Check(p) || PyAnySet_Check(p)) {
    List list;
    for (py::handle each : value) list.push_back(fromPython(each));
    return list;
  }
  if (PyDict_Check(p)) {
    Dict dict;
    for (const auto& [key, each] : py::reinterpret_borrow<py::dict>(value))
      dict[textOf(key)] = fromPython(each);
    return dict;
  }
  return own(py::reinterpret_borrow<py::object>(value));
}

// ---- The table ----

Value callPython(const Object& self, const char* path, const List& args, const Dict& named) {
  return locked([&] {
    py::tuple given(args.size());
    for (std::size_t i = 0; i < args.size(); ++i) given[i] = toPython(args[i]);
    const py::object byName = toPython(Value(named));
    return fromPython(at(objectOf(self), path)(*given, **byName));
  });
}

Value getPython(const Object& self, const char* path) {
  return locked([&] { return fromPython(at(objectOf(self), path)); });
}

void setPython(const Object& self, const char* name, const Value& value) {
  locked([&] { py::setattr(objectOf(self), name, toPython(value)); });
}

poplar::Target targetPython(const Object& device) {
  return locked(
      [&] { return objectOf(device).attr("device").attr("getTarget")().cast<poplar::Target>(); });
}

void* dataPython(const Object& array) {
  return locked([&] { return py::reinterpret_borrow<py::array>(objectOf(array)).mutable_data(); });
}

const popart::Ir* irPython(const Object& graph) {
  return locked([&] {
    const py::object device = popir().attr("_device").attr("popart");
    const py::capsule ir = device.attr("irOf")(objectOf(graph));
    return static_cast<const popart::Ir*>(ir.get_pointer<popart::Ir>());
  });
}

pva::Report reportPython(const Object& engine) {
  return locked([&] {
    const py::capsule report = objectOf(engine).attr("_report")();
    return *report.get_pointer<pva::Report>();
  });
}

poplar::Engine* enginePython(const Object& engine) {
  return locked([&] {
    const py::capsule own = objectOf(engine).attr("_own")();
    return own.get_pointer<poplar::Engine>();
  });
}

const Bridge table = {callPython, getPython, setPython,    targetPython,
                      dataPython, irPython,  reportPython, enginePython};

// ---- The interpreter ----

/// What Python does at its end. The interpreter itself stays, for objects that outlive main().
void finish() {
  const py::gil_scoped_acquire lock;
  try {
    py::module_::import("atexit").attr("_run_exitfuncs")();
    for (const char* name : {"stdout", "stderr"}) {
      const py::object stream = py::module_::import("sys").attr(name);
      if (!stream.is_none()) stream.attr("flush")();
    }
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable("the end of a C++ program that uses popir");
  }
}

void startInterpreter(const std::string& python) {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.parse_argv = 0;
  config.install_signal_handlers = 0;
  PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, python.c_str());
  if (PyStatus_Exception(status) == 0)
    status = PyConfig_SetBytesString(&config, &config.executable, python.c_str());
  if (PyStatus_Exception(status) == 0) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status) != 0)
    throw popart::error(
        "The Python '{}' does not start in this process: {}. Set POPIR_PYTHON to one that does",
        python, status.err_msg != nullptr ? status.err_msg : "it gives no reason");
  // The lock is free between calls, so that any thread may call.
  PyEval_SaveThread();
  std::atexit(finish);
}

/// Imports onnx so that its extension uses its own functions. A program that is linked with libpopir
/// has others of the same names, those of our onnx/onnx_pb.h, which the loader would take.
void importOnnx(const py::module_& sys) {
  const py::object flags = sys.attr("getdlopenflags")();
  sys.attr("setdlopenflags")(RTLD_NOW | RTLD_DEEPBIND);
  try {
    py::module_::import("onnx");
  } catch (py::error_already_set&) {
    sys.attr("setdlopenflags")(flags);
    throw;
  }
  sys.attr("setdlopenflags")(flags);
}

/// Imports the popir that this library belongs to.
void importPopir(const std::string& root) {
  const py::module_ sys = py::module_::import("sys");
  py::list path = sys.attr("path");
  const bool isNew = !path.contains(root);
  if (isNew) path.insert(0, root);
  std::string from;
  try {
    importOnnx(sys);
    from = textOf(popir().attr("__file__"));
  } catch (py::error_already_set& error) {
    if (isNew) path.attr("remove")(root);
    throw popart::error(
        "The Python '{}' cannot import popir from '{}': {}. Set POPIR_PYTHON to the Python that "
        "popir is installed in",
        textOf(sys.attr("executable")), root, textOf(error.value()));
  }
  if (isNew) path.attr("remove")(root);
  const std::string expected = root + "/popir/__init__.py";
  const py::object isSame = py::module_::import("os.path").attr("samefile");
  if (!isSame(from, expected).cast<bool>())
    throw popart::error(
        "This process has imported popir from '{}', and the program is linked with that in '{}': "
        "use one of them",
        from, root);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const Bridge* popir_python_start(
    const std::string& python, const std::string& root) {
  const bool isOurs = !python.empty() && Py_IsInitialized() == 0;
  if (isOurs) startInterpreter(python);
  locked([&] {
    importPopir(root);
    // A process of C++ expects indices of PopART's type. In one of Python, that decides.
    if (isOurs) py::module_::import("popir.definitions").attr("indices_as_popart")();
  });
  return &table;
}

}  // namespace python
}  // namespace popir
