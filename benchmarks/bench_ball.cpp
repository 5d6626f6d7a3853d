// STEPS steps of the bouncing ball with Moreau-Jean, recording off: the counterpart of siconos/ball.cpp.
#include "bench.hpp"

int main(int argc, char** argv) { return ricochet::bench(argc, argv, "bouncing-ball-lecture", 5e-3); }
