#include "ricochet/scheme/pieces/runge_kutta.hpp"

#include <cmath>

namespace ricochet {
namespace {

struct Entry {
  int i, j;
  double a;
};

/// Rows of A are consistent, c_i = sum_j a_ij, so that c need not be written down.
Tableau make(std::string_view name, int order, int stages, int extra, const std::vector<Entry>& entries) {
  Tableau T;
  T.name = name;
  T.order = order;
  T.stages = stages;
  T.extra = extra;
  const auto n = static_cast<std::size_t>(T.all());
  T.A.assign(n * n, 0);
  T.c.assign(n, 0);
  for (const Entry& e : entries) T.A[static_cast<std::size_t>(e.i) * n + static_cast<std::size_t>(e.j)] = e.a;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) T.c[i] += T.A[i * n + j];
  T.b.assign(T.A.begin() + static_cast<std::ptrdiff_t>(n * static_cast<std::size_t>(stages)),
             T.A.begin() + static_cast<std::ptrdiff_t>(n * static_cast<std::size_t>(stages)) + stages);
  T.c[static_cast<std::size_t>(stages)] = 1;
  return T;
}

/// The embedded weights b^ minus b, over stages + 1.
std::vector<double> differences(const Tableau& T, std::vector<double> embedded) {
  embedded.resize(static_cast<std::size_t>(T.stages) + 1);
  for (std::size_t i = 0; i < T.b.size(); ++i) embedded[i] -= T.b[i];
  return embedded;
}

// Fehlberg 1969: order 4 with an estimate of order 5, propagated at order 5.
Tableau fehlberg() {
  Tableau T =
      make("rkf45", 5, 6, 0, {{1, 0, 1. / 4},        {2, 0, 3. / 32},        {2, 1, 9. / 32},    {3, 0, 1932. / 2197},
                              {3, 1, -7200. / 2197}, {3, 2, 7296. / 2197},   {4, 0, 439. / 216}, {4, 1, -8},
                              {4, 2, 3680. / 513},   {4, 3, -845. / 4104},   {5, 0, -8. / 27},   {5, 1, 2},
                              {5, 2, -3544. / 2565}, {5, 3, 1859. / 4104},   {5, 4, -11. / 40},  {6, 0, 16. / 135},
                              {6, 2, 6656. / 12825}, {6, 3, 28561. / 56430}, {6, 4, -9. / 50},   {6, 5, 2. / 55}});
  T.error = {differences(T, {25. / 216, 0, 1408. / 2565, 2197. / 4104, -1. / 5, 0})};
  return T;
}

// Dormand and Prince 1980, with the continuous output of order 4 of Shampine 1986.
Tableau dormand_prince() {
  Tableau T = make("dopri5", 5, 6, 0,
                   {{1, 0, 1. / 5},        {2, 0, 3. / 40},     {2, 1, 9. / 40},        {3, 0, 44. / 45},
                    {3, 1, -56. / 15},     {3, 2, 32. / 9},     {4, 0, 19372. / 6561},  {4, 1, -25360. / 2187},
                    {4, 2, 64448. / 6561}, {4, 3, -212. / 729}, {5, 0, 9017. / 3168},   {5, 1, -355. / 33},
                    {5, 2, 46732. / 5247}, {5, 3, 49. / 176},   {5, 4, -5103. / 18656}, {6, 0, 35. / 384},
                    {6, 2, 500. / 1113},   {6, 3, 125. / 192},  {6, 4, -2187. / 6784},  {6, 5, 11. / 84}});
  T.error = {differences(T, {5179. / 57600, 0, 7571. / 16695, 393. / 640, -92097. / 339200, 187. / 2100, 1. / 40})};
  T.dense = {{-12715105075. / 11282082432, 0, 87487479700. / 32700410799, -10690763975. / 1880347072,
              701980252875. / 199316789632, -1453857185. / 822651844, 69997945. / 29380423}};
  return T;
}

// Dormand and Prince 1981, order 8 with estimates of orders 5 and 3 and continuous output of order 7, with the
// coefficients of Hairer, Norsett and Wanner.
Tableau dormand_prince_8() {
  Tableau T = make("dop853", 8, 12, 3,
                   {{1, 0, 5.26001519587677318785587544488e-2},
                    {2, 0, 1.97250569845378994544595329183e-2},
                    {2, 1, 5.91751709536136983633785987549e-2},
                    {3, 0, 2.95875854768068491816892993775e-2},
                    {3, 2, 8.87627564304205475450678981324e-2},
                    {4, 0, 2.41365134159266685502369798665e-1},
                    {4, 2, -8.84549479328286085344864962717e-1},
                    {4, 3, 9.24834003261792003115737966543e-1},
                    {5, 0, 3.7037037037037037037037037037e-2},
                    {5, 3, 1.70828608729473871279604482173e-1},
                    {5, 4, 1.25467687566822425016691814123e-1},
                    {6, 0, 3.7109375e-2},
                    {6, 3, 1.70252211019544039314978060272e-1},
                    {6, 4, 6.02165389804559606850219397283e-2},
                    {6, 5, -1.7578125e-2},
                    {7, 0, 3.70920001185047927108779319836e-2},
                    {7, 3, 1.70383925712239993810214054705e-1},
                    {7, 4, 1.07262030446373284651809199168e-1},
                    {7, 5, -1.53194377486244017527936158236e-2},
                    {7, 6, 8.27378916381402288758473766002e-3},
                    {8, 0, 6.24110958716075717114429577812e-1},
                    {8, 3, -3.36089262944694129406857109825},
                    {8, 4, -8.68219346841726006818189891453e-1},
                    {8, 5, 2.75920996994467083049415600797e1},
                    {8, 6, 2.01540675504778934086186788979e1},
                    {8, 7, -4.34898841810699588477366255144e1},
                    {9, 0, 4.77662536438264365890433908527e-1},
                    {9, 3, -2.48811461997166764192642586468},
                    {9, 4, -5.90290826836842996371446475743e-1},
                    {9, 5, 2.12300514481811942347288949897e1},
                    {9, 6, 1.52792336328824235832596922938e1},
                    {9, 7, -3.32882109689848629194453265587e1},
                    {9, 8, -2.03312017085086261358222928593e-2},
                    {10, 0, -9.3714243008598732571704021658e-1},
                    {10, 3, 5.18637242884406370830023853209},
                    {10, 4, 1.09143734899672957818500254654},
                    {10, 5, -8.14978701074692612513997267357},
                    {10, 6, -1.85200656599969598641566180701e1},
                    {10, 7, 2.27394870993505042818970056734e1},
                    {10, 8, 2.49360555267965238987089396762},
                    {10, 9, -3.0467644718982195003823669022},
                    {11, 0, 2.27331014751653820792359768449},
                    {11, 3, -1.05344954667372501984066689879e1},
                    {11, 4, -2.00087205822486249909675718444},
                    {11, 5, -1.79589318631187989172765950534e1},
                    {11, 6, 2.79488845294199600508499808837e1},
                    {11, 7, -2.85899827713502369474065508674},
                    {11, 8, -8.87285693353062954433549289258},
                    {11, 9, 1.23605671757943030647266201528e1},
                    {11, 10, 6.43392746015763530355970484046e-1},
                    {12, 0, 5.42937341165687622380535766363e-2},
                    {12, 5, 4.45031289275240888144113950566},
                    {12, 6, 1.89151789931450038304281599044},
                    {12, 7, -5.8012039600105847814672114227},
                    {12, 8, 3.1116436695781989440891606237e-1},
                    {12, 9, -1.52160949662516078556178806805e-1},
                    {12, 10, 2.01365400804030348374776537501e-1},
                    {12, 11, 4.47106157277725905176885569043e-2},
                    {13, 0, 5.61675022830479523392909219681e-2},
                    {13, 6, 2.53500210216624811088794765333e-1},
                    {13, 7, -2.46239037470802489917441475441e-1},
                    {13, 8, -1.24191423263816360469010140626e-1},
                    {13, 9, 1.5329179827876569731206322685e-1},
                    {13, 10, 8.20105229563468988491666602057e-3},
                    {13, 11, 7.56789766054569976138603589584e-3},
                    {13, 12, -8.298e-3},
                    {14, 0, 3.18346481635021405060768473261e-2},
                    {14, 5, 2.83009096723667755288322961402e-2},
                    {14, 6, 5.35419883074385676223797384372e-2},
                    {14, 7, -5.49237485713909884646569340306e-2},
                    {14, 10, -1.08347328697249322858509316994e-4},
                    {14, 11, 3.82571090835658412954920192323e-4},
                    {14, 12, -3.40465008687404560802977114492e-4},
                    {14, 13, 1.41312443674632500278074618366e-1},
                    {15, 0, -4.28896301583791923408573538692e-1},
                    {15, 5, -4.69762141536116384314449447206},
                    {15, 6, 7.68342119606259904184240953878},
                    {15, 7, 4.06898981839711007970213554331},
                    {15, 8, 3.56727187455281109270669543021e-1},
                    {15, 12, -1.39902416515901462129418009734e-3},
                    {15, 13, 2.9475147891527723389556272149},
                    {15, 14, -9.15095847217987001081870187138}});
  T.error = {{0.1312004499419488073250102996e-1, 0, 0, 0, 0, -0.1225156446376204440720569753e1,
              -0.4957589496572501915214079952, 0.1664377182454986536961530415e1, -0.3503288487499736816886487290,
              0.3341791187130174790297318841, 0.8192320648511571246570742613e-1, -0.2235530786388629525884427845e-1, 0},
             differences(T, {0.244094488188976377952755905512, 0, 0, 0, 0, 0, 0, 0, 0.733846688281611857341361741547, 0,
                             0, 0.220588235294117647058823529412e-1})};
  T.dense = {{-0.84289382761090128651353491142e1, 0, 0, 0, 0, 0.56671495351937776962531783590,
              -0.30689499459498916912797304727e1, 0.23846676565120698287728149680e1, 0.21170345824450282767155149946e1,
              -0.87139158377797299206789907490, 0.22404374302607882758541771650e1, 0.63157877876946881815570249290,
              -0.88990336451333310820698117400e-1, 0.18148505520854727256656404962e2,
              -0.91946323924783554000451984436e1, -0.44360363875948939664310572000e1},
             {0.10427508642579134603413151009e2, 0, 0, 0, 0, 0.24228349177525818288430175319e3,
              0.16520045171727028198505394887e3, -0.37454675472269020279518312152e3, -0.22113666853125306036270938578e2,
              0.77334326684722638389603898808e1, -0.30674084731089398182061213626e2, -0.93321305264302278729567221706e1,
              0.15697238121770843886131091075e2, -0.31139403219565177677282850411e2, -0.93529243588444783865713862664e1,
              0.35816841486394083752465898540e2},
             {0.19985053242002433820987653617e2, 0, 0, 0, 0, -0.38703730874935176555105901742e3,
              -0.18917813819516756882830838328e3, 0.52780815920542364900561016686e3, -0.11573902539959630126141871134e2,
              0.68812326946963000169666922661e1, -0.10006050966910838403183860980e1, 0.77771377980534432092869265740,
              -0.27782057523535084065932004339e1, -0.60196695231264120758267380846e2, 0.84320405506677161018159903784e2,
              0.11992291136182789328035130030e2},
             {-0.25693933462703749003312586129e2, 0, 0, 0, 0, -0.15418974869023643374053993627e3,
              -0.23152937917604549567536039109e3, 0.35763911791061412378285349910e3, 0.93405324183624310003907691704e2,
              -0.37458323136451633156875139351e2, 0.10409964950896230045147246184e3, 0.29840293426660503123344363579e2,
              -0.43533456590011143754432175058e2, 0.96324553959188282948394950600e2, -0.39177261675615439165231486172e2,
              -0.14972683625798562581422125276e3}};
  return T;
}

}  // namespace

