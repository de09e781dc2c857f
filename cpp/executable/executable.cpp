// poplar::Executable. Stream format: text lines, each ended by a newline: "popir executable",
// popir's version and the number of the format, the size of the rest in bytes, its FNV-1a hash. A
// saved graph follows.
#include <popir/version.hpp>
#include <poplar/Engine.hpp>
#include <poplar/exceptions.hpp>

#include <istream>
#include <ostream>

#include "engine/engine.hpp"
#include "engine/engine_options.hpp"
#include "executable/saved_graph.hpp"
#include "support/archive.hpp"

namespace poplar {
namespace {

constexpr const char* kMagic = "popir executable";
constexpr std::size_t kMostHeader = 64;

[[noreturn]] void refuse(const std::string& why) {
  throw poplar_error("Executable::deserialize: " + why);
}

std::string lineOf(std::istream& in) {
  std::string line;
  for (char c = 0; in.get(c) && c != '\n';) {
    line += c;
    if (line.size() > kMostHeader) break;
  }
  return line;
}

popir::SavedGraph load(const Executable& executable) {
  try {
    return popir::loadGraph(executable.bytes());
  } catch (const popir::DamagedArchive& error) {
    throw poplar_error(std::string("Engine: the executable is damaged: ") + error.what() +
                       "; compile the graph again");
  }
}

std::unique_ptr<popir::EngineImpl> engineOf(const Executable& executable,
                                            const OptionFlags& options) {
  auto saved = load(executable);
  for (const auto& [name, value] : options) saved.options.set(name, value);
  return std::make_unique<popir::EngineImpl>(std::move(saved.graph), std::move(saved.programs),
                                             saved.options, ProgressFunc());
}

}  // namespace

}  // namespace poplar

std::string popir::writerOf(unsigned format) {
  return std::string(popir_version()) + ", format " + std::to_string(format);
}

namespace poplar {

Executable compileGraph(const Graph& graph, ArrayRef<program::Program> programs,
                        const OptionFlags& options, ProgressFunc progress, const DebugContext&) {
  const auto nodes = popir::nodesOf(programs);
  if (progress) progress(0, 1);
  popir::EngineParts parts;
  popir::checkedPrograms(*graph.impl(), nodes, popir::engineOptions(options), parts);
  auto bytes = std::make_shared<const std::string>(popir::saveGraph(*graph.impl(), nodes, options));
  if (progress) progress(1, 1);
  return Executable(std::move(bytes));
}

Executable compileGraph(const Graph& graph, ArrayRef<program::Program> programs,
                        bool checkOptionFlags, const OptionFlags& options, ProgressFunc progress,
                        const DebugContext& debugContext) {
  return compileGraph(graph, programs,
                      checkOptionFlags ? options : popir::knownEngineOptions(options),
                      std::move(progress), debugContext);
}
Executable compileGraph(const Graph& graph, ArrayRef<program::Program> programs,
                        const Preallocations&, const OptionFlags& options, ProgressFunc progress,
                        const DebugContext& debugContext) {
  return compileGraph(graph, programs, options, std::move(progress), debugContext);
}
Executable compileGraph(const Graph& graph, ArrayRef<program::Program> programs,
                        const Preallocations&, bool checkOptionFlags, const OptionFlags& options,
                        ProgressFunc progress, const DebugContext& debugContext) {
  return compileGraph(graph, programs, checkOptionFlags, options, std::move(progress),
                      debugContext);
}
Module compileModule(const Graph& graph, program::Program program, const OptionFlags& options,
                     ProgressFunc progress, const DebugContext& debugContext) {
  if (!graph.impl()->streams.empty())
    throw control_program_error("compileModule: the graph has stream '" +
                                graph.impl()->streams.front().handle() +
                                "', and a module is loaded by what knows none; use compileGraph");
  return Module(compileGraph(graph, {program}, options, std::move(progress), debugContext));
}
Module compileModule(const Graph& graph, program::Program program, const Preallocations&,
                     const OptionFlags& options, ProgressFunc progress,
                     const DebugContext& debugContext) {
  return compileModule(graph, std::move(program), options, std::move(progress), debugContext);
}

namespace {

[[noreturn]] void refuseSegments(const char* who) {
  throw poplar_error(std::string("Module::") + who +
                     ": no code is compiled for a tile, so that there are no images of tiles; "
                     "Module::serialize writes the program");
}

}  // namespace

void Module::forEachSegment(
    std::function<void(std::size_t, std::size_t, std::size_t, std::size_t, const char*)>) const {
  refuseSegments("forEachSegment");
}
void Module::forEachLoadableSegment(
    std::function<void(std::size_t, std::size_t, std::size_t, const char*)>) const {
  refuseSegments("forEachLoadableSegment");
}

Engine::Engine(Executable&& executable, const OptionFlags& options)
    : impl_(engineOf(executable, options)) {}

Engine::Engine(const Executable& executable, const OptionFlags& options)
    : impl_(engineOf(executable, options)) {}

void Engine::serializeExecutable(std::ostream& out) const {
  Executable(std::make_shared<const std::string>(
                 popir::saveGraph(impl_->graph(), impl_->programs(), impl_->options())))
      .serialize(out);
}

const std::string& Executable::bytes() const {
  if (!bytes_)
    throw poplar_error("Executable: it holds nothing; compileGraph and deserialize make others");
  return *bytes_;
}

void Executable::serialize(std::ostream& out) const {
  out << kMagic << "\n"
      << popir::writerOf(popir::kGraphFormat) << "\n"
      << bytes().size() << "\n"
      << popir::hashOf(bytes()) << "\n"
      << bytes();
  out.flush();
  if (!out) throw poplar_error("Executable::serialize: the stream took no more bytes");
}

Executable Executable::deserialize(std::istream& in) {
  if (!in) refuse("the stream cannot be read");
  if (lineOf(in) != kMagic)
    refuse("this is no executable that popir wrote; Executable::serialize writes them");
  const auto writer = lineOf(in), size = lineOf(in), hash = lineOf(in);
  const auto own = popir::writerOf(popir::kGraphFormat);
  if (writer != own)
    refuse("the executable was written by popir " + writer + ", this is " + own +
           "; compile the graph again");
  std::size_t left = std::strtoull(size.c_str(), nullptr, 10);
  std::string bytes;
  while (left > 0 && in) {
    char buffer[1 << 16];
    in.read(buffer, static_cast<std::streamsize>(std::min(left, sizeof buffer)));
    bytes.append(buffer, static_cast<std::size_t>(in.gcount()));
    left -= static_cast<std::size_t>(in.gcount());
  }
  const auto damaged = [&](const std::string& how) {
    refuse("the executable is damaged: " + how + "; compile the graph again");
  };
  if (std::to_string(bytes.size()) != size)
    damaged("it has " + std::to_string(bytes.size()) + " bytes, expected " + size.substr(0, 20));
  if (popir::hashOf(bytes) != hash) damaged("its content is not what was written");
  return Executable(std::make_shared<const std::string>(std::move(bytes)));
}

}  // namespace poplar
