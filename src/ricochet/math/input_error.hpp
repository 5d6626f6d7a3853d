#pragma once
// What is wrong with the user's input: thrown by readers and builders only, never inside a step.
#include <exception>
#include <string>
#include <utility>

namespace ricochet {

/// `what()` reads "where: message", or the message alone where there is no place to name.
struct InputError : std::exception {
  InputError(std::string where_, std::string message_)
      : where(std::move(where_)),
        message(std::move(message_)),
        full(where.empty() ? message : where + ": " + message) {}

  const char* what() const noexcept override { return full.c_str(); }

  std::string where;    ///< empty, "file:line:column", or the name of an option
  std::string message;  ///< what is wrong; what is accepted

 private:
  std::string full;
};

}  // namespace ricochet
