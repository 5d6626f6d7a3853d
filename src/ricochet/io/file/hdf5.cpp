#include "ricochet/io/file/hdf5.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "ricochet/io/file/guard.hpp"
#include "ricochet/io/file/hdf5_driver.hpp"
#include "ricochet/io/file/hdf5_handle.hpp"
#include "ricochet/io/file/hdf5_probe.hpp"
#include "ricochet/io/file/staged_file.hpp"

namespace ricochet::h5 {

// Rows that wait in memory; whole numbers and doubles are both eight bytes.
struct RowBuffer {
  std::shared_ptr<Handle> dataset;
  std::string path;
  bool integers = false;
  bool vector = false;
  std::size_t width = 1;
  std::size_t rows_on_disk = 0;
  std::vector<double> numbers;
  std::vector<std::int64_t> whole;

  std::size_t waiting() const { return (integers ? whole.size() : numbers.size()) / width; }
  void store();
  void truncate(std::size_t rows);
  void extend(std::size_t rows) const;
};

struct FileState {
  std::string name;
  bool writable = false;
  bool staged = true;  ///< what is written reaches the disk by commit()
  std::vector<std::shared_ptr<RowBuffer>> buffers;
  std::unique_ptr<Handle> handle;

  RowBuffer* find(const std::string& path) const {
    for (const auto& buffer : buffers)
      if (buffer->path == path) return buffer.get();
    return nullptr;
  }
  void store_all() {
    for (const auto& buffer : buffers) buffer->store();
  }
  ~FileState() {
    try {
      store_all();
    } catch (const std::exception&) {
      // Closing must not throw; whoever needs to know calls flush() before.
    }
  }
};

namespace {

// The innermost message of HDF5 is the one that says something.
std::string reason() {
  std::string out;
  const auto visit = [](unsigned, const H5E_error2_t* error, void* data) -> herr_t {
    auto& text = *static_cast<std::string*>(data);
    if (text.empty() && error->desc != nullptr) text = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, visit, &out);
  return out.empty() ? "HDF5 gives no reason" : out;
}

void quiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

std::shared_ptr<Handle> shared(hid_t id) { return std::make_shared<Handle>(id); }

// H5Lexists answers for one step only: every group on the way must be asked.
bool path_exists(hid_t place, const std::string& path) {
  if (path == "/" || path.empty()) return true;
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (H5Lexists(place, part.c_str(), H5P_DEFAULT) <= 0) return false;
    if (slash == std::string::npos) return H5Oexists_by_name(place, part.c_str(), H5P_DEFAULT) > 0;
  }
}

std::vector<std::string> strings_from(std::vector<char*>& raw, hid_t type, hid_t space) {
  std::vector<std::string> out;
  for (const char* text : raw) out.emplace_back(text == nullptr ? "" : text);
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, raw.data());
  return out;
}

// Texts of fixed length, which other programs write.
std::vector<std::string> split_fixed(const std::vector<char>& raw, std::size_t size) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at + size <= raw.size(); at += size) {
    const char* const begin = raw.data() + at;
    std::string text(begin, std::find(begin, begin + size, '\0'));
    out.push_back(std::move(text));
  }
  return out;
}

}  // namespace

void RowBuffer::extend(std::size_t rows) const {
  const hsize_t shape[2] = {rows, width};
  if (H5Dset_extent(*dataset, shape) < 0) throw std::runtime_error(fmt::format("{}: cannot grow: {}", path, reason()));
}

void RowBuffer::store() {
  const std::size_t count = waiting();
  if (count == 0) return;
  extend(rows_on_disk + count);
  const int rank = vector ? 1 : 2;
  const hsize_t from[2] = {rows_on_disk, 0};
  const hsize_t size[2] = {count, width};
  const Handle file_space(H5Dget_space(*dataset));
  const Handle memory_space(H5Screate_simple(rank, size, nullptr));
  H5Sselect_hyperslab(file_space, H5S_SELECT_SET, from, nullptr, size, nullptr);
  const void* const data = integers ? static_cast<const void*>(whole.data()) : numbers.data();
  if (H5Dwrite(*dataset, integers ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, memory_space, file_space, H5P_DEFAULT, data) <
      0)
    throw std::runtime_error(fmt::format("{}: cannot write rows: {}", path, reason()));
  rows_on_disk += count;
  numbers.clear();
  whole.clear();
}