const std::vector<Tableau>& tableaux() {
  static const std::vector<Tableau> table = {
      make("euler", 1, 1, 0, {{1, 0, 1}}),
      make("midpoint", 2, 2, 0, {{1, 0, 0.5}, {2, 1, 1}}),
      make("kutta3", 3, 3, 0, {{1, 0, 0.5}, {2, 0, -1}, {2, 1, 2}, {3, 0, 1. / 6}, {3, 1, 2. / 3}, {3, 2, 1. / 6}}),
      make("rk4", 4, 4, 0,
           {{1, 0, 0.5}, {2, 1, 0.5}, {3, 2, 1}, {4, 0, 1. / 6}, {4, 1, 1. / 3}, {4, 2, 1. / 3}, {4, 3, 1. / 6}}),
      fehlberg(),
      dormand_prince(),
      dormand_prince_8()};
  return table;
}

const Tableau* find_tableau(std::string_view name) {
  for (const Tableau& T : tableaux())
    if (T.name == name) return &T;
  return nullptr;
}

void ExplicitRungeKutta::reserve(Index n) {
  if (y_.size() >= n) return;
  for (VectorXd* v : {&y_, &y_end_, &stage_}) v->setZero(n);
  k_.setZero(n * T_->all());
  F_.setZero(n * static_cast<Index>(3 + T_->dense.size()));
}

