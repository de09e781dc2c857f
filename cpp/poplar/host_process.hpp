// Commands run by the library, and files for them.
#ifndef popir_poplar_host_process_hpp
#define popir_poplar_host_process_hpp

#include <string>
#include <vector>

namespace popir {

/// A folder of its own, gone with this object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

/// Runs a command found on PATH, without a shell, its output in two files. Returns its status, -1
/// if it ended by a signal.
/// \throws poplar::poplar_error if there is no such command.
int runCommand(const std::vector<std::string>& words, const std::string& standardOutput,
               const std::string& standardError);

/// \throws poplar::poplar_error, naming the file, if it cannot be read or written.
__attribute__((visibility("default"))) std::string readFile(const std::string& path);
__attribute__((visibility("default"))) void writeFile(const std::string& path,
                                                      const std::string& bytes);

/// Words of a command line; quotes keep spaces.
std::vector<std::string> splitWords(const std::string& text);

}  // namespace popir

#endif