void RowBuffer::truncate(std::size_t rows) {
  if (rows >= rows_on_disk) {
    const std::size_t keep = std::min(rows - rows_on_disk, waiting()) * width;
    integers ? whole.resize(keep) : numbers.resize(keep);
    return;
  }
  numbers.clear();
  whole.clear();
  extend(rows);
  rows_on_disk = rows;
}

void Object::fail(const std::string& what) const { throw InputError(file_->name, fmt::format("{}: {}", path_, what)); }

bool Object::has_attribute(const std::string& name) const { return H5Aexists(*handle_, name.c_str()) > 0; }

namespace {
// Attributes are replaced, not changed: the new value may have another type.
bool set_attribute(hid_t object, const std::string& name, hid_t file_type, hid_t memory_type, const void* value) {
  if (H5Aexists(object, name.c_str()) > 0) H5Adelete(object, name.c_str());
  const Handle space(H5Screate(H5S_SCALAR));
  const Handle attribute(H5Acreate2(object, name.c_str(), file_type, space, H5P_DEFAULT, H5P_DEFAULT));
  return attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
}
}  // namespace

void Object::set(const std::string& name, const std::string& value) {
  const Handle type = text_type();
  const char* const text = value.c_str();
  if (!set_attribute(*handle_, name, type, type, &text)) fail(fmt::format("cannot set '{}': {}", name, reason()));
}

void Object::set(const std::string& name, double value) {
  if (!set_attribute(*handle_, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value))
    fail(fmt::format("cannot set '{}': {}", name, reason()));
}

void Object::set(const std::string& name, std::int64_t value) {
  if (!set_attribute(*handle_, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value))
    fail(fmt::format("cannot set '{}': {}", name, reason()));
}

std::vector<std::string> Object::attributes() const {
  std::vector<std::string> out;
  const auto visit = [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
    static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  };
  H5Aiterate2(*handle_, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &out);
  return out;
}

std::string Object::text(const std::string& name) const {
  if (!has_attribute(name)) fail(fmt::format("has no attribute '{}'", name));
  const Handle attribute(H5Aopen(*handle_, name.c_str(), H5P_DEFAULT));
  const Handle type(H5Aget_type(attribute));
  if (H5Tget_class(type) != H5T_STRING) fail(fmt::format("attribute '{}' is not text", name));
  if (H5Tis_variable_str(type) > 0) {
    const Handle space(H5Aget_space(attribute));
    const Handle memory = text_type();
    std::vector<char*> raw(1, nullptr);
    if (H5Sget_simple_extent_npoints(space) != 1 || H5Aread(attribute, memory, raw.data()) < 0)
      fail(fmt::format("attribute '{}' is not a single text", name));
    return strings_from(raw, memory, space).front();
  }
  std::vector<char> raw(static_cast<std::size_t>(H5Aget_storage_size(attribute)));
  if (raw.empty() || H5Aread(attribute, type, raw.data()) < 0) fail(fmt::format("cannot read '{}'", name));
  return split_fixed(raw, raw.size()).front();
}

namespace {
template <class T>
bool read_scalar(hid_t object, const std::string& name, hid_t memory_type, T& value) {
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT));
  if (attribute < 0) return false;
  const Handle type(H5Aget_type(attribute));
  const Handle space(H5Aget_space(attribute));
  const H5T_class_t kind = H5Tget_class(type);
  return (kind == H5T_FLOAT || kind == H5T_INTEGER) && H5Sget_simple_extent_npoints(space) == 1 &&
         H5Aread(attribute, memory_type, &value) >= 0;
}
}  // namespace

double Object::number(const std::string& name) const {
  double value = 0;
  if (!read_scalar(*handle_, name, H5T_NATIVE_DOUBLE, value)) fail(fmt::format("has no number '{}'", name));
  return value;
}

std::int64_t Object::integer(const std::string& name) const {
  std::int64_t value = 0;
  if (!read_scalar(*handle_, name, H5T_NATIVE_INT64, value)) fail(fmt::format("has no whole number '{}'", name));
  return value;
}

std::vector<std::uint64_t> Dataset::shape() const {
  const Handle space(H5Dget_space(*handle_));
  hsize_t size[H5S_MAX_RANK] = {};
  const int rank = H5Sget_simple_extent_dims(space, size, nullptr);
  if (rank < 0) fail("has no shape");
  if (rank > 2) fail(fmt::format("has {} dimensions; accepted: up to 2", rank));
  return {size, size + rank};
}