bool ExplicitRungeKutta::begin(Flow& flow, double t, ConstView y, Index coupled) {
  n_ = y.size();
  coupled_ = coupled;
  t_ = t;
  reserve(n_);
  copy(y, y_.data());
  return flow.rate(t, y, {k_.data(), n_});
}

/// k_{i+1} = f at y + h sum_j a_ij k_j.
bool ExplicitRungeKutta::stage(Flow& flow, int i) {
  for (Index m = 0; m < n_; ++m) stage_[m] = 0;
  for (int j = 0; j < i; ++j) {
    const double a = T_->a(i, j);
    if (a == 0) continue;
    const double* k = k_.data() + j * n_;
    for (Index m = 0; m < n_; ++m) stage_[m] += a * k[m];
  }
  for (Index m = 0; m < n_; ++m) stage_[m] = y_[m] + h_ * stage_[m];
  return flow.rate(t_ + T_->c[static_cast<std::size_t>(i)] * h_, {stage_.data(), n_}, {k_.data() + i * n_, n_});
}

bool ExplicitRungeKutta::step(Flow& flow, double h) {
  h_ = h;
  ended_ = false;
  for (int i = 1; i < T_->stages; ++i)
    if (!stage(flow, i)) return false;
  for (Index m = 0; m < n_; ++m) y_end_[m] = 0;
  for (int j = 0; j < T_->stages; ++j) {
    const double b = T_->b[static_cast<std::size_t>(j)];
    if (b == 0) continue;
    const double* k = k_.data() + j * n_;
    for (Index m = 0; m < n_; ++m) y_end_[m] += b * k[m];
  }
  for (Index m = 0; m < n_; ++m) y_end_[m] = y_[m] + h * y_end_[m];
  for (const auto& e : T_->error)
    if (e.back() != 0) return end_slope(flow);
  return true;
}

