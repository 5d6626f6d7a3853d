// A forger: every group, dataset and attribute of a result is changed in turn, its value, order, name, unit, type and
// presence, and something is added everywhere. No such file is said to hold.
#include "ricochet/io/verify/contents.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <set>

#include "ricochet/io/result/recorder.hpp"
#include "ricochet/io/verify/remake.hpp"
#include "ricochet/io/verify/verify.hpp"

namespace ricochet {
namespace {

namespace fs = std::filesystem;

// A pendulum, a contact with friction, located events, an item without motion: every group of the format is there.
constexpr const char* kScenario = R"(name: all of it
system:
  formulas:
    coordinates: [x, y, phi]
    kinetic: (x'^2 + y'^2 + phi'^2)/2
    potential: 9.81*y
    joints: {clamp: phi}
    contacts: {floor: {gap: y, slip: x, restitution: 0.5, friction: 0.3}, wall: {gap: 2 - x}}
initial: {position: {y: 0.05}, velocity: {x: 2}}
simulation: {scheme: event-driven, step: 1e-2, until: 0.3}
)";

// Balls on the ground: contacts that have no names, with places; two steps a row, so that reactions are recorded.
constexpr const char* kScene = R"(name: balls
system:
  collision: {friction: 0.4}
  bodies:
    ground: {fixed: true, shapes: [{plane: {normal: [0, 0, 1]}}]}
    a: {shapes: [{sphere: {radius: 0.1}, mass: 1}], position: [0, 0, 0.1], velocity: [1, 0, 0]}
    b: {shapes: [{sphere: {radius: 0.1}, mass: 2}], position: [0.3, 0, 0.11], velocity: [-1, 0, 0]}
simulation: {scheme: moreau-jean, step: 1e-2, until: 0.2, record: {every: 2}, accept: {residual: 1e-6}}
)";

struct Forgery {
  std::string name;
  std::function<void(const fs::path&)> make;
};

std::function<void(const fs::path&)> by_wrapper(const std::function<void(h5::File&)>& how) {
  return [=](const fs::path& path) {
    h5::File f = h5::File::open_writable(path);
    how(f);
    f.flush();
  };
}

/// Through HDF5's own interface: the wrapper cannot do all that a forger does.
std::function<void(const fs::path&)> by_hdf5(const std::function<herr_t(hid_t)>& how) {
  return [=](const fs::path& path) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    EXPECT_GE(how(file), 0);
    H5Fclose(file);
  };
}

/// What can be forged in a file.
class Forger {
 public:
  explicit Forger(const fs::path& file) {
    const h5::File f = h5::File::open(file);
    group(f.root());
  }
  const std::vector<Forgery>& forgeries() const { return forgeries_; }

 private:
  void add(const std::string& name, const std::function<void(h5::File&)>& how) {
    forgeries_.push_back({name, by_wrapper(how)});
  }
  void add_raw(const std::string& name, const std::function<herr_t(hid_t)>& how) {
    forgeries_.push_back({name, by_hdf5(how)});
  }
  static std::string below(const std::string& path, const std::string& name) {
    return path == "/" ? path + name : path + "/" + name;
  }
  static h5::Dataset dataset_of(h5::File& f, const std::string& path) { return f.root().dataset(path); }
  /// The group or dataset as something that has attributes.
  template <class Action>
  static void with(h5::File& f, const std::string& path, bool is_group, Action action) {
    if (is_group) {
      h5::Group group = path == "/" ? f.root() : f.root().group(path);
      action(group);
    } else {
      h5::Dataset dataset = f.root().dataset(path);
      action(dataset);
    }
  }

