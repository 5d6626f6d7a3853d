// Types and shapes in words.
#include <fmt/format.h>

#include "ricochet/io/file/hdf5_handle.hpp"

namespace ricochet::h5 {

namespace {
// What this program writes has a name, all else has none.
std::string type_name(hid_t type) {
  const Handle text = text_type();
  if (H5Tequal(type, text) > 0) return "text";
  if (H5Tequal(type, H5T_IEEE_F64LE) > 0) return "double";
  if (H5Tequal(type, H5T_STD_I64LE) > 0) return "int64";
  if (H5Tequal(type, H5T_STD_I32LE) > 0) return "int32";
  if (H5Tequal(type, H5T_STD_I8LE) > 0) return "int8";
  return "another type";
}
}  // namespace

std::string Object::form(const std::string& attribute) const {
  const Handle object(H5Aopen(*handle_, attribute.c_str(), H5P_DEFAULT));
  const Handle type(H5Aget_type(object)), space(H5Aget_space(object));
  const bool scalar = H5Sget_simple_extent_type(space) == H5S_SCALAR;
  return type_name(type) + (scalar ? "" : fmt::format(" [{}]", H5Sget_simple_extent_npoints(space)));
}

std::string Dataset::form() const {
  const Handle type(H5Dget_type(*handle_));
  const auto size = shape();
  return type_name(type) + (size.empty() ? "" : size.size() == 1 ? " []" : fmt::format(" [x {}]", size[1]));
}

}  // namespace ricochet::h5
