// popir's compiler, which is Python, for programs in C++: calls by name, with values.
//
// Builder, Session and their kin are thin: each function of theirs is one call of the function of
// the same name in the package popir. The process need not know Python: the first call loads a
// library beside libpopir that does (cpp/embed), and starts an interpreter if the process has none.
#ifndef popir_popart_host_python_hpp
#define popir_popart_host_python_hpp

#include <popart/datatype.hpp>
#include <popart/tensorinfo.hpp>
#include <popart/vendored/optional.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Target.hpp>
#include <pva/pva.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace popir {
namespace python {

/// A Python object, released when the last copy is gone. Null stands for the package popir.
using Object = std::shared_ptr<void>;

class Value;
using List = std::vector<Value>;
using Dict = std::map<std::string, Value>;
using Function = std::function<Value(const List&)>;

/// Memory of the program that Python sees as a numpy array.
struct Array {
  enum class Use { Copy, Read, Write };

  void* data;
  popart::TensorInfo info;
  /// Copied, or used where it lies for as long as Python keeps the array.
  Use use;
};

/// A set, where a list would not do.
struct Set {
  List items;
};

/// Bytes that are no text, such as a serialised model.
struct Bytes {
  std::string data;
};

/// A value on its way to Python or back: None, a number, a text, a list, a dict, an array, a
/// function, or any other object.
class Value {
 public:
  using Held = std::variant<std::monostate, bool, int64_t, double, std::string, Bytes, Array,
                            Object, Function, List, Set, Dict>;

  Value() = default;
  Value(bool value) : held_(value) {}
  template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  Value(T value) : held_(static_cast<int64_t>(value)) {}
  Value(double value) : held_(value) {}
  Value(const char* value) : held_(std::string(value)) {}
  Value(std::string value) : held_(std::move(value)) {}
  Value(Bytes value) : held_(std::move(value)) {}
  Value(Array value) : held_(std::move(value)) {}
  Value(Object value) : held_(std::move(value)) {}
  Value(Function value) : held_(std::move(value)) {}
  Value(List value) : held_(std::move(value)) {}
  Value(Set value) : held_(std::move(value)) {}
  Value(Dict value) : held_(std::move(value)) {}
  template <class T>
  Value(const std::vector<T>& items) : held_(List(items.begin(), items.end())) {}
  Value(const std::set<std::string>& items) : held_(List(items.begin(), items.end())) {}
  template <class T>
  Value(const std::map<std::string, T>& items) : held_(Dict(items.begin(), items.end())) {}
  template <class T>
  Value(const nonstd::optional<T>& value) {
    if (value) *this = Value(*value);
  }

  const Held& held() const { return held_; }
  bool isNone() const { return std::holds_alternative<std::monostate>(held_); }
  // What the value is known to be.
  // \throws popart::internal_error if it is something else
  int64_t integer() const;
  double number() const;
  const std::string& text() const;
  const List& list() const;
  const Object& object() const;
  std::vector<std::string> texts() const;
  std::vector<int64_t> integers() const;

 private:
  Held held_;
};

// Each of these takes the interpreter's lock for as long as it runs.
// \throws the class of popart::error or poplar::poplar_error that a Python exception stands for;
// what a Function has thrown, unchanged

/// `self.path(*args, **named)`. A path may have dots.
Value call(const Object& self, const char* path, const List& args = {}, const Dict& named = {});
/// `self.path`.
Value get(const Object& self, const char* path);
void set(const Object& self, const char* name, const Value& value);

/// The same, of which the result is an object.
Object make(const char* path, const List& args = {}, const Dict& named = {});
Object toPython(const popart::TensorInfo& info);
/// From a popir.TensorInfo.
popart::TensorInfo infoFrom(const Object& info);
/// popir.DataType's member for a type.
Value toPython(popart::DataType type);
/// The member of a popir enumeration for the `number`-th of PopART's in C++: `names` are Python's
/// names in that order.
/// \throws popart::error for a number without a name
Value member(const char* enumeration, const std::vector<const char*>& names, int number);

/// What the library that knows Python offers. An Object is given there as an address.
struct Bridge {
  Value (*call)(const Object& self, const char* path, const List& args, const Dict& named);
  Value (*get)(const Object& self, const char* path);
  void (*set)(const Object& self, const char* name, const Value& value);
  poplar::Target (*target)(const Object& device);
  /// The memory of a numpy array.
  void* (*data)(const Object& array);
  /// The Ir of its own that a popir.ir.Graph has, which lives as long as that.
  const popart::Ir* (*ir)(const Object& graph);
  /// The report of a popir.poplar.Engine.
  pva::Report (*report)(const Object& engine);
  /// The engine of a popir.poplar.Engine, which lives as long as that.
  poplar::Engine* (*engine)(const Object& engine);
};
/// The library's only symbol. `python` is the interpreter to be, empty if one runs already, `root`
/// the folder that holds the package popir.
/// \throws popart::error if Python does not start, or popir cannot be imported
using Start = const Bridge* (*)(const std::string& python, const std::string& root);
constexpr const char* startName = "popir_python_start";

/// \throws popart::error that says what to do, if there is no Python that popir runs in
const Bridge& bridge();

}  // namespace python
}  // namespace popir

#endif
