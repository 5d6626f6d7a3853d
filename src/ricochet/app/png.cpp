#include "ricochet/app/png.hpp"

#include <memory>
#include <stdexcept>

#include "ricochet/io/file/output.hpp"
#include "ricochet/math/input_error.hpp"

#ifdef RICOCHET_RSVG
#include <librsvg/rsvg.h>
#endif

namespace ricochet::app {

#ifdef RICOCHET_RSVG

void write_png(const std::string& svg, double scale, const std::filesystem::path& path) {
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
  const double width = box.width, height = box.height;
  const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width * scale + 0.5),
                                 static_cast<int>(height * scale + 0.5)),
      cairo_surface_destroy);
  const std::unique_ptr<cairo_t, decltype(&cairo_destroy)> cairo(cairo_create(surface.get()), cairo_destroy);
  const RsvgRectangle page{0, 0, width * scale, height * scale};
  if (rsvg_handle_render_document(handle.get(), cairo.get(), &page, nullptr) == FALSE)
    throw std::runtime_error("the figure cannot be painted");
  OutputFile file(path);
  const auto put = [](void* to, const unsigned char* data, unsigned length) {
    return std::fwrite(data, 1, length, static_cast<std::FILE*>(to)) == length ? CAIRO_STATUS_SUCCESS
                                                                               : CAIRO_STATUS_WRITE_ERROR;
  };
  const cairo_status_t status = cairo_surface_write_to_png_stream(surface.get(), put, file.stream());
  if (status != CAIRO_STATUS_SUCCESS && status != CAIRO_STATUS_WRITE_ERROR)
    throw std::runtime_error("the figure cannot be painted");
  file.commit();
}

#else

void write_png(const std::string&, double, const std::filesystem::path& path) {
  throw InputError(path.string(), "this program was built without librsvg, which paints PNG; accepted: FILE.svg");
}

#endif

}  // namespace ricochet::app
