// What the program makes of result files: their verification, their report, the page with the motion.
#include "bindings.hpp"
#include "ricochet/io/file/output.hpp"
#include "ricochet/io/verify/verify.hpp"
#include "ricochet/page/result_page.hpp"
#include "ricochet/view/export.hpp"
#include "ricochet/view/page.hpp"

namespace ricochet::python {
namespace {

py::dict verification(const std::filesystem::path& path, bool replay) {
  const Verification v = verify(Results(path), {replay});
  py::list disagreements;
  for (const Disagreement& d : v.disagreements)
    disagreements.append(py::make_tuple(name(d.kind), d.column, d.row, d.recorded, d.recomputed, d.accepted));
  double errors[kCertificates];
  certificate_numbers(v.certificate, errors);
  py::dict certificate;
  for (std::size_t k = 0; k < kCertificates; ++k) certificate[py::str(certificate_names()[k])] = errors[k];
  py::dict out;
  out["holds"] = v.holds();
  out["rows"] = v.rows;
  out["certificate"] = certificate;
  out["disagreements"] = disagreements;
  out["not_repeated"] = v.not_repeated;
  out["unchecked"] = v.unchecked;
  return out;
}

void write_report(const std::filesystem::path& path, const std::filesystem::path& page) {
  check_output(page.string());
  result_page(Results(path)).write(page.string());
}

void write_view(const std::vector<std::string>& files, const std::filesystem::path& page, std::size_t frames) {
  if (const std::string missing = view::missing_page(); !missing.empty()) throw InputError("", missing);
  check_output(page.string());
  view::write_page(page, view::FileSource(files, frames));
}

}  // namespace

void add_files(py::module_& module) {
  module.def("verify", &verification);
  module.def("write_report", &write_report);
  module.def("write_view", &write_view);
}

}  // namespace ricochet::python
