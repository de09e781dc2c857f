#include "popart/host/python.hpp"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>
#include <popart/error.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <sstream>

namespace popir {
namespace python {
namespace {

using popart::error;

const char* const remedy =
    "Set POPIR_PYTHON to the Python that popir is installed in, such as /path/to/venv/bin/python";

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

std::string folderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// The package's folder, which has this library in lib/.
std::string package() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&package), &info) == 0 || info.dli_fname == nullptr)
    throw popart::internal_error("libpopir does not know where it was loaded from");
  char* real = realpath(info.dli_fname, nullptr);
  const std::string path = real != nullptr ? real : info.dli_fname;
  std::free(real);
  return folderOf(folderOf(path));
}

/// The program of a name in PATH; "" if there is none.
std::string inPath(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
  return "";
}

/// The Python to start: the one that is named, that of the active environment, the one that popir
/// is installed in, or the shell's.
std::string interpreter() {
  if (const char* named = std::getenv("POPIR_PYTHON")) {
    if (access(named, X_OK) != 0)
      throw error("POPIR_PYTHON is '{}', which is no program. {}", named, remedy);
    return named;
  }
  if (const char* active = std::getenv("VIRTUAL_ENV")) {
    const std::string python = std::string(active) + "/bin/python";
    if (access(python.c_str(), X_OK) == 0) return python;
  }
  const std::string folder = folderOf(package());  // PREFIX/lib/python3.X/site-packages
  if (folder.size() > 14 && folder.compare(folder.size() - 14, 14, "/site-packages") == 0) {
    const std::string python = folderOf(folderOf(folderOf(folder))) + "/bin/python3";
    if (access(python.c_str(), X_OK) == 0) return python;
  }
  const std::string found = inPath("python3");
  if (found.empty())
    throw error(
        "popir builds and runs models in Python, and there is no python3 in PATH. Install "
        "Python and popir. {}",
        remedy);
  return found;
}

/// What the interpreter says to code that prints one line; "" if it does not run.
std::string ask(const std::string& python, const std::string& code) {
  std::string quoted = "'";
  for (const char c : python) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  const std::string command = quoted + "' -S -c \"" + code + "\" 2>/dev/null";
  FILE* output = popen(command.c_str(), "r");
  if (output == nullptr) return "";
  std::string line;
  for (int c; (c = std::fgetc(output)) != EOF && c != '\n';) line += static_cast<char>(c);
  return pclose(output) == 0 ? line : "";
}

/// "3.11", from the interpreter that runs in this process; "" if there is none.
std::string runningVersion() {
  using Get = const char* (*)();
  const auto get = reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, "Py_GetVersion"));
  const auto isRunning = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "Py_IsInitialized"));
  if (get == nullptr || isRunning == nullptr || isRunning() == 0) return "";
  const std::string text = get();
  return text.substr(0, text.find('.', text.find('.') + 1));
}

/// Loads the library of `python`, whose symbols extension modules need, and returns the version.
/// `python` becomes what it calls itself: it may have been a script that starts another program.
std::string loadPython(std::string& python) {
  const std::string answer =
      ask(python,
          "import sys, sysconfig as s; g = s.get_config_var; print('%d.%d' % sys.version_info[:2], "
          "g('LIBDIR'), g('INSTSONAME') or g('LDLIBRARY'), sys.executable, sep='|')");
  std::istringstream words(answer);
  std::string version, folder, name, program;
  std::getline(words, version, '|');
  std::getline(words, folder, '|');
  std::getline(words, name, '|');
  std::getline(words, program);
  if (program.empty()) throw error("'{}' does not run as a Python. {}", python, remedy);
  python = program;
  const std::string shared = "libpython" + version + ".so.1.0";
  std::string tried;
  for (const std::string& path : {folder + "/" + name, folder + "/" + shared, shared}) {
    if (path.find(".so") == std::string::npos) continue;
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) return version;
    tried += (tried.empty() ? "" : ", ") + path;
  }
  throw error(
      "A C++ program runs the Python '{}' by its shared library, which was not found: tried were "
      "{}. Install it (Debian: libpython{}), or choose a Python that has it. {}",
      python, tried, version, remedy);
}

