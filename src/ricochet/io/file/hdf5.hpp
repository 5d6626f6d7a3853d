#pragma once
// HDF5 files: groups, attributes, datasets, and tables that grow row by row.
//
//   h5::File file = h5::File::create("out.h5");
//   h5::Group root = file.root();
//   root.set("scheme", "combined");                                   // attribute, UTF-8
//   h5::Rows t = root.group("steps").rows("t", 1);                    // grows; 1 column: a vector for h5py
//   h5::Rows q = root.group("steps").rows("q", 3);
//   q.set("unit", "m");
//   t.append({&time, 1}); q.append(configuration);                    // in memory
//   file.flush();                                                     // now on disk, all of it or nothing
//
// The file on disk changes in flush() and on closing only, and then as a whole (io/file/staged_file): a run that is
// killed at any moment leaves the file of its last flush, which h5py and everything else can read. A file that is
// created takes the place of an older one with the first flush. It can be read while it is being written: what is read
// then is a copy of the last flush.
//
// Names may be paths, "steps/q". Bad files and names are an InputError with the file; failures of the disk are an
// OutputError. Objects keep their file open.
//
// HDF5 crashes, loops or asks for gigabytes on some damaged files. open() therefore lets a child process read
// everything first (io/file/guard), and no dataset is read that claims more than the file can hold.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/io/error.hpp"

namespace ricochet::h5 {

struct FileState;
struct RowBuffer;
struct Handle;  // an HDF5 object that closes itself

/// What groups and datasets share: a name and attributes.
class Object {
 public:
  void set(const std::string& name, const std::string& value);
  void set(const std::string& name, const char* value) { set(name, std::string(value)); }
  void set(const std::string& name, double value);
  void set(const std::string& name, std::int64_t value);
  void set(const std::string& name, int value) { set(name, static_cast<std::int64_t>(value)); }
  bool has_attribute(const std::string& name) const;
  std::string text(const std::string& name) const;
  double number(const std::string& name) const;
  std::int64_t integer(const std::string& name) const;
  std::vector<std::string> attributes() const;
  /// Type and shape of an attribute in words, "double", "text", "int64 [3]".
  std::string form(const std::string& attribute) const;
  const std::string& path() const { return path_; }  ///< "/steps/q"

 protected:
  Object(std::shared_ptr<FileState> file, std::shared_ptr<Handle> handle, std::string path)
      : file_(std::move(file)), handle_(std::move(handle)), path_(std::move(path)) {}
  [[noreturn]] void fail(const std::string& what) const;

  std::shared_ptr<FileState> file_;
  std::shared_ptr<Handle> handle_;
  std::string path_;
};

class Dataset : public Object {
 public:
  enum class Type : std::uint8_t { number, integer, text };

  Type type() const;
  std::size_t rows() const;   ///< in the file, with those that wait in memory; 1 for a single value
  std::size_t width() const;  ///< columns; 1 for a vector
  bool is_vector() const;     ///< one dimension
  std::string form() const;   ///< type and width in words, "double [x 3]"

  static constexpr std::size_t kAll = static_cast<std::size_t>(-1);
  // Row by row; whole numbers are read as numbers too. Rows that wait in memory are flushed first by File::flush().
  std::vector<double> numbers(std::size_t from = 0, std::size_t count = kAll) const;
  std::vector<std::int64_t> integers(std::size_t from = 0, std::size_t count = kAll) const;
  /// One column of the rows.
  std::vector<double> column(std::size_t at, std::size_t from = 0, std::size_t count = kAll) const;
  std::vector<std::string> texts() const;

