// popir.popart: Likeness, which finds operators of popir's own that are alike.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bindings/popart_run.hpp"
#include "bindings/signatures.hpp"

namespace popir {
namespace {

namespace py = pybind11;

/// The number of members that say where an operator is, or that are compared by themselves.
constexpr int kElsewhere = -1;
/// The bytes up to which constants are compared by value; larger ones must be the same array.
constexpr py::ssize_t kSmall = 1 << 10;

/// Numbers of operators, of which those that are alike have the same: class, members, annotations,
/// types and shapes of the tensors, and values of constants.
///
/// All this is written one after another into a text, the form of the operator, and each new form
/// gets a number. A value begins with its type, so that no two are written alike. Immutable objects
/// that operators share have numbers of their own: each is looked at once.
class Likeness {
 public:
  int of(const PyOp& op) {
    form_.clear();
    const py::dict members = op.attr(members_);
    write(Py_TYPE(op.ptr()));
    for (const auto& [name, value] : members) {
      const int number = numberOfName(name);
      if (number == kElsewhere) continue;
      write(number);
      add(value);
    }
    add(members[settings_].attr(annotations_));
    const py::dict inputs = members[input_], outputs = members[output_];
    write(inputs.size());
    for (const auto& [i, tensor] : inputs) {
      add(i);
      add(tensor.attr(info_));
      const py::object kind = tensor.attr(tensorType_);
      write(kind.ptr());
      if (kind.is(constant_)) addData(tensor.attr(data_));
    }
    for (const auto& [o, tensor] : outputs) {
      add(o);
      add(tensor.attr(info_));
    }
    return numberOf(form_);
  }

 private:
  /// What is known of a class of values that is neither plain nor a collection.
  struct Kind {
    bool isValue;                   // immutable, and compared by its fields
    std::vector<py::object> names;  // of these
  };

  template <class Value>
  void write(const Value& value) {
    form_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }

  int numberOf(const std::string& form) {
    return forms_.try_emplace(form, static_cast<int>(forms_.size())).first->second;
  }

  /// The address of an object, which stays this object's.
  PyObject* kept(py::handle object) {
    auto& kept = kept_[object.ptr()];
    if (!kept) kept = py::reinterpret_borrow<py::object>(object);
    return object.ptr();
  }

  /// The number of a member's name.
  int numberOfName(py::handle name) {
    const auto known = names_.find(name.ptr());
    if (known != names_.end()) return known->second;
    const bool is = elsewhere_.contains(name);
    return names_[kept(name)] = is ? kElsewhere : static_cast<int>(names_.size());
  }

  /// Appends numbers, text, collections and immutable dataclasses by what they hold, anything else
  /// by identity.
  void add(py::handle value) {
    PyObject* const object = value.ptr();
    PyTypeObject* const type = Py_TYPE(object);
    if (object == Py_None || type == &PyBool_Type) {
      write(object);
    } else if (type == &PyLong_Type) {
      addInteger(value);
    } else if (type == &PyUnicode_Type) {
      Py_ssize_t size = 0;
      const char* const text = PyUnicode_AsUTF8AndSize(object, &size);
      if (text == nullptr) throw py::error_already_set();
      addText(type, text, size);
    } else if (type == &PyFloat_Type) {
      write(type);
      write(PyFloat_AS_DOUBLE(object));
    } else if (type == &PyList_Type || type == &PyTuple_Type) {
      write(type);
      write(PySequence_Fast_GET_SIZE(object));
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i)
        add(PySequence_Fast_GET_ITEM(object, i));
    } else if (type == &PyDict_Type) {
      write(type);
      write(PyDict_GET_SIZE(object));
      PyObject *key = nullptr, *held = nullptr;
      for (Py_ssize_t at = 0; PyDict_Next(object, &at, &key, &held) != 0;) {
        add(key);
        add(held);
      }
    } else {
      addObject(value);
    }
  }

  void addInteger(py::handle value) {
    int isLarge = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &isLarge);
    write(&PyLong_Type);
    write(isLarge);
    if (isLarge == 0) return write(number);
    const std::string digits = py::str(value);
    addText(&PyLong_Type, digits.data(), static_cast<py::ssize_t>(digits.size()));
  }

  void addText(PyTypeObject* type, const char* text, py::ssize_t size) {
    write(type);
    write(size);
    form_.append(text, static_cast<std::size_t>(size));
  }

  void addObject(py::handle value) {
    const auto known = numbers_.find(value.ptr());
    if (known != numbers_.end()) {
      write(&numbers_);  // no type's address
      return write(known->second);
    }
    const Kind& kind = kindOf(py::type::handle_of(value));
    if (!kind.isValue) {
      write(Py_TYPE(value.ptr()));
      return write(kept(value));
    }
    // The form of this object alone; the one being written waits.
    std::string outer;
    outer.swap(form_);
    write(Py_TYPE(value.ptr()));
    for (const auto& name : kind.names) add(value.attr(name));
    const int number = numberOf(form_);
    form_.swap(outer);
    numbers_[kept(value)] = number;
    write(&numbers_);
    write(number);
  }

  void addData(const py::object& data) {
    if (data.is_none()) return write(data.ptr());
    const auto array = py::array::ensure(data);
    if (!array || array.nbytes() > kSmall || array.dtype().kind() == 'O') return write(kept(data));
    const py::bytes bytes = array.attr("tobytes")();
    addText(&PyBytes_Type, PyBytes_AS_STRING(bytes.ptr()), PyBytes_GET_SIZE(bytes.ptr()));
  }

  const Kind& kindOf(py::handle type) {
    const auto known = kinds_.find(type.ptr());
    if (known != kinds_.end()) return known->second;
    Kind kind{type.is(infoType_), {}};
    if (kind.isValue) {
      for (const auto& field : py::object(type.attr("__slots__")))
        kind.names.push_back(py::reinterpret_borrow<py::object>(field));
    } else if (py::hasattr(type, "__dataclass_params__") &&
               type.attr("__dataclass_params__").attr("frozen").cast<bool>()) {
      kind.isValue = true;
      for (const auto& field : py::module_::import("dataclasses").attr("fields")(type))
        kind.names.push_back(field.attr("name"));
    }
    return kinds_.emplace(kept(type), std::move(kind)).first->second;
  }

  const py::object constant_ =
      py::module_::import("popir.ir.graph").attr("TensorType").attr("Const");
  const py::object infoType_ = py::module_::import("popir.types").attr("TensorInfo");
  const py::frozenset elsewhere_ = py::module_::import("popir.ir.likeness").attr("ELSEWHERE");
  const py::str members_{"__dict__"}, settings_{"settings"}, annotations_{"nodeAttributes"};
  const py::str input_{"input"}, output_{"output"};
  const py::str info_{"info"}, tensorType_{"tensorType"}, data_{"data"};
  std::string form_;
  std::unordered_map<std::string, int> forms_;
  std::unordered_map<PyObject*, int> numbers_;
  std::unordered_map<PyObject*, int> names_;
  std::unordered_map<PyObject*, Kind> kinds_;
  std::unordered_map<PyObject*, py::object> kept_;  // what forms and tables have addresses of
};

}  // namespace

void bindLikeness(py::module_& m) {
  py::class_<Likeness>(
      m, "Likeness",
      "Numbers of operators of popir's own, of which those have the same that are\n"
      "alike as far as the IR says.")
      .def(py::init<>())
      .def("of", &Likeness::of, py::arg("op"), "The number of an operator.");
}

}  // namespace popir
