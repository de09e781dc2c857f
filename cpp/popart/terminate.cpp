// A report for a process that is ended by an exception from an operator library.
//
// If a static initializer throws, the process ends, even inside of a try block around dlopen().
// This handler reports the library and the exception first.
#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <typeinfo>

namespace {

std::terminate_handler previous = nullptr;

bool contains(const std::string& path, const char* part) {
  return path.find(part) != std::string::npos;
}

/// True for libraries of the C++ runtime, through which every throw passes.
bool isRuntime(const std::string& path) {
  for (const char* part : {"libpopir.so", "libstdc++.so", "libgcc_s.so", "libc.so", "libasan.so"})
    if (contains(path, part)) return true;
  return false;
}

/// The library that threw. While the dynamic loader runs initializers (`loading`), it is the
/// library being initialized. Otherwise it is the innermost one on the stack outside of the C++
/// runtime.
std::string thrower(bool* loading) {
  void* frames[64];
  const int n = backtrace(frames, 64);
  std::string innermost, latest;
  for (int i = 0; i < n; ++i) {
    Dl_info info;
    if (dladdr(frames[i], &info) == 0 || info.dli_fname == nullptr) continue;
    const std::string path = info.dli_fname;
    *loading = contains(path, "ld-linux") && !latest.empty();
    if (*loading) return latest;
    if (isRuntime(path)) continue;
    if (innermost.empty()) innermost = path;
    latest = path;
  }
  return innermost;
}

std::string thrown() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "terminate was called without an exception";
  int status = 0;
  char* demangled = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  std::string text = "it threw " + std::string(status == 0 ? demangled : type->name());
  std::free(demangled);
  try {
    throw;
  } catch (const std::exception& e) {
    text += std::string(": ") + e.what();
  } catch (...) {
  }
  return text;
}

[[noreturn]] void onTerminate() {
  bool loading = false;
  const std::string library = thrower(&loading);
  const std::string text =
      "popir: terminated" +
      (library.empty() ? "" : (loading ? " while loading '" : " in '") + library + "'") + ": " +
      thrown() + "\n";
  const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  static_cast<void>(written);
  if (previous != nullptr) previous();
  std::abort();
}

}  // namespace

/// Installs the handler once. Afterwards it calls the previous handler.
extern "C" __attribute__((visibility("default"))) void popir_install_terminate_handler() {
  if (std::get_terminate() == onTerminate) return;
  void* warm[1];
  backtrace(warm, 1);  // loads libgcc now, while loading is safe
  previous = std::set_terminate(onTerminate);
}