 protected:
  friend class Group;
  Dataset(std::shared_ptr<FileState> file, std::shared_ptr<Handle> handle, std::string path)
      : Object(std::move(file), std::move(handle), std::move(path)) {}
  std::vector<std::uint64_t> shape() const;
  void check_size() const;
  template <class T>
  std::vector<T> read(std::int64_t memory_type, std::size_t from, std::size_t count, std::size_t first_column = 0,
                      std::size_t columns = kAll) const;
  mutable bool size_checked_ = false;
};

/// How a dataset that grows is stored.
struct RowStorage {
  std::size_t chunk_bytes = 4096;  ///< room is taken in pieces of about this
  bool compressed = false;         ///< shuffled and deflated, chunk by chunk
  int integer_bytes = 8;           ///< of whole numbers: 8, 4 or 1
};

/// A dataset of doubles or of whole numbers that grows. Copies share the rows.
class Rows : public Dataset {
 public:
  void append(std::span<const double> rows);  ///< one or several whole rows
  void append(std::span<const std::int64_t> rows);
  void append(double value) { append(std::span<const double>(&value, 1)); }
  void append(std::int64_t value) { append(std::span<const std::int64_t>(&value, 1)); }
  void truncate(std::size_t rows);  ///< forgets what comes after; for a run that resumes

 private:
  friend class Group;
  Rows(const Dataset& dataset, std::shared_ptr<RowBuffer> buffer) : Dataset(dataset), buffer_(std::move(buffer)) {}
  std::shared_ptr<RowBuffer> buffer_;
};

class Group : public Object {
 public:
  enum class Kind : std::uint8_t { group, dataset, other };

  bool has(const std::string& name) const;
  std::vector<std::string> names() const;    ///< of groups and datasets, in alphabetical order
  Kind kind(const std::string& name) const;  ///< other: also what lies in another place or file

  void remove(const std::string& name) const;      ///< if it is there
  Group group(const std::string& name) const;      ///< made if it is not there and the file can be written
  Dataset dataset(const std::string& name) const;  ///< InputError with the nearest name if it is not there

  // New datasets of fixed size. width 0: a vector; otherwise rows of that width.
  Dataset write(const std::string& name, std::span<const double> values, std::size_t width = 0) const;
  Dataset write(const std::string& name, std::span<const std::int64_t> values, std::size_t width = 0) const;
  Dataset write(const std::string& name, std::span<const std::int32_t> values) const;
  Dataset write(const std::string& name, std::span<const std::string> values) const;
  Dataset write(const std::string& name, const std::string& text) const;  ///< a single text of any length
  /// A single text of fixed length, for layouts that want it.
  Dataset write_fixed_text(const std::string& name, const std::string& text) const;

  /// Numbers that grow: opened if there, made otherwise. width 0 or 1: a vector unless `matrix` is asked for.
  Rows rows(const std::string& name, std::size_t width, bool matrix = false, const RowStorage& storage = {}) const;
  Rows integer_rows(const std::string& name, std::size_t width, bool matrix = false,
                    const RowStorage& storage = {}) const;

 private:
  friend class File;
  Group(std::shared_ptr<FileState> file, std::shared_ptr<Handle> handle, std::string path)
      : Object(std::move(file), std::move(handle), std::move(path)) {}
  std::string absolute(const std::string& name) const;
  Dataset make(const std::string& name, std::int64_t type, std::int64_t space, std::int64_t properties) const;
  Dataset write_fixed(const std::string& name, std::int64_t file_type, std::int64_t memory_type, const void* data,
                      std::size_t size, std::size_t width) const;
  Rows grow(const std::string& name, std::size_t width, bool matrix, bool integers, const RowStorage& storage) const;
  void make_rows(const std::string& name, std::size_t width, int rank, bool integers, const RowStorage& storage) const;
};

/// HDF5 takes calls from several threads.
bool thread_safe();

class File {
 public:
  static File create(const std::filesystem::path& path);
  static File open(const std::filesystem::path& path);  ///< to read
  static File open_writable(const std::filesystem::path& path);
  /// A file that nobody else sees, in the folder for temporary ones; it goes with its last object.
  static File scratch();

  Group root() const;
  void flush();                        ///< OutputError if the disk is full
  std::size_t buffered_bytes() const;  ///< rows that wait for flush()
  const std::string& name() const;

 private:
  explicit File(std::shared_ptr<FileState> state) : state_(std::move(state)) {}
  static File open_at(const std::string& place, const std::string& name, bool writable);
  std::shared_ptr<FileState> state_;
};

}  // namespace ricochet::h5
