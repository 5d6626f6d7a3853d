// The viewer's server under the sanitizers: whatever it is sent, it goes on answering.
#include "ricochet/view/server.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>

#include "ricochet/view/page.hpp"

namespace ricochet::view {

// The page itself is built elsewhere.
std::string_view page() { return "<!doctype html><title>page</title>"; }
std::string missing_page() { return ""; }

namespace server_test {
namespace {

struct Nothing final : Source {
  std::string description() const override { return R"({"format":"ricochet-view","results":[]})"; }
  std::string overview(std::size_t) const override { return {}; }
  std::string piece(std::size_t, std::size_t index) const override { return std::string(index < 3 ? 1000 : 0, 'x'); }
};

/// What comes back until the server closes or has been silent for a moment.
std::string answer(int port, const std::string& request) {
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval silence{0, 150000};
  setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence);
  std::string out;
  if (connect(s, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
    static_cast<void>(send(s, request.data(), request.size(), MSG_NOSIGNAL));
    char part[4096];
    for (ssize_t n = 0; (n = recv(s, part, sizeof part, 0)) > 0;) out.append(part, static_cast<std::size_t>(n));
  }
  close(s);
  return out;
}

struct Served {
  Server server{std::make_shared<Nothing>(), {}};
  int port = std::stoi(server.address().substr(server.address().rfind(':') + 1));
  std::string get(const std::string& path, const std::string& headers = "") const {
    return answer(port, "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" + headers + "\r\n");
  }
};

TEST(Server, AnswersWhatIsAsked) {
  const Served served;
  EXPECT_NE(served.get("/").find("200 OK"), std::string::npos);
  EXPECT_NE(served.get("/description").find("ricochet-view"), std::string::npos);
  EXPECT_NE(served.get("/piece/0/1").find("xxx"), std::string::npos);
  for (const char* path : {"/piece/0/9", "/piece/-1/0", "/piece/99999999999999999999/0", "/../etc/passwd", "/piece/0/"})
    EXPECT_NE(served.get(path).find("404"), std::string::npos) << path;
}

TEST(Server, GoesOnAfterWhateverItIsSent) {
  const Served served;
  std::string ranges = "Range: bytes=";
  for (int k = 0; k < 1000; ++k) ranges += std::to_string(k % 7) + "-900,";
  const std::string hostile[] = {"",
                                 "\r\n\r\n",
                                 "GET",
                                 "GET /\r\n\r\n",
                                 "BREW / HTTP/1.1\r\n\r\n",
                                 "GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
                                 "GET / HTTP/1.1\r\nHost: " + std::string(100000, 'a') + "\r\n\r\n",
                                 "GET /" + std::string(100000, '%') + " HTTP/1.1\r\n\r\n",
                                 "GET /%00%ff%zz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                                 "POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
                                 "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx",
                                 "GET /piece/0/1 HTTP/1.1\r\nHost: 127.0.0.1\r\n" + ranges + "0-0\r\n\r\n"};
  for (const std::string& request : hostile) answer(served.port, request);
  std::mt19937 random(20261119);
  for (int k = 0; k < 12; ++k) {
    std::string request = "GET /piece/0/1 HTTP/1.1\r\nHost: 127.0.0.1\r\nRange: bytes=0-10\r\n\r\n";
    for (int change = 0; change < 3; ++change) request[random() % request.size()] = static_cast<char>(random());
    answer(served.port, request);
  }
  EXPECT_NE(served.get("/description").find("200 OK"), std::string::npos);
}

}  // namespace
}  // namespace server_test
}  // namespace ricochet::view
