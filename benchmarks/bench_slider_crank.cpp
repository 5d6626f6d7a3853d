// STEPS steps of the slider-crank with Moreau-Jean, recording off: the counterpart of siconos/slider_crank.cpp.
#include "bench.hpp"

int main(int argc, char** argv) { return ricochet::bench(argc, argv, "slider-crank", 1e-5); }