// Sizes come from the file and may be anything: no memory is asked for before the file is seen to hold that much. What
// was declared and never written takes no room in it, and is read as zeros.
void Dataset::check_size() const {
  if (size_checked_ || file_->writable) return;
  const Handle type(H5Dget_type(*handle_)), space(H5Dget_space(*handle_)), properties(H5Dget_create_plist(*handle_));
  // Zeros shrink to a thousandth at best; a megabyte does no harm.
  constexpr double kMostCompression = 1100, kHarmless = 1 << 20;
  hsize_t bytes = 0;
  H5Fget_filesize(*file_->handle, &bytes);
  const auto file_size = static_cast<double>(bytes);
  const auto stored = static_cast<double>(H5Dget_storage_size(*handle_));
  const double declared =
      static_cast<double>(H5Sget_simple_extent_npoints(space)) * static_cast<double>(H5Tget_size(type));
  const double held =
      std::max((H5Pget_nfilters(properties) > 0 ? kMostCompression : 1) * stored, std::max(file_size, kHarmless));
  if (!(declared >= 0) || stored > file_size || declared > held)
    fail(fmt::format("claims {:.0f} bytes, the file has {} and {:.0f} for it; the file is damaged", declared, bytes,
                     stored));
  size_checked_ = true;
}

Dataset::Type Dataset::type() const {
  const Handle type(H5Dget_type(*handle_));
  switch (H5Tget_class(type)) {
    case H5T_FLOAT: return Type::number;
    case H5T_INTEGER: return Type::integer;
    case H5T_STRING: return Type::text;
    default: fail("holds neither numbers nor text");
  }
}

std::size_t Dataset::rows() const {
  if (const RowBuffer* buffer = file_->find(path_)) return buffer->rows_on_disk + buffer->waiting();
  const auto size = shape();
  return size.empty() ? 1 : size[0];
}
std::size_t Dataset::width() const {
  const auto size = shape();
  return size.size() < 2 ? 1 : size[1];
}
bool Dataset::is_vector() const { return shape().size() == 1; }

template <class T>
std::vector<T> Dataset::read(std::int64_t memory_type, std::size_t from, std::size_t count, std::size_t first_column,
                             std::size_t columns) const {
  if (type() == Type::text) fail("holds text; accepted: numbers");
  if (RowBuffer* buffer = file_->find(path_)) buffer->store();  // into HDF5's own memory, not onto the disk
  check_size();
  const auto size = shape();
  const std::size_t total = size.empty() ? 1 : size[0];
  if (from > total) fail(fmt::format("has {} rows, row {} was asked for", total, from));
  count = std::min(count, total - from);
  const std::size_t width = size.size() < 2 ? 1 : size[1];
  if (first_column > width) fail(fmt::format("has {} columns, column {} was asked for", width, first_column));
  columns = std::min(columns, width - first_column);
  std::vector<T> out(count * columns);
  if (out.empty()) return out;
  const Handle file_space(H5Dget_space(*handle_));
  const hsize_t start[2] = {from, first_column};
  const hsize_t extent[2] = {count, columns};
  if (!size.empty()) H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, nullptr, extent, nullptr);
  const hsize_t length = out.size();
  const Handle memory_space(H5Screate_simple(1, &length, nullptr));
  if (H5Dread(*handle_, memory_type, memory_space, file_space, H5P_DEFAULT, out.data()) < 0)
    fail(fmt::format("cannot be read: {}", reason()));
  return out;
}

std::vector<double> Dataset::numbers(std::size_t from, std::size_t count) const {
  return read<double>(H5T_NATIVE_DOUBLE, from, count);
}

std::vector<double> Dataset::column(std::size_t at, std::size_t from, std::size_t count) const {
  return read<double>(H5T_NATIVE_DOUBLE, from, count, at, 1);
}

std::vector<std::int64_t> Dataset::integers(std::size_t from, std::size_t count) const {
  if (type() != Type::integer) fail("does not hold whole numbers");
  return read<std::int64_t>(H5T_NATIVE_INT64, from, count);
}

std::vector<std::string> Dataset::texts() const {
  if (type() != Type::text) fail("does not hold text");
  check_size();
  const Handle type(H5Dget_type(*handle_));
  const Handle space(H5Dget_space(*handle_));
  const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
  if (count == 0) return {};
  if (H5Tis_variable_str(type) > 0) {
    const Handle memory = text_type();
    std::vector<char*> raw(count, nullptr);
    if (H5Dread(*handle_, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()) < 0)
      fail(fmt::format("cannot be read: {}", reason()));
    return strings_from(raw, memory, space);
  }
  const std::size_t size = H5Tget_size(type);
  std::vector<char> raw(count * size);
  if (H5Dread(*handle_, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()) < 0)
    fail(fmt::format("cannot be read: {}", reason()));
  return split_fixed(raw, size);
}