  void attributes(const h5::Object& object, bool is_group) {
    const std::string path = object.path();
    add(path + " gets an attribute",
        [=](h5::File& f) { with(f, path, is_group, [](auto& o) { o.set("certified", "yes"); }); });
    for (const std::string& key : object.attributes()) {
      const std::string what = below(path, key);
      const bool text = object.form(key) == "text", whole = object.form(key) == "int64";
      add(what + ": value", [=](h5::File& f) {
        with(f, path, is_group, [&](auto& o) {
          if (what == "/scenario")  // another friction: the text is what all else is compared with
            o.set(key, o.text(key).replace(o.text(key).find("friction: 0.") + 12, 1, "1"));
          else if (text)
            o.set(key, o.text(key) + " ");
          else if (whole)
            o.set(key, o.integer(key) + 1);
          else
            o.set(key, std::isnan(o.number(key)) ? 1.0 : o.number(key) * (1 + 1e-6) + 1e-6);
        });
      });
      // The sums are all of one kind: of every eighth the value alone is not enough.
      if (path == "/summary" && ++sums_ % 8 != 0) continue;
      add(what + ": type", [=](h5::File& f) {
        with(f, path, is_group, [&](auto& o) {
          if (text)
            o.set(key, 1.0);
          else if (whole)
            o.set(key, static_cast<double>(o.integer(key)));
          else
            o.set(key, "0");
        });
      });
      add_raw(what + ": name", [=](hid_t file) {
        return H5Arename_by_name(file, path.c_str(), key.c_str(), (key + "_").c_str(), H5P_DEFAULT);
      });
      add_raw(what + ": missing",
              [=](hid_t file) { return H5Adelete_by_name(file, path.c_str(), key.c_str(), H5P_DEFAULT); });
    }
  }

  /// Rows of numbers written anew, with the attributes that they had.
  template <class T>
  static void write(h5::File& f, const std::string& path, const std::vector<T>& values, std::size_t width,
                    const std::string& as) {
    h5::Dataset old = f.root().dataset(path);
    std::vector<std::pair<std::string, std::string>> texts;
    for (const std::string& key : old.attributes()) texts.emplace_back(key, old.text(key));
    const bool vector = old.is_vector() && as == path;
    f.root().remove(path);
    h5::Dataset made = f.root().write(as, std::span<const T>(values), vector ? 0 : width);
    for (const auto& [key, text] : texts) made.set(key, text);
  }

  void change(const std::string& path, const std::string& how,
              const std::function<void(std::vector<double>&, std::size_t)>& action) {
    add(path + ": " + how, [=](h5::File& f) {
      const h5::Dataset d = dataset_of(f, path);
      std::vector<double> values = d.numbers();
      action(values, d.width());
      if (d.type() == h5::Dataset::Type::integer) {
        // In place, so that the type stays: through rows that grow where there are some.
        h5::Rows rows = f.root().integer_rows(path, d.width(), !d.is_vector());
        rows.truncate(0);
        rows.append(std::vector<std::int64_t>(values.begin(), values.end()));
      } else {
        h5::Rows rows = f.root().rows(path, d.width(), !d.is_vector());
        rows.truncate(0);
        rows.append(values);
      }
    });
  }

  void numbers(const h5::Dataset& d) {
    const std::string path = d.path();
    const std::vector<double> values = d.numbers();
    const std::size_t width = d.width();
    const bool whole = d.type() == h5::Dataset::Type::integer;
    add(path + ": type", [=](h5::File& f) {
      const h5::Dataset old = dataset_of(f, path);
      if (whole)
        write(f, path, old.numbers(), width, path);
      else
        write(f, path, std::vector<std::int64_t>(values.begin(), values.end()), width, path);
    });
    if (values.empty()) return;
    if (path.starts_with("/names/")) {  // fixed in size: rewritten
      add(path + ": value", [=](h5::File& f) {
        std::vector<std::int32_t> other(values.begin(), values.end());
        other.front() += 1;
        f.root().remove(path);
        f.root().write(path, std::span<const std::int32_t>(other));
      });
      return;
    }
    for (const std::size_t at : {std::size_t{0}, values.size() / 2, values.size() - 1})
      change(path, "value " + std::to_string(at), [=](auto& x, std::size_t) {
        x[at] = whole ? x[at] + 1 : std::isnan(x[at]) ? 1 : x[at] + 1e-6;
      });
    change(path, "a row less", [](auto& x, std::size_t w) { x.resize(x.size() - w); });
    change(path, "a row more",
           [](auto& x, std::size_t w) { x.insert(x.end(), x.end() - static_cast<long>(w), x.end()); });
    std::vector<double> reversed, turned = values;
    for (std::size_t row = values.size() / width; row-- > 0;)
      reversed.insert(reversed.end(), &values[row * width], &values[row * width] + width);
    for (std::size_t row = 0; row < values.size() / width; ++row)
      std::reverse(&turned[row * width], &turned[row * width] + width);
    const auto same = [](const std::vector<double>& a, const std::vector<double>& b) {
      return std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
    };
    if (!same(reversed, values)) change(path, "order of rows", [=](auto& x, std::size_t) { x = reversed; });
    if (!same(turned, values)) change(path, "order of columns", [=](auto& x, std::size_t) { x = turned; });
  }

