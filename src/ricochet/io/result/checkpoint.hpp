#pragma once
// A checkpoint is a RunState bit for bit, and where the recorder stood. It lies in the result file beside the rows and
// reaches the disk with them in one flush (io/file/hdf5), all or nothing: a run killed during the write leaves the one
// before.
#include <vector>

#include "ricochet/io/file/hdf5.hpp"
#include "ricochet/io/result/result_layout.hpp"
#include "ricochet/sim/driver.hpp"

namespace ricochet {

struct Checkpoint {
  RunState run;
  std::int64_t rows = 0;        ///< of the results that belong to it
  std::int64_t pending = 0;     ///< steps since the last row
  std::vector<double> partial;  ///< what they amount to so far: the numbers of a row, and its contacts
  std::vector<ContactEntry> contacts;
};

void store_checkpoint(h5::Group group, const Checkpoint& checkpoint);
/// InputError if there is none, or it does not fit together.
Checkpoint load_checkpoint(const h5::Group& group);

/// Every sum and maximum of a run by name: text(name, value) for attributes, JSON and comparison.
struct SummaryNumbers {
  std::vector<std::pair<std::string, std::int64_t>> integers;
  std::vector<std::pair<std::string, double>> numbers;
};
SummaryNumbers numbers_of(const Summary& summary);
/// The summary that a finished run left in its file; what an older program did not write is zero.
Summary summary_of(const h5::Group& group);

}  // namespace ricochet
