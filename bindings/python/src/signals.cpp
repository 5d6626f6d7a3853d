#include "signals.hpp"

namespace ricochet::python {
namespace {

std::atomic<std::atomic<bool>*> to_stop{nullptr};
struct sigaction pythons {};

void on_interrupt(int number) {
  if (std::atomic<bool>* stop = to_stop.load()) stop->store(true);
  if (pythons.sa_handler != SIG_DFL && pythons.sa_handler != SIG_IGN) pythons.sa_handler(number);
}

}  // namespace

Signals::Signals(std::atomic<bool>& stop) {
  const py::module_ threading = py::module_::import("threading"), signal = py::module_::import("signal");
  main_ = threading.attr("current_thread")().is(threading.attr("main_thread")());
  if (!main_) return;
  if (!signal.attr("getsignal")(signal.attr("SIGINT")).is(signal.attr("default_int_handler"))) return;
  installed_ = true;
  outer_ = to_stop.exchange(&stop);
  if (outer_ != nullptr) return;  // a run inside a run: the handler stands
  struct sigaction ours {};
  ours.sa_handler = on_interrupt;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGINT, nullptr, &pythons);
  sigaction(SIGINT, &ours, &before_);
}

Signals::~Signals() {
  if (!installed_) return;
  if (outer_ == nullptr) sigaction(SIGINT, &before_, nullptr);
  to_stop.store(outer_);
}

}  // namespace ricochet::python
