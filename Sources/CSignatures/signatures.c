// SPDX-License-Identifier: Apache-2.0
/* GnuTLS is loaded at the first use, as glib-networking does at the first TLS connection. A program that is linked with
   it loads eight libraries at its start, and GnuTLS then writes what GNUTLS_DEBUG_LEVEL asks for before the program can
   forbid it. */

#include "CSignatures.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

/* As libgnutls.so.30 has them, so that a program that uses the SDK builds without the headers of GnuTLS. The functions
   return 0 or more if they succeed. */
enum { RSA = 1, RSA_SHA256 = 6 };
typedef struct gnutls_pubkey_st *pubkey;
typedef struct {
  unsigned char *data;
  unsigned int size;
} datum;

static struct {
  bool is_loaded;
  int (*init)(pubkey *key);
  void (*deinit)(pubkey key);
  int (*import)(pubkey key, const datum *modulus, const datum *exponent);
  int (*algorithm)(pubkey key, unsigned int *bits);
  int (*verify)(pubkey key, int algorithm, unsigned int flags, const datum *text, const datum *signature);
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

static datum datum_of(struct chappie_bytes bytes) {
  return (datum){.data = (unsigned char *)bytes.data, .size = (unsigned int)bytes.count};
}

enum chappie_verdict chappie_verify_rs256(struct chappie_bytes modulus, struct chappie_bytes exponent,
                                          struct chappie_bytes message, struct chappie_bytes signature,
                                          unsigned int minimum_bits) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  if (!gnutls.is_loaded) return CHAPPIE_SIGNATURE_UNCHECKED;
  pubkey key;
  if (gnutls.init(&key) != 0) return CHAPPIE_SIGNATURE_UNCHECKED;
  datum n = datum_of(modulus), e = datum_of(exponent), text = datum_of(message), proof = datum_of(signature);
  unsigned int bits = 0;
  bool is_right = gnutls.import(key, &n, &e) == 0 && gnutls.algorithm(key, &bits) == RSA && bits >= minimum_bits &&
                  gnutls.verify(key, RSA_SHA256, 0, &text, &proof) >= 0;
  gnutls.deinit(key);
  return is_right ? CHAPPIE_SIGNATURE_RIGHT : CHAPPIE_SIGNATURE_WRONG;
}
