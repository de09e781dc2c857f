// The last words of a process that ends by a signal of the machine: in whose code it was.
//
// What a handler may call is little: here are no allocations, no locks but the dynamic loader's,
// and text goes out in pieces.
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <initializer_list>

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

alignas(16) char stack[1 << 16];  // the process may have used up its own

void say(const char* text) {
  const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(written);
}

/// Whether code of other files comes in between, on the way from the fault to who is to be named.
bool isBetween(const char* path) {
  for (const char* part : {"libpopir.so", "libstdc++.so", "libgcc_s.so", "libc.so", "libm.so"})
    if (std::strstr(path, part) != nullptr) return true;
  return false;
}

/// The innermost library on the stack that is neither popir's nor the system's nor Python's.
const char* culprit() {
  void* frames[64];
  const int n = backtrace(frames, 64);
  for (int i = 1; i < n; ++i) {
    Dl_info info;
    if (dladdr(frames[i], &info) == 0 || info.dli_fname == nullptr || isBetween(info.dli_fname))
      continue;
    const bool isPython = std::strstr(info.dli_fname, "python") != nullptr;
    return isPython || std::strstr(info.dli_fname, ".so") == nullptr ? nullptr : info.dli_fname;
  }
  return nullptr;
}

void onSignal(int number) {
  for (const auto& each : kSignals) signal(each.number, SIG_DFL);
  say("popir: error: ended by ");
  for (const auto& each : kSignals)
    if (each.number == number) say(each.words);
  if (const char* library = culprit()) {
    say(", in code of '");
    say(library);
    say("'. A debugger, or -g -fsanitize=address, shows the place.\n");
  } else {
    say(". This is a defect of popir or of an operator library.\n");
  }
  raise(number);
}

}  // namespace

/// From now on a process that a signal of the machine ends says so first, on stderr.
extern "C" __attribute__((visibility("default"))) void popir_install_crash_handler() {
  void* warm[1];
  backtrace(warm, 1);  // loads libgcc now, where loading is safe
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof(stack);
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (const auto& each : kSignals) sigaction(each.number, &action, nullptr);
}
