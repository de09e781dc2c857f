#include "support/host_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <poplar/exceptions.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace popir {

TemporaryFolder::TemporaryFolder() {
  std::error_code ignored;
  auto place = std::filesystem::temp_directory_path(ignored).string();
  if (place.empty()) place = "/tmp";
  folder_ = place + "/popir-XXXXXX";
  if (mkdtemp(folder_.data()) == nullptr)
    throw poplar::poplar_error("no temporary folder in " + place + ": " + std::strerror(errno) +
                               "; set TMPDIR to a folder that can be written");
}
TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

int runCommand(const std::vector<std::string>& words, const std::string& standardOutput,
               const std::string& standardError) {
  std::vector<char*> arguments;
  for (const auto& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC, kMode = 0600;
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, standardOutput.c_str(), kFlags, kMode);
  posix_spawn_file_actions_addopen(&files, 2, standardError.c_str(), kFlags, kMode);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0)
    throw poplar::poplar_error("cannot run '" + words[0] + "': " + std::strerror(failed));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string readFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in || std::filesystem::is_directory(path))
    throw poplar::poplar_error("cannot read '" + path +
                               "': " + std::strerror(errno != 0 ? errno : EISDIR));
  return text.str();
}

void writeFile(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw poplar::poplar_error("cannot write '" + path + "': " + std::strerror(errno));
}

std::vector<std::string> splitWords(const std::string& text) {
  std::vector<std::string> words;
  char quote = 0;
  bool open = false;
  for (const char c : text) {
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      open = false;
    } else {
      if (!open) words.emplace_back();
      open = true;
      if (quote == 0 && (c == '\'' || c == '"'))
        quote = c;
      else if (c == quote)
        quote = 0;
      else
        words.back() += c;
    }
  }
  return words;
}

}  // namespace popir
