// SPDX-License-Identifier: Apache-2.0
/* GnuTLS is loaded at the first use, as glib-networking does at the first TLS connection. A program that is linked with
   it loads eight libraries at its start, and GnuTLS then writes what GNUTLS_DEBUG_LEVEL asks for before the program can
   forbid it. */

#include "CSignatures.h"

#include <dlfcn.h>
#include <gnutls/abstract.h>
#include <pthread.h>
#include <stdbool.h>

static struct {
  bool is_loaded;
  __typeof__(gnutls_pubkey_init) *init;
  __typeof__(gnutls_pubkey_deinit) *deinit;
  __typeof__(gnutls_pubkey_import_rsa_raw) *import;
  __typeof__(gnutls_pubkey_get_pk_algorithm) *algorithm;
  __typeof__(gnutls_pubkey_verify_data2) *verify;
} gnutls;

static void load(void) {
  void *library = dlopen("libgnutls.so.30", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  gnutls.init = dlsym(library, "gnutls_pubkey_init");
  gnutls.deinit = dlsym(library, "gnutls_pubkey_deinit");
  gnutls.import = dlsym(library, "gnutls_pubkey_import_rsa_raw");
  gnutls.algorithm = dlsym(library, "gnutls_pubkey_get_pk_algorithm");
  gnutls.verify = dlsym(library, "gnutls_pubkey_verify_data2");
  gnutls.is_loaded = gnutls.init && gnutls.deinit && gnutls.import && gnutls.algorithm && gnutls.verify;
}

static gnutls_datum_t datum(struct chappie_bytes bytes) {
  return (gnutls_datum_t){.data = (unsigned char *)bytes.data, .size = (unsigned int)bytes.count};
}

enum chappie_verdict chappie_verify_rs256(struct chappie_bytes modulus, struct chappie_bytes exponent,
                                          struct chappie_bytes message, struct chappie_bytes signature,
                                          unsigned int minimum_bits) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  if (!gnutls.is_loaded) return CHAPPIE_SIGNATURE_UNCHECKED;
  gnutls_pubkey_t key;
  if (gnutls.init(&key) != GNUTLS_E_SUCCESS) return CHAPPIE_SIGNATURE_UNCHECKED;
  gnutls_datum_t n = datum(modulus), e = datum(exponent), text = datum(message), proof = datum(signature);
  unsigned int bits = 0;
  bool is_right = gnutls.import(key, &n, &e) == GNUTLS_E_SUCCESS &&
                  gnutls.algorithm(key, &bits) == GNUTLS_PK_RSA && bits >= minimum_bits &&
                  gnutls.verify(key, GNUTLS_SIGN_RSA_SHA256, 0, &text, &proof) >= GNUTLS_E_SUCCESS;
  gnutls.deinit(key);
  return is_right ? CHAPPIE_SIGNATURE_RIGHT : CHAPPIE_SIGNATURE_WRONG;
}
