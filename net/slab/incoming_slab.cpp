#include "net/slab/incoming_slab.hpp"

namespace tilewall::net {

IncomingSlab::IncomingSlab(const SlabShape& shape, SlabBuffer buffer)
    : shape_(shape),
      buffer_(std::move(buffer)),
      there_(shape.pieces(), false),
      missing_(shape.pieces()) {}

}  // namespace tilewall::net