/// Loads the library for the interpreter that runs, or for `python`, which it then starts.
const Bridge& load(const std::string& python, const std::string& version) {
  const std::string root = package();
  const std::string path = root + "/lib/libpopir_python" + version + ".so";
  const std::string whose = python.empty() ? "that of this process" : "'" + python + "'";
  if (!exists(path))
    throw error("popir in '{}' was not built for Python {}, which is {}: there is no '{}'. {}",
                root, version, whose, path, remedy);
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw error("popir cannot load its library for Python: {}", dlerror());
  const auto start = reinterpret_cast<Start>(dlsym(library, startName));
  if (start == nullptr) throw popart::internal_error("'{}' has no {}", path, startName);
  return *start(python, folderOf(root));
}

const Bridge& loadOnce() {
  // Of several threads one starts an interpreter. Where one runs, no thread may wait here for
  // another: it may hold the interpreter's lock, which the other needs. All may load.
  std::string version = runningVersion();
  if (!version.empty()) return load("", version);
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  version = runningVersion();
  if (!version.empty()) return load("", version);
  std::string python = interpreter();
  version = loadPython(python);
  return load(python, version);
}

[[noreturn]] void isNot(const char* what) {
  throw popart::internal_error("A value from Python is not {}", what);
}

template <class T>
const T& as(const Value& value, const char* what) {
  const T* held = std::get_if<T>(&value.held());
  if (held == nullptr) isNot(what);
  return *held;
}

}  // namespace

int64_t Value::integer() const {
  if (const bool* truth = std::get_if<bool>(&held_)) return *truth;
  return as<int64_t>(*this, "an integer");
}
double Value::number() const {
  if (std::holds_alternative<double>(held_)) return std::get<double>(held_);
  return static_cast<double>(integer());
}
const std::string& Value::text() const {
  if (const Bytes* bytes = std::get_if<Bytes>(&held_)) return bytes->data;
  return as<std::string>(*this, "a text");
}
const List& Value::list() const { return as<List>(*this, "a list"); }
const Object& Value::object() const { return as<Object>(*this, "an object"); }

std::vector<std::string> Value::texts() const {
  std::vector<std::string> found;
  for (const Value& each : list()) found.push_back(each.text());
  return found;
}
std::vector<int64_t> Value::integers() const {
  std::vector<int64_t> found;
  for (const Value& each : list()) found.push_back(each.integer());
  return found;
}

const Bridge& bridge() {
  static std::atomic<const Bridge*> loaded(nullptr);
  if (loaded == nullptr) loaded = &loadOnce();
  return *loaded;
}

Value call(const Object& self, const char* path, const List& args, const Dict& named) {
  return bridge().call(self, path, args, named);
}
Value get(const Object& self, const char* path) { return bridge().get(self, path); }
void set(const Object& self, const char* name, const Value& value) {
  bridge().set(self, name, value);
}
Object make(const char* path, const List& args, const Dict& named) {
  return call({}, path, args, named).object();
}

Value toPython(popart::DataType type) {
  return get({}, ("DataType." + popart::logging::internal::text(type)).c_str());
}

Object toPython(const popart::TensorInfo& info) {
  return make("TensorInfo", {toPython(info.dataType()), info.shape()});
}

popart::TensorInfo infoFrom(const Object& info) {
  return {call(info, "data_type").text(), call(info, "shape").integers()};
}

Value member(const char* enumeration, const std::vector<const char*>& names, int number) {
  if (number < 0 || static_cast<std::size_t>(number) >= names.size())
    throw error("The number {} is no popart::{}", number, enumeration);
  return get({}, (std::string(enumeration) + "." + names[number]).c_str());
}

}  // namespace python
}  // namespace popir
