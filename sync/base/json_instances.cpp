#define TILEWALL_JSON_INSTANCE template class
#include "sync/base/json_instances.hpp"
