// Crash reports: a signal handler names the shared library in which the process crashed.
//
// A signal handler may call few functions. This one allocates nothing, takes no lock except the
// dynamic loader's, and writes its text piece by piece with write().
#include "support/crash.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <initializer_list>
#include <iterator>

namespace {

struct Signal {
  int number;
  const char* words;
};

constexpr Signal kSignals[] = {
    {SIGSEGV, "SIGSEGV, a read or write of memory that is not there"},
    {SIGBUS, "SIGBUS, a read or write of memory that is not there"},
    {SIGFPE, "SIGFPE, such as an integer divided by zero"},
    {SIGILL, "SIGILL, an instruction that this processor does not have"},
    {SIGABRT, "SIGABRT, such as a failed assertion"},
};

constexpr int kMostLibraries = 1024;
// The list ends at the first null. An entry that points to the array itself is free. Constant
// initialization: the static creators of other files call nameInCrashes().
std::atomic<const void*> libraries[kMostLibraries] = {};
std::atomic<bool> namesAny{false};  // also report crashes in libraries that are not registered
std::atomic<bool> installed{false};
struct sigaction before[std::size(kSignals)];

alignas(16) char stack[1 << 16];  // alternate signal stack: the process's own may have overflowed

void say(const char* text) {
  const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(written);
}

/// Writes a file name. Control characters are escaped, so that a terminal does not obey them.
void sayName(const char* name) {
  const char digits[] = "0123456789abcdef";
  for (; *name != 0; ++name) {
    const auto c = static_cast<unsigned char>(*name);
    const char escaped[] = {'\\', 'x', digits[c >> 4], digits[c & 15], 0};
    const char plain[] = {*name, 0};
    say(c < 0x20 || c == 0x7f ? escaped : plain);
  }
}

bool isListed(const void* base) {
  for (const auto& each : libraries) {
    if (each == base) return true;
    if (each == nullptr) return false;
  }
  return false;
}

/// True for libraries that may lie on the stack between the fault and the library to name: popir
/// itself and the C and C++ runtimes.
bool isBetween(const char* path) {
  for (const char* part : {"libpopir.so", "libstdc++.so", "libgcc_s.so", "libc.so", "libm.so"})
    if (std::strstr(path, part) != nullptr) return true;
  return false;
}

/// Path of the innermost library on the stack, skipping popir and the C and C++ runtimes. Null if
/// that is Python, the main program, or an unregistered library while `namesAny` is false.
const char* culprit() {
  void* frames[64];
  const int n = backtrace(frames, 64);
  for (int i = 1; i < n; ++i) {
    Dl_info info;
    if (dladdr(frames[i], &info) == 0 || info.dli_fname == nullptr || isBetween(info.dli_fname))
      continue;
    const bool isPython = std::strstr(info.dli_fname, "python") != nullptr;
    if (!namesAny && !isListed(info.dli_fbase)) return nullptr;
    return isPython || std::strstr(info.dli_fname, ".so") == nullptr ? nullptr : info.dli_fname;
  }
  return nullptr;
}

void onSignal(int number) {
  for (std::size_t i = 0; i < std::size(kSignals); ++i)
    sigaction(kSignals[i].number, &before[i], nullptr);
  const char* library = culprit();
  if (library != nullptr || namesAny) {
    say("popir: error: ended by ");
    for (const auto& each : kSignals)
      if (each.number == number) say(each.words);
  }
  if (library != nullptr) {
    say(", in code of '");
    sayName(library);
    say("'. A debugger, or -g -fsanitize=address, shows the place.\n");
  } else if (namesAny) {
    say(". This is a defect of popir or of an operator library.\n");
  }
  raise(number);
}

void install() {
  if (installed.exchange(true)) return;
  void* warm[1];
  backtrace(warm, 1);  // loads libgcc now, where loading is safe
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof(stack);
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (std::size_t i = 0; i < std::size(kSignals); ++i)
    sigaction(kSignals[i].number, &action, &before[i]);
}

}  // namespace

namespace popir {

void nameInCrashes(const void* base) {
  if (base == nullptr) return;
  install();
  if (isListed(base)) return;
  for (auto& each : libraries) {
    const void *free = nullptr, *forgotten = libraries;
    if (each.compare_exchange_strong(free, base) || each.compare_exchange_strong(forgotten, base))
      return;
  }
}

void forgetInCrashes(const void* base) {
  for (auto& each : libraries) {
    const void* known = base;
    if (each.compare_exchange_strong(known, libraries) || known == nullptr) return;
  }
}

}  // namespace popir

/// Reports every fatal signal on stderr from now on, whichever library it comes from.
extern "C" __attribute__((visibility("default"))) void popir_install_crash_handler() {
  namesAny = true;
  install();
}
