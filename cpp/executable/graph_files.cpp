// The files about a graph that options of an Engine ask for.
#include <poplar/exceptions.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <string>

#include "engine/engine.hpp"
#include "engine/engine_options.hpp"
#include "executable/saved_graph.hpp"

namespace popir {
namespace {

namespace fs = std::filesystem;
using Write = std::function<void(std::ostream&)>;

void writeFile(const fs::path& path, const char* option, const Write& write) {
  std::error_code failed;  // the open below tells
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), failed);
  std::ofstream out(path, std::ios::binary);
  write(out);
  if (!out.flush())
    throw poplar::poplar_error(std::string("Engine: ") + option + ": '" + path.string() +
                               "' cannot be written");
}

std::string padded(std::string text, std::size_t width) {
  text.resize(width, ' ');
  return text;
}

/// The .gp files of a graph as an archive of `ar`, in System V's form: names of any length stand in
/// its first member.
void writeArchive(std::ostream& out, const CodeletLibrary& codelets) {
  const auto member = [&](const std::string& name, const std::string& bytes) {
    out << padded(name, 16) << padded("0", 12) << padded("0", 6) << padded("0", 6)
        << padded("100644", 8) << padded(std::to_string(bytes.size()), 10) << "`\n"
        << bytes << (bytes.size() % 2 ? "\n" : "");
  };
  std::string names;
  std::vector<std::size_t> places;
  for (const auto& file : codelets.files()) {
    places.push_back(names.size());
    names += fs::path(file.origin).stem().string() + ".gp/\n";
  }
  out << "!<arch>\n";
  member("//", names);
  for (std::size_t i = 0; i < places.size(); ++i)
    member("/" + std::to_string(places[i]), codelets.files()[i].bytes);
}

}  // namespace

void writeGraphFiles(const GraphImpl& graph, const poplar::OptionFlags& options) {
  const auto text = [&](const char* option, const char* otherwise) {
    const auto found = options.find(option);
    return found == options.end() ? std::string(otherwise) : found->second;
  };
  const Write asText = [&](std::ostream& out) { writeGraphText(out, graph); };
  const Write asVariables = [&](std::ostream& out) { writeVariablesText(out, graph); };
  const Write asArchive = [&](std::ostream& out) { writeArchive(out, graph.codelets); };
  struct Row {
    const char *flag, *name, *path;
    const Write& write;
  };
  const Row rows[] = {
      {"autoReport.outputSerializedGraph", "serialized_graph.json", nullptr, asText},
      {"autoReport.outputLoweredVars", "vars.json", "debug.loweredVarDumpFile", asVariables},
      {"autoReport.outputArchive", "archive.a", "target.saveArchive", asArchive},
  };
  const fs::path folder = text("autoReport.directory", ".");
  for (const auto& row : rows) {
    if (flagFrom(options, row.flag, false)) writeFile(folder / row.name, row.flag, row.write);
    const auto path = row.path ? text(row.path, "") : "";
    if (!path.empty()) writeFile(path, row.path, row.write);
  }
}

}  // namespace popir
