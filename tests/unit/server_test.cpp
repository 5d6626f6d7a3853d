// The viewer's server under connections that mean no good.
#include "ricochet/view/server.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace ricochet::view {
namespace {

class Fixed final : public Source {
 public:
  std::string description() const override { return std::string(1000, 'd'); }
  std::string overview(std::size_t) const override { return "o"; }
  std::string piece(std::size_t, std::size_t) const override { return "p"; }
};

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() : server_(std::make_shared<Fixed>(), {}) {}

  int connected() const {
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    const std::string at = server_.address();
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(at.substr(at.rfind(':') + 1))));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(s, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    const timeval patience{20, 0};
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return s;
  }
  /// The whole answer.
  std::string get(const std::string& path, const std::string& headers = "") const {
    const int s = connected();
    const std::string text = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" + headers + "\r\n";
    EXPECT_EQ(send(s, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    std::string out;
    char piece[4096];
    for (ssize_t n = 0; (n = recv(s, piece, sizeof piece, 0)) > 0;) out.append(piece, static_cast<std::size_t>(n));
    close(s);
    return out;
  }

  Server server_;
};

// Each sends a byte of a request now and then, and never the last.
TEST_F(ServerTest, SlowConnectionsKeepNobodyWaiting) {
  std::vector<int> slow;
  for (int k = 0; k < 60; ++k) slow.push_back(connected());
  std::atomic<bool> done{false};
  std::thread drip([&] {
    const std::string request = "GET / HTTP/1.1\r\nX: " + std::string(1000, 'x');
    for (std::size_t at = 0; !done && at < request.size(); ++at) {
      for (const int s : slow) send(s, &request[at], 1, MSG_NOSIGNAL);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(get("/description").starts_with("HTTP/1.1 200"));
  done = true;
  drip.join();
  for (const int s : slow) close(s);
}

TEST_F(ServerTest, RangesMakeNoCopies) {
  std::string ranges = "Range: bytes=0-";
  for (int k = 0; k < 1000; ++k) ranges += ",0-";
  for (const std::string& header : {ranges + "\r\n", std::string("Range: bytes=0-5,3-900,2-\r\n"), std::string()}) {
    const std::string answer = get("/description", header);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200")) << answer.substr(0, 60);
    EXPECT_LT(answer.size(), 3000U);
    EXPECT_NE(answer.find(std::string(1000, 'd')), std::string::npos);
  }
}

}  // namespace
}  // namespace ricochet::view
