#pragma once
// The viewer's server: the page, and what a source has to show. It listens on the loopback unless told otherwise,
// answers GET alone, and only to pages that it served itself: a page of another origin learns nothing, whatever name it
// gives this machine.
#include <memory>
#include <string>

#include "ricochet/view/source.hpp"

namespace ricochet::view {

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 0;  ///< 0: one that is free
};

class Server {
 public:
  /// Listens, on threads of its own, until it is destroyed. InputError if the address cannot be had.
  Server(std::shared_ptr<const Source> source, const ServerOptions& options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const std::string& address() const;  ///< http://127.0.0.1:40123/
  /// From now on something else.
  void show(std::shared_ptr<const Source> source);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ricochet::view
