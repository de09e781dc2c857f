// popir.poplar: the options of engines and library functions; what a process may use.
#include <pybind11/stl.h>
#include <poplar/Engine.hpp>

#include "bindings/engine.hpp"
#include "bindings/signatures.hpp"
#include "engine/engine_options.hpp"
#include "poplar/library_options.hpp"
#include "support/budget.hpp"
#include "support/host_memory.hpp"
#include "support/on_behalf.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using namespace poplar;

/// The rows of a table of options: name, kind, type, default, reason.
using OptionRows = py::typing::List<py::typing::Tuple<py::str, py::str, py::str, py::str, py::str>>;

/// Added to the reason of an option that OptionRow::neutral marks.
constexpr const char* kNeutral = "; it asks for nothing, so nothing is said";

OptionRows asRows(const std::vector<OptionRow>& table, const std::string& before = "",
                  OptionRows rows = OptionRows()) {
  const auto kind = [](const OptionRow& row) {
    switch (row.kind) {
      case OptionRow::Kind::Acts: return "acts";
      case OptionRow::Kind::Refused: return "refused";
      default: return "no-meaning";
    }
  };
  for (const auto& row : table)
    rows.append(py::make_tuple(before + row.name, kind(row), typeText(row), row.otherwise,
                               row.reason + std::string(row.neutral ? kNeutral : "")));
  return rows;
}

/// Gives a note of checkOptions() as an OptionWarning.
void warnOfOption(const std::string& note) {
  const py::gil_scoped_acquire locked;
  const py::object kind = py::module_::import("popir.options").attr("OptionWarning");
  if (PyErr_WarnEx(kind.ptr(), note.c_str(), 1) != 0) throw py::error_already_set();
}

}  // namespace

void bindOptions(py::module_& m) {
  setOptionNotes(warnOfOption);
  m.def(
      "engineOptionTable", [] { return asRows(engineOptionTable()); },
      "(name, kind, type, default, reason) of each option of an Engine. The kind is\n"
      "acts, refused or no-meaning.");
  m.def(
      "deviceOptionTable", [] { return asRows(deviceOptionTable()); },
      "The same as engineOptionTable() for the options of devices, without\n"
      "the figures of the machine.");
  m.def(
      "libraryOptionTable",
      [] {
        OptionRows all;
        for (const auto& table : libraryOptionTables())
          asRows(table.rows, std::string(table.functions) + ".", all);
        return all;
      },
      "The same as engineOptionTable() for the options of library functions,\n"
      "graph streams and host functions. A name begins with the functions that\n"
      "take it, as in popops.reduce.X.");
  m.def(
      "checkEngineOptions",
      [](const OptionFlags& options) {
        return checkOptions("Engine", engineOptionTable(), options);
      },
      py::arg("options"),
      "A note for each of the options of an Engine that is set and has no effect.\n"
      "Raises poplar_invalid_option for an unknown option, a refused one, and a value that\n"
      "an option does not take.");
  m.def("withEnvironment", &withEnvironment, py::arg("options"),
        "`options`, and over them those of the environment variable POPLAR_ENGINE_OPTIONS: what\n"
        "an Engine made with `options` has. Raises poplar_invalid_option if the variable is not\n"
        "a JSON object of strings.");
}

void bindProcess(py::module_& m) {
  m.def("availableMemory", &availableMemory,
        "The bytes of host memory that this process can still allocate: the least of\n"
        "the system's available memory, the control group's limit and RLIMIT_AS.\n"
        "2**64 - 1 if none is known.");
  m.def("spend", &spend, py::arg("units"),
        "Adds units of work to what this thread has spent; see popir.budget.\n"
        "Raises WorkLimitError beyond the thread's limit.");
  m.def(
      "budgetOfThread",
      [] {
        const auto budget = budgetOfThread();
        return std::make_pair(budget.spent, budget.limit);
      },
      "(spent, limit) of this thread, in units of work. A limit of 2**64 - 1 is none.");
  m.def(
      "setBudgetOfThread",
      [](std::uint64_t spent, std::uint64_t limit) {
        setBudgetOfThread({spent, limit});
      },
      py::arg("spent"), py::arg("limit"), "Sets what budgetOfThread() returns; see popir.budget.");
  m.def(
      "waitingThreads",
      [] {
        const auto& waiting = waitingThreads();
        return std::vector<std::uintptr_t>(waiting.begin(), waiting.end());
      },
      "The numbers, as threading.get_ident() gives them, of the threads that wait for a call "
      "which\n"
      "this one makes.");
}

}  // namespace popir
