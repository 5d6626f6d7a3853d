#pragma once
// The program, run in a folder of its own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "support/paths.hpp"

namespace ricochet::test {

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

class ProgramTest : public ::testing::Test {
 protected:
  struct Outcome {
    int status = -1;
    std::string out, err;
  };

  ProgramTest() : folder_(std::filesystem::temp_directory_path() / ("ricochet-program-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ProgramTest() override { std::filesystem::remove_all(folder_); }

  /// A command line of the shell, in the folder.
  Outcome shell(const std::string& command) const {
    const std::string line = "cd '" + folder_.string() + "' && { " + command + "; } >out.txt 2>err.txt";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), slurp(folder_ / "out.txt"),
            slurp(folder_ / "err.txt")};
  }
  Outcome ricochet(const std::string& arguments) const {
    return shell("'" RICOCHET_BINARY_DIR "/ricochet' " + arguments);
  }
  std::string file(const std::string& name) const { return slurp(folder_ / name); }
  bool has(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  std::filesystem::path folder_;
};

}  // namespace ricochet::test
