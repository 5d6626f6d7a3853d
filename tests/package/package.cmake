# cmake -D SOURCE=<tests/package> -D BUILD=<build tree of ricochet> -D SCRATCH=<folder> -D COMPILER=<c++> -P package.cmake
# Installs the build tree into a prefix of its own, then configures, builds and runs the program of consumer/ against it.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE}/consumer -B ${SCRATCH}/build -G Ninja -D CMAKE_BUILD_TYPE=Release
    -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_PREFIX_PATH=${SCRATCH}/prefix)
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${SCRATCH}/build/consumer)

# The program, where it was built, runs from its prefix too.
if(EXISTS ${SCRATCH}/prefix/bin/ricochet)
  run(${SCRATCH}/prefix/bin/ricochet --help)
endif()
file(REMOVE_RECURSE ${SCRATCH})