  void texts(const h5::Dataset& d) {
    const std::string path = d.path();
    const std::vector<std::string> values = d.texts();
    const auto put = [&](const std::string& how, std::vector<std::string> other) {
      add(path + ": " + how, [=](h5::File& f) {
        f.root().remove(path);
        f.root().write(path, std::span<const std::string>(other));
      });
    };
    std::vector<std::string> other = values;
    other.emplace_back("another");
    put("one more", other);
    if (values.empty()) return;
    other = values;
    other.front() += "_";
    put("value", other);
    other = values;
    std::reverse(other.begin(), other.end());
    if (other != values) put("order", other);
    other.pop_back();
    put("one less", other);
  }

  void link(const std::string& path) {
    add(path + ": missing", [=](h5::File& f) { f.root().remove(path); });
    add_raw(path + ": name", [=](hid_t file) {
      return H5Lmove(file, path.c_str(), file, (path + "_").c_str(), H5P_DEFAULT, H5P_DEFAULT);
    });
    add_raw(path + ": a link to it instead", [=](hid_t file) {
      H5Lmove(file, path.c_str(), file, "/elsewhere", H5P_DEFAULT, H5P_DEFAULT);
      return H5Lcreate_soft("/elsewhere", file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    });
  }

  void group(const h5::Group& g) {
    const std::string path = g.path();
    attributes(g, true);
    add(path + " gets a dataset",
        [=](h5::File& f) { f.root().write(below(path, "verified"), std::vector<double>{1}); });
    add(path + " gets a group", [=](h5::File& f) { f.root().group(below(path, "more")); });
    for (const std::string& key : g.names()) {
      link(below(path, key));
      if (g.kind(key) == h5::Group::Kind::group) {
        group(g.group(key));
        continue;
      }
      const h5::Dataset d = g.dataset(key);
      attributes(d, false);
      if (d.type() == h5::Dataset::Type::text)
        texts(d);
      else
        numbers(d);
    }
  }

  std::vector<Forgery> forgeries_;
  int sums_ = 0;
};

class Contents : public ::testing::Test {
 protected:
  Contents() : folder_(fs::temp_directory_path() / ("ricochet-contents-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~Contents() override { fs::remove_all(folder_); }
  fs::path original() const { return folder_ / "a.h5"; }
  fs::path forged() const { return folder_ / "b.h5"; }

  void record(const std::string& text) const {
    const Scenario s = read_scenario(text, "test");
    const auto scheme = make_scheme(s.scheme, s.options);
    RunState run = begin_run(s.model, *scheme, s.initial);
    Recorder recorder(original(), header_of(s), s.model, run, {});
    recorder.finish(run, ricochet::run(s.model, *scheme, run, s.policy, &recorder));
  }
  void forge(const std::function<void(const fs::path&)>& make) const {
    fs::copy_file(original(), forged(), fs::copy_options::overwrite_existing);
    make(forged());
  }
  void forge_by(const std::function<void(h5::File&)>& how) const { forge(by_wrapper(how)); }
  /// "holds", or why not.
  std::string verdict(const VerifyOptions& options = {}) const {
    try {
      const Verification v = verify(Results(forged()), options);
      if (v.holds()) return "holds";
      return v.disagreements.empty() ? "not repeated: " + v.not_repeated : v.disagreements.front().column;
    } catch (const InputError& error) {
      return error.message;
    }
  }

  void forge_everything(const char* text) const {
    record(text);
    forge([](const fs::path&) {});
    ASSERT_EQ(verdict(), "holds");
    // Made again once for all forgeries but those that change how it is made again.
    const Remade again = [&] {
      const Results results(original());
      return remake(results, results.scenario());
    }();
    const std::set<std::string> premises{"/scenario", "/status", "/version", "/steps/steps", "/checkpoint/integers"};
    const Forger forger(original());
    EXPECT_GT(forger.forgeries().size(), 400U);
    for (std::size_t k = 0; k < forger.forgeries().size(); ++k) {
      const Forgery& f = forger.forgeries()[k];
      forge(f.make);
      Findings findings;
      compare_contents(h5::File::open_writable(forged()).root(), again.file.root(), {}, findings);
      EXPECT_FALSE(findings.disagreements().empty()) << f.name;
      const bool premise = premises.contains(f.name.substr(0, f.name.find(':')));
      if (k % 50 == 0 || premise) {
        EXPECT_NE(verdict(), "holds") << f.name;
      }
    }
  }

  fs::path folder_;
};

TEST_F(Contents, NoForgeryHolds) { forge_everything(kScenario); }
TEST_F(Contents, NoForgeryOfAListOfContactsHolds) { forge_everything(kScene); }

// A forger changes what belongs together: the text and what follows from it, the rows and their sums.
TEST_F(Contents, NorOnesThatBelongTogether) {
  record(kScenario);
  const auto text = [](h5::File& f, const char* from, const char* to) {
    std::string s = f.root().text("scenario");
    s.replace(s.find(from), std::string(from).size(), to);
    f.root().set("scenario", s);
  };
  forge_by([&](h5::File& f) { text(f, "restitution: 0.5", "restitution: 0.9"); });
  EXPECT_NE(verdict(), "holds");
  forge_by([&](h5::File& f) {
    f.root().set("status", "running");
    f.root().remove("summary");
    f.root().group("checkpoint").remove("integers");
  });
  EXPECT_NE(verdict(), "holds");
  forge_by([&](h5::File& f) {
    f.root().set("status", "interrupted");
    f.root().group("summary").set("penetration", 0.0);
  });
  EXPECT_NE(verdict(), "holds");
}

// What another version wrote is read and judged by the balances, and never said to hold.
TEST_F(Contents, AnotherVersionIsNotRepeated) {
  record(kScenario);
  for (const char* writer : {"0.1.0", "0.2.0", "9.9"}) {
    forge_by([&](h5::File& f) {
      f.root().set("version", writer);
      f.root().set("certified", "yes");
    });
    by_hdf5([](hid_t file) { return H5Adelete_by_name(file, "/", "accepted_residual", H5P_DEFAULT); })(forged());
    const Results old(forged());
    EXPECT_EQ(old.column("gap.floor").size(), old.rows());
    const Verification v = verify(old);
    EXPECT_FALSE(v.holds());
    EXPECT_TRUE(v.disagreements.empty()) << v.disagreements.front().column;
    EXPECT_EQ(v.not_repeated, std::string("written by ") + writer);
  }
  forge_by([&](h5::File& f) {
    f.root().set("version", "0.2.0");
    f.root().set("scenario", "system: {what: was}\n");
  });
  EXPECT_EQ(verdict(), "not repeated: written by 0.2.0");
}

// Without the run what stands in no row is checked all the same.
TEST_F(Contents, FormAlone) {
  record(kScenario);
  for (const bool replay : {true, false}) {
    forge_by([](h5::File& f) { f.root().dataset("steps/q").set("unit", "mm"); });
    EXPECT_EQ(verdict({replay}), "/steps/q/unit");
    forge_by([](h5::File& f) { f.root().set("certified", "yes"); });
    EXPECT_EQ(verdict({replay}), "/certified");
  }
}

}  // namespace
}  // namespace ricochet