void Rows::append(std::span<const double> rows) {
  if (buffer_->integers || rows.size() % buffer_->width != 0)
    throw std::logic_error(path_ + ": rows of another width or type");
  buffer_->numbers.insert(buffer_->numbers.end(), rows.begin(), rows.end());
}

void Rows::append(std::span<const std::int64_t> rows) {
  if (!buffer_->integers || rows.size() % buffer_->width != 0)
    throw std::logic_error(path_ + ": rows of another width or type");
  buffer_->whole.insert(buffer_->whole.end(), rows.begin(), rows.end());
}

void Rows::truncate(std::size_t rows) {
  if (rows > this->rows()) fail(fmt::format("has {} rows, {} were to be kept", this->rows(), rows));
  buffer_->truncate(rows);
}

std::string Group::absolute(const std::string& name) const {
  if (name.starts_with('/')) return name;
  return path_ == "/" ? "/" + name : path_ + "/" + name;
}

bool Group::has(const std::string& name) const { return path_exists(*handle_, name); }

std::vector<std::string> Group::names() const {
  std::vector<std::string> out;
  const auto visit = [](hid_t, const char* name, const H5L_info_t*, void* data) -> herr_t {
    static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  };
  H5Literate(*handle_, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &out);
  return out;
}

Group::Kind Group::kind(const std::string& name) const {
  H5L_info_t link = {};
  if (H5Lget_info(*handle_, name.c_str(), &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) return Kind::other;
  const Handle object(H5Oopen(*handle_, name.c_str(), H5P_DEFAULT));
  switch (H5Iget_type(object)) {
    case H5I_GROUP: return Kind::group;
    case H5I_DATASET: return Kind::dataset;
    default: return Kind::other;
  }
}

void Group::remove(const std::string& name) const {
  if (has(name) && H5Ldelete(*handle_, name.c_str(), H5P_DEFAULT) < 0)
    fail(fmt::format("cannot remove '{}': {}", name, reason()));
}

Group Group::group(const std::string& name) const {
  if (has(name)) {
    auto handle = shared(H5Gopen2(*handle_, name.c_str(), H5P_DEFAULT));
    if (*handle < 0) fail(fmt::format("'{}' is not a group", name));
    return {file_, std::move(handle), absolute(name)};
  }
  if (!file_->writable) {
    const auto near = nearest(name, names());
    fail(fmt::format("has no group '{}'{}", name, near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  const Handle properties(H5Pcreate(H5P_LINK_CREATE));
  H5Pset_create_intermediate_group(properties, 1);
  H5Pset_char_encoding(properties, H5T_CSET_UTF8);
  const Handle creation(H5Pcreate(H5P_GROUP_CREATE));
  H5Pset_obj_track_times(creation, false);  // equal runs give equal bytes
  auto handle = shared(H5Gcreate2(*handle_, name.c_str(), properties, creation, H5P_DEFAULT));
  if (*handle < 0) fail(fmt::format("cannot make the group '{}': {}", name, reason()));
  return {file_, std::move(handle), absolute(name)};
}

Dataset Group::dataset(const std::string& name) const {
  if (!has(name)) {
    const auto all = names();
    const auto near = nearest(name, all);
    fail(fmt::format("has no dataset '{}'; it has: {}{}", name, all.empty() ? "nothing" : join(all),
                     near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  auto handle = shared(H5Dopen2(*handle_, name.c_str(), H5P_DEFAULT));
  if (*handle < 0) fail(fmt::format("'{}' is not a dataset", name));
  return {file_, std::move(handle), absolute(name)};
}

Dataset Group::make(const std::string& name, std::int64_t type, std::int64_t space, std::int64_t properties) const {
  if (!file_->writable) fail(fmt::format("'{}' cannot be written: the file is open for reading", name));
  if (has(name)) fail(fmt::format("'{}' is there already", name));
  const Handle link(H5Pcreate(H5P_LINK_CREATE));
  H5Pset_create_intermediate_group(link, 1);
  H5Pset_char_encoding(link, H5T_CSET_UTF8);
  const Handle creation(properties == H5P_DEFAULT ? H5Pcreate(H5P_DATASET_CREATE) : H5Pcopy(properties));
  H5Pset_obj_track_times(creation, false);
  auto handle = shared(H5Dcreate2(*handle_, name.c_str(), type, space, link, creation, H5P_DEFAULT));
  if (*handle < 0) fail(fmt::format("cannot make the dataset '{}': {}", name, reason()));
  return {file_, std::move(handle), absolute(name)};
}

Dataset Group::write_fixed(const std::string& name, std::int64_t file_type, std::int64_t memory_type, const void* data,
                           std::size_t size, std::size_t width) const {
  if (width != 0 && size % width != 0) throw std::logic_error(name + ": rows of another width");
  const hsize_t shape[2] = {width == 0 ? size : size / width, width};
  const Handle space(H5Screate_simple(width == 0 ? 1 : 2, shape, nullptr));
  Dataset out = make(name, file_type, space, H5P_DEFAULT);
  if (size != 0 && H5Dwrite(*out.handle_, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
    fail(fmt::format("cannot write '{}': {}", name, reason()));
  return out;
}

Dataset Group::write(const std::string& name, std::span<const double> values, std::size_t width) const {
  return write_fixed(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data(), values.size(), width);
}

Dataset Group::write(const std::string& name, std::span<const std::int64_t> values, std::size_t width) const {
  return write_fixed(name, H5T_STD_I64LE, H5T_NATIVE_INT64, values.data(), values.size(), width);
}

Dataset Group::write(const std::string& name, std::span<const std::int32_t> values) const {
  return write_fixed(name, H5T_STD_I32LE, H5T_NATIVE_INT32, values.data(), values.size(), 0);
}

Dataset Group::write(const std::string& name, std::span<const std::string> values) const {
  std::vector<const char*> raw;
  for (const std::string& value : values) raw.push_back(value.c_str());
  const Handle type = text_type();
  return write_fixed(name, type, type, raw.data(), raw.size(), 0);
}

Dataset Group::write(const std::string& name, const std::string& text) const {
  const Handle type = text_type();
  const Handle space(H5Screate(H5S_SCALAR));
  const char* const raw = text.c_str();
  Dataset out = make(name, type, space, H5P_DEFAULT);
  if (H5Dwrite(*out.handle_, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &raw) < 0)
    fail(fmt::format("cannot write '{}': {}", name, reason()));
  return out;
}

Dataset Group::write_fixed_text(const std::string& name, const std::string& text) const {
  const Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type, text.size() + 1);
  const Handle space(H5Screate(H5S_SCALAR));
  Dataset out = make(name, type, space, H5P_DEFAULT);
  if (H5Dwrite(*out.handle_, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()) < 0)
    fail(fmt::format("cannot write '{}': {}", name, reason()));
  return out;
}

Rows Group::rows(const std::string& name, std::size_t width, bool matrix, const RowStorage& storage) const {
  return grow(name, width, matrix, false, storage);
}
Rows Group::integer_rows(const std::string& name, std::size_t width, bool matrix, const RowStorage& storage) const {
  return grow(name, width, matrix, true, storage);
}

void Group::make_rows(const std::string& name, std::size_t width, int rank, bool integers,
                      const RowStorage& storage) const {
  const hid_t type = !integers                    ? H5T_IEEE_F64LE
                     : storage.integer_bytes == 8 ? H5T_STD_I64LE
                     : storage.integer_bytes == 4 ? H5T_STD_I32LE
                                                  : H5T_STD_I8LE;
  const std::size_t bytes = width * H5Tget_size(type);
  const hsize_t none[2] = {0, width};
  const hsize_t limit[2] = {H5S_UNLIMITED, width};
  const hsize_t chunk[2] = {std::max<std::size_t>(1, storage.chunk_bytes / bytes), width};
  const Handle space(H5Screate_simple(rank, none, limit));
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(properties, rank, chunk);
  if (storage.compressed) {
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, 1);
  }
  make(name, type, space, properties);
}

Rows Group::grow(const std::string& name, std::size_t width, bool matrix, bool integers,
                 const RowStorage& storage) const {
  if (width == 0) width = 1;
  const bool vector = width == 1 && !matrix;
  if (!has(name)) make_rows(name, width, vector ? 1 : 2, integers, storage);
  const Dataset dataset = this->dataset(name);
  const bool fits = dataset.type() == (integers ? Dataset::Type::integer : Dataset::Type::number) &&
                    dataset.is_vector() == vector && dataset.width() == width;
  if (!fits) fail(fmt::format("'{}' is there already with another width or type", name));
  for (const auto& buffer : file_->buffers)
    if (buffer->path == dataset.path()) return {dataset, buffer};
  auto buffer = std::make_shared<RowBuffer>();
  buffer->dataset = dataset.handle_;
  buffer->path = dataset.path();
  buffer->integers = integers;
  buffer->vector = vector;
  buffer->width = width;
  buffer->rows_on_disk = dataset.rows();
  file_->buffers.push_back(buffer);
  return {dataset, buffer};
}

bool thread_safe() {
  hbool_t safe = 0;
  return H5is_library_threadsafe(&safe) >= 0 && safe;
}

File File::create(const std::filesystem::path& path) {
  quiet();
  // HDF5 would hide why: ask the system first.
  { StagedFile probe(path.string(), StagedFile::Mode::create); }
  const Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
  if (!use_staged_driver(access)) throw std::runtime_error(path.string() + ": " + reason());
  auto state = std::make_shared<FileState>();
  state->name = path.string();
  state->writable = true;
  state->handle = std::make_unique<Handle>(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access));
  if (*state->handle < 0) throw std::runtime_error(fmt::format("{}: cannot create: {}", state->name, reason()));
  return File(std::move(state));
}

namespace {

void check_regular(const std::filesystem::path& path) {
  const std::string name = path.string();
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) throw InputError(name, "this is a folder; accepted: an HDF5 file");
  if (!std::filesystem::exists(status)) throw InputError(name, "there is no such file");
  if (!std::filesystem::is_regular_file(status))
    throw InputError(name, "this is a device or a pipe; accepted: an HDF5 file");
}

}  // namespace

File File::open(const std::filesystem::path& path) {
  check_regular(path);
  const std::string name = path.string();
  StagedFile::recover(name);
  const std::string copy = StagedFile::snapshot(name), place = copy.empty() ? name : copy;
  try {
    guarded(name, guard_limits(std::filesystem::file_size(place)),
            [&] { read_everything(open_at(place, name, false).root()); });
    File out = open_at(place, name, false);
    if (!copy.empty()) unlink(copy.c_str());
    return out;
  } catch (...) {
    if (!copy.empty()) unlink(copy.c_str());
    throw;
  }
}

File File::open_writable(const std::filesystem::path& path) {
  check_regular(path);
  { StagedFile probe(path.string(), StagedFile::Mode::change); }
  return open_at(path.string(), path.string(), true);
}

File File::open_at(const std::string& place, const std::string& name, bool writable) {
  quiet();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
  // The file is whole at any time: reading needs no lock, not even beside a run that writes it.
  H5Pset_file_locking(access, false, true);
  if (writable && !use_staged_driver(access)) throw std::runtime_error(name + ": " + reason());
  if (H5Fis_hdf5(place.c_str()) <= 0) throw InputError(name, "this is no HDF5 file, or it cannot be read");
  auto state = std::make_shared<FileState>();
  state->name = name;
  state->writable = writable;
  state->handle = std::make_unique<Handle>(H5Fopen(place.c_str(), writable ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access));
  if (*state->handle < 0) throw InputError(name, fmt::format("this HDF5 file cannot be opened: {}", reason()));
  return File(std::move(state));
}

File File::scratch() {
  quiet();
  std::string place = (std::filesystem::temp_directory_path() / "ricochet-XXXXXX").string();
  const int descriptor = mkstemp(place.data());
  if (descriptor < 0) throw std::runtime_error(place + ": cannot create a temporary file");
  close(descriptor);
  auto state = std::make_shared<FileState>();
  state->name = place;
  state->writable = true;
  state->staged = false;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
  state->handle = std::make_unique<Handle>(H5Fcreate(place.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access));
  unlink(place.c_str());
  if (*state->handle < 0) throw std::runtime_error(fmt::format("{}: cannot create: {}", place, reason()));
  return File(std::move(state));
}

Group File::root() const { return {state_, shared(H5Gopen2(*state_->handle, "/", H5P_DEFAULT)), "/"}; }
const std::string& File::name() const { return state_->name; }

std::size_t File::buffered_bytes() const {
  std::size_t total = 0;
  for (const auto& buffer : state_->buffers) total += buffer->waiting() * buffer->width * sizeof(double);
  return total;
}

void File::flush() {
  state_->store_all();
  if (H5Fflush(*state_->handle, H5F_SCOPE_LOCAL) < 0)
    throw std::runtime_error(fmt::format("{}: cannot flush: {}", state_->name, reason()));
  if (state_->staged) commit(*state_->handle);
}

}  // namespace ricochet::h5
