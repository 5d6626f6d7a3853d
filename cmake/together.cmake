# Files of one folder are compiled together: what they include is parsed once, and classes of Eigen are made once, which
# is half of the time of a build (docs/notes/build.md). Names in unnamed namespaces of one folder therefore differ.
option(RICOCHET_TOGETHER "Compile the files of a folder together" ON)

# ricochet_compile_together(TARGET [AT_ONCE n] [ALONE regex]): the sources of the target, at most n in one piece. ALONE:
# those that are expensive by themselves, so that nothing is gained.
function(ricochet_compile_together target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "AT_ONCE;ALONE" "")
  if(NOT RICOCHET_TOGETHER)
    return()
  endif()
  if(NOT arg_AT_ONCE)
    set(arg_AT_ONCE 8)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # To the compiler each file is a header then, which may not hand out what is its own.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})
    if(NOT source MATCHES "\\.cpp$" OR (arg_ALONE AND source MATCHES "${arg_ALONE}"))
      continue()
    endif()
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE place)
    cmake_path(GET place PARENT_PATH group)
    string(MAKE_C_IDENTIFIER ${group} group)
    math(EXPR ${group}_seen "${${group}_seen} + 1")
    math(EXPR piece "(${${group}_seen} - 1) / ${arg_AT_ONCE}")
    set_property(SOURCE ${source} TARGET_DIRECTORY ${target} PROPERTY UNITY_GROUP ${group}_${piece})
  endforeach()
endfunction()
