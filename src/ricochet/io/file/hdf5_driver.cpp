#include "ricochet/io/file/hdf5_driver.hpp"

#include <hdf5.h>

#include <memory>
#include <new>
#include <stdexcept>

#include "ricochet/io/file/staged_file.hpp"

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

namespace ricochet::h5 {
namespace {

// H5FD_t comes first: HDF5 fills it in and hands its address back.
struct Driver {
  H5FD_t base = {};
  std::unique_ptr<StagedFile> file;
  haddr_t eoa = 0;
};

Driver& driver(H5FD_t* file) { return *reinterpret_cast<Driver*>(file); }
const Driver& driver(const H5FD_t* file) { return *reinterpret_cast<const Driver*>(file); }

// No exception may pass through HDF5; what went wrong is asked for again by commit().
template <class Action>
herr_t guarded(Action action) {
  try {
    action();
    return 0;
  } catch (...) {
    return -1;
  }
}

H5FD_t* open_file(const char* name, unsigned flags, hid_t, haddr_t) {
  try {
    auto out = std::make_unique<Driver>();
    const bool create = (flags & H5F_ACC_TRUNC) != 0 || (flags & H5F_ACC_CREAT) != 0;
    out->file = std::make_unique<StagedFile>(name, create ? StagedFile::Mode::create : StagedFile::Mode::change);
    return &out.release()->base;
  } catch (...) {
    return nullptr;
  }
}

herr_t close_file(H5FD_t* file) {
  const std::unique_ptr<Driver> owner(&driver(file));
  // Without a result: HDF5 does not recover from a file that cannot be closed. Who needs to know commits before.
  guarded([&] { owner->file->commit(); });
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) { return a == b ? 0 : a < b ? -1 : 1; }

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t eoa(const H5FD_t* file, H5FD_mem_t) { return driver(file).eoa; }
herr_t set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  driver(file).eoa = address;
  return 0;
}
haddr_t eof(const H5FD_t* file, H5FD_mem_t) { return driver(file).file->size(); }

herr_t handle(H5FD_t* file, hid_t, void** out) {
  *out = driver(file).file.get();
  return 0;
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, size_t size, void* data) {
  return guarded([&] { driver(file).file->read(at, data, size); });
}
herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, size_t size, const void* data) {
  return guarded([&] { driver(file).file->write(at, data, size); });
}
herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  driver(file).file->resize(driver(file).eoa);
  return 0;
}

hid_t registered_driver() {
  static const hid_t id = [] {
    static H5FD_class_t description = {};
#if H5_VERSION_GE(1, 13, 0)
    description.version = H5FD_CLASS_VERSION;
    description.value = static_cast<H5FD_class_value_t>(512);
#endif
    description.name = "ricochet-staged";
    description.maxaddr = (static_cast<haddr_t>(1) << 62) - 1;
    description.fc_degree = H5F_CLOSE_WEAK;
    description.open = open_file;
    description.close = close_file;
    description.cmp = compare;
    description.query = query;
    description.get_eoa = eoa;
    description.set_eoa = set_eoa;
    description.get_eof = eof;
    description.get_handle = handle;
    description.read = read;
    description.write = write;
    description.truncate = truncate;
    for (H5FD_mem_t& map : description.fl_map) map = H5FD_MEM_DEFAULT;
    return H5FDregister(&description);
  }();
  return id;
}

}  // namespace

bool use_staged_driver(std::int64_t access) { return H5Pset_driver(access, registered_driver(), nullptr) >= 0; }

void commit(std::int64_t file) {
  void* staged = nullptr;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, &staged) < 0 || staged == nullptr)
    throw std::runtime_error("this HDF5 file is not open for writing");
  static_cast<StagedFile*>(staged)->commit();
}

}  // namespace ricochet::h5
