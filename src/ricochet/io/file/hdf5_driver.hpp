#pragma once
// HDF5 on top of a StagedFile: whatever HDF5 writes, and whenever, reaches the disk in commit() and in close only.
#include <cstdint>

// Handles are HDF5's hid_t, named here without its headers.
namespace ricochet::h5 {

/// Makes a file access list use the driver; false if HDF5 refuses.
bool use_staged_driver(std::int64_t access);

/// Of a file opened with the driver; throws std::runtime_error if the disk does.
void commit(std::int64_t file);

}  // namespace ricochet::h5
