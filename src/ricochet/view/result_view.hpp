#pragma once
// A result file as the page sees it: what it is (JSON), curves of the whole run, and pieces of frames on demand. What
// is held of the file at a time does not depend on its length.
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ricochet/io/result/results.hpp"
#include "ricochet/view/scene.hpp"
#include "ricochet/view/source.hpp"

namespace ricochet::view {

class ResultView {
 public:
  /// With at most this many frames, evenly chosen; 0: every row is one. InputError as from Results.
  explicit ResultView(const std::filesystem::path& path, std::size_t most_frames = 0);

  std::size_t frames() const { return frames_; }
  std::size_t pieces() const { return (frames_ + piece_ - 1) / piece_; }
  /// A JSON object; docs/viewer.md.
  std::string description() const;
  /// Curves of the whole run, thinned to lowest and highest of short intervals: u32 x 4 (magic "RVO1", points n, curves
  /// s, frames f), then f64 t (n), curve by curve values (n), and the times of the frames (f).
  std::string overview() const { return overview_; }
  /// Frames from piece * frames_in_piece on; empty if there is no such piece. May be called by many threads.
  std::string piece(std::size_t index) const;

 private:
  void survey();
  void sample_bounds();

  Results results_;
  Scenario scenario_;
  std::vector<Curve> curves_;
  std::size_t stride_ = 1, frames_ = 0, piece_ = 1;
  std::string overview_;
  std::vector<Mark> marks_;
  std::vector<std::string> notes_;
  std::vector<double> low_, high_, t_range_;
  double largest_ = 0;  ///< impulse of a contact
  double largest_joint_ = 0, largest_stress_ = 0;
  mutable std::mutex reading_;  ///< HDF5 takes one reader at a time
};

/// Results in files, side by side.
class FileSource final : public Source {
 public:
  FileSource(const std::vector<std::string>& files, std::size_t most_frames = 0);

  std::size_t size() const { return results_.size(); }
  std::size_t pieces(std::size_t result) const { return results_[result]->pieces(); }
  std::string description() const override;
  std::string overview(std::size_t result) const override;
  std::string piece(std::size_t result, std::size_t index) const override;

 private:
  std::vector<std::unique_ptr<ResultView>> results_;
};

}  // namespace ricochet::view
