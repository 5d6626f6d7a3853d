#include "ricochet/view/page.hpp"

// The bytes of a file between two symbols. Compilers have no better way before C++26, and a list of numbers of that
// length takes them minutes.
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    "ricochet_view_page_begin:\n"
    ".incbin \"" RICOCHET_VIEW_PAGE
    "\"\n"
    "ricochet_view_page_end:\n"
    ".byte 0\n"
    ".previous\n");
extern "C" {
extern const char ricochet_view_page_begin[];
extern const char ricochet_view_page_end[];
}

namespace ricochet::view {

std::string_view page() {
  const std::string_view all(ricochet_view_page_begin,
                             static_cast<std::size_t>(ricochet_view_page_end - ricochet_view_page_begin));
  return all.starts_with("<!") ? all : std::string_view();
}

std::string missing_page() {
  if (!page().empty()) return {};
  return "this program was built without the viewer's page: " +
         std::string(ricochet_view_page_begin, ricochet_view_page_end) +
         "; accepted: a program built where 'npm' is found (Debian: apt install nodejs npm), by ./dev build";
}

}  // namespace ricochet::view
