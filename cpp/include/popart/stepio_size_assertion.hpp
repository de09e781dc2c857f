// Whether arrays have as many elements as a step takes and gives. After popart/stepio_size_assertion.hpp of PopART 3.
#ifndef popart_stepio_size_assertion_hpp
#define popart_stepio_size_assertion_hpp

#include <popart/popx/executablex.hpp>

#include <cstdint>
#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace iosizecheck {

/// The checks for the graphs of one executable.
class CorrectnessAsserter {
 public:
  explicit CorrectnessAsserter(const popx::Executablex& executable) : executable_(executable) {}

  /// For each element of a map by id: `count` gives its number of elements.
  /// \throws error for another number than a step takes, and for an id that the graph does not have
  template <class M, class G>
  void checkIn(const M& map, const G& count) const {
    for (const auto& each : map) check(each.first, static_cast<int64_t>(count(each.second)), true);
  }
  /// \throws error for another number than a step gives, and for an id that the graph does not have
  template <class M, class G>
  void checkOut(const M& map, const G& count) const {
    for (const auto& each : map) check(each.first, static_cast<int64_t>(count(each.second)), false);
  }

 private:
  void check(const TensorId& id, int64_t given, bool isInput) const;

  const popx::Executablex& executable_;
};

template <class M, class G>
void assertInCorrect(const popx::Executablex& executable, const M& map, const G& count) {
  CorrectnessAsserter(executable).checkIn(map, count);
}

template <class M, class G>
void assertOutCorrect(const popx::Executablex& executable, const M& map, const G& count) {
  CorrectnessAsserter(executable).checkOut(map, count);
}

}  // namespace iosizecheck
}  // namespace popart

#pragma GCC visibility pop

#endif
