#include "ricochet/io/file/hdf5_probe.hpp"

namespace ricochet::h5 {
namespace {

constexpr int kDeepest = 16;
constexpr std::size_t kPiece = std::size_t{1} << 17;  // numbers at a time

// What holds neither numbers nor text, or has another shape, no reader of ours takes.
template <class Action>
bool known(Action action) {
  try {
    action();
    return true;
  } catch (const InputError&) {
    return false;
  }
}

void read_attributes(const Object& object) {
  for (const std::string& name : object.attributes())
    if (!known([&] { object.text(name); })) known([&] { object.number(name); });
}

void read_dataset(const Dataset& dataset) {
  read_attributes(dataset);
  if (!known([&] { dataset.type(), dataset.rows(); })) return;
  if (dataset.type() == Dataset::Type::text) {
    dataset.texts();
    return;
  }
  const std::size_t step = std::max<std::size_t>(1, kPiece / std::max<std::size_t>(1, dataset.width()));
  for (std::size_t row = 0, rows = dataset.rows(); row < rows; row += step) dataset.numbers(row, step);
}

void read_group(const Group& group, int depth) {
  if (depth > kDeepest) throw InputError("", group.path() + ": groups within groups without an end");
  read_attributes(group);
  for (const std::string& name : group.names()) {
    if (group.kind(name) == Group::Kind::group) read_group(group.group(name), depth + 1);
    if (group.kind(name) == Group::Kind::dataset) read_dataset(group.dataset(name));
  }
}

}  // namespace

void read_everything(const Group& root) { read_group(root, 0); }

}  // namespace ricochet::h5
