#include "ricochet/view/server.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <mutex>
#include <thread>

#include "ricochet/math/input_error.hpp"
#include "ricochet/view/page.hpp"

namespace ricochet::view {
namespace {

constexpr int kListeners = 6;      // to a run that goes on; each takes a thread
constexpr int kConnections = 128;  // served at a time: each takes a thread, so that slow ones keep nobody waiting

bool is_loopback(const std::string& host) {
  return host == "127.0.0.1" || host == "localhost" || host == "::1" || host == "[::1]";
}

/// A number that fills the whole text.
bool read(const std::string& text, std::size_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

struct Server::State {
  httplib::Server http;
  std::mutex mutex;
  std::shared_ptr<const Source> source;
  std::string host, address;
  int port = 0;
  std::atomic<bool> stopping{false};
  std::atomic<int> listeners{0};
  std::thread thread;

  std::shared_ptr<const Source> current() {
    const std::lock_guard hold(mutex);
    return source;
  }

  // Names under which this server is asked: another one is some other site's name for this machine.
  bool is_ours(const httplib::Request& request) const {
    const std::string asked = request.get_header_value("Host");
    const std::string name =
        asked.substr(0, asked.rfind(':') == std::string::npos || asked.back() == ']' ? asked.size() : asked.rfind(':'));
    if (is_loopback(host) && !is_loopback(name)) return false;
    if (!request.has_header("Origin")) return request.get_header_value("Sec-Fetch-Site") != "cross-site";
    return request.get_header_value("Origin") == "http://" + asked;
  }

  void guard();
  void routes();
  void live(httplib::Response& response);
};

void Server::State::guard() {
  http.new_task_queue = [] { return new httplib::ThreadPool(kConnections); };
  http.set_payload_max_length(1024);
  http.set_read_timeout(5);
  http.set_write_timeout(10);
  http.set_keep_alive_timeout(5);
  http.set_default_headers(
      {{"Cache-Control", "no-store"},
       {"X-Content-Type-Options", "nosniff"},
       {"Cross-Origin-Resource-Policy", "same-origin"},
       {"Content-Security-Policy",
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}});
  http.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    const auto refuse = [&](int status, const char* why) {
      response.status = status;
      response.set_content(why, "text/plain");
      return httplib::Server::HandlerResponse::Handled;
    };
    if (request.method != "GET" && request.method != "HEAD") return refuse(405, "this server answers GET alone");
    if (!is_ours(request)) return refuse(403, "this server answers its own page alone");
    // Whole answers alone, as HTTP allows: of many ranges that overlap the library would make as many copies.
    const_cast<httplib::Request&>(request).ranges.clear();
    return httplib::Server::HandlerResponse::Unhandled;
  });
  http.set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr thrown) {
    std::string what = "the result cannot be read";
    try {
      std::rethrow_exception(std::move(thrown));
    } catch (const std::exception& error) {
      what = error.what();
    } catch (...) {
    }
    response.status = 500;
    response.set_content(what, "text/plain; charset=utf-8");
  });
}

void Server::State::routes() {
  const auto bytes = [](httplib::Response& response, std::string content) {
    if (content.empty()) {
      response.status = 404;
      response.set_content("there is no such part", "text/plain");
    } else {
      response.set_content(std::move(content), "application/octet-stream");
    }
  };
  http.Get("/", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(page().data(), page().size(), "text/html; charset=utf-8");
  });
  http.Get("/description", [this](const httplib::Request&, httplib::Response& response) {
    response.set_content(current()->description(), "application/json");
  });
  http.Get(R"(/overview/(\d{1,3}))", [this, bytes](const httplib::Request& request, httplib::Response& response) {
    std::size_t result = 0;
    bytes(response, read(request.matches[1], result) ? current()->overview(result) : "");
  });
  http.Get(R"(/piece/(\d{1,3})/(\d{1,12}))",
           [this, bytes](const httplib::Request& request, httplib::Response& response) {
             std::size_t result = 0, index = 0;
             const bool good = read(request.matches[1], result) && read(request.matches[2], index);
             bytes(response, good ? current()->piece(result, index) : "");
           });
  http.Get("/live", [this](const httplib::Request&, httplib::Response& response) { live(response); });
}

// Server-sent events: news of the run, at most a few each second; a comment now and then finds who has left.
void Server::State::live(httplib::Response& response) {
  if (listeners.fetch_add(1) >= kListeners) {
    listeners.fetch_sub(1);
    response.status = 503;
    response.set_content("too many pages look at this run", "text/plain");
    return;
  }
  auto watched = current();
  auto seen = std::make_shared<std::size_t>(0);
  response.set_chunked_content_provider(
      "text/event-stream",
      [this, watched, seen](std::size_t, httplib::DataSink& sink) {
        if (stopping) return false;
        const std::string news = watched->news(*seen);
        const std::string text = news.empty() ? ": waiting\n\n" : "data: " + news + "\n\n";
        if (!sink.write(text.data(), text.size())) return false;
        const bool ended = news.find("\"ended\"") != std::string::npos;
        if (ended) {
          sink.done();
        } else {
          std::this_thread::sleep_for(std::chrono::milliseconds(300));
        }
        return true;
      },
      [this](bool) { listeners.fetch_sub(1); });
}

Server::Server(std::shared_ptr<const Source> source, const ServerOptions& options) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.source = std::move(source);
  s.host = options.host;
  s.guard();
  s.routes();
  s.port = options.port;
  const bool bound = options.port > 0 ? s.http.bind_to_port(options.host.c_str(), options.port)
                                      : (s.port = s.http.bind_to_any_port(options.host.c_str())) > 0;
  if (!bound)
    throw InputError("",
                     fmt::format("cannot listen on {}{}; accepted: an address of this machine and a port that is free",
                                 options.host, options.port > 0 ? fmt::format(", port {}", options.port) : ""));
  const bool plain = options.host.find(':') == std::string::npos;
  s.address = fmt::format("http://{}:{}/", plain ? options.host : "[" + options.host + "]", s.port);
  s.thread = std::thread([&s] { s.http.listen_after_bind(); });
  while (!s.http.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

Server::~Server() {
  state_->stopping = true;
  state_->http.stop();
  state_->thread.join();
}

const std::string& Server::address() const { return state_->address; }

void Server::show(std::shared_ptr<const Source> source) {
  const std::lock_guard hold(state_->mutex);
  state_->source = std::move(source);
}

}  // namespace ricochet::view
