#pragma once
// Opening a page in the user's browser, and serving it until the user has seen enough.
#include <memory>
#include <string>

#include "ricochet/view/server.hpp"

namespace ricochet::app {

/// Asks the desktop to open an address; does nothing where there is none.
void open_in_browser(const std::string& address);

/// Prints the address, opens it if wished, and waits for Ctrl-C.
void serve_until_interrupted(const view::Server& server, bool open);

}  // namespace ricochet::app
