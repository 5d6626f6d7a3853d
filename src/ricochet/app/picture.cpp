#include "ricochet/app/picture.hpp"

#include <memory>
#include <stdexcept>

#include "ricochet/io/file/output.hpp"
#include "ricochet/math/input_error.hpp"

#ifdef RICOCHET_RSVG
#include <cairo/cairo-pdf.h>
#include <librsvg/rsvg.h>
#endif

namespace ricochet::app {

#ifdef RICOCHET_RSVG

namespace {

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

cairo_status_t put(void* to, const unsigned char* data, unsigned length) {
  return std::fwrite(data, 1, length, static_cast<std::FILE*>(to)) == length ? CAIRO_STATUS_SUCCESS
                                                                             : CAIRO_STATUS_WRITE_ERROR;
}

void paint(const std::string& svg, double scale, const std::filesystem::path& path) {
  const auto release = [](auto* object) { g_object_unref(object); };
  const std::unique_ptr<RsvgHandle, decltype(release)> handle(
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), nullptr), release);
  // The size as the view box says it: the height in the style of a figure is left to the page.
  gboolean has_width = FALSE, has_height = FALSE, has_box = FALSE;
  RsvgLength ignored{};
  RsvgRectangle box{};
  if (handle)
    rsvg_handle_get_intrinsic_dimensions(handle.get(), &has_width, &ignored, &has_height, &ignored, &has_box, &box);
  if (has_box == FALSE) throw std::runtime_error("the figure cannot be painted");
  const bool paper = path.extension() == ".pdf";
  if (paper) scale = 0.75;  // points of 1/72 inch for units of 1/96
  const RsvgRectangle page{0, 0, box.width * scale, box.height * scale};
  OutputFile file(path);
  const Surface surface(paper ? cairo_pdf_surface_create_for_stream(put, file.stream(), page.width, page.height)
                              : cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(page.width + 0.5),
                                                           static_cast<int>(page.height + 0.5)),
                        cairo_surface_destroy);
  const std::unique_ptr<cairo_t, decltype(&cairo_destroy)> cairo(cairo_create(surface.get()), cairo_destroy);
  if (rsvg_handle_render_document(handle.get(), cairo.get(), &page, nullptr) == FALSE)
    throw std::runtime_error("the figure cannot be painted");
  if (paper) cairo_surface_finish(surface.get());
  const cairo_status_t status = paper ? cairo_surface_status(surface.get())
                                      : cairo_surface_write_to_png_stream(surface.get(), put, file.stream());
  if (status != CAIRO_STATUS_SUCCESS && status != CAIRO_STATUS_WRITE_ERROR)
    throw std::runtime_error("the figure cannot be painted");
  file.commit();
}

}  // namespace

#else

namespace {

void paint(const std::string&, double, const std::filesystem::path& path) {
  throw InputError(path.string(),
                   "this program was built without librsvg, which paints PNG and PDF; accepted: FILE.svg");
}

}  // namespace

#endif

void check_picture(const std::filesystem::path& path) {
  const std::string kind = path.extension().string();
  if (kind != ".svg" && kind != ".png" && kind != ".pdf")
    throw InputError(path.string(), "unknown kind of picture; accepted: FILE.svg, FILE.png, FILE.pdf");
  check_output(path);
}

void write_picture(const std::string& svg, double scale, const std::filesystem::path& path) {
  if (path.extension() == ".svg")
    write_file(path, svg);
  else
    paint(svg, scale, path);
}

}  // namespace ricochet::app
