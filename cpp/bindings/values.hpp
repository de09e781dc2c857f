#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <tuple>
#include <utility>

namespace popir {

/// For pickle and copy: a value that is its members, in the order of its constructor.
template <class T, class... Members>
auto pickled(Members T::*... members) {
  return pybind11::pickle(
      [members...](const T& value) { return std::make_tuple(value.*members...); },
      [](std::tuple<Members...> state) {
        return std::apply([](Members&... each) { return T{std::move(each)...}; }, state);
      });
}

}  // namespace popir
