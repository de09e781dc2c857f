#include "foreign/xla_programs.hpp"

#include <memory>
#include <stdexcept>

namespace popir::foreign::xla {
namespace {

std::vector<Program>*& collector() {
  static thread_local std::vector<Program>* programs = nullptr;
  return programs;
}

/// Collects the programs of this thread while it lives.
class Collecting {
 public:
  explicit Collecting(std::vector<Program>& programs) : outer_(collector()) {
    collector() = &programs;
  }
  Collecting(const Collecting&) = delete;
  Collecting& operator=(const Collecting&) = delete;
  ~Collecting() { collector() = outer_; }

 private:
  std::vector<Program>* outer_;
};

}  // namespace

std::vector<Program> programsOf(void* function) {
  // A function that returns an object, such as an XlaComputation, writes it to its first argument.
  constexpr std::size_t kMost = 1 << 14;
  const auto returned = std::make_unique<char[]>(kMost);
  std::vector<Program> programs;
  const Collecting collecting(programs);
  try {
    reinterpret_cast<void (*)(void*)>(function)(returned.get());
  } catch (const std::exception& e) {
    throw std::runtime_error(e.what());
  } catch (...) {
    throw std::runtime_error("what is no std::exception");
  }
  return programs;
}

}  // namespace popir::foreign::xla

/// What xla::XlaBuilder calls.
extern "C" __attribute__((visibility("default"))) void popir_xla_computation(const char* name,
                                                                             const char* text,
                                                                             const char* error) {
  if (auto* programs = popir::foreign::xla::collector()) programs->push_back({name, text, error});
}
