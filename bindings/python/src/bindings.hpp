#pragma once
// What the files of the module share. One file a noun; each adds its part to the module.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <memory>

namespace ricochet::python {

namespace py = pybind11;

void add_errors(py::module_& module);
void add_scenario(py::module_& module);
void add_result(py::module_& module);
void add_simulation(py::module_& module);
void add_models(py::module_& module);
void add_solve(py::module_& module);
void add_analysis(py::module_& module);
void add_files(py::module_& module);

/// A numpy array over memory of ours that `owner` keeps alive; nobody writes to it.
template <class T>
py::array array_over(const T* data, std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides,
                     std::shared_ptr<const void> owner) {
  auto held = std::make_unique<std::shared_ptr<const void>>(std::move(owner));
  const py::capsule keeper(held.get(), [](void* p) { delete static_cast<std::shared_ptr<const void>*>(p); });
  static_cast<void>(held.release());
  py::array out(py::dtype::of<T>(), std::move(shape), std::move(strides), data, keeper);
  py::detail::array_proxy(out.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return out;
}

}  // namespace ricochet::python
