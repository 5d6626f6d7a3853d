# cmake -DBASE=0.3.0 -DSOURCE=FOLDER -DOUT=FILE.cpp -P version.cmake: what version() says, written if it has changed.
# At the tag v0.3.0, and where git knows nothing, that is the project's version; elsewhere 0.3.0+57.g5cdfcfe, 57 commits
# after the last tag, and .dirty with changes that are in no commit.
execute_process(COMMAND git --no-optional-locks -C ${SOURCE} describe --tags --match v* --long --always --dirty
                OUTPUT_VARIABLE described RESULT_VARIABLE unknown OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(version ${BASE})
if(unknown EQUAL 0 AND EXISTS ${SOURCE}/.git AND NOT described MATCHES "^v${BASE}-0-g[0-9a-f]+$")
  if(described MATCHES "^v.*-([0-9]+-g[0-9a-f]+.*)$")
    string(REPLACE - . described ${CMAKE_MATCH_1})
  else()
    string(REPLACE - . described g${described})
  endif()
  string(APPEND version + ${described})
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT [[
namespace ricochet {
const char* version();
const char* version() { return "@version@"; }
}  // namespace ricochet
]] @ONLY)