bool ExplicitRungeKutta::end_slope(Flow& flow) {
  if (ended_) return true;
  ended_ = flow.rate(t_ + h_, {y_end_.data(), n_}, {k_.data() + T_->stages * n_, n_});
  return ended_;
}

double ExplicitRungeKutta::error(ConstView scale) {
  double sum[2] = {0, 0};
  for (std::size_t row = 0; row < T_->error.size(); ++row)
    for (Index m = 0; m < coupled_; ++m) {
      double e = 0;
      for (int j = 0; j <= T_->stages; ++j)
        if (const double weight = T_->error[row][static_cast<std::size_t>(j)]; weight != 0)
          e += weight * k_[j * n_ + m];
      e *= h_ / scale[m];
      sum[row] += e * e;
    }
  const auto n = static_cast<double>(std::max<Index>(coupled_, 1));
  if (T_->error.size() < 2) return std::sqrt(sum[0] / n);
  // two estimates, orders 5 and 3: together they behave like one of order 7
  const double mix = sum[0] + 0.01 * sum[1];
  return mix > 0 ? sum[0] / std::sqrt(mix * n) : 0;
}

bool ExplicitRungeKutta::make_dense(Flow& flow) {
  if (!end_slope(flow)) return false;
  for (int i = T_->stages + 1; i < T_->all(); ++i)
    if (!stage(flow, i)) return false;
  double *F0 = F_.data(), *F1 = F0 + n_, *F2 = F1 + n_;
  const double *first = k_.data(), *last = k_.data() + T_->stages * n_;
  for (Index m = 0; m < coupled_; ++m) {
    F0[m] = y_end_[m] - y_[m];
    F1[m] = h_ * first[m] - F0[m];
    F2[m] = 2 * F0[m] - h_ * (first[m] + last[m]);
  }
  for (std::size_t row = 0; row < T_->dense.size(); ++row) {
    double* F = F_.data() + static_cast<Index>(3 + row) * n_;
    for (Index m = 0; m < coupled_; ++m) F[m] = 0;
    for (std::size_t j = 0; j < T_->dense[row].size(); ++j) {
      const double d = T_->dense[row][j];
      if (d == 0) continue;
      const double* k = k_.data() + static_cast<Index>(j) * n_;
      for (Index m = 0; m < coupled_; ++m) F[m] += h_ * d * k[m];
    }
  }
  return true;
}

void ExplicitRungeKutta::interpolate(double theta, View y) const {
  const int last = 2 + static_cast<int>(T_->dense.size());
  for (Index m = 0; m < coupled_; ++m) {
    double p = F_[last * n_ + m];
    for (int l = last - 1; l >= 0; --l) p = F_[l * n_ + m] + (l % 2 == 0 ? 1 - theta : theta) * p;
    y[m] = y_[m] + theta * p;
  }
}

}  // namespace ricochet
