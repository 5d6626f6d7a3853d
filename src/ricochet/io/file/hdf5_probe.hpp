#pragma once
// Everything in an HDF5 file read once, for the sake of what it does to the library (io/file/guard).
#include "ricochet/io/file/hdf5.hpp"

namespace ricochet::h5 {

/// InputError where something that a reader of ours may ask for cannot be read.
void read_everything(const Group& root);

}  // namespace ricochet::h5
