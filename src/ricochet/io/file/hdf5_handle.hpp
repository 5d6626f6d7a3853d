#pragma once
// What the files of io/file/hdf5 share, and nobody else: an HDF5 object that closes itself.
#include <hdf5.h>

#include "ricochet/io/file/hdf5.hpp"

namespace ricochet::h5 {

struct Handle {
  Handle() = default;
  explicit Handle(hid_t id_) : id(id_) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id < 0) return;
    // Types, spaces, objects and lists each have their own way to close.
    switch (H5Iget_type(id)) {
      case H5I_FILE: H5Fclose(id); break;
      case H5I_GROUP: H5Gclose(id); break;
      case H5I_DATASET: H5Dclose(id); break;
      case H5I_DATASPACE: H5Sclose(id); break;
      case H5I_DATATYPE: H5Tclose(id); break;
      case H5I_ATTR: H5Aclose(id); break;
      case H5I_GENPROP_LST: H5Pclose(id); break;
      default: break;
    }
  }
  operator hid_t() const { return id; }  // NOLINT(google-explicit-constructor)

  hid_t id = -1;
};

inline Handle text_type() {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return Handle(type);
}

}  // namespace ricochet::h5
