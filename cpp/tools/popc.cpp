// popc: compiles codelets into a .gp file for Graph::addCodelets.
#include <poplar/exceptions.hpp>

#include <iostream>
#include <string>
#include <vector>

#include "poplar/codelet_compile.hpp"
#include "poplar/host_process.hpp"

namespace {

const char* const kUsage =
    "Usage: popc [OPTION]... SOURCE...\n"
    "Compiles codelets in C++ into a file for Graph::addCodelets.\n"
    "  -o FILE          the file to write (default: a.gp)\n"
    "  -O LEVEL, -I FOLDER, -D NAME[=VALUE], -std=..., -g, -W..., -f..., -U NAME\n"
    "                   as for g++, which does the work; CXX names another compiler\n"
    "  --target NAME    accepted and ignored: the code is the host's\n"
    "  --help           this text\n";

int fail(const std::string& why) {
  std::cerr << "popc: " << why << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> sources, options;
  std::string output = "a.gp";
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    const auto valueOf = [&](const std::string& name, std::string& value) {
      if (word == name && i + 1 < words.size())
        value = words[++i];
      else if (word.rfind(name + "=", 0) == 0)
        value = word.substr(name.size() + 1);
      else
        return false;
      return true;
    };
    std::string ignored;
    if (word == "--help" || word == "-h") {
      std::cout << kUsage;
      return 0;
    }
    if (valueOf("-o", output) || valueOf("--target", ignored) || valueOf("-target", ignored))
      continue;
    if ((word == "-I" || word == "-D" || word == "-U" || word == "-O") && i + 1 < words.size())
      options.push_back(word + words[++i]);
    else if (word.size() > 1 && word[0] == '-' && word[1] != '-' &&
             std::string("IDUOWfgs").find(word[1]) != std::string::npos)
      options.push_back(word);
    else if (word[0] == '-')
      return fail("unknown option " + word + "\n" + kUsage);
    else
      sources.push_back(word);
  }
  if (sources.empty()) return fail(std::string("no source given\n") + kUsage);
  try {
    popir::writeFile(output, popir::compileCodelets(sources, options));
  } catch (const poplar::poplar_error& e) {
    return fail(e.what());
  }
  return 0;
}
