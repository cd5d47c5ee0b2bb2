// SPDX-License-Identifier: Apache-2.0
#ifndef CHAPPIE_SIGNATURES_H
#define CHAPPIE_SIGNATURES_H

#include <stddef.h>

struct chappie_bytes {
  const unsigned char *data;
  size_t count;
};

enum chappie_verdict {
  CHAPPIE_SIGNATURE_WRONG,
  CHAPPIE_SIGNATURE_RIGHT,
  /* GnuTLS cannot be loaded. */
  CHAPPIE_SIGNATURE_UNCHECKED,
};

/* Whether `signature` is one of `message` by the RSA key of `modulus` and `exponent`, with PKCS #1 v1.5 and SHA-256.
   A modulus shorter than `minimum_bits` is no key. */
enum chappie_verdict chappie_verify_rs256(struct chappie_bytes modulus, struct chappie_bytes exponent,
                                          struct chappie_bytes message, struct chappie_bytes signature,
                                          unsigned int minimum_bits);

#endif
